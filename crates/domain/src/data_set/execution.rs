//! An execution of the data set. Unlike the bodies of the API it also has states, times and results.

use std::collections::HashSet;

use super::NewExecution;
use crate::{
    schedule::LocalDateTime,
    shared::{
        check,
        fault::{Faults, Path, Refusal, Rule},
        ids::{ActionId, MediaId, ScheduledTaskId, SeriesId, StepId, TaskExecutionId, UserId},
        rules::Rules,
        timestamp::Timestamp,
    },
    task_execution::{
        Action, ActionContent, ActionType, AllowedIds, Content, ContentDraft, Outcome, Progress,
        State, Step, StepContent, TaskExecution,
    },
};

/// An execution of the data set: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ExecutionRecordDraft {
    pub id: Option<TaskExecutionId>,
    pub scheduled_task_id: Option<ScheduledTaskId>,
    pub series_id: Option<SeriesId>,
    pub occurrence_at: Option<LocalDateTime>,
    pub performer_id: Option<UserId>,
    pub state: Option<String>,
    pub published: bool,
    pub edited: bool,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// The members that PUT has too. The keys of steps and actions are ids.
    pub content: ContentDraft,
    /// The members of each step that PUT does not have, in the order of `content.steps`.
    pub reports: Vec<StepReport>,
}

/// The members of a step that only the data set has.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct StepReport {
    pub series_id: Option<SeriesId>,
    pub actual_order: Option<i64>,
    pub state: Option<String>,
    /// In the order of the actions in the content of the step.
    pub actions: Vec<ActionReport>,
}

/// The members of an action that only the data set has.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ActionReport {
    pub series_id: Option<SeriesId>,
    pub state: Option<String>,
    pub number_value: Option<f64>,
    pub boolean_value: Option<bool>,
    pub text_value: Option<String>,
    pub media_ids: Vec<MediaId>,
}

impl ExecutionRecordDraft {
    /// The execution, if all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members.
    pub fn check(&self, rules: &Rules) -> Result<NewExecution, Refusal> {
        Faults::checked(|faults| {
            let id = check::required(faults, &Path::Root.field("id"), self.id);
            // The stores use the greatest UUID for deleted executions.
            if id.is_some_and(|id| id.0.is_max()) {
                faults.push(&Path::Root.field("id"), Rule::Unique);
            }
            // The previous version of Patrol exports the nil UUID for an execution without a task.
            let scheduled_task_id = self.scheduled_task_id.filter(|task| !task.0.is_nil());
            if self.occurrence_at.is_some() {
                check::required(faults, &Path::Root.field("scheduledTaskId"), scheduled_task_id);
            }
            let progress = self.checked_progress(faults);
            let allowed = AllowedIds::Any { with_any_bounds: true };
            let Content { execution, steps } = self.content.check(faults, rules, &allowed)?;
            let path = Path::Root.field("steps");
            let empty = StepReport::default();
            let mut seen = SeriesIds::default();
            let steps: Vec<_> = steps
                .into_iter()
                .map(|step| {
                    let at = step.position;
                    let report = self.reports.get(at).unwrap_or(&empty);
                    report.checked(faults, &path.index(at), step, rules, &mut seen)
                })
                .collect();
            let execution = TaskExecution {
                id: id?,
                scheduled_task_id,
                series_id: self.series_id,
                performer_id: self.performer_id,
                progress: progress?,
                published: self.published,
                edited: self.edited,
                steps: steps.into_iter().collect::<Option<_>>()?,
                ..execution
            };
            let occurrence_at = self.occurrence_at;
            Some(NewExecution { execution, occurrence_at })
        })
    }

    /// PENDING must have no times, IN_PROGRESS needs startedAt, COMPLETED needs startedAt and
    /// endedAt.
    fn checked_progress(&self, faults: &mut Faults) -> Option<Progress> {
        let at = |name| Path::Root.field(name);
        let state = checked_state(faults, &at("state"), self.state.as_deref())?;
        let needs = match state {
            State::Pending => [false, false],
            State::InProgress => [true, false],
            State::Completed => [true, true],
        };
        let times = [("startedAt", self.started_at), ("endedAt", self.ended_at)];
        for ((name, time), needed) in times.into_iter().zip(needs) {
            match time {
                None if needed => faults.push(&at(name), Rule::NotNull),
                Some(_) if !needed => faults.push(&at(name), Rule::Null),
                _ => {}
            }
        }
        if let (Some(started), Some(ended)) = (self.started_at, self.ended_at)
            && ended < started
        {
            faults.push(&at("endedAt"), Rule::Period);
        }
        Progress::from_parts(state, self.started_at, self.ended_at)
    }
}

/// The state with this name; PENDING when the member is absent.
fn checked_state(faults: &mut Faults, path: &Path<'_>, state: Option<&str>) -> Option<State> {
    state.map_or(Some(State::Pending), |state| check::enum_value(faults, path, state))
}

/// The series ids of the steps and actions that were already checked. Each may occur once, because
/// they are the keys of a series update.
#[derive(Default)]
struct SeriesIds {
    steps: HashSet<SeriesId>,
    actions: HashSet<SeriesId>,
}

fn check_series_id(
    faults: &mut Faults,
    path: &Path<'_>,
    id: Option<SeriesId>,
    seen: &mut HashSet<SeriesId>,
) {
    if id.is_some_and(|id| !seen.insert(id)) {
        faults.push(&path.field("seriesId"), Rule::Unique);
    }
}

impl StepReport {
    fn checked(
        &self,
        faults: &mut Faults,
        path: &Path<'_>,
        content: StepContent,
        rules: &Rules,
        seen: &mut SeriesIds,
    ) -> Option<Step> {
        let StepContent { position: _, key, point_id, name, order, check_list_id: _, actions } =
            content;
        let id = check::required(faults, &path.field("id"), key);
        check_series_id(faults, path, self.series_id, &mut seen.steps);
        let actual_order = match self.actual_order {
            Some(order) => check::int32(faults, &path.field("actualOrder"), order).map(Some),
            None => Some(None),
        };
        let state = checked_state(faults, &path.field("state"), self.state.as_deref());
        let actions_path = path.field("actions");
        let empty = ActionReport::default();
        let actions: Vec<_> = actions
            .into_iter()
            .map(|action| {
                let at = action.position;
                let report = self.actions.get(at).unwrap_or(&empty);
                let path = actions_path.index(at);
                check_series_id(faults, &path, report.series_id, &mut seen.actions);
                report.checked(faults, &path, action, rules)
            })
            .collect();
        Some(Step {
            id: StepId(id?),
            series_id: self.series_id,
            point_id,
            name,
            order,
            actual_order: actual_order?,
            started_at: None,
            ended_at: None,
            state: state?,
            actions: actions.into_iter().collect::<Option<_>>()?,
        })
    }
}

/// The states of an action: it is never IN_PROGRESS.
const ACTION_STATES: &[&str] = &["PENDING", "COMPLETED"];

impl ActionReport {
    fn checked(
        &self,
        faults: &mut Faults,
        path: &Path<'_>,
        content: ActionContent,
        rules: &Rules,
    ) -> Option<Action> {
        let ActionContent { position: _, key, name, kind, order, required, min_value, max_value } =
            content;
        let id = check::required(faults, &path.field("id"), key);
        let state = self.state.as_deref().unwrap_or("PENDING");
        if !ACTION_STATES.contains(&state) {
            faults.push(&path.field("state"), Rule::Enum(ACTION_STATES));
        }
        let outcome = self.checked_outcome(faults, path, kind, state == "COMPLETED", rules);
        Some(Action {
            id: ActionId(id?),
            series_id: self.series_id,
            name,
            kind,
            order,
            required,
            min_value: min_value.apply_to(None),
            max_value: max_value.apply_to(None),
            outcome,
        })
    }

    /// A COMPLETED action must have a value of its type and no other value. A PENDING action must have
    /// no value.
    fn checked_outcome(
        &self,
        faults: &mut Faults,
        path: &Path<'_>,
        kind: ActionType,
        completed: bool,
        rules: &Rules,
    ) -> Option<Outcome> {
        let media = Some(&self.media_ids).filter(|ids| !ids.is_empty());
        let values = [
            (ActionType::Number, "numberValue", self.number_value.map(Outcome::Number)),
            (ActionType::Boolean, "booleanValue", self.boolean_value.map(Outcome::Boolean)),
            (ActionType::Text, "textValue", self.text_value.clone().map(Outcome::Text)),
            (ActionType::Media, "mediaIds", media.cloned().map(Outcome::Media)),
        ];
        let mut outcome = None;
        for (value_kind, name, value) in values {
            let expected = completed && value_kind == kind;
            match value {
                None if expected => faults.push(&path.field(name), Rule::NotNull),
                Some(_) if !expected => faults.push(&path.field(name), Rule::Null),
                Some(value) => outcome = Some(value),
                None => {}
            }
        }
        if let Some(text) = &self.text_value {
            check::text(faults, &path.field("textValue"), text, 0, rules.limits.description);
        }
        outcome
    }
}
