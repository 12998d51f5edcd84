//! Merges valid content into an execution.

use std::collections::HashMap;

use super::{ActionContent, Content, ContentDraft, KnownParts, MatchedBy, StepContent};
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
    /// The execution with the content of a PUT. Steps and actions that match by id keep their
    /// results; those that the body leaves out are removed.
    ///
    /// # Errors
    /// `State` when it is COMPLETED, `Invalid` with the faults of the content.
    pub fn replaced(
        &self,
        draft: &ContentDraft,
        existing: &Existing,
        rules: &Rules,
        ids: &dyn Ids,
    ) -> Result<Self, Refusal> {
        if self.is_completed() {
            return Err(Refusal::State("state".to_owned()));
        }
        let mut faults = Faults::new();
        let known = KnownParts::Of { execution: self, by: MatchedBy::Id, existing };
        match draft.check(&mut faults, rules, &known) {
            Some(content) => faults.or(content.onto(self, MatchedBy::Id, ids)),
            None => Err(Refusal::Invalid(faults.into_vec())),
        }
    }
}

impl Content {
    /// `execution` with this content; `by` is the kind of id that matches steps and actions.
    pub(crate) fn onto(
        self,
        execution: &TaskExecution,
        by: MatchedBy,
        ids: &dyn Ids,
    ) -> TaskExecution {
        let Self {
            assignee_ids,
            location_id,
            name,
            description,
            start_at,
            end_at,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            tags,
            steps,
        } = self;
        let parts = Parts::of(execution, by);
        TaskExecution {
            id: execution.id,
            scheduled_task_id: execution.scheduled_task_id,
            series_id: execution.series_id,
            name,
            description,
            location_id,
            performer_id: execution.performer_id,
            assignee_ids,
            progress: execution.progress,
            published: execution.published,
            start_at,
            end_at,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            edited: true,
            tags,
            steps: steps.into_iter().map(|step| parts.step(step, ids)).collect(),
        }
    }
}

/// The steps and actions of an execution by their key.
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
            steps: steps.filter_map(|step| Some((by.step(step)?, step))).collect(),
            actions: actions.filter_map(|action| Some((by.action(action)?, action))).collect(),
        }
    }

    /// The series id of a part: unchanged when matched by id, the key itself otherwise.
    fn series_id(&self, key: Option<Uuid>, kept: Option<SeriesId>) -> Option<SeriesId> {
        match self.by {
            MatchedBy::Id => kept,
            MatchedBy::SeriesId => key.map(SeriesId),
        }
    }

    fn step(&self, content: StepContent, ids: &dyn Ids) -> Step {
        let StepContent { at: _, key, point_id, name, order, actions } = content;
        let known = key.and_then(|key| self.steps.get(&key));
        Step {
            id: known.map_or_else(|| StepId(ids.next()), |step| step.id),
            series_id: self.series_id(key, known.and_then(|step| step.series_id)),
            point_id,
            name,
            order,
            actual_order: known.and_then(|step| step.actual_order),
            state: known.map_or(State::Pending, |step| step.state),
            actions: actions.into_iter().map(|action| self.action(action, ids)).collect(),
        }
    }

    fn action(&self, content: ActionContent, ids: &dyn Ids) -> Action {
        let ActionContent { at: _, key, name, kind, order, required, min_value, max_value } =
            content;
        let known = key.and_then(|key| self.actions.get(&key));
        // A changed type drops the result, and the bounds with it.
        let same_kind = known.filter(|action| action.kind == kind);
        Action {
            id: known.map_or_else(|| ActionId(ids.next()), |action| action.id),
            series_id: self.series_id(key, known.and_then(|action| action.series_id)),
            name,
            kind,
            order,
            required,
            min_value: min_value.or_kept(same_kind.and_then(|action| action.min_value)),
            max_value: max_value.or_kept(same_kind.and_then(|action| action.max_value)),
            outcome: same_kind.and_then(|action| action.outcome.clone()),
        }
    }
}
