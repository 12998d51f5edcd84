//! Combinations of filters and sorts of executions, and their counts.

use patrol_domain::{
    list::Comparison,
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort},
};

use super::*;

fn start(comparison: Comparison) -> Condition<ExecutionFilter> {
    let time = Timestamp::from_millis(0).unwrap();
    is(ExecutionFilter::StartAt, Test::Time(comparison, time))
}

/// Latest start first.
fn by_start(all: Vec<Condition<ExecutionFilter>>) -> Query<ExecutionList> {
    by(ExecutionSort::StartAt, all)
}

#[tokio::test]
async fn pages_are_found_by_the_most_selective_index() {
    use Comparison::{GreaterOrEqual, Less};
    use ExecutionFilter::{Location, Name, Point, State, Status, Tags, User};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let month = || [start(GreaterOrEqual), start(Less)];
    let with = |some: Vec<_>| month().into_iter().chain(some).collect::<Vec<_>>();
    let cases: [(Query<ExecutionList>, ListPlan, &[&str]); 16] = [
        (by_id(vec![]), ListPlan::Automatic, &["sqlite_autoindex_task_executions_1"]),
        (by_start(vec![]), ListPlan::Automatic, &["task_executions_by_start"]),
        (
            by_id(vec![ids(Location)]),
            ListPlan::Automatic,
            &["task_executions_by_location_and_id (location_id=?)"],
        ),
        (
            by_id(vec![rank(State)]),
            ListPlan::Automatic,
            &["task_executions_by_state_and_id (state=?)"],
        ),
        (
            by_id(vec![rank(Status)]),
            ListPlan::Automatic,
            &["task_executions_by_status_and_id (status=?)"],
        ),
        (
            by_start(vec![ids(Location)]),
            ListPlan::Automatic,
            &["task_executions_by_location (location_id=?)"],
        ),
        (by_start(vec![rank(State)]), ListPlan::Automatic, &["task_executions_by_state (state=?)"]),
        (
            by_start(vec![rank(State), rank(Status), ids(Location)]),
            ListPlan::Automatic,
            &["task_executions_by_location (location_id=?)"],
        ),
        (
            by_start(with(vec![ids(Location), rank(Status)])),
            ListPlan::Automatic,
            &["task_executions_by_location (location_id=? AND start_at>? AND start_at<?)"],
        ),
        (
            by_id(with(vec![ids(Location), rank(Status)])),
            ListPlan::FilterThenSort,
            &["task_executions_by_location (location_id=? AND start_at>? AND start_at<?)"],
        ),
        (
            by_start(with(vec![rank(Status)])),
            ListPlan::Automatic,
            &["task_executions_by_status (status=? AND start_at>? AND start_at<?)"],
        ),
        (
            by_id(vec![start(GreaterOrEqual)]),
            ListPlan::FilterThenSort,
            &["task_executions_by_start (start_at>?)"],
        ),
        (
            by_start(vec![text(Name)]),
            ListPlan::Automatic,
            &["task_executions_by_name (name_folded=?)"],
        ),
        (
            by_start(vec![tag(Tags)]),
            ListPlan::Automatic,
            &["task_execution_tags USING PRIMARY KEY (value=?)"],
        ),
        (
            by_start(vec![ids(Point)]),
            ListPlan::Automatic,
            &["task_execution_points USING PRIMARY KEY (value=?)"],
        ),
        (
            by_start(vec![ids(User)]),
            ListPlan::Automatic,
            &[
                "task_execution_assignees USING PRIMARY KEY (value=?)",
                "task_executions_by_performer (performer_id=?)",
            ],
        ),
    ];
    for (query, list_plan, indexes) in cases {
        let plan = of_page(&store, &query, list_plan).await;
        for index in indexes {
            assert!(plan.contains(index), "{query:?}:\n{plan}");
        }
    }
}

#[tokio::test]
async fn counts_read_only_indexes() {
    use Comparison::{GreaterOrEqual, Less};
    use ExecutionFilter::{Location, Priority, Published, State, Status};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let published = || is(Published, Test::Flag(true));
    for all in [
        vec![],
        vec![published()],
        vec![rank(Priority)],
        vec![rank(State), published()],
        vec![rank(Status), rank(Priority)],
        vec![rank(Priority), published()],
        vec![start(GreaterOrEqual), start(Less), rank(Status), rank(State), published()],
        vec![ids(Location), rank(State), rank(Status), rank(Priority), published()],
        vec![ids(Location), start(GreaterOrEqual), start(Less), rank(Status)],
    ] {
        let condition = Condition::All(all);
        let plan = of_count::<ExecutionList>(&store, &condition).await;
        assert!(plan.contains("COVERING INDEX"), "{condition:?}:\n{plan}");
    }
}

#[tokio::test]
async fn late_rounds_are_counted_by_two_indexes() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let waits = vec![rank(ExecutionFilter::State), start(Comparison::Less)];
    let late = is(ExecutionFilter::StartDelay, Test::Millis(Comparison::Greater, 600_000));
    let condition = Condition::All(vec![
        is(ExecutionFilter::Published, Test::Flag(true)),
        Condition::Any(vec![Condition::All(waits), late]),
    ]);
    let plan = of_count::<ExecutionList>(&store, &condition).await;
    for index in ["_by_state (state=? AND start_at<?)", "_by_start_delay (<expr>>?)"] {
        assert!(plan.contains(index), "{plan}");
    }
}

/// A filter by several values of one column, with a sort.
fn unfinished(sort: ExecutionSort) -> Query<ExecutionList> {
    let several = Test::Codes(Membership::Any, vec![0, 1]);
    by(sort, vec![is(ExecutionFilter::State, several)])
}

#[tokio::test]
async fn many_rows_are_read_in_the_requested_order() {
    use ExecutionFilter::{Location, Priority, Published, State, Status};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let published = || is(Published, Test::Flag(true));
    for (query, index) in [
        (
            unfinished(ExecutionSort::StartAt),
            "SCAN task_executions USING INDEX task_executions_by_start",
        ),
        (unfinished(ExecutionSort::Id), "USING INDEX sqlite_autoindex_task_executions_1"),
        (
            unfinished(ExecutionSort::Name),
            "SCAN task_executions USING INDEX task_executions_by_name",
        ),
        (by_start(vec![published()]), "SCAN task_executions USING INDEX task_executions_by_start"),
        (
            by_start(vec![rank(Priority)]),
            "SCAN task_executions USING INDEX task_executions_by_start",
        ),
        (
            by(ExecutionSort::StartedAt, vec![rank(State)]),
            "SCAN task_executions USING INDEX task_executions_by_started",
        ),
    ] {
        assert_eq!(ListPlan::of(&query.clone().into(), 50_001), ListPlan::InOrder);
        let plan = of_page(&store, &query, ListPlan::InOrder).await;
        assert!(plan.contains(index) && !plan.contains("FOR ORDER BY"), "{query:?}:\n{plan}");
    }
    // One index gives both.
    for query in [
        by_id(vec![rank(State)]),
        by_start(vec![rank(State)]),
        by_start(vec![rank(Status), published()]),
        by_start(vec![ids(Location), published()]),
        by_id(vec![published(), start(Comparison::Less)]),
    ] {
        assert_eq!(ListPlan::of(&query.clone().into(), 50_001), ListPlan::Automatic, "{query:?}");
    }
}

#[test]
fn few_rows_are_found_by_the_filter() {
    assert_eq!(
        ListPlan::of(&unfinished(ExecutionSort::Id).into(), 50_000),
        ListPlan::FilterThenSort
    );
    assert_eq!(ListPlan::of(&unfinished(ExecutionSort::Name).into(), 50_000), ListPlan::Automatic);
}
