//! Writes executions as lines.

use patrol_domain::{
    Timestamp,
    data_set::NewExecution,
    ids::{
        ActionId, LocationId, MediaId, PointId, ScheduledTaskId, SeriesId, StepId, TaskExecutionId,
        UserId,
    },
    task_execution::{Action, ActionType, Outcome, Priority, State, Step, TaskExecution},
};
use patrol_json::write;
use patrol_record::value::LocalDateTime;
use serde::{Serialize, Serializer};

/// An execution as a line, without derived members, for example `status`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row<'a> {
    #[serde(serialize_with = "write::id")]
    id: TaskExecutionId,
    #[serde(serialize_with = "write::id_or_null")]
    scheduled_task_id: Option<ScheduledTaskId>,
    #[serde(serialize_with = "write::id_or_null")]
    series_id: Option<SeriesId>,
    occurrence_at: Option<LocalDateTime>,
    name: &'a str,
    description: Option<&'a str>,
    #[serde(serialize_with = "write::id")]
    location_id: LocationId,
    #[serde(serialize_with = "write::id_or_null")]
    performer_id: Option<UserId>,
    #[serde(serialize_with = "write::ids")]
    assignee_ids: &'a [UserId],
    #[serde(serialize_with = "write::name")]
    state: State,
    published: bool,
    #[serde(serialize_with = "write::timestamp")]
    start_at: Timestamp,
    #[serde(serialize_with = "write::timestamp")]
    end_at: Timestamp,
    #[serde(serialize_with = "write::timestamp_or_null")]
    started_at: Option<Timestamp>,
    #[serde(serialize_with = "write::timestamp_or_null")]
    ended_at: Option<Timestamp>,
    #[serde(serialize_with = "write::name")]
    priority: Priority,
    order_steps_required: bool,
    strict_time_required: bool,
    deadlined: bool,
    edited: bool,
    tags: &'a [String],
    steps: Vec<StepRow<'a>>,
}

impl<'a> From<&'a NewExecution> for Row<'a> {
    fn from(new: &'a NewExecution) -> Self {
        let NewExecution { execution, occurrence_at } = new;
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
            series_id: *series_id,
            occurrence_at: occurrence_at.map(LocalDateTime),
            name,
            description: description.as_deref(),
            location_id: *location_id,
            performer_id: *performer_id,
            assignee_ids,
            state: progress.state(),
            published: *published,
            start_at: *start_at,
            end_at: *end_at,
            started_at: progress.started_at(),
            ended_at: progress.ended_at(),
            priority: *priority,
            order_steps_required: *order_steps_required,
            strict_time_required: *strict_time_required,
            deadlined: *deadlined,
            edited: *edited,
            tags,
            steps: steps.iter().map(StepRow::from).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepRow<'a> {
    #[serde(serialize_with = "write::id")]
    id: StepId,
    #[serde(serialize_with = "write::id_or_null")]
    series_id: Option<SeriesId>,
    #[serde(serialize_with = "write::id_or_null")]
    point_id: Option<PointId>,
    name: &'a str,
    order: i32,
    actual_order: Option<i32>,
    #[serde(serialize_with = "write::name")]
    state: State,
    actions: Vec<ActionRow<'a>>,
}

impl<'a> From<&'a Step> for StepRow<'a> {
    fn from(step: &'a Step) -> Self {
        let Step { id, series_id, point_id, name, order, actual_order, state, actions } = step;
        Self {
            id: *id,
            series_id: *series_id,
            point_id: *point_id,
            name,
            order: *order,
            actual_order: *actual_order,
            state: *state,
            actions: actions.iter().map(ActionRow::from).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActionRow<'a> {
    #[serde(serialize_with = "write::id")]
    id: ActionId,
    #[serde(serialize_with = "write::id_or_null")]
    series_id: Option<SeriesId>,
    name: &'a str,
    #[serde(rename = "type", serialize_with = "write::name")]
    kind: ActionType,
    order: i32,
    required: bool,
    #[serde(serialize_with = "write::number_or_null")]
    min_value: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    max_value: Option<f64>,
    #[serde(serialize_with = "write::name")]
    state: State,
    #[serde(serialize_with = "write::number_or_null")]
    number_value: Option<f64>,
    boolean_value: Option<bool>,
    text_value: Option<&'a str>,
    #[serde(serialize_with = "ids_or_null")]
    media_ids: Option<&'a [MediaId]>,
}

impl<'a> From<&'a Action> for ActionRow<'a> {
    fn from(action: &'a Action) -> Self {
        let Action { id, series_id, name, kind, order, required, min_value, max_value, outcome } =
            action;
        let mut row = Self {
            id: *id,
            series_id: *series_id,
            name,
            kind: *kind,
            order: *order,
            required: *required,
            min_value: *min_value,
            max_value: *max_value,
            state: action.state(),
            number_value: None,
            boolean_value: None,
            text_value: None,
            media_ids: None,
        };
        match outcome {
            None => {}
            Some(Outcome::Number(value)) => row.number_value = Some(*value),
            Some(Outcome::Boolean(value)) => row.boolean_value = Some(*value),
            Some(Outcome::Text(value)) => row.text_value = Some(value),
            Some(Outcome::Media(value)) => row.media_ids = Some(value),
        }
        row
    }
}

fn ids_or_null<S: Serializer>(ids: &Option<&[MediaId]>, serializer: S) -> Result<S::Ok, S::Error> {
    match ids {
        Some(ids) => write::ids(ids, serializer),
        None => serializer.serialize_none(),
    }
}
