//! The summary of an execution: the item of lists.

use super::{Priority, Progress, Status, TaskExecution};
use crate::shared::{
    ids::{LocationId, ScheduledTaskId, SeriesId, TaskExecutionId, UserId},
    timestamp::Timestamp,
};

/// The summary of an execution. Its values are columns in the stores, so that lists do not read the
/// steps.
#[derive(Clone, PartialEq, Debug)]
pub struct ExecutionSummary {
    /// The id of the execution.
    pub id: TaskExecutionId,
    /// The task that the execution is a run of; `None` if it was made by hand without a task.
    pub scheduled_task_id: Option<ScheduledTaskId>,
    /// The user who performs the execution, if known.
    pub performer_id: Option<UserId>,
    /// The users who may perform the execution.
    pub assignee_ids: Vec<UserId>,
    /// 1 to 255 characters by default.
    pub name: String,
    /// The state with the actual start and end.
    pub progress: Progress,
    /// The worst status of the steps; `None` if no step has a status yet.
    pub status: Option<Status>,
    /// The planned start.
    pub start_at: Timestamp,
    /// The planned end, not before the planned start.
    pub end_at: Timestamp,
    /// The number of actions whose status is ERROR.
    pub error_count: i32,
    /// The number of actions whose status is WARNING.
    pub warning_count: i32,
    /// The urgency, NORMAL by default.
    pub priority: Priority,
    /// The series of the execution; `None` outside a series.
    pub series_id: Option<SeriesId>,
    /// Whether the execution has a deadline.
    pub deadlined: bool,
    /// Whether performers should see the execution.
    pub published: bool,
    /// Whether PUT, PATCH or a series update changed the execution.
    pub edited: bool,
    /// The number of steps.
    pub step_count: i32,
    /// The number of steps in state COMPLETED.
    pub executed_step_count: i32,
    /// Where the execution takes place.
    pub location_id: LocationId,
    /// In the order in which the client sent them.
    pub tags: Vec<String>,
    /// Whether the steps have to be performed in their order.
    pub order_steps_required: bool,
    /// The number of accepted entries with a verdict.
    pub flag_count: i32,
}

impl ExecutionSummary {
    /// Whether the execution has at least one assignee.
    #[must_use]
    pub const fn assigned(&self) -> bool {
        !self.assignee_ids.is_empty()
    }
}

impl TaskExecution {
    /// The summary of this execution.
    #[must_use]
    pub fn summary(&self) -> ExecutionSummary {
        let is_completed = self.is_completed();
        let count_actions = |status| {
            let all = self.steps.iter().flat_map(|step| &step.actions);
            int32(all.filter(|action| action.status(is_completed) == Some(status)).count())
        };
        ExecutionSummary {
            id: self.id,
            scheduled_task_id: self.scheduled_task_id,
            performer_id: self.performer_id,
            assignee_ids: self.assignee_ids.clone(),
            name: self.name.clone(),
            progress: self.progress,
            status: self.status(),
            start_at: self.start_at,
            end_at: self.end_at,
            error_count: count_actions(Status::Error),
            warning_count: count_actions(Status::Warning),
            priority: self.priority,
            series_id: self.series_id,
            deadlined: self.deadlined,
            published: self.published,
            edited: self.edited,
            step_count: int32(self.steps.len()),
            executed_step_count: int32(
                self.steps.iter().filter(|step| step.state == super::State::Completed).count(),
            ),
            location_id: self.location_id,
            tags: self.tags.clone(),
            order_steps_required: self.order_steps_required,
            flag_count: self.flag_count,
        }
    }
}

/// The count as `i32`. The limits on steps and actions keep it far below `i32::MAX`.
fn int32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
