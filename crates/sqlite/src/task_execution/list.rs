//! The list of executions.

use diesel::{
    Queryable,
    sql_types::{BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text},
};
use patrol_domain::{
    StoreError,
    ids::UserId,
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort, ExecutionSummary},
};

use super::row::progress;
use crate::{
    list::{Column, ListTable, SortKey, Trigrams},
    revision::Aggregate,
    value::{Row, StoredId, StoredIds, StoredTexts},
};

impl ListTable for ExecutionList {
    const FROM: &'static str = "task_executions";
    const KEY: &'static str = "task_executions.row";
    const COLUMNS: &'static str = "id, scheduled_task_id, performer_id, assignee_ids, name, state, \
        started_at, ended_at, status, start_at, end_at, error_count, warning_count, priority, \
        series_id, deadlined, published, edited, step_count, executed_step_count, \
        location_id, tags, order_steps_required";
    const TIES: &'static [&'static str] = &["id"];
    const SEARCH: &'static [Column] = &[
        Column::Plain("name_folded"),
        Column::Plain("description_folded"),
        Column::Plain("tags_folded"),
    ];
    const TRIGRAMS: Option<Trigrams> = Some(Trigrams {
        matching: "SELECT rowid FROM task_execution_texts WHERE task_execution_texts MATCH ",
        missing: "SELECT row FROM task_execution_unsearched",
    });
    const AGGREGATE: Aggregate = Aggregate::TaskExecution;

    type SqlType = (
        Binary,
        Binary,
        Nullable<Binary>,
        Binary,
        Text,
        SmallInt,
        Nullable<BigInt>,
        Nullable<BigInt>,
        Nullable<SmallInt>,
        BigInt,
        BigInt,
        Integer,
        Integer,
        SmallInt,
        Nullable<Binary>,
        Bool,
        Bool,
        Bool,
        Integer,
        Integer,
        Binary,
        Text,
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
            id: at.id("id", id)?,
            scheduled_task_id: at.id("scheduled_task_id", scheduled_task_id)?,
            performer_id: performer_id.map(|id| at.id("performer_id", id)).transpose()?,
            assignee_ids: at.ids("assignee_ids", assignee_ids)?,
            name,
            progress: progress(at, state, started_at, ended_at)?,
            status: status.map(|code| at.named("status", code)).transpose()?,
            start_at: at.time("start_at", start_at)?,
            end_at: at.time("end_at", end_at)?,
            error_count,
            warning_count,
            priority: at.named("priority", priority)?,
            series_id: series_id.map(|id| at.id("series_id", id)).transpose()?,
            deadlined,
            published,
            edited,
            step_count,
            executed_step_count,
            location_id: at.id("location_id", location_id)?,
            tags: at.texts("tags", tags)?,
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
            ExecutionFilter::Priority => Column::Few { column: "priority", then: &["id"] },
            ExecutionFilter::User => {
                Column::Linked { table: "task_execution_assignees", or: Some("performer_id") }
            }
            ExecutionFilter::State => Column::Few { column: "state", then: &["id", "start_at"] },
            ExecutionFilter::Location => Column::Plain("location_id"),
            ExecutionFilter::Point => Column::Linked { table: "task_execution_points", or: None },
            ExecutionFilter::Tags => Column::Linked { table: "task_execution_tags", or: None },
            ExecutionFilter::Status => Column::Few { column: "status", then: &["id", "start_at"] },
            ExecutionFilter::Published => Column::Few { column: "published", then: &["id"] },
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
            // Never negative, and 0 while it has not been started.
            ExecutionSort::TotalExecutedTime => {
                ("coalesce(max(coalesce(ended_at, :now) - started_at, 0), 0)", false)
            }
            ExecutionSort::ErrorCount => ("error_count", false),
            ExecutionSort::WarningCount => ("warning_count", false),
            ExecutionSort::Priority => ("priority", false),
            ExecutionSort::SeriesId => ("series_id", true),
            ExecutionSort::Assigned => ("length(assignee_ids) > 0", false),
            ExecutionSort::Deadlined => ("deadlined", false),
            ExecutionSort::Published => ("published", false),
            ExecutionSort::Edited => ("edited", false),
            ExecutionSort::StepCount => ("step_count", false),
            ExecutionSort::ExecutedStepCount => ("executed_step_count", false),
            ExecutionSort::LocationId => ("location_id", false),
            ExecutionSort::OrderStepsRequired => ("order_steps_required", false),
        };
        let few = matches!(
            sort,
            ExecutionSort::State
                | ExecutionSort::Status
                | ExecutionSort::Priority
                | ExecutionSort::Published
        );
        SortKey { sql, nullable, few }
    }
}

/// A row of the list, in the order of its columns.
#[derive(Queryable)]
pub(crate) struct Read {
    id: StoredId,
    scheduled_task_id: StoredId,
    performer_id: Option<StoredId>,
    assignee_ids: StoredIds<UserId>,
    name: String,
    state: i16,
    started_at: Option<i64>,
    ended_at: Option<i64>,
    status: Option<i16>,
    start_at: i64,
    end_at: i64,
    error_count: i32,
    warning_count: i32,
    priority: i16,
    series_id: Option<StoredId>,
    deadlined: bool,
    published: bool,
    edited: bool,
    step_count: i32,
    executed_step_count: i32,
    location_id: StoredId,
    tags: StoredTexts,
    order_steps_required: bool,
}
