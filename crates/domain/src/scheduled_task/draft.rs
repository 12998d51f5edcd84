//! A scheduled task in POST, PUT and the data set.

use std::collections::HashMap;

use super::{PlannedAction, PlannedStep, ScheduledTask, ScheduledTaskList};
use crate::{
    schedule::ScheduleDraft,
    shared::{
        check,
        drafted::{DraftContext, Drafted},
        existing::References,
        fault::{Faults, Path, Refusal, Rule},
        ids::{ActionId, ScheduledTaskId, SeriesId, StepId, Uuid},
        ports::Ids,
        rules::{Limits, Rules},
    },
    task_execution::{
        ActionContent, AllowedIds, ContentDraft, KnownAction, KnownIds, MatchedBy, Priority,
        Required, StepContent,
    },
};

/// A scheduled task: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ScheduledTaskDraft {
    pub id: Option<ScheduledTaskId>,
    /// The members that an execution has too. The times are not used.
    pub content: ContentDraft,
    pub published: Option<bool>,
    pub schedule: Option<ScheduleDraft>,
    pub enabled: Option<bool>,
    /// Only in the data set.
    pub series_id: Option<SeriesId>,
}

/// In a store, executions keep the id of a deleted task. A creation or an update of a task MUST set its
/// [`RoundProgress`](super::RoundProgress) at the time of the change. `due_at` is the earliest possible
/// start of an occurrence that has not ended; `None` without an active schedule. `compare_from` is a
/// local start before now; `None` while the task is not enabled. A deletion also deletes the future
/// executions of the task that are PENDING and not edited.
impl Drafted for ScheduledTask {
    type Draft = ScheduledTaskDraft;
    type List = ScheduledTaskList;

    /// The records that the draft refers to, and the record with its own id. A list longer than its
    /// bound is a fault, so only its first elements are included.
    fn references(draft: &ScheduledTaskDraft, limits: &Limits) -> References {
        draft.content.references(limits).with(draft.id)
    }

    /// The nil UUID counts as taken: the stores keep it for executions without a task.
    fn create(draft: &ScheduledTaskDraft, context: DraftContext<'_>) -> Result<Self, Refusal> {
        let DraftContext { existing, ids, rules } = context;
        let known = KnownIds::default();
        let allowed = AllowedIds::ChangeOf { known: &known, by: MatchedBy::Id, existing };
        let members = Faults::checked(|faults| {
            if draft.id.is_some_and(|id| id.0.is_nil() || existing.has(id)) {
                faults.push(&Path::Root.field("id"), Rule::Unique);
            }
            draft.check_members(faults, rules, &allowed, Required::PLAN)
        })?;
        let id = draft.id.unwrap_or_else(|| ScheduledTaskId(ids.next()));
        Ok(Self::new(id, "").merged(members, ids))
    }

    /// Steps and actions whose id is in the draft are kept; the others are removed.
    fn replace(
        &self,
        draft: &ScheduledTaskDraft,
        context: DraftContext<'_>,
    ) -> Result<Option<Self>, Refusal> {
        let DraftContext { existing, ids, rules } = context;
        let known = self.known_ids();
        let allowed = AllowedIds::ChangeOf { known: &known, by: MatchedBy::Id, existing };
        let members =
            Faults::checked(|faults| draft.check_members(faults, rules, &allowed, Required::PLAN))?;
        let new = self.merged(members, ids);
        Ok((new != *self).then_some(new))
    }
}

impl ScheduledTaskDraft {
    /// The task of a line of the data set. If it has a schedule and no series, the id of the task
    /// becomes the id of its series.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members: first those of missing ids, then the others in the
    /// order of the members.
    pub fn check(&self, rules: &Rules) -> Result<ScheduledTask, Refusal> {
        Faults::checked(|faults| {
            let path = Path::Root.field("id");
            let id = check::required(faults, &path, self.id);
            if id.is_some_and(|id| id.0.is_nil()) {
                faults.push(&path, Rule::Unique);
            }
            check_keys(faults, &self.content);
            let allowed = AllowedIds::Any { with_any_bounds: false };
            let (task, steps) =
                self.check_members(faults, rules, &allowed, Required::IMPORTED_PLAN)?;
            // No new id is needed: all steps and actions have one.
            let known = HashMap::new();
            let steps =
                steps.into_iter().map(|step| merge_step(step, &known, &Uuid::nil)).collect();
            let (id, of_schedule) = (id?, task.schedule.as_ref());
            let series_id = self.series_id.or_else(|| of_schedule.map(|_| SeriesId(id.0)));
            Some(ScheduledTask { id, series_id, steps, ..task })
        })
    }

    /// A task with the members of the draft, and the content of its steps. The task itself has the nil
    /// id, no steps and no series.
    fn check_members(
        &self,
        faults: &mut Faults,
        rules: &Rules,
        allowed: &AllowedIds<'_>,
        required: Required,
    ) -> Option<(ScheduledTask, Vec<StepContent>)> {
        let plan = self.content.check_given(faults, rules, allowed, required);
        let path = Path::Root.field("schedule");
        let schedule = self.schedule.as_ref().and_then(|draft| draft.check(faults, &path));
        let (given, steps) = plan?;
        let task = ScheduledTask {
            id: ScheduledTaskId(Uuid::nil()),
            name: given.name?,
            description: given.description,
            location_id: given.location_id,
            assignee_ids: given.assignee_ids.unwrap_or_default(),
            priority: given.priority.unwrap_or(Priority::Normal),
            order_steps_required: given.order_steps_required.unwrap_or_default(),
            strict_time_required: given.strict_time_required.unwrap_or_default(),
            deadlined: given.deadlined.unwrap_or_default(),
            tags: given.tags.unwrap_or_default(),
            published: self.published.unwrap_or(true),
            steps: Vec::new(),
            schedule,
            enabled: self.enabled.unwrap_or(true),
            series_id: None,
        };
        Some((task, steps.unwrap_or_default()))
    }
}

impl ScheduledTask {
    /// The task with the members of a draft. New steps and actions get new ids.
    fn merged(&self, (task, steps): (Self, Vec<StepContent>), ids: &dyn Ids) -> Self {
        let known = self.steps.iter().flat_map(|step| &step.actions);
        let known: HashMap<_, _> = known.map(|action| (action.id.0, action)).collect();
        let new_id = || ids.next();
        let steps = steps.into_iter().map(|step| merge_step(step, &known, &new_id)).collect();
        let of_schedule = task.schedule.as_ref();
        let series_id = self.series_id.or_else(|| of_schedule.map(|_| SeriesId(ids.next())));
        Self { id: self.id, series_id, steps, ..task }
    }

    /// The ids in the task, which a change may repeat.
    pub(crate) fn known_ids(&self) -> KnownIds {
        let known = |action: &PlannedAction| {
            let PlannedAction { kind, min_value, max_value, .. } = action;
            KnownAction { kind: *kind, min_value: *min_value, max_value: *max_value }
        };
        let steps = || self.steps.iter();
        let actions = steps().flat_map(|step| &step.actions);
        KnownIds {
            references: References::default()
                .with(self.location_id)
                .with(self.assignee_ids.iter().copied())
                .with(steps().filter_map(|step| step.point_id))
                .with(steps().filter_map(|step| step.check_list_id)),
            steps: steps().map(|step| step.id.0).collect(),
            actions: actions.map(|action| (action.id.0, known(action))).collect(),
        }
    }
}

fn merge_step(
    content: StepContent,
    before: &HashMap<Uuid, &PlannedAction>,
    new_id: &impl Fn() -> Uuid,
) -> PlannedStep {
    let StepContent { position: _, key, point_id, name, order, check_list_id, actions } = content;
    PlannedStep {
        id: StepId(key.unwrap_or_else(new_id)),
        point_id,
        name,
        order,
        check_list_id,
        actions: actions.into_iter().map(|action| merge_action(action, before, new_id)).collect(),
    }
}

/// Bounds that are absent from the content are those of the action before.
fn merge_action(
    content: ActionContent,
    before: &HashMap<Uuid, &PlannedAction>,
    new_id: &impl Fn() -> Uuid,
) -> PlannedAction {
    let ActionContent { position: _, key, name, kind, order, required, min_value, max_value } =
        content;
    // An action whose type changes loses its bounds.
    let current = key.and_then(|key| before.get(&key)).filter(|action| action.kind == kind);
    PlannedAction {
        id: ActionId(key.unwrap_or_else(new_id)),
        name,
        kind,
        order,
        required,
        min_value: min_value.apply_to(current.and_then(|action| action.min_value)),
        max_value: max_value.apply_to(current.and_then(|action| action.max_value)),
    }
}

/// Checks that all steps and actions have ids, as the data set requires.
fn check_keys(faults: &mut Faults, content: &ContentDraft) {
    let path = Path::Root.field("steps");
    for (at, step) in content.steps.iter().flatten().enumerate() {
        let path = path.index(at);
        check::required(faults, &path.field("id"), step.key);
        let actions = path.field("actions");
        for (at, action) in step.actions.iter().enumerate() {
            check::required(faults, &actions.index(at).field("id"), action.key);
        }
    }
}
