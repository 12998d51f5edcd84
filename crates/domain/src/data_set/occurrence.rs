//! Executions and scheduled tasks with the occurrences of schedules, so that the schedules do not
//! make imported executions again.

use std::collections::BTreeSet;

use super::{
    Record,
    record::{Constraint, DataSetRecord, exist, new_id},
};
use crate::{
    schedule::LocalDateTime,
    scheduled_task::ScheduledTask,
    shared::{existing::Reference, ids::ScheduledTaskId},
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

impl From<TaskExecution> for Record {
    fn from(execution: TaskExecution) -> Self {
        NewExecution::from(execution).into()
    }
}

impl DataSetRecord for NewExecution {
    fn reference(&self) -> Reference {
        self.execution.id.into()
    }

    /// Omits scheduledTaskId, performer, assignees and the pointId of steps, because scheduled
    /// tasks, users and points may have been deleted.
    fn references(&self) -> Vec<(String, Reference)> {
        vec![("locationId".to_owned(), self.execution.location_id.into())]
    }

    fn constraints(&self) -> Vec<(String, Constraint)> {
        let occurrence = self.occurrence().map(Constraint::NewOccurrence);
        new_id(self)
            .chain(occurrence.map(|occurrence| ("occurrenceAt".to_owned(), occurrence)))
            .chain(exist(self))
            .collect()
    }
}

/// A scheduled task with the occurrences whose executions were deleted.
#[derive(Clone, PartialEq, Debug)]
pub struct NewTask {
    /// The task.
    pub task: ScheduledTask,
    /// The local starts in the rule.
    pub left_out: BTreeSet<LocalDateTime>,
}

impl From<ScheduledTask> for NewTask {
    /// A task without deleted executions.
    fn from(task: ScheduledTask) -> Self {
        Self { task, left_out: BTreeSet::new() }
    }
}

impl From<ScheduledTask> for Record {
    fn from(task: ScheduledTask) -> Self {
        NewTask::from(task).into()
    }
}

impl DataSetRecord for NewTask {
    fn reference(&self) -> Reference {
        self.task.id.into()
    }

    /// Omits assignees and the pointId of steps, because users and points may have been deleted.
    fn references(&self) -> Vec<(String, Reference)> {
        let location = self.task.location_id.map(|id| ("locationId".to_owned(), id.into()));
        let lists = self.task.steps.iter().enumerate().filter_map(|(at, step)| {
            Some((format!("steps[{at}].checkListId"), step.check_list_id?.into()))
        });
        location.into_iter().chain(lists).collect()
    }
}
