//! The summary of an execution, which is the item of lists.

use super::{Priority, Progress, Status, TaskExecution};
use crate::shared::{
    ids::{LocationId, ScheduledTaskId, SeriesId, TaskExecutionId, UserId},
    timestamp::Timestamp,
};

/// The summary. Stores keep its values in columns, so that lists do not read the steps.
#[derive(Clone, PartialEq, Debug)]
pub struct ExecutionSummary {
    /// The execution's id.
    pub id: TaskExecutionId,
    /// The task of which it is a run.
    pub scheduled_task_id: ScheduledTaskId,
    /// The user who performs it, if there is one yet.
    pub performer_id: Option<UserId>,
    /// The users who are allowed to perform it.
    pub assignee_ids: Vec<UserId>,
    /// 1 to 255 characters by default.
    pub name: String,
    /// State, with the actual start and end.
    pub progress: Progress,
    /// The worst status of its steps; `None` until a result was reported.
    pub status: Option<Status>,
    /// The planned start.
    pub start_at: Timestamp,
    /// The planned end, not before the start.
    pub end_at: Timestamp,
    /// The number of actions whose status is ERROR.
    pub error_count: i32,
    /// The number of actions whose status is WARNING.
    pub warning_count: i32,
    /// The urgency, NORMAL by default.
    pub priority: Priority,
    /// The series that it is edited with.
    pub series_id: Option<SeriesId>,
    /// Whether it has a deadline.
    pub deadlined: bool,
    /// Whether performers see it.
    pub published: bool,
    /// Whether it was changed by PUT, PATCH or a series update.
    pub edited: bool,
    /// The number of steps.
    pub step_count: i32,
    /// The number of steps in state COMPLETED.
    pub executed_step_count: i32,
    /// The location of the round.
    pub location_id: LocationId,
    /// In the order in which they were given.
    pub tags: Vec<String>,
    /// Whether the steps have to be performed in their order.
    pub order_steps_required: bool,
}

impl ExecutionSummary {
    /// Whether it has at least one assignee.
    #[must_use]
    pub const fn assigned(&self) -> bool {
        !self.assignee_ids.is_empty()
    }
}

impl TaskExecution {
    /// Derives the summary from the record.
    #[must_use]
    pub fn summary(&self) -> ExecutionSummary {
        let over = self.is_completed();
        let actions_with = |wanted| {
            let all = self.steps.iter().flat_map(|step| &step.actions);
            number(all.filter(|action| action.status(over) == Some(wanted)).count())
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
            error_count: actions_with(Status::Error),
            warning_count: actions_with(Status::Warning),
            priority: self.priority,
            series_id: self.series_id,
            deadlined: self.deadlined,
            published: self.published,
            edited: self.edited,
            step_count: number(self.steps.len()),
            executed_step_count: number(
                self.steps.iter().filter(|step| step.state == super::State::Completed).count(),
            ),
            location_id: self.location_id,
            tags: self.tags.clone(),
            order_steps_required: self.order_steps_required,
        }
    }
}

/// The bounds on steps and actions keep these counts far below `i32::MAX`.
fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
