//! What a list tells of an execution.

use super::{Priority, Progress, Status, TaskExecution};
use crate::shared::{
    ids::{LocationId, ScheduledTaskId, SeriesId, TaskExecutionId, UserId},
    timestamp::Timestamp,
};

/// The summary record (interface 2.4). Stores keep it beside the record, so that lists need not
/// read steps.
#[derive(Clone, PartialEq, Debug)]
pub struct ExecutionSummary {
    /// The execution.
    pub id: TaskExecutionId,
    /// The task that it is a run of.
    pub scheduled_task_id: ScheduledTaskId,
    /// Who carries it out.
    pub performer_id: Option<UserId>,
    /// Who may carry it out.
    pub assignee_ids: Vec<UserId>,
    /// What it is called.
    pub name: String,
    /// How far it has come.
    pub progress: Progress,
    /// What came of it so far.
    pub status: Option<Status>,
    /// Planned start.
    pub start_at: Timestamp,
    /// Planned end.
    pub end_at: Timestamp,
    /// Actions whose status is ERROR.
    pub error_count: i32,
    /// Actions whose status is WARNING.
    pub warning_count: i32,
    /// How urgent it is.
    pub priority: Priority,
    /// The series that it is edited with.
    pub series_id: Option<SeriesId>,
    /// Whether it has a deadline.
    pub deadlined: bool,
    /// Whether it is shown to those who carry it out.
    pub published: bool,
    /// Whether it was changed.
    pub edited: bool,
    /// Its steps.
    pub step_count: i32,
    /// Its steps in state COMPLETED.
    pub executed_step_count: i32,
    /// Where it takes place.
    pub location_id: LocationId,
    /// Its tags, in the order in which they were given.
    pub tags: Vec<String>,
    /// Whether the steps are to be done in their order.
    pub order_steps_required: bool,
}

impl ExecutionSummary {
    /// Whether somebody is to carry it out (decisions 5).
    #[must_use]
    pub const fn assigned(&self) -> bool {
        !self.assignee_ids.is_empty()
    }
}

impl TaskExecution {
    /// What a list tells of it.
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

/// Steps and actions of one execution are far fewer than this can count (decisions 8).
fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
