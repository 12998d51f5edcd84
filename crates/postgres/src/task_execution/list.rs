//! The list of executions.

use diesel::{
    Queryable,
    sql_types::{Array, Bool, Integer, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
use patrol_domain::{
    StoreError,
    ids::Uuid,
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort, ExecutionSummary},
};

use super::row::progress;
use crate::{
    list::{Column, ListTable, SortKey},
    value::{Row, Time, ids},
};

impl ListTable for ExecutionList {
    const FROM: &'static str = "task_executions";
    const COLUMNS: &'static str = "id, scheduled_task_id, performer_id, assignee_ids, name, state, \
        started_at, ended_at, status, start_at, end_at, error_count, warning_count, priority, \
        series_id, deadlined, published, edited, step_count, executed_step_count, \
        location_id, tags, order_steps_required";
    const TIES: &'static [&'static str] = &["id"];
    const SEARCH: &'static [&'static str] = &["name_folded", "description_folded", "tags_folded"];

    type SqlType = (
        SqlUuid,
        SqlUuid,
        Nullable<SqlUuid>,
        Array<SqlUuid>,
        Text,
        SmallInt,
        Nullable<Timestamptz>,
        Nullable<Timestamptz>,
        Nullable<SmallInt>,
        Timestamptz,
        Timestamptz,
        Integer,
        Integer,
        SmallInt,
        Nullable<SqlUuid>,
        Bool,
        Bool,
        Bool,
        Integer,
        Integer,
        SqlUuid,
        Array<Text>,
        Bool,
    );
    type Row = Read;

    fn item(read: Read) -> Result<ExecutionSummary, StoreError> {
        let Read {
            id,
            scheduled_task_id,
            performer_id,
            assignee_ids,
            name,
            state,
            started_at,
            ended_at,
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
        } = read;
        let at = Row::new("task_executions", id);
        Ok(ExecutionSummary {
            id: id.into(),
            scheduled_task_id: scheduled_task_id.into(),
            performer_id: performer_id.map(Into::into),
            assignee_ids: ids(assignee_ids),
            name,
            progress: progress(at, state, started_at, ended_at)?,
            status: status.map(|code| at.named("status", code)).transpose()?,
            start_at: at.time("start_at", start_at)?,
            end_at: at.time("end_at", end_at)?,
            error_count,
            warning_count,
            priority: at.named("priority", priority)?,
            series_id: series_id.map(Into::into),
            deadlined,
            published,
            edited,
            step_count,
            executed_step_count,
            location_id: location_id.into(),
            tags,
            order_steps_required,
        })
    }

    fn column(filter: ExecutionFilter) -> Column {
        match filter {
            ExecutionFilter::Id => Column::Plain("id"),
            ExecutionFilter::ScheduledTask => Column::Plain("scheduled_task_id"),
            ExecutionFilter::Series => Column::Plain("series_id"),
            ExecutionFilter::Performer => Column::Plain("performer_id"),
            ExecutionFilter::StartAt => Column::Plain("start_at"),
            ExecutionFilter::EndAt => Column::Plain("end_at"),
            ExecutionFilter::Name => Column::Plain("name_folded"),
            ExecutionFilter::Priority => Column::Plain("priority"),
            ExecutionFilter::User => {
                Column::Array { column: "assignee_ids", or: Some("performer_id") }
            }
            ExecutionFilter::State => Column::Plain("state"),
            ExecutionFilter::Location => Column::Plain("location_id"),
            ExecutionFilter::Point => Column::Array { column: "point_ids", or: None },
            ExecutionFilter::Tags => Column::Array { column: "tags", or: None },
            ExecutionFilter::Status => Column::Plain("status"),
            ExecutionFilter::Published => Column::Plain("published"),
        }
    }

    fn sort(sort: ExecutionSort) -> SortKey {
        let (sql, nullable) = match sort {
            ExecutionSort::Id => ("id", false),
            ExecutionSort::ScheduledTaskId => ("scheduled_task_id", false),
            ExecutionSort::PerformerId => ("performer_id", true),
            ExecutionSort::Name => ("name_folded", false),
            ExecutionSort::State => ("state", false),
            ExecutionSort::Status => ("status", true),
            ExecutionSort::StartAt => ("start_at", false),
            ExecutionSort::EndAt => ("end_at", false),
            ExecutionSort::StartedAt => ("started_at", true),
            ExecutionSort::EndedAt => ("ended_at", true),
            // Never negative, and 0 while it has not been started: `greatest` passes over null.
            ExecutionSort::TotalExecutedTime => {
                ("greatest(coalesce(ended_at, :now) - started_at, interval '0')", false)
            }
            ExecutionSort::ErrorCount => ("error_count", false),
            ExecutionSort::WarningCount => ("warning_count", false),
            ExecutionSort::Priority => ("priority", false),
            ExecutionSort::SeriesId => ("series_id", true),
            ExecutionSort::Assigned => ("cardinality(assignee_ids) > 0", false),
            ExecutionSort::Deadlined => ("deadlined", false),
            ExecutionSort::Published => ("published", false),
            ExecutionSort::Edited => ("edited", false),
            ExecutionSort::StepCount => ("step_count", false),
            ExecutionSort::ExecutedStepCount => ("executed_step_count", false),
            ExecutionSort::LocationId => ("location_id", false),
            ExecutionSort::OrderStepsRequired => ("order_steps_required", false),
        };
        SortKey { sql, nullable }
    }
}

/// A row of the list, in the order of its columns.
#[derive(Queryable)]
pub(crate) struct Read {
    id: Uuid,
    scheduled_task_id: Uuid,
    performer_id: Option<Uuid>,
    assignee_ids: Vec<Uuid>,
    name: String,
    state: i16,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    status: Option<i16>,
    start_at: Time,
    end_at: Time,
    error_count: i32,
    warning_count: i32,
    priority: i16,
    series_id: Option<Uuid>,
    deadlined: bool,
    published: bool,
    edited: bool,
    step_count: i32,
    executed_step_count: i32,
    location_id: Uuid,
    tags: Vec<String>,
    order_steps_required: bool,
}
