//! The list of scheduled tasks.

use std::sync::LazyLock;

use diesel::{dsl::SqlTypeOf, pg::Pg, prelude::*};
use patrol_domain::{
    Resource, StoreError,
    scheduled_task::{ScheduledTask, ScheduledTaskFilter, ScheduledTaskList, ScheduledTaskSort},
    task_execution::Priority,
};

use super::ScheduledTaskRow;
use crate::stored::list::{Column, ListTable, SortKey, Text, Trigrams, by_order};

static PRIORITY: LazyLock<String> = LazyLock::new(|| by_order::<Priority>("priority"));

impl ListTable for ScheduledTaskList {
    const KEY: &'static str = "scheduled_tasks.row";
    const SEARCH: &'static [&'static str] = &["name_folded", "description_folded", "tags_folded"];
    const TRIGRAMS: Option<Trigrams> = Some(Trigrams::of("scheduled_task_texts"));
    const FROM: &'static str = "scheduled_tasks";
    const COLUMNS: Text = Text::same(
        "id, name, description, location_id, assignee_ids, priority, order_steps_required, \
        strict_time_required, deadlined, published, enabled, series_id, tags, schedule",
    );
    const KIND: Resource = Resource::ScheduledTask;

    type SqlType = SqlTypeOf<<ScheduledTaskRow as Selectable<Pg>>::SelectExpression>;
    type Row = ScheduledTaskRow;

    fn column(filter: ScheduledTaskFilter) -> Column {
        match filter {
            ScheduledTaskFilter::Id => Column::Plain("id"),
            ScheduledTaskFilter::Name => Column::Plain("name_folded"),
            ScheduledTaskFilter::Location => {
                Column::LowCardinality { column: "location_id", then: &["id"] }
            }
            ScheduledTaskFilter::User => {
                Column::Set { table: "scheduled_task_assignees", array: "assignee_ids", or: None }
            }
            ScheduledTaskFilter::Tags => {
                Column::Set { table: "scheduled_task_tags", array: "tags", or: None }
            }
            ScheduledTaskFilter::Priority => {
                Column::LowCardinality { column: "priority", then: &["id"] }
            }
            ScheduledTaskFilter::Enabled => {
                Column::LowCardinality { column: "enabled", then: &["id"] }
            }
        }
    }

    fn item(read: ScheduledTaskRow) -> Result<ScheduledTask, StoreError> {
        read.task(None)
    }

    fn sort(sort: ScheduledTaskSort) -> SortKey {
        match sort {
            ScheduledTaskSort::Id => SortKey::of("id"),
            ScheduledTaskSort::Name => SortKey::of("name_folded"),
            ScheduledTaskSort::Description => {
                SortKey::nullable("description_folded").long("left(description_folded, 200)")
            }
            ScheduledTaskSort::LocationId => SortKey::nullable("location_id"),
            ScheduledTaskSort::Priority => SortKey::of(&PRIORITY),
            ScheduledTaskSort::OrderStepsRequired => SortKey::of("order_steps_required"),
            ScheduledTaskSort::StrictTimeRequired => SortKey::of("strict_time_required"),
            ScheduledTaskSort::Deadlined => SortKey::of("deadlined"),
            ScheduledTaskSort::Published => SortKey::of("published"),
            ScheduledTaskSort::Enabled => SortKey::of("enabled"),
            ScheduledTaskSort::SeriesId => SortKey::nullable("series_id"),
        }
    }
}
