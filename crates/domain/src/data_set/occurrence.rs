//! Executions and scheduled tasks with the occurrences of schedules, so that the schedules do not
//! make imported executions again.

use std::collections::BTreeSet;

use crate::{
    schedule::LocalDateTime, scheduled_task::ScheduledTask, shared::ids::ScheduledTaskId,
    task_execution::TaskExecution,
};

/// An occurrence of the schedule of a task, which may have been deleted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OccurrenceKey {
    /// The task.
    pub task: ScheduledTaskId,
    /// The local start in the rule.
    pub start: LocalDateTime,
}

/// An execution with the occurrence that it was made from.
#[derive(Clone, PartialEq, Debug)]
pub struct NewExecution {
    /// The execution.
    pub execution: TaskExecution,
    /// The local start in the rule of the task; `None` if it was not made from a schedule.
    pub occurrence_at: Option<LocalDateTime>,
}

impl NewExecution {
    /// The occurrence that it was made from.
    #[must_use]
    pub fn occurrence(&self) -> Option<OccurrenceKey> {
        Some(OccurrenceKey { task: self.execution.scheduled_task_id?, start: self.occurrence_at? })
    }
}

impl From<TaskExecution> for NewExecution {
    /// An execution that was not made from a schedule.
    fn from(execution: TaskExecution) -> Self {
        Self { execution, occurrence_at: None }
    }
}

/// A scheduled task with the occurrences whose executions were deleted.
#[derive(Clone, PartialEq, Debug)]
pub struct NewTask {
    /// The task.
    pub task: ScheduledTask,
    /// The local starts of these occurrences: `leftOut` in the data set. The schedule makes no new
    /// executions from them.
    pub left_out: BTreeSet<LocalDateTime>,
}

impl From<ScheduledTask> for NewTask {
    /// A task without deleted executions.
    fn from(task: ScheduledTask) -> Self {
        Self { task, left_out: BTreeSet::new() }
    }
}
