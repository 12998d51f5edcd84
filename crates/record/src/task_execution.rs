//! Executions, as `docs/api/task-executions.md` describes them.

use patrol_domain::{
    Named, Timestamp,
    ids::{
        ActionId, LocationId, MediaId, PointId, ScheduledTaskId, SeriesId, StepId, TaskExecutionId,
        UserId,
    },
    task_execution::{Action, Outcome, Step, TaskExecution},
};
use patrol_json::write;
use serde::{Serialize, Serializer};

/// The full record.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: TaskExecutionId,
    #[serde(serialize_with = "write::id")]
    scheduled_task_id: ScheduledTaskId,
    name: &'a str,
    description: Option<&'a str>,
    #[serde(serialize_with = "write::id")]
    location_id: LocationId,
    #[serde(serialize_with = "write::id_or_null")]
    performer_id: Option<UserId>,
    status: Option<&'static str>,
    state: &'static str,
    published: bool,
    #[serde(serialize_with = "write::timestamp")]
    start_at: Timestamp,
    #[serde(serialize_with = "write::timestamp")]
    end_at: Timestamp,
    steps: Steps<'a>,
    #[serde(serialize_with = "write::ids")]
    assignee_ids: &'a [UserId],
    #[serde(serialize_with = "write::id_or_null")]
    series_id: Option<SeriesId>,
    priority: &'static str,
    order_steps_required: bool,
    strict_time_required: bool,
    deadlined: bool,
    tags: &'a [String],
    edited: bool,
    #[serde(serialize_with = "write::timestamp_or_null")]
    started_at: Option<Timestamp>,
    #[serde(serialize_with = "write::timestamp_or_null")]
    ended_at: Option<Timestamp>,
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
            id: *id,
            scheduled_task_id: *scheduled_task_id,
            name,
            description: description.as_deref(),
            location_id: *location_id,
            performer_id: *performer_id,
            status: execution.status().map(Named::name),
            state: progress.state().name(),
            published: *published,
            start_at: *start_at,
            end_at: *end_at,
            steps: Steps { steps, over: execution.is_completed() },
            assignee_ids,
            series_id: *series_id,
            priority: priority.name(),
            order_steps_required: *order_steps_required,
            strict_time_required: *strict_time_required,
            deadlined: *deadlined,
            tags,
            edited: *edited,
            started_at: progress.started_at(),
            ended_at: progress.ended_at(),
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: StepId,
    name: &'a str,
    order: i32,
    actual_order: Option<i32>,
    status: Option<&'static str>,
    state: &'static str,
    actions: Actions<'a>,
    #[serde(serialize_with = "write::id_or_null")]
    point_id: Option<PointId>,
    #[serde(serialize_with = "write::id_or_null")]
    series_id: Option<SeriesId>,
}

impl<'a> StepRecord<'a> {
    fn new(step: &'a Step, over: bool) -> Self {
        let Step { id, series_id, point_id, name, order, actual_order, state, actions } = step;
        Self {
            id: *id,
            name,
            order: *order,
            actual_order: *actual_order,
            status: step.status(over).map(Named::name),
            state: state.name(),
            actions: Actions { actions, over },
            point_id: *point_id,
            series_id: *series_id,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActionRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: ActionId,
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    status: Option<&'static str>,
    state: &'static str,
    #[serde(serialize_with = "write::number_or_null")]
    number_value: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    min_value: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    max_value: Option<f64>,
    order: i32,
    required: bool,
    #[serde(serialize_with = "write::id_or_null")]
    series_id: Option<SeriesId>,
    boolean_value: Option<bool>,
    text_value: Option<&'a str>,
    media_ids: Option<MediaIds<'a>>,
}

#[derive(Serialize)]
struct MediaIds<'a>(#[serde(serialize_with = "write::ids")] &'a [MediaId]);

impl<'a> ActionRecord<'a> {
    fn new(action: &'a Action, over: bool) -> Self {
        let Action { id, series_id, name, kind, order, required, min_value, max_value, outcome } =
            action;
        let mut record = Self {
            id: *id,
            name,
            kind: kind.name(),
            status: action.status(over).map(Named::name),
            state: action.state().name(),
            number_value: None,
            min_value: *min_value,
            max_value: *max_value,
            order: *order,
            required: *required,
            series_id: *series_id,
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
