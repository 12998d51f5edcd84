//! A new execution that is made by hand, with a scheduled task or without one.

use super::{
    TaskExecution,
    content::{AllowedIds, ContentDraft, KnownIds, MatchedBy, Required, new_steps},
};
use crate::{
    scheduled_task::TaskPlan,
    shared::{
        existing::{Existing, References},
        fault::{Faults, Path, Refusal, Rule},
        ids::{ScheduledTaskId, TaskExecutionId, UserId},
        ports::Ids,
        rules::{Limits, Rules},
        timestamp::Timestamp,
    },
};

/// The planned duration of an execution whose task has no schedule, in minutes.
const DEFAULT_MINUTES: u16 = 60;

/// A new execution: the JSON types are checked, the field rules are not. An absent member and null
/// mean the same.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ExecutionDraft {
    pub id: Option<TaskExecutionId>,
    pub scheduled_task_id: Option<ScheduledTaskId>,
    pub performer_id: Option<UserId>,
    pub published: bool,
    /// With a scheduled task, each member replaces that of the task. Without one, the members that PUT
    /// requires are required.
    pub content: ContentDraft,
}

impl ExecutionDraft {
    /// The records that the draft refers to, the execution that may already have its id, and the plan of
    /// its task. A list longer than its limit is a fault, so only its first elements are included.
    #[must_use]
    pub fn references(&self, limits: &Limits) -> References {
        self.content
            .references(limits)
            .with(self.id)
            .with(self.performer_id)
            .with_plan(self.scheduled_task_id)
    }

    /// The new PENDING execution, outside any series. A draft without an id gets `new_id`.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn create(
        &self,
        new_id: TaskExecutionId,
        existing: &Existing,
        rules: &Rules,
        ids: &dyn Ids,
    ) -> Result<TaskExecution, Refusal> {
        Faults::checked(|faults| {
            let at = |name| Path::Root.field(name);
            // The stores use the greatest UUID for deleted executions.
            if self.id.is_some_and(|id| id.0.is_max() || existing.has(id)) {
                faults.push(&at("id"), Rule::Unique);
            }
            let plan = existing.plan.as_ref();
            let plan = plan.filter(|plan| Some(plan.task.id) == self.scheduled_task_id);
            if self.scheduled_task_id.is_some() && plan.is_none() {
                faults.push(&at("scheduledTaskId"), Rule::Reference);
            }
            if self.performer_id.is_some_and(|performer| !existing.has(performer)) {
                faults.push(&at("performerId"), Rule::Reference);
            }
            let required = match self.scheduled_task_id {
                None => Required::ALL,
                Some(_) => Required {
                    location: plan.is_some_and(|plan| plan.task.location_id.is_none()),
                    name: false,
                    start: true,
                    end: false,
                    steps: false,
                },
            };
            let known = plan.map_or_else(KnownIds::default, known_ids);
            let allowed = AllowedIds::ChangeOf { known: &known, by: MatchedBy::Id, existing };
            let given = self.content.check_given(faults, rules, &allowed, required);
            let start_at = self.content.start_at?;
            let mut end_at = self.content.end_at;
            if end_at.is_none() && self.scheduled_task_id.is_some() {
                end_at = default_end(start_at, plan);
                if end_at.is_none() {
                    faults.push(&at("endAt"), Rule::Period);
                }
            }
            let ((given, steps), period) = (given?, [start_at, end_at?]);
            let location_id = given.location_id.or_else(|| plan?.task.location_id)?;
            let id = self.id.unwrap_or(new_id);
            let base = match plan {
                Some(plan) => plan.make_execution_by_hand(location_id, period, ids),
                None => TaskExecution::new(id, None, location_id, "", period),
            };
            let made = given.apply_to(base);
            Some(TaskExecution {
                id,
                performer_id: self.performer_id,
                published: self.published,
                steps: steps.map_or(made.steps, |steps| new_steps(steps, ids)),
                ..made
            })
        })
    }
}

/// The references of the plan. The body may repeat them even if their records were deleted. Steps
/// and actions always get new ids.
fn known_ids(plan: &TaskPlan) -> KnownIds {
    KnownIds { references: plan.task.known_ids().references, ..KnownIds::default() }
}

/// The end that an execution of a task has by default; `None` when it would be after the year 9999.
fn default_end(start_at: Timestamp, plan: Option<&TaskPlan>) -> Option<Timestamp> {
    let schedule = plan.and_then(|plan| plan.task.schedule.as_ref());
    let minutes = schedule.map_or(DEFAULT_MINUTES, |schedule| schedule.duration_minutes);
    start_at.shifted(i64::from(minutes) * 60_000)
}
