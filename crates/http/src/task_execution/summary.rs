//! The summary record of an execution, and its subset for PUT.

use patrol_domain::{
    Named, Timestamp,
    ids::{LocationId, ScheduledTaskId, SeriesId, TaskExecutionId, UserId},
    task_execution::ExecutionSummary,
};
use patrol_json::write;
use serde::Serialize;

/// The summary record: the item of the list and the response of PATCH.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SummaryRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: TaskExecutionId,
    #[serde(serialize_with = "write::id")]
    scheduled_task_id: ScheduledTaskId,
    #[serde(serialize_with = "write::id_or_null")]
    performer_id: Option<UserId>,
    #[serde(serialize_with = "write::ids")]
    assignee_ids: &'a [UserId],
    name: &'a str,
    state: &'static str,
    status: Option<&'static str>,
    #[serde(serialize_with = "write::timestamp")]
    start_at: Timestamp,
    #[serde(serialize_with = "write::timestamp")]
    end_at: Timestamp,
    #[serde(serialize_with = "write::timestamp_or_null")]
    started_at: Option<Timestamp>,
    #[serde(serialize_with = "write::timestamp_or_null")]
    ended_at: Option<Timestamp>,
    total_executed_time_in_millis: i64,
    error_count: i32,
    warning_count: i32,
    priority: &'static str,
    #[serde(serialize_with = "write::id_or_null")]
    series_id: Option<SeriesId>,
    assigned: bool,
    deadlined: bool,
    published: bool,
    edited: bool,
    step_count: i32,
    executed_step_count: i32,
    #[serde(serialize_with = "write::id")]
    location_id: LocationId,
    tags: &'a [String],
    order_steps_required: bool,
}

impl<'a> SummaryRecord<'a> {
    /// The summary; `now` ends a running duration.
    pub(crate) fn new(summary: &'a ExecutionSummary, now: Timestamp) -> Self {
        let ExecutionSummary {
            id,
            scheduled_task_id,
            performer_id,
            assignee_ids,
            name,
            progress,
            status,
            start_at,
            end_at,
            error_count,
            warning_count,
            priority,
            series_id,
            deadlined,
            published,
            edited,
            step_count,
            executed_step_count,
            location_id,
            tags,
            order_steps_required,
        } = summary;
        Self {
            id: *id,
            scheduled_task_id: *scheduled_task_id,
            performer_id: *performer_id,
            assignee_ids,
            name,
            state: progress.state().name(),
            status: status.map(Named::name),
            start_at: *start_at,
            end_at: *end_at,
            started_at: progress.started_at(),
            ended_at: progress.ended_at(),
            total_executed_time_in_millis: progress.executed_millis(now),
            error_count: *error_count,
            warning_count: *warning_count,
            priority: priority.name(),
            series_id: *series_id,
            assigned: summary.assigned(),
            deadlined: *deadlined,
            published: *published,
            edited: *edited,
            step_count: *step_count,
            executed_step_count: *executed_step_count,
            location_id: *location_id,
            tags,
            order_steps_required: *order_steps_required,
        }
    }
}

/// The response of PUT: exactly these fields.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReplacedRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: TaskExecutionId,
    #[serde(serialize_with = "write::id")]
    scheduled_task_id: ScheduledTaskId,
    #[serde(serialize_with = "write::id_or_null")]
    performer_id: Option<UserId>,
    #[serde(serialize_with = "write::ids")]
    assignee_ids: &'a [UserId],
    name: &'a str,
    state: &'static str,
    status: Option<&'static str>,
    #[serde(serialize_with = "write::timestamp")]
    start_at: Timestamp,
    #[serde(serialize_with = "write::timestamp")]
    end_at: Timestamp,
    total_executed_time_in_millis: i64,
    priority: &'static str,
    step_count: i32,
    executed_step_count: i32,
}

impl<'a> ReplacedRecord<'a> {
    /// The response; `now` ends a running duration.
    pub(crate) fn new(summary: &'a ExecutionSummary, now: Timestamp) -> Self {
        let SummaryRecord {
            id,
            scheduled_task_id,
            performer_id,
            assignee_ids,
            name,
            state,
            status,
            start_at,
            end_at,
            started_at: _,
            ended_at: _,
            total_executed_time_in_millis,
            error_count: _,
            warning_count: _,
            priority,
            series_id: _,
            assigned: _,
            deadlined: _,
            published: _,
            edited: _,
            step_count,
            executed_step_count,
            location_id: _,
            tags: _,
            order_steps_required: _,
        } = SummaryRecord::new(summary, now);
        Self {
            id,
            scheduled_task_id,
            performer_id,
            assignee_ids,
            name,
            state,
            status,
            start_at,
            end_at,
            total_executed_time_in_millis,
            priority,
            step_count,
            executed_step_count,
        }
    }
}
