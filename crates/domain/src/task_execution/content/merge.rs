//! Merges valid content into an execution.

use std::collections::HashMap;

use super::{ActionContent, AllowedIds, Content, ContentDraft, KnownIds, MatchedBy, StepContent};
use crate::{
    shared::{
        existing::Existing,
        fault::{Faults, Refusal},
        ids::{ActionId, SeriesId, StepId, Uuid},
        ports::Ids,
        rules::Rules,
    },
    task_execution::{Action, State, Step, TaskExecution},
};

impl TaskExecution {
    /// The execution after a PUT. Steps and actions whose id is in the draft keep their results; the
    /// others are removed.
    ///
    /// # Errors
    /// `State` when the execution is COMPLETED, `Invalid` with the faults of the content.
    pub fn with_content(
        &self,
        draft: &ContentDraft,
        existing: &Existing,
        rules: &Rules,
        ids: &dyn Ids,
    ) -> Result<Self, Refusal> {
        if self.is_completed() {
            return Err(Refusal::State("state".to_owned()));
        }
        let by = MatchedBy::Id;
        let known = KnownIds::of(self, by);
        let allowed = AllowedIds::ChangeOf { known: &known, by, existing };
        let content = Faults::checked(|faults| draft.check(faults, rules, &allowed))?;
        Ok(content.merge_into(self, by, ids))
    }
}

impl Content {
    /// `execution` with this content; `by` says how its steps and actions are matched.
    pub(crate) fn merge_into(
        self,
        execution: &TaskExecution,
        by: MatchedBy,
        ids: &dyn Ids,
    ) -> TaskExecution {
        let Self { execution: content, steps } = self;
        let parts = Parts::of(execution, by);
        TaskExecution {
            id: execution.id,
            scheduled_task_id: execution.scheduled_task_id,
            series_id: execution.series_id,
            performer_id: execution.performer_id,
            progress: execution.progress,
            published: execution.published,
            edited: true,
            flag_count: execution.flag_count,
            steps: steps.into_iter().map(|step| parts.merge_step(step, ids)).collect(),
            ..content
        }
    }
}

/// New steps with this content, outside any series.
pub(crate) fn new_steps(steps: Vec<StepContent>, ids: &dyn Ids) -> Vec<Step> {
    let no_parts = Parts { by: MatchedBy::Id, steps: HashMap::new(), actions: HashMap::new() };
    steps.into_iter().map(|step| no_parts.merge_step(step, ids)).collect()
}

/// The steps and actions of an execution, by key.
struct Parts<'a> {
    by: MatchedBy,
    steps: HashMap<Uuid, &'a Step>,
    actions: HashMap<Uuid, &'a Action>,
}

impl<'a> Parts<'a> {
    fn of(execution: &'a TaskExecution, by: MatchedBy) -> Self {
        let steps = execution.steps.iter();
        let actions = execution.steps.iter().flat_map(|step| &step.actions);
        Self {
            by,
            steps: steps.filter_map(|step| Some((by.step_key(step)?, step))).collect(),
            actions: actions.filter_map(|action| Some((by.action_key(action)?, action))).collect(),
        }
    }

    /// The series id of a step or action: the `current` one if they are matched by id, else the key.
    fn series_id(&self, key: Option<Uuid>, current: Option<SeriesId>) -> Option<SeriesId> {
        match self.by {
            MatchedBy::Id => current,
            MatchedBy::SeriesId => key.map(SeriesId),
        }
    }

    fn merge_step(&self, content: StepContent, ids: &dyn Ids) -> Step {
        let StepContent { position: _, key, point_id, name, order, check_list_id: _, actions } =
            content;
        let current = key.and_then(|key| self.steps.get(&key));
        Step {
            id: current.map_or_else(|| StepId(ids.next()), |step| step.id),
            series_id: self.series_id(key, current.and_then(|step| step.series_id)),
            point_id,
            name,
            order,
            actual_order: current.and_then(|step| step.actual_order),
            started_at: current.and_then(|step| step.started_at),
            ended_at: current.and_then(|step| step.ended_at),
            state: current.map_or(State::Pending, |step| step.state),
            actions: actions.into_iter().map(|action| self.merge_action(action, ids)).collect(),
        }
    }

    fn merge_action(&self, content: ActionContent, ids: &dyn Ids) -> Action {
        let ActionContent { position: _, key, name, kind, order, required, min_value, max_value } =
            content;
        let current = key.and_then(|key| self.actions.get(&key));
        // An action whose type changes loses its result and its bounds.
        let same_kind = current.filter(|action| action.kind == kind);
        Action {
            id: current.map_or_else(|| ActionId(ids.next()), |action| action.id),
            series_id: self.series_id(key, current.and_then(|action| action.series_id)),
            name,
            kind,
            order,
            required,
            min_value: min_value.apply_to(same_kind.and_then(|action| action.min_value)),
            max_value: max_value.apply_to(same_kind.and_then(|action| action.max_value)),
            outcome: same_kind.and_then(|action| action.outcome.clone()),
        }
    }
}
