//! The statements that fill and use the sets in memory.

use patrol_domain::list::Comparison;
use patrol_domain::task_execution::{ExecutionFilter, ExecutionList};
use patrol_repository::stored::list::{
    OrderKind, Text,
    memory::{SortOrder, select_sort_positions, select_sort_values},
};

use super::*;
use crate::list::{memory::find, produce::select_in_order};

#[tokio::test]
async fn the_rows_of_a_table_are_read_in_order() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let table = Table::of::<ExecutionList>();
    for (key, kind, index) in [
        ("id", OrderKind::Ids, "sqlite_autoindex_task_executions_1"),
        ("name_folded", OrderKind::Texts, "task_executions_by_name"),
        ("start_at", OrderKind::Times, "task_executions_by_start"),
        ("end_at", OrderKind::Times, "task_executions_by_end"),
    ] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let sorted = SortOrder { column: Text::same(key), kind, direction };
            let select = match kind {
                OrderKind::Times => select_sort_values(table, key, direction),
                OrderKind::Ids | OrderKind::Texts => {
                    select_sort_positions(table, sorted, key, None)
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
        let table = Table::of::<ExecutionList>();
        let condition = condition.map(ExecutionList::column);
        let find = find(table, &condition, None, &SelectiveTerms::none());
        let plan = plan(&store, find).await;
        let covers = |line: &str| {
            !line.starts_with("S")
                || ["COVERING", "PRIMARY KEY (value=?)"].iter().any(|index| line.contains(index))
        };
        assert!(plan.lines().all(covers), "{condition:?}:\n{plan}");
    }
}

#[tokio::test]
async fn the_rows_of_a_page_are_read_by_their_keys_and_not_sorted() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let plan = plan(&store, select_in_order(Table::of::<ExecutionList>(), &[3, 1, 2])).await;
    let [outer, inner] = plan.lines().collect::<Vec<_>>()[..] else { panic!("{plan}") };
    assert!(outer.starts_with("SCAN json_each"), "{plan}");
    let by_key = "SEARCH task_executions USING INTEGER PRIMARY KEY (rowid=?)";
    assert!(inner.starts_with(by_key), "{plan}");
}
