//! The statements that fill and use the sets in memory.

use patrol_domain::list::Comparison;
use patrol_domain::task_execution::{ExecutionFilter, ExecutionList};
use patrol_stored::list::{
    OrderKind, Text,
    memory::{SortOrder, select_sort_positions, select_sort_values},
};

use super::*;
use crate::list::memory::find;

#[tokio::test]
async fn the_rows_of_a_table_are_read_in_order() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    for (key, kind, index) in [
        ("id", OrderKind::Ids, "sqlite_autoindex_task_executions_1"),
        ("name_folded", OrderKind::Texts, "task_executions_by_name"),
        ("start_at", OrderKind::Times, "task_executions_by_start"),
        ("end_at", OrderKind::Times, "task_executions_by_end"),
    ] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let sorted = SortOrder { column: Text::same(key), kind, direction };
            let select = match kind {
                OrderKind::Times => select_sort_values::<ExecutionList, _>(key, direction),
                OrderKind::Ids | OrderKind::Texts => {
                    select_sort_positions::<ExecutionList, _>(sorted, key, None)
                }
            };
            let plan = plan(&store, select).await;
            let covers = plan.contains("COVERING INDEX") && plan.contains(index);
            // Rows with the same name are sorted by id, a few at a time.
            assert!(covers && !plan.contains("FOR ORDER BY"), "{index}:\n{plan}");
        }
    }
}

fn time(filter: ExecutionFilter, comparison: Comparison) -> Condition<ExecutionFilter> {
    is(filter, Test::Time(comparison, Timestamp::from_millis(0).unwrap()))
}

#[tokio::test]
async fn the_rows_of_a_filter_are_found_in_indexes_only() {
    use ExecutionFilter::{Location, Performer, Point, Priority, State, Status, Tags, User};
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let several = |filter| is(filter, Test::Codes(Membership::Any, vec![0, 1]));
    for condition in [
        rank(State),
        several(State),
        rank(Status),
        several(Status),
        rank(Priority),
        is(ExecutionFilter::Published, Test::Flag(false)),
        ids(Location),
        ids(Performer),
        ids(Point),
        ids(User),
        ids(ExecutionFilter::ScheduledTask),
        ids(ExecutionFilter::Series),
        tag(Tags),
        text(ExecutionFilter::Name),
        Condition::All(vec![]),
        Condition::All(vec![
            time(ExecutionFilter::StartAt, Comparison::GreaterOrEqual),
            time(ExecutionFilter::EndAt, Comparison::Less),
        ]),
    ] {
        let find = find::<ExecutionList>(&condition, None, &Selective::none());
        let plan = plan(&store, find).await;
        let covers = |line: &str| {
            !line.starts_with("S")
                || ["COVERING", "PRIMARY KEY (value=?)"].iter().any(|index| line.contains(index))
        };
        assert!(plan.lines().all(covers), "{condition:?}:\n{plan}");
    }
}
