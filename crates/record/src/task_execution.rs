//! Executions, as `docs/api/task-executions.md` describes them.

use patrol_domain::{
    ids::{MediaId, UserId},
    task_execution::{Action, Outcome, Step, TaskExecution},
};
use patrol_json::write;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::value::{ActionState, ActionType, Id, Priority, State, Status, Time};

/// The full record of a task execution.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = TaskExecution)]
pub struct ExecutionRecord<'a> {
    id: Id,
    scheduled_task_id: Id,
    name: &'a str,
    description: Option<&'a str>,
    location_id: Id,
    /// The user who carries it out, once somebody does.
    performer_id: Option<Id>,
    /// Null until something has been reported.
    status: Option<Status>,
    state: State,
    published: bool,
    /// Planned start.
    start_at: Time,
    /// Planned end.
    end_at: Time,
    /// By their order.
    #[schema(value_type = Vec<StepRecord<'a>>)]
    steps: Steps<'a>,
    /// The users who may carry it out.
    #[serde(serialize_with = "write::ids")]
    #[schema(value_type = Vec<Id>)]
    assignee_ids: &'a [UserId],
    series_id: Option<Id>,
    priority: Priority,
    /// Whether the steps have to be done in their order.
    order_steps_required: bool,
    /// Whether it has to be done within its period.
    strict_time_required: bool,
    deadlined: bool,
    tags: &'a [String],
    /// Whether PUT, PATCH or a series update changed it.
    edited: bool,
    /// Actual start.
    started_at: Option<Time>,
    /// Actual end.
    ended_at: Option<Time>,
}

impl<'a> ExecutionRecord<'a> {
    /// The record of an execution.
    #[must_use]
    pub fn new(execution: &'a TaskExecution) -> Self {
        let TaskExecution {
            id,
            scheduled_task_id,
            series_id,
            name,
            description,
            location_id,
            performer_id,
            assignee_ids,
            progress,
            published,
            start_at,
            end_at,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            edited,
            tags,
            steps,
        } = execution;
        Self {
            id: Id::of(*id),
            scheduled_task_id: Id::of(*scheduled_task_id),
            name,
            description: description.as_deref(),
            location_id: Id::of(*location_id),
            performer_id: performer_id.map(Id::of),
            status: execution.status().map(Status),
            state: State(progress.state()),
            published: *published,
            start_at: Time(*start_at),
            end_at: Time(*end_at),
            steps: Steps { steps, over: execution.is_completed() },
            assignee_ids,
            series_id: series_id.map(Id::of),
            priority: Priority(*priority),
            order_steps_required: *order_steps_required,
            strict_time_required: *strict_time_required,
            deadlined: *deadlined,
            tags,
            edited: *edited,
            started_at: progress.started_at().map(Time),
            ended_at: progress.ended_at().map(Time),
        }
    }
}

/// The steps of an execution; `over` is true when it is COMPLETED.
#[derive(Debug)]
struct Steps<'a> {
    steps: &'a [Step],
    over: bool,
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.steps.iter().map(|step| StepRecord::new(step, self.over)))
    }
}

/// A step of a task execution.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Step)]
struct StepRecord<'a> {
    id: Id,
    name: &'a str,
    /// The place among the steps, as planned.
    order: i32,
    /// The place among the steps, as done.
    actual_order: Option<i32>,
    /// Null until something has been reported.
    status: Option<Status>,
    state: State,
    /// By their order.
    #[schema(value_type = Vec<ActionRecord<'a>>)]
    actions: Actions<'a>,
    /// Where the step is done.
    point_id: Option<Id>,
    /// What the step is known by in all executions of its series.
    series_id: Option<Id>,
}

impl<'a> StepRecord<'a> {
    fn new(step: &'a Step, over: bool) -> Self {
        let Step { id, series_id, point_id, name, order, actual_order, state, actions } = step;
        Self {
            id: Id::of(*id),
            name,
            order: *order,
            actual_order: *actual_order,
            status: step.status(over).map(Status),
            state: State(*state),
            actions: Actions { actions, over },
            point_id: point_id.map(Id::of),
            series_id: series_id.map(Id::of),
        }
    }
}

struct Actions<'a> {
    actions: &'a [Action],
    over: bool,
}

impl Serialize for Actions<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.actions.iter().map(|action| ActionRecord::new(action, self.over)))
    }
}

/// An action of a step with its result.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Action)]
struct ActionRecord<'a> {
    id: Id,
    name: &'a str,
    #[serde(rename = "type")]
    kind: ActionType,
    /// Null until something has been reported.
    status: Option<Status>,
    state: ActionState,
    /// The reading that was reported; NUMBER only.
    #[serde(serialize_with = "write::number_or_null")]
    number_value: Option<f64>,
    /// The least reading that is right; NUMBER only.
    #[serde(serialize_with = "write::number_or_null")]
    min_value: Option<f64>,
    /// The greatest reading that is right; NUMBER only.
    #[serde(serialize_with = "write::number_or_null")]
    max_value: Option<f64>,
    order: i32,
    required: bool,
    /// What the action is known by in all executions of its series.
    series_id: Option<Id>,
    /// The answer that was reported; BOOLEAN only.
    boolean_value: Option<bool>,
    /// The remark that was reported; TEXT only.
    text_value: Option<&'a str>,
    /// The files that were reported; MEDIA only.
    #[schema(value_type = Option<Vec<Id>>)]
    media_ids: Option<MediaIds<'a>>,
}

#[derive(Serialize)]
struct MediaIds<'a>(#[serde(serialize_with = "write::ids")] &'a [MediaId]);

impl<'a> ActionRecord<'a> {
    fn new(action: &'a Action, over: bool) -> Self {
        let Action { id, series_id, name, kind, order, required, min_value, max_value, outcome } =
            action;
        let mut record = Self {
            id: Id::of(*id),
            name,
            kind: ActionType(*kind),
            status: action.status(over).map(Status),
            state: ActionState::of(action.state()),
            number_value: None,
            min_value: *min_value,
            max_value: *max_value,
            order: *order,
            required: *required,
            series_id: series_id.map(Id::of),
            boolean_value: None,
            text_value: None,
            media_ids: None,
        };
        match outcome {
            Some(Outcome::Boolean(yes)) => record.boolean_value = Some(*yes),
            Some(Outcome::Media(ids)) => record.media_ids = Some(MediaIds(ids)),
            Some(Outcome::Number(reading)) => record.number_value = Some(*reading),
            Some(Outcome::Text(remark)) => record.text_value = Some(remark),
            None => {}
        }
        record
    }
}
