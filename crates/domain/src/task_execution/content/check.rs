//! Checks content against the field rules.

use super::{
    ActionContent, ActionDraft, Content, ContentDraft, StepContent, StepDraft,
    ids::{AllowedIds, IdChecker},
};
use crate::{
    shared::{
        check,
        fault::{Faults, Path, Rule},
        patch::Patch,
        rules::{Limits, Rules},
        timestamp::Timestamp,
    },
    task_execution::{ActionType, Priority},
};

impl ContentDraft {
    /// The valid content; `None` when there are faults, which come in the order of the fields.
    pub(crate) fn check(
        &self,
        faults: &mut Faults,
        rules: &Rules,
        allowed: &AllowedIds<'_>,
    ) -> Option<Content> {
        let limits = &rules.limits;
        let ids = IdChecker::new(allowed);
        let at = |name| Path::Root.field(name);

        let path = at("assigneeIds");
        check::list_length(faults, &path, self.assignee_ids.len(), limits.assignees);
        let assignees = self.assignee_ids.iter().enumerate();
        for (index, assignee) in assignees.take(limits.assignees) {
            ids.check_user(faults, &path.index(index), *assignee);
        }
        let location_id = check::required(faults, &at("locationId"), self.location_id);
        if let Some(location) = location_id {
            ids.check_location(faults, &at("locationId"), location);
        }
        let name = check::name(faults, &at("name"), self.name.as_deref(), limits);
        if let Some(description) = &self.description {
            check::text(faults, &at("description"), description, 0, limits.description);
        }
        let start_at = check::required(faults, &at("startAt"), self.start_at);
        let end_at = check::required(faults, &at("endAt"), self.end_at);
        check_period(faults, start_at, end_at);
        let priority = match &self.priority {
            Some(name) => check::enum_value(faults, &at("priority"), name),
            None => Some(Priority::Normal),
        };
        let tags = check::tags(faults, &at("tags"), &self.tags, limits);
        let steps = check::required(faults, &at("steps"), self.steps.as_ref());
        let steps = steps.map(|steps| check_steps(faults, steps, limits, ids));
        Some(Content {
            assignee_ids: check::distinct(&self.assignee_ids),
            location_id: location_id?,
            name: name?,
            description: self.description.clone(),
            start_at: start_at?,
            end_at: end_at?,
            priority: priority?,
            order_steps_required: self.order_steps_required,
            strict_time_required: self.strict_time_required,
            deadlined: self.deadlined,
            tags,
            steps: steps??,
        })
        .filter(|_| faults.is_empty())
    }
}

/// Checks that endAt is not before startAt. The fault is one of endAt.
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
        ids.check_point(faults, &path.field("pointId"), point);
    }
    let name = check::name(faults, &path.field("name"), step.name.as_deref(), limits);
    let order = check::order(faults, path, step.order, position);
    let actions_path = path.field("actions");
    check::list_length(faults, &actions_path, step.actions.len(), limits.actions);
    let actions: Vec<_> = step
        .actions
        .iter()
        .enumerate()
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
    // Only NUMBER actions have bounds; the bounds of other actions are ignored.
    let bound = |value| if kind == ActionType::Number { value } else { Patch::Absent };
    Some(ActionContent {
        position,
        key: action.key,
        name: name?,
        kind,
        order: order?,
        required: action.required,
        min_value: bound(action.min_value),
        max_value: bound(action.max_value),
    })
}
