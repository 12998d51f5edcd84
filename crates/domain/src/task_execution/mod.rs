//! Task executions: runs of scheduled tasks or runs without a task, with steps and actions.

mod content;
mod copy;
mod create;
mod patch;
mod port;
mod progress;
mod punctuality;
mod query;
mod status;
mod step;
mod summary;

pub(crate) use content::{
    ActionContent, AllowedIds, Content, KnownAction, KnownIds, MatchedBy, Required, StepContent,
};
pub use content::{ActionDraft, ContentDraft, StepDraft};
pub use copy::CopyOptions;
pub use create::ExecutionDraft;
pub use patch::ExecutionPatch;
#[cfg(feature = "mock")]
pub use port::MockTaskExecutions;
pub use port::{Copies, MakeCopy, TaskExecutions};
pub use progress::{Progress, State};
pub use punctuality::{EARLY_START_MILLIS, Moment, Punctuality, Timing};
pub use query::{
    DateFilter, ExecutionFilter, ExecutionList, ExecutionQuery, ExecutionSort, date_condition,
};
pub use status::Status;
pub use step::{Action, ActionPlan, ActionType, Outcome, Step};
pub use summary::ExecutionSummary;

use crate::shared::{
    ids::{LocationId, MediaId, PointId, ScheduledTaskId, SeriesId, TaskExecutionId, UserId},
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

/// One run of a scheduled task, or one without a task, with its steps and their actions.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskExecution {
    /// Unique among executions; never changes.
    pub id: TaskExecutionId,
    /// The task that this execution is a run of, which may have been deleted; `None` if it was made by
    /// hand without a task.
    pub scheduled_task_id: Option<ScheduledTaskId>,
    /// The series of the execution; `None` outside a series.
    pub series_id: Option<SeriesId>,
    /// 1 to 255 characters by default.
    pub name: String,
    /// At most 10,000 characters by default.
    pub description: Option<String>,
    /// Where the execution takes place.
    pub location_id: LocationId,
    /// The user who performs the execution, if known.
    pub performer_id: Option<UserId>,
    /// The users who may perform the execution, without duplicates; at most 1,000 by default.
    pub assignee_ids: Vec<UserId>,
    /// The state with the actual start and end.
    pub progress: Progress,
    /// Whether performers should see the execution. Only a filter of lists, not a permission.
    pub published: bool,
    /// The planned start.
    pub start_at: Timestamp,
    /// The planned end, not before the planned start.
    pub end_at: Timestamp,
    /// The urgency, NORMAL by default.
    pub priority: Priority,
    /// Whether the steps have to be performed in their order.
    pub order_steps_required: bool,
    /// Whether the execution has to be performed within its planned period.
    pub strict_time_required: bool,
    /// Whether the execution has a deadline. Clients set and use it; no rule depends on it.
    pub deadlined: bool,
    /// Whether PUT, PATCH or a series update changed the execution.
    pub edited: bool,
    /// The number of accepted entries with a verdict. Only reports change it.
    pub flag_count: i32,
    /// At most 100 by default, without duplicates.
    pub tags: Vec<String>,
    /// Sorted by `order`; at most 500 by default.
    pub steps: Vec<Step>,
}

impl TaskExecution {
    /// A PENDING execution, planned from `start_at` to `end_at`, with only the required members.
    pub fn new(
        id: TaskExecutionId,
        scheduled_task_id: impl Into<Option<ScheduledTaskId>>,
        location_id: LocationId,
        name: impl Into<String>,
        [start_at, end_at]: [Timestamp; 2],
    ) -> Self {
        Self {
            id,
            scheduled_task_id: scheduled_task_id.into(),
            series_id: None,
            name: name.into(),
            description: None,
            location_id,
            performer_id: None,
            assignee_ids: Vec::new(),
            progress: Progress::Pending,
            published: false,
            start_at,
            end_at,
            priority: Priority::Normal,
            order_steps_required: false,
            strict_time_required: false,
            deadlined: false,
            edited: false,
            flag_count: 0,
            tags: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The worst status of the steps; `None` if no step has a status yet.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.steps.iter().filter_map(|step| step.status(self.is_completed())).max()
    }

    /// Whether the state is COMPLETED. A COMPLETED execution is evidence: only `published` and `tags`
    /// may still change.
    #[must_use]
    pub const fn is_completed(&self) -> bool {
        matches!(self.progress, Progress::Completed { .. })
    }

    /// The execution without this assignee. `None` when it does not change: only a PENDING
    /// execution loses a deleted assignee. Other executions are evidence of who was assigned.
    #[must_use]
    pub fn without_deleted_assignee(&self, user: UserId) -> Option<Self> {
        let is_pending = matches!(self.progress, Progress::Pending);
        let loses = is_pending && self.assignee_ids.contains(&user);
        loses.then(|| {
            let mut next = self.clone();
            next.assignee_ids.retain(|assignee| *assignee != user);
            next
        })
    }

    /// The number of parts that take memory: the execution, its steps and their actions.
    #[must_use]
    pub fn parts(&self) -> usize {
        1 + self.steps.iter().map(|step| 1 + step.actions.len()).sum::<usize>()
    }

    /// The media that are results of actions.
    pub fn media(&self) -> impl Iterator<Item = MediaId> {
        let actions = self.steps.iter().flat_map(|step| &step.actions);
        let media = actions.filter_map(|action| match &action.outcome {
            Some(Outcome::Media(media)) => Some(media),
            _ => None,
        });
        media.flatten().copied()
    }

    /// The points of the steps, without duplicates.
    #[must_use]
    pub fn point_ids(&self) -> Vec<PointId> {
        let points: Vec<_> = self.steps.iter().filter_map(|step| step.point_id).collect();
        crate::shared::check::distinct(&points)
    }
}
