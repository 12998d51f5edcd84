//! Declaration of the list of scheduled tasks: parameters, sorting, items.

use patrol_domain::{
    list::{Listed, Query},
    scheduled_task::{
        ScheduledTaskFilter, ScheduledTaskList, ScheduledTaskQuery, ScheduledTaskSort,
    },
    task_execution::Priority,
};
use patrol_record::ScheduledTaskItem;

use crate::{
    list::{Filter, Kind, ListDeclaration, RowContext, Search},
    next_starts::TaskWithNextStart,
};

/// The list of scheduled tasks with their next starts.
pub(crate) struct TasksWithNextStart;

impl Listed for TasksWithNextStart {
    type Filter = ScheduledTaskFilter;
    type Sort = ScheduledTaskSort;
    type Item = TaskWithNextStart;

    fn bytes(item: &TaskWithNextStart) -> usize {
        ScheduledTaskList::bytes(&item.task)
    }
}

/// The query of the store.
pub(super) fn store_query(query: Query<TasksWithNextStart>) -> ScheduledTaskQuery {
    let Query { condition, search, sort, page, in_parts, now, late_after } = query;
    Query { condition, search, sort, page, in_parts, now, late_after }
}

impl ListDeclaration for TasksWithNextStart {
    type Options = ();
    type Row<'a> = ScheduledTaskItem<'a>;

    const NAME: &'static str = "ScheduledTaskList";
    const HAS_CSV: bool = true;

    const FILTERS: &'static [Filter<ScheduledTaskFilter>] = &[
        Filter::new("id", ScheduledTaskFilter::Id, Kind::Id).about(
            "Ids.",
            "in:0190de30-0007-7000-8000-000000000001,0190de30-0007-7000-8000-000000000002",
        ),
        Filter::new("name", ScheduledTaskFilter::Name, Kind::Text).about("Name.", "night round"),
        Filter::new("locationId", ScheduledTaskFilter::Location, Kind::Id)
            .about("Locations.", "0190de30-0001-7000-8000-000000000001"),
        Filter::new("userId", ScheduledTaskFilter::User, Kind::Id)
            .about("Assignees.", "in:0190de30-0004-7000-8000-000000000006"),
        Filter::new("tags", ScheduledTaskFilter::Tags, Kind::Tag)
            .about("Tags, compared exactly.", "in:port,office"),
        Filter::new("priority", ScheduledTaskFilter::Priority, Kind::of::<Priority>())
            .example("in:MAJOR,CRITICAL"),
        Filter::new("enabled", ScheduledTaskFilter::Enabled, Kind::Boolean)
            .about("Whether the schedule makes executions.", "true"),
    ];

    const SORT_EXAMPLE: &'static str = "name,asc";

    const SEARCH: Option<Search> =
        Some(Search { fields: "name, description or a tag", example: "round" });

    fn row(item: &TaskWithNextStart, _: RowContext) -> ScheduledTaskItem<'_> {
        ScheduledTaskItem::new(&item.task, Some(item.next_start_at))
    }
}
