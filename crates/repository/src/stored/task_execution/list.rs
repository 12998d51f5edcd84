//! The list of executions.

use std::sync::LazyLock;

use diesel::{dsl::SqlTypeOf, pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    Named, Resource, StoreError,
    task_execution::{
        ExecutionFilter, ExecutionList, ExecutionSort, ExecutionSummary, Priority, State, Status,
    },
};

use super::{read::progress, task};
use crate::stored::{
    list::{Column, ListTable, OrderKind, SortKey, Text, Trigrams, by_order},
    row::Row,
    schema::task_executions,
    sql::{Id, Ids, Texts, Time},
};

/// A row of the list, in the order of its columns.
#[derive(Queryable, Selectable)]
#[diesel(table_name = task_executions, check_for_backend(Sqlite, Pg))]
pub struct SummaryRow {
    id: Id,
    scheduled_task_id: Id,
    performer_id: Option<Id>,
    assignee_ids: Ids,
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
    series_id: Option<Id>,
    deadlined: bool,
    published: bool,
    edited: bool,
    step_count: i32,
    executed_step_count: i32,
    location_id: Id,
    tags: Texts,
    order_steps_required: bool,
    flag_count: i32,
}

static STATE: LazyLock<String> = LazyLock::new(|| by_order::<State>("state"));
static STATUS: LazyLock<String> = LazyLock::new(|| by_order::<Status>("status"));
static PRIORITY: LazyLock<String> = LazyLock::new(|| by_order::<Priority>("priority"));
static MISSED: LazyLock<String> = LazyLock::new(|| {
    format!("(published AND state <> {} AND end_at < :now)", State::Completed.code())
});

impl ListTable for ExecutionList {
    const KEY: &'static str = "task_executions.row";
    const SEARCH: &'static [&'static str] = &["name_folded", "description_folded", "tags_folded"];
    const TRIGRAMS: Option<Trigrams> = Some(Trigrams {
        table: "task_execution_texts",
        missing: "SELECT row FROM task_execution_unsearched",
        max_candidates: 20_000,
    });
    const FROM: &'static str = "task_executions";
    const COLUMNS: Text = Text::same(
        "id, scheduled_task_id, performer_id, assignee_ids, name, state, started_at, ended_at, \
        status, start_at, end_at, error_count, warning_count, priority, series_id, deadlined, \
        published, edited, step_count, executed_step_count, location_id, tags, \
        order_steps_required, flag_count",
    );
    const KIND: Resource = Resource::TaskExecution;
    const PAGES_FROM_MEMORY: Option<Resource> = Some(Resource::TaskExecution);

    type SqlType = SqlTypeOf<<SummaryRow as Selectable<Pg>>::SelectExpression>;
    type Row = SummaryRow;

    fn column(filter: ExecutionFilter) -> Column {
        match filter {
            ExecutionFilter::Id => Column::Plain("id"),
            ExecutionFilter::ScheduledTask => Column::Computed(task::NULLABLE),
            ExecutionFilter::Series => Column::Plain("series_id"),
            ExecutionFilter::Performer => Column::Plain("performer_id"),
            ExecutionFilter::StartAt => Column::Plain("start_at"),
            ExecutionFilter::EndAt => Column::Plain("end_at"),
            // Not `Plain`: lists keep an order of the times of such a column, which has no nulls.
            ExecutionFilter::EndedAt => Column::Computed(Text::same("ended_at")),
            ExecutionFilter::Name => Column::Plain("name_folded"),
            ExecutionFilter::Priority => {
                Column::LowCardinality { column: "priority", then: &["id"] }
            }
            ExecutionFilter::User => Column::Set {
                table: "task_execution_assignees",
                array: "assignee_ids",
                or: Some("performer_id"),
            },
            ExecutionFilter::State => {
                Column::LowCardinality { column: "state", then: &["id", "start_at"] }
            }
            ExecutionFilter::Location => {
                Column::LowCardinality { column: "location_id", then: &["id", "start_at"] }
            }
            ExecutionFilter::Point => {
                Column::Set { table: "task_execution_points", array: "point_ids", or: None }
            }
            ExecutionFilter::Tags => {
                Column::Set { table: "task_execution_tags", array: "tags", or: None }
            }
            ExecutionFilter::Status => {
                Column::LowCardinality { column: "status", then: &["id", "start_at"] }
            }
            ExecutionFilter::Published => {
                Column::LowCardinality { column: "published", then: &["id"] }
            }
            ExecutionFilter::Flagged => {
                Column::LowCardinality { column: "(flag_count > 0)", then: &["id"] }
            }
            ExecutionFilter::StartDelay => Column::Computed(Text {
                sqlite: "(started_at - start_at)",
                postgres: "(extract(epoch FROM started_at - start_at) * 1000)",
            }),
        }
    }

    fn item(read: SummaryRow) -> Result<ExecutionSummary, StoreError> {
        let at = Row::new("task_executions", read.id);
        Ok(ExecutionSummary {
            id: at.id("id", read.id)?,
            scheduled_task_id: task::read(at, read.scheduled_task_id)?,
            performer_id: read.performer_id.map(|id| at.id("performer_id", id)).transpose()?,
            assignee_ids: at.ids("assignee_ids", read.assignee_ids)?,
            name: read.name,
            progress: progress(at, read.state, read.started_at, read.ended_at)?,
            status: read.status.map(|code| at.named("status", code)).transpose()?,
            start_at: at.time("start_at", read.start_at)?,
            end_at: at.time("end_at", read.end_at)?,
            error_count: read.error_count,
            warning_count: read.warning_count,
            priority: at.named("priority", read.priority)?,
            series_id: read.series_id.map(|id| at.id("series_id", id)).transpose()?,
            deadlined: read.deadlined,
            published: read.published,
            edited: read.edited,
            step_count: read.step_count,
            executed_step_count: read.executed_step_count,
            location_id: at.id("location_id", read.location_id)?,
            tags: at.texts("tags", read.tags)?,
            order_steps_required: read.order_steps_required,
            flag_count: read.flag_count,
        })
    }

    fn sort(sort: ExecutionSort) -> SortKey {
        let each = |sql| SortKey { sql, ..SortKey::of("") };
        match sort {
            ExecutionSort::Id => SortKey::of("id").ordered(OrderKind::Ids),
            ExecutionSort::ScheduledTaskId => SortKey { nullable: true, ..each(task::NULLABLE) },
            ExecutionSort::PerformerId => SortKey::nullable("performer_id"),
            ExecutionSort::Name => SortKey::of("name_folded").ordered(OrderKind::Texts),
            ExecutionSort::State => SortKey::of(&STATE).few(),
            ExecutionSort::Status => SortKey::nullable(&STATUS).few(),
            ExecutionSort::StartAt => SortKey::of("start_at").ordered(OrderKind::Times),
            ExecutionSort::EndAt => SortKey::of("end_at").ordered(OrderKind::Times),
            ExecutionSort::StartedAt => SortKey::nullable("started_at"),
            ExecutionSort::EndedAt => SortKey::nullable("ended_at"),
            // Never negative; 0 before the start.
            ExecutionSort::TotalExecutedTime => each(Text {
                sqlite: "coalesce(max(coalesce(ended_at, :now) - started_at, 0), 0)",
                postgres: "greatest(coalesce(ended_at, :now) - started_at, interval '0')",
            }),
            ExecutionSort::ErrorCount => SortKey::of("error_count"),
            ExecutionSort::WarningCount => SortKey::of("warning_count"),
            ExecutionSort::Priority => SortKey::of(&PRIORITY).few(),
            ExecutionSort::SeriesId => SortKey::nullable("series_id"),
            ExecutionSort::Assigned => each(Text {
                sqlite: "length(assignee_ids) > 0",
                postgres: "cardinality(assignee_ids) > 0",
            }),
            ExecutionSort::Deadlined => SortKey::of("deadlined"),
            ExecutionSort::Published => SortKey::of("published").few(),
            ExecutionSort::Edited => SortKey::of("edited"),
            ExecutionSort::StepCount => SortKey::of("step_count"),
            ExecutionSort::ExecutedStepCount => SortKey::of("executed_step_count"),
            ExecutionSort::LocationId => SortKey::of("location_id"),
            ExecutionSort::FlagCount => SortKey::of("flag_count"),
            ExecutionSort::OrderStepsRequired => SortKey::of("order_steps_required"),
            ExecutionSort::Late => each(Text {
                sqlite: "published AND coalesce(started_at, :now) - start_at > :late_after",
                postgres: "(published AND extract(epoch FROM coalesce(started_at, :now) - start_at) \
                    * 1000 > :late_after)",
            }),
            ExecutionSort::Missed => SortKey::of(&MISSED),
        }
    }
}
