//! Task executions; see `docs/api/task-executions.md`.

use patrol_domain::{
    Timestamp,
    ids::{MediaId, UserId},
    task_execution::{Action, Moment, Outcome, Step, TaskExecution},
};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::{
    json::write,
    value::{ActionState, ActionType, Id, Ids, Priority, State, Status, Time},
};

/// A task execution with its steps and actions.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = TaskExecution)]
pub struct ExecutionRecord<'a> {
    id: Id,
    /// Null if the execution was made by hand without a scheduled task.
    scheduled_task_id: Option<Id>,
    name: &'a str,
    description: Option<&'a str>,
    location_id: Id,
    /// The user who performs the execution, if known.
    performer_id: Option<Id>,
    /// The worst status of the steps; null if no step has a status yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Status>, required = true)]
    status: Option<Option<Status>>,
    state: State,
    /// Whether performers should see the execution. Only a filter of lists, not a permission.
    published: bool,
    /// The planned start.
    start_at: Time,
    /// The planned end, not before the planned start.
    end_at: Time,
    /// Sorted by `order`.
    #[schema(value_type = Vec<StepRecord<'a>>)]
    steps: Steps<'a>,
    /// The users who may perform the execution.
    #[serde(serialize_with = "write::ids")]
    #[schema(value_type = Vec<Id>)]
    assignee_ids: &'a [UserId],
    series_id: Option<Id>,
    priority: Priority,
    /// Whether the steps have to be performed in their order.
    order_steps_required: bool,
    /// Whether the execution has to be performed within its planned period.
    strict_time_required: bool,
    deadlined: bool,
    tags: &'a [String],
    /// Whether PUT, PATCH or a series update changed the execution.
    edited: bool,
    /// The actual start; null while PENDING.
    started_at: Option<Time>,
    /// The actual end; null unless COMPLETED.
    ended_at: Option<Time>,
    /// The number of entries of reports with a verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i32, required = true)]
    flag_count: Option<i32>,
    /// Published, and PENDING longer than the setting allows after startAt, or started after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = bool, required = true)]
    late: Option<bool>,
    /// Published, not COMPLETED, and after endAt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = bool, required = true)]
    missed: Option<bool>,
}

impl<'a> ExecutionRecord<'a> {
    /// The record of an execution as the API shows it at this time.
    #[must_use]
    pub fn shown(execution: &'a TaskExecution, moment: Moment) -> Self {
        let timing = execution.timing();
        Self {
            late: Some(moment.is_late(timing)),
            missed: Some(moment.is_missed(timing)),
            ..Self::new(execution)
        }
    }

    /// The record of an execution in events: without what depends on the present time.
    #[must_use]
    pub fn new(execution: &'a TaskExecution) -> Self {
        let is_completed = execution.is_completed();
        Self {
            status: Some(execution.status().map(Status)),
            flag_count: Some(execution.flag_count),
            steps: Steps { steps: &execution.steps, is_completed: Some(is_completed) },
            ..Self::line(execution)
        }
    }

    /// The record of a line of the data set: without statuses, which follow from the other members.
    #[must_use]
    pub fn line(execution: &'a TaskExecution) -> Self {
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
            flag_count: _,
            tags,
            steps,
        } = execution;
        Self {
            id: Id::of(*id),
            scheduled_task_id: scheduled_task_id.map(Id::of),
            name,
            description: description.as_deref(),
            location_id: Id::of(*location_id),
            performer_id: performer_id.map(Id::of),
            status: None,
            state: State(progress.state()),
            published: *published,
            start_at: Time(*start_at),
            end_at: Time(*end_at),
            steps: Steps { steps, is_completed: None },
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
            flag_count: None,
            late: None,
            missed: None,
        }
    }

    pub(crate) fn without_steps(self) -> Self {
        Self { steps: Steps { steps: &[], is_completed: None }, ..self }
    }
}

/// The steps of an execution. The statuses depend on whether the execution is COMPLETED; `None` leaves them
/// out.
#[derive(Debug)]
struct Steps<'a> {
    steps: &'a [Step],
    is_completed: Option<bool>,
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.steps.iter().map(|step| StepRecord::new(step, self.is_completed)))
    }
}

/// A step of a task execution.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Step)]
struct StepRecord<'a> {
    id: Id,
    name: &'a str,
    /// The planned position.
    order: i32,
    /// The position in which the step was actually performed.
    actual_order: Option<i32>,
    /// The worst status of the actions; null if no action has a status yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Status>, required = true)]
    status: Option<Option<Status>>,
    state: State,
    /// The time of the first entry of the step, notes aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Time>, required = true)]
    started_at: Option<Option<Time>>,
    /// The time of the entry that completed the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Time>, required = true)]
    ended_at: Option<Option<Time>>,
    /// Sorted by `order`.
    #[schema(value_type = Vec<ActionRecord<'a>>)]
    actions: Actions<'a>,
    /// The point of the step. The point may have been deleted.
    point_id: Option<Id>,
    /// The same for this step in all executions of the series; null outside a series.
    series_id: Option<Id>,
}

impl<'a> StepRecord<'a> {
    fn new(step: &'a Step, is_completed: Option<bool>) -> Self {
        let Step {
            id,
            series_id,
            point_id,
            name,
            order,
            actual_order,
            started_at,
            ended_at,
            state,
            actions,
        } = step;
        let derived = |time: &Option<Timestamp>| is_completed.map(|_| time.map(Time));
        Self {
            id: Id::of(*id),
            name,
            order: *order,
            actual_order: *actual_order,
            status: is_completed.map(|completed| step.status(completed).map(Status)),
            state: State(*state),
            started_at: derived(started_at),
            ended_at: derived(ended_at),
            actions: Actions { actions, is_completed },
            point_id: point_id.map(Id::of),
            series_id: series_id.map(Id::of),
        }
    }
}

struct Actions<'a> {
    actions: &'a [Action],
    is_completed: Option<bool>,
}

impl Serialize for Actions<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(
            self.actions.iter().map(|action| ActionRecord::new(action, self.is_completed)),
        )
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
    /// Null without a result, except ERROR if the result is required and the execution is COMPLETED.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Status>, required = true)]
    status: Option<Option<Status>>,
    state: ActionState,
    /// The reported value; only NUMBER.
    #[serde(serialize_with = "write::number_or_null")]
    number_value: Option<f64>,
    /// The smallest value that passes; only NUMBER.
    #[serde(serialize_with = "write::number_or_null")]
    min_value: Option<f64>,
    /// The largest value that passes; only NUMBER.
    #[serde(serialize_with = "write::number_or_null")]
    max_value: Option<f64>,
    order: i32,
    required: bool,
    /// The same for this action in all executions of the series; null outside a series.
    series_id: Option<Id>,
    /// The reported value; only BOOLEAN.
    boolean_value: Option<bool>,
    /// The reported text; only TEXT.
    text_value: Option<&'a str>,
    /// The ids of the reported photos, videos and sound recordings; only MEDIA.
    #[schema(value_type = Option<Vec<Id>>)]
    media_ids: Option<Ids<'a, MediaId>>,
}

impl<'a> ActionRecord<'a> {
    fn new(action: &'a Action, is_completed: Option<bool>) -> Self {
        let Action { id, series_id, name, kind, order, required, min_value, max_value, outcome } =
            action;
        let mut record = Self {
            id: Id::of(*id),
            name,
            kind: ActionType(*kind),
            status: is_completed.map(|completed| action.status(completed).map(Status)),
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
            Some(Outcome::Media(ids)) => record.media_ids = Some(Ids(ids)),
            Some(Outcome::Number(reading)) => record.number_value = Some(*reading),
            Some(Outcome::Text(remark)) => record.text_value = Some(remark),
            None => {}
        }
        record
    }
}
