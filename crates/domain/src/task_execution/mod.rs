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
    /// How urgent an execution is.
    Priority {
        /// Can wait.
        Minor = "MINOR", 0;
        /// The default.
        Normal = "NORMAL", 1;
        /// Before the normal ones.
        Major = "MAJOR", 2;
        /// Before all others.
        Critical = "CRITICAL", 3;
    }
}

/// A run of a scheduled task (interface 2.4).
#[derive(Clone, PartialEq, Debug)]
pub struct TaskExecution {
    /// Its id.
    pub id: TaskExecutionId,
    /// The task that it is a run of.
    pub scheduled_task_id: ScheduledTaskId,
    /// The series that it is edited with, if any.
    pub series_id: Option<SeriesId>,
    /// What it is called.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// Where it takes place.
    pub location_id: LocationId,
    /// Who carries it out, once somebody does.
    pub performer_id: Option<UserId>,
    /// Who may carry it out; none twice.
    pub assignee_ids: Vec<UserId>,
    /// How far it has come.
    pub progress: Progress,
    /// Whether it is shown to those who carry it out. A filter, no permission.
    pub published: bool,
    /// Planned start.
    pub start_at: Timestamp,
    /// Planned end, not before the start.
    pub end_at: Timestamp,
    /// How urgent it is.
    pub priority: Priority,
    /// Whether the steps have to be done in their order.
    pub order_steps_required: bool,
    /// Whether it has to be done within its period.
    pub strict_time_required: bool,
    /// Whether it has a deadline, as set by the client.
    pub deadlined: bool,
    /// Whether it was changed by PUT, PATCH or a series update.
    pub edited: bool,
    /// Tags; none twice.
    pub tags: Vec<String>,
    /// Its steps, by their order.
    pub steps: Vec<Step>,
}

impl TaskExecution {
    /// The worst status of its steps; none until something has been reported (decisions 5).
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.steps.iter().filter_map(|step| step.status(self.is_completed())).max()
    }

    /// Whether it is over, so that what it proves must not change.
    #[must_use]
    pub const fn is_completed(&self) -> bool {
        matches!(self.progress, Progress::Completed { .. })
    }

    /// The points of its steps, each once.
    #[must_use]
    pub fn point_ids(&self) -> Vec<PointId> {
        let points: Vec<_> = self.steps.iter().filter_map(|step| step.point_id).collect();
        crate::shared::check::set(&points)
    }
}
