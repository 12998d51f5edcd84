//! The statements that fill and use the sets in memory.

use patrol_domain::list::Comparison;
use patrol_domain::task_execution::{ExecutionFilter, ExecutionList, ExecutionSort};

use super::*;
use crate::list::{
    rows::find,
    sorted::{Key, Sorted},
};

/// The statement reads the index in its order, and is not sorted.
async fn assert_reads(store: &Store, statement: Sql, index: &str) {
    let plan = plan(store, statement).await;
    assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{index}:\n{plan}");
}

fn sorted(property: ExecutionSort, direction: Direction) -> Sorted {
    let sort = vec![Sort { property, direction }];
    Sorted::of::<ExecutionList>(&Query { sort, ..by_id(vec![]) }).unwrap()
}

#[tokio::test]
async fn an_index_is_read_in_the_requested_order() {
    use ExecutionSort::{EndAt, Id, Name, StartAt};
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    for (property, index, key) in [
        (Id, "sqlite_autoindex_task_executions_1", Key::Id([7; 16])),
        (Name, "task_executions_by_name", Key::Text("round".to_owned())),
        (StartAt, "task_executions_by_start", Key::Time(7)),
        (EndAt, "task_executions_by_end", Key::Time(7)),
    ] {
        let ascending = sorted(property, Direction::Ascending);
        let from = ascending.within((Some(&key), None));
        let both = ascending.within((Some(&key), Some(&key)));
        for filter in [Sql::default(), from, both] {
            assert_reads(&store, ascending.select_keys::<ExecutionList>(&filter), index).await;
            assert_reads(&store, ascending.select::<ExecutionList>(&filter), index).await;
            let descending = sorted(property, Direction::Descending);
            let select = plan(&store, descending.select::<ExecutionList>(&filter)).await;
            // Names that are equal are sorted by id, ascending.
            let sorts = select.contains("FOR ORDER BY");
            assert!(select.contains(index) && !sorts, "{index}:\n{select}");
        }
    }
}

#[tokio::test]
async fn the_rows_of_one_value_are_read_in_the_requested_order() {
    use ExecutionFilter::{Location, Priority, Published, State, Status};
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let published = || is(Published, Test::Flag(true));
    for (property, condition, index) in [
        (ExecutionSort::Id, rank(State), "task_executions_by_state_and_id (state=?)"),
        (ExecutionSort::Id, rank(Status), "task_executions_by_status_and_id (status=?)"),
        (ExecutionSort::Id, rank(Priority), "task_executions_by_priority_and_id (priority=?)"),
        (ExecutionSort::Id, published(), "task_executions_by_published_and_id (published=?)"),
        (ExecutionSort::Id, ids(Location), "task_executions_by_location_and_id (location_id=?)"),
        (ExecutionSort::StartAt, rank(State), "task_executions_by_state (state=?"),
        (ExecutionSort::StartAt, rank(Status), "task_executions_by_status (status=?"),
        (ExecutionSort::StartAt, ids(Location), "task_executions_by_location (location_id=?"),
    ] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let sorted = sorted(property, direction);
            let Condition::Is(filter, test) = &condition else { unreachable!() };
            let mut first = one_value::<ExecutionList>(sorted, *filter, test).unwrap();
            assert_reads(&store, sorted.select::<ExecutionList>(&first), index).await;
            if property == ExecutionSort::StartAt {
                first.and(&sorted.within((Some(&Key::Time(5)), Some(&Key::Time(9)))));
                assert_reads(&store, sorted.select::<ExecutionList>(&first), index).await;
            }
        }
    }
}

fn time(filter: ExecutionFilter, comparison: Comparison) -> Condition<ExecutionFilter> {
    is(filter, Test::Time(comparison, Timestamp::from_millis(0).unwrap()))
}

#[tokio::test]
async fn the_rows_of_a_filter_are_found_without_a_look_at_the_table() {
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
