//! Checks content against the field rules.

use super::{
    ActionContent, ActionDraft, Content, ContentDraft, Given, Required, StepContent, StepDraft,
    ids::{AllowedIds, IdChecker},
};
use crate::{
    shared::{
        check,
        fault::{Faults, Path, Rule},
        ids::{TaskExecutionId, Uuid},
        patch::Patch,
        rules::{Limits, Rules},
        timestamp::Timestamp,
    },
    task_execution::{ActionType, TaskExecution},
};

impl ContentDraft {
    /// The valid content of an execution; `None` when there are faults, which come in the order of the
    /// fields.
    pub(crate) fn check(
        &self,
        faults: &mut Faults,
        rules: &Rules,
        allowed: &AllowedIds<'_>,
    ) -> Option<Content> {
        let (given, steps) = self.check_given(faults, rules, allowed, Required::ALL)?;
        let (id, period) = (TaskExecutionId(Uuid::nil()), [self.start_at?, self.end_at?]);
        let execution = TaskExecution::new(id, None, given.location_id?, "", period);
        Some(Content { execution: given.apply_to(execution), steps: steps? })
    }

    /// The valid members, and the steps if they are given. `None` when there are faults, which come in
    /// the order of the fields.
    pub(crate) fn check_given(
        &self,
        faults: &mut Faults,
        rules: &Rules,
        allowed: &AllowedIds<'_>,
        required: Required,
    ) -> Option<(Given, Option<Vec<StepContent>>)> {
        let limits = &rules.limits;
        let ids = IdChecker::new(allowed);
        let at = |name| Path::Root.field(name);

        if let Some(assignees) = &self.assignee_ids {
            let path = at("assigneeIds");
            check::list_length(faults, &path, assignees.len(), limits.assignees);
            for (index, assignee) in assignees.iter().enumerate().take(limits.assignees) {
                ids.check_reference(faults, &path.index(index), *assignee);
            }
        }
        if required.location {
            check::required(faults, &at("locationId"), self.location_id);
        }
        if let Some(location) = self.location_id {
            ids.check_reference(faults, &at("locationId"), location);
        }
        if required.name || self.name.is_some() {
            check::name(faults, &at("name"), self.name.as_deref(), limits);
        }
        if let Some(description) = &self.description {
            check::text(faults, &at("description"), description, 0, limits.description);
        }
        if required.start {
            check::required(faults, &at("startAt"), self.start_at);
        }
        if required.end {
            check::required(faults, &at("endAt"), self.end_at);
        }
        check_period(faults, self.start_at, self.end_at);
        let priority = self.priority.as_deref();
        let priority = priority.and_then(|name| check::enum_value(faults, &at("priority"), name));
        let tags = self.tags.as_ref();
        let tags = tags.map(|tags| check::tags(faults, &at("tags"), tags, limits));
        if required.steps {
            check::required(faults, &at("steps"), self.steps.as_ref());
        }
        let steps = self.steps.as_deref();
        let steps = steps.and_then(|steps| check_steps(faults, steps, limits, ids));
        let given = Given {
            assignee_ids: self.assignee_ids.as_deref().map(check::distinct),
            location_id: self.location_id,
            name: self.name.clone(),
            description: self.description.clone(),
            priority,
            order_steps_required: self.order_steps_required,
            strict_time_required: self.strict_time_required,
            deadlined: self.deadlined,
            tags,
        };
        faults.is_empty().then_some((given, steps))
    }
}

impl Given {
    /// `base` with the members that are given, except the location.
    pub(crate) fn apply_to(self, base: TaskExecution) -> TaskExecution {
        TaskExecution {
            name: self.name.unwrap_or(base.name),
            description: self.description.or(base.description),
            assignee_ids: self.assignee_ids.unwrap_or(base.assignee_ids),
            priority: self.priority.unwrap_or(base.priority),
            order_steps_required: self.order_steps_required.unwrap_or(base.order_steps_required),
            strict_time_required: self.strict_time_required.unwrap_or(base.strict_time_required),
            deadlined: self.deadlined.unwrap_or(base.deadlined),
            tags: self.tags.unwrap_or(base.tags),
            ..base
        }
    }
}

/// Checks that endAt is not before startAt. The fault names endAt.
pub(crate) fn check_period(
    faults: &mut Faults,
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
) {
    if let (Some(start), Some(end)) = (start_at, end_at)
        && end < start
    {
        faults.push(&Path::Root.field("endAt"), Rule::Period);
    }
}

fn check_steps(
    faults: &mut Faults,
    steps: &[StepDraft],
    limits: &Limits,
    mut ids: IdChecker<'_>,
) -> Option<Vec<StepContent>> {
    let path = Path::Root.field("steps");
    check::list_length(faults, &path, steps.len(), limits.steps);
    let checked: Vec<_> = steps
        .iter()
        .enumerate()
        .take(limits.steps)
        .map(|(at, step)| check_step(faults, &path.index(at), at, step, limits, &mut ids))
        .collect();
    let mut checked: Vec<_> = checked.into_iter().collect::<Option<_>>()?;
    checked.sort_by_key(|step| step.order);
    Some(checked)
}

fn check_step(
    faults: &mut Faults,
    path: &Path<'_>,
    position: usize,
    step: &StepDraft,
    limits: &Limits,
    ids: &mut IdChecker<'_>,
) -> Option<StepContent> {
    ids.check_step(faults, path, step.key);
    if let Some(point) = step.point_id {
        ids.check_reference(faults, &path.field("pointId"), point);
    }
    let name = check::name(faults, &path.field("name"), step.name.as_deref(), limits);
    let order = check::order(faults, path, step.order, position);
    if let Some(list) = step.check_list_id {
        ids.check_reference(faults, &path.field("checkListId"), list);
    }
    let actions_path = path.field("actions");
    check::list_length(faults, &actions_path, step.actions.len(), limits.actions);
    let actions: Vec<_> = step
        .actions
        .iter()
        .enumerate()
        .take(limits.actions)
        .map(|(at, action)| check_action(faults, &actions_path.index(at), at, action, limits, ids))
        .collect();
    let mut actions: Vec<_> = actions.into_iter().collect::<Option<_>>()?;
    actions.sort_by_key(|action| action.order);
    Some(StepContent {
        position,
        key: step.key,
        point_id: step.point_id,
        name: name?,
        order: order?,
        check_list_id: step.check_list_id,
        actions,
    })
}

fn check_action(
    faults: &mut Faults,
    path: &Path<'_>,
    position: usize,
    action: &ActionDraft,
    limits: &Limits,
    ids: &mut IdChecker<'_>,
) -> Option<ActionContent> {
    ids.check_action(faults, path, action.key);
    let name = check::name(faults, &path.field("name"), action.name.as_deref(), limits);
    let kind_path = path.field("type");
    let kind = check::required(faults, &kind_path, action.kind.as_deref())
        .and_then(|kind| check::enum_value(faults, &kind_path, kind));
    let order = check::order(faults, path, action.order, position);
    let kind = kind?;
    ids.check_bounds(faults, path, (action.key, kind), [action.min_value, action.max_value]);
    // Only NUMBER actions keep their bounds.
    let bound = |value| if kind == ActionType::Number { value } else { Patch::Absent };
    let (min_value, max_value) = (bound(action.min_value), bound(action.max_value));
    Some(ActionContent {
        position,
        key: action.key,
        name: name?,
        kind,
        order: order?,
        required: action.required,
        min_value,
        max_value,
    })
}
