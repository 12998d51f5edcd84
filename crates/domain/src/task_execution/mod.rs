//! Task executions: runs of scheduled tasks, with steps and actions.

mod content;
mod copy;
mod patch;
mod port;
mod progress;
mod query;
mod status;
mod step;
mod summary;

pub(crate) use content::{ActionContent, Content, KnownParts, MatchedBy, StepContent};
pub use content::{ActionDraft, ContentDraft, StepDraft};
pub use copy::Copying;
pub use patch::ExecutionPatch;
#[cfg(feature = "mock")]
pub use port::MockTaskExecutions;
pub use port::{Change, Copies, Edit, TaskExecutions};
pub use progress::{Progress, State};
pub use query::{
    DateFilter, ExecutionFilter, ExecutionList, ExecutionQuery, ExecutionSort, date_condition,
};
pub use status::Status;
pub use step::{Action, ActionType, Outcome, Step};
pub use summary::ExecutionSummary;

use crate::shared::{
    ids::{LocationId, PointId, ScheduledTaskId, SeriesId, TaskExecutionId, UserId},
    named::named,
    timestamp::Timestamp,
};

named! {
    /// The urgency of an execution.
    Priority {
        /// Below NORMAL.
        Minor = "MINOR", 0;
        /// The default.
        Normal = "NORMAL", 1;
        /// Above NORMAL.
        Major = "MAJOR", 2;
        /// Above all others.
        Critical = "CRITICAL", 3;
    }
}

/// A run of a scheduled task: a round of steps, each with actions.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskExecution {
    /// Unique among executions; never changes.
    pub id: TaskExecutionId,
    /// The task of which this is a run.
    pub scheduled_task_id: ScheduledTaskId,
    /// The series that it is edited with; `None` for a single execution.
    pub series_id: Option<SeriesId>,
    /// 1 to 255 characters by default.
    pub name: String,
    /// At most 10,000 characters by default.
    pub description: Option<String>,
    /// The location of the round.
    pub location_id: LocationId,
    /// The user who performs it, if there is one yet.
    pub performer_id: Option<UserId>,
    /// The users who are allowed to perform it, without duplicates.
    pub assignee_ids: Vec<UserId>,
    /// State, with the actual start and end.
    pub progress: Progress,
    /// Whether performers see it. Only a filter of lists, not a permission.
    pub published: bool,
    /// The planned start.
    pub start_at: Timestamp,
    /// Planned end, not before the start.
    pub end_at: Timestamp,
    /// The urgency, NORMAL by default.
    pub priority: Priority,
    /// Whether the steps have to be performed in their order.
    pub order_steps_required: bool,
    /// Whether it has to be performed within its planned period.
    pub strict_time_required: bool,
    /// Whether it has a deadline, as set by the client.
    pub deadlined: bool,
    /// Whether it was changed by PUT, PATCH or a series update.
    pub edited: bool,
    /// At most 100 by default, without duplicates.
    pub tags: Vec<String>,
    /// Sorted by `order`; at most 500 by default.
    pub steps: Vec<Step>,
}

impl TaskExecution {
    /// The worst status of its steps; `None` until a result was reported.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.steps.iter().filter_map(|step| step.status(self.is_completed())).max()
    }

    /// Whether it is COMPLETED: then it is evidence, and only `published` and `tags` may change.
    #[must_use]
    pub const fn is_completed(&self) -> bool {
        matches!(self.progress, Progress::Completed { .. })
    }

    /// The points of its steps, without duplicates.
    #[must_use]
    pub fn point_ids(&self) -> Vec<PointId> {
        let points: Vec<_> = self.steps.iter().filter_map(|step| step.point_id).collect();
        crate::shared::check::set(&points)
    }
}
