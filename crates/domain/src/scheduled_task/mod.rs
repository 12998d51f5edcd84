//! Scheduled tasks: plans from which executions are made.

mod draft;
mod execution;
mod list;
mod plan_dry_run;
mod port;
mod round;

pub use draft::ScheduledTaskDraft;
pub use execution::TaskPlan;
pub(crate) use execution::is_derived;
pub use list::{ScheduledTaskFilter, ScheduledTaskList, ScheduledTaskQuery, ScheduledTaskSort};
pub use plan_dry_run::{DryRunResult, ExecutionTimes, MadeOccurrence, PlanDryRun};
#[cfg(feature = "mock")]
pub use port::MockRounds;
pub use port::Rounds;
pub use round::{
    ChangedBy, DueTask, Following, PARTS_AT_ONCE, ROUNDS_AT_ONCE, Round, RoundBatch, RoundCounts,
    RoundMaker, RoundProgress,
};

use crate::{
    schedule::Schedule,
    shared::{
        check,
        ids::{
            ActionId, CheckListId, LocationId, PointId, ScheduledTaskId, SeriesId, StepId, UserId,
        },
        text,
    },
    task_execution::{ActionPlan, Priority},
};

/// The plan of a round: what is to be done where and by whom and, with a schedule, when.
#[derive(Clone, PartialEq, Debug)]
pub struct ScheduledTask {
    /// Unique among scheduled tasks; never changes.
    pub id: ScheduledTaskId,
    /// 1 to 255 characters by default.
    pub name: String,
    /// At most 10,000 characters by default.
    pub description: Option<String>,
    /// Where the round takes place. `None` for a task of an earlier version of Patrol: no execution
    /// is made from it until it gets a location.
    pub location_id: Option<LocationId>,
    /// The users who may perform the round, without duplicates; at most 1,000 by default.
    pub assignee_ids: Vec<UserId>,
    /// The urgency, NORMAL by default.
    pub priority: Priority,
    /// Whether the steps have to be performed in their order.
    pub order_steps_required: bool,
    /// Whether the round has to be performed within its planned period.
    pub strict_time_required: bool,
    /// Whether the round has a deadline. Clients set and use it; no rule depends on it.
    pub deadlined: bool,
    /// At most 100 by default, without duplicates.
    pub tags: Vec<String>,
    /// Whether the executions of the schedule are published.
    pub published: bool,
    /// Sorted by `order`; at most 500 by default.
    pub steps: Vec<PlannedStep>,
    /// When the rounds take place; `None` for a task whose rounds are made by hand.
    pub schedule: Option<Schedule>,
    /// Whether the schedule makes executions.
    pub enabled: bool,
    /// The series that new executions of the schedule belong to. Every task with a schedule has one.
    pub series_id: Option<SeriesId>,
}

/// A step of the plan. Its id never changes, because it is the series id of the steps that are made
/// from it.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedStep {
    /// Unique among the steps of all tasks.
    pub id: StepId,
    /// The point of the step. The point may have been deleted.
    pub point_id: Option<PointId>,
    /// 1 to 255 characters by default.
    pub name: String,
    /// The planned position. Equal positions are allowed.
    pub order: i32,
    /// The check-list whose actions the step gets besides its own when an execution is made.
    pub check_list_id: Option<CheckListId>,
    /// Sorted by `order`; at most 200 by default.
    pub actions: Vec<PlannedAction>,
}

/// An action of a step of the plan. Its id is the series id of the actions that are made from it.
pub type PlannedAction = ActionPlan<ActionId>;

impl ScheduledTask {
    /// A task with only its required members of the data set.
    pub fn new(id: ScheduledTaskId, name: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            description: None,
            location_id: None,
            assignee_ids: Vec::new(),
            priority: Priority::Normal,
            order_steps_required: false,
            strict_time_required: false,
            deadlined: false,
            tags: Vec::new(),
            published: true,
            steps: Vec::new(),
            schedule: None,
            enabled: true,
            series_id: None,
        }
    }

    /// The schedule that makes executions. `None` without a schedule, without a location, and while the
    /// task is not enabled.
    #[must_use]
    pub fn active_schedule(&self) -> Option<&Schedule> {
        self.schedule.as_ref().filter(|_| self.enabled && self.location_id.is_some())
    }

    /// The task without this assignee; `None` when the user is not an assignee.
    #[must_use]
    pub fn without_deleted_assignee(&self, user: UserId) -> Option<Self> {
        self.assignee_ids.contains(&user).then(|| {
            let mut next = self.clone();
            next.assignee_ids.retain(|assignee| *assignee != user);
            next
        })
    }

    /// The check-lists of the steps, without duplicates.
    #[must_use]
    pub fn check_list_ids(&self) -> Vec<CheckListId> {
        let lists: Vec<_> = self.steps.iter().filter_map(|step| step.check_list_id).collect();
        check::distinct(&lists)
    }

    /// The approximate memory of the texts and lists, without the steps, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        let Self { name, description, assignee_ids, tags, schedule, .. } = self;
        name.len()
            + description.as_ref().map_or(0, String::len)
            + size_of_val(assignee_ids.as_slice())
            + text::bytes(tags)
            + schedule.as_ref().map_or(0, Schedule::heap_bytes)
    }
}
