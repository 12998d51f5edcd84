//! Which indexes lists use. The planner goes by the statistics of the schema and not by what is there,
//! so that an empty store tells what a full one does.

use diesel::sql_types::{Integer, Text};
use patrol_domain::{
    Timestamp,
    list::{Comparison, Condition, Direction, Listed, Membership, Page, Query, Sort, Test},
    location::{LocationFilter, LocationList, LocationSort},
    point::{HistoryFilter, HistoryList, HistorySort},
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort},
};
use tempfile::TempDir;
use uuid::Uuid;

use super::super::{
    ListTable,
    condition::filter,
    produce::select,
    statement::{Select, Sql},
};
use crate::{LockPatience, Settings, Store};

fn is<F>(filter: F, test: Test) -> Condition<F> {
    Condition::Is(filter, test)
}

fn ids<F>(filter: F) -> Condition<F> {
    is(filter, Test::Ids(Membership::Any, vec![Uuid::nil()]))
}

fn rank<F>(filter: F) -> Condition<F> {
    is(filter, Test::Ranks(Membership::Any, vec![2]))
}

fn text<F>(filter: F) -> Condition<F> {
    is(filter, Test::Text(Membership::Any, vec!["round".to_owned()]))
}

fn tag<F>(filter: F) -> Condition<F> {
    is(filter, Test::Tags(Membership::Any, vec!["night".to_owned()]))
}

fn start(comparison: Comparison) -> Condition<ExecutionFilter> {
    let time = Timestamp::from_millis(0).unwrap();
    is(ExecutionFilter::StartAt, Test::Time(comparison, time))
}

/// The default order.
fn by_id<L: Listed>(all: Vec<Condition<L::Filter>>) -> Query<L> {
    Query {
        condition: Condition::All(all),
        search: None,
        sort: Vec::new(),
        page: Page { limit: 50, offset: 0 },
        now: Timestamp::from_millis(0).unwrap(),
    }
}

/// The greatest first.
fn by<L: Listed>(property: L::Sort, all: Vec<Condition<L::Filter>>) -> Query<L> {
    Query { sort: vec![Sort { property, direction: Direction::Descending }], ..by_id(all) }
}

/// The latest first.
fn by_start(all: Vec<Condition<ExecutionFilter>>) -> Query<ExecutionList> {
    by(ExecutionSort::StartAt, all)
}

/// How a page is read.
async fn of_page<L: ListTable>(store: &Store, query: &Query<L>, is_sorted: bool) -> String {
    let filter = filter::<L>(&query.condition, query.search.as_deref());
    plan(store, select(query, &filter, is_sorted)).await
}

/// How matches are counted.
async fn of_count<L: ListTable>(store: &Store, condition: &Condition<L::Filter>) -> String {
    let mut count = Sql::default();
    for text in ["SELECT count(*) FROM ", L::FROM, " WHERE "] {
        count.text(text);
    }
    count.append(&filter::<L>(condition, None));
    plan(store, count).await
}

/// How SQLite goes about `statement`, a line for each loop.
async fn plan(store: &Store, statement: Sql) -> String {
    let mut explain = Sql::default();
    explain.text("EXPLAIN QUERY PLAN ");
    explain.append(&statement);
    let lines = store.read(move |conn| {
        type Row = (i32, i32, i32, String);
        let rows = <(Integer, Integer, Integer, Text) as Select<Row>>::rows(explain, conn)?;
        let lines = rows.map(|row| Ok(row?.3)).collect::<diesel::QueryResult<Vec<_>>>()?;
        Ok(lines.join("\n"))
    });
    lines.await.unwrap()
}

fn store(folder: &TempDir) -> Store {
    let path = folder.path().join("a.db");
    Store::open(&Settings { path, readers: 1, queue: 8, lock: LockPatience::Server }).unwrap()
}

#[tokio::test]
async fn pages_are_found_by_the_most_selective_index() {
    use Comparison::{GreaterOrEqual, Less};
    use ExecutionFilter::{Location, Name, Point, State, Status, Tags, User};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let month = || [start(GreaterOrEqual), start(Less)];
    let with = |some: Vec<_>| month().into_iter().chain(some).collect::<Vec<_>>();
    let cases: [(Query<ExecutionList>, bool, &[&str]); 16] = [
        (by_id(vec![]), false, &["sqlite_autoindex_task_executions_1"]),
        (by_start(vec![]), false, &["task_executions_by_start"]),
        (
            by_id(vec![ids(Location)]),
            false,
            &["task_executions_by_location_and_id (location_id=?)"],
        ),
        (by_id(vec![rank(State)]), false, &["task_executions_by_state_and_id (state=?)"]),
        (by_id(vec![rank(Status)]), false, &["task_executions_by_status_and_id (status=?)"]),
        (by_start(vec![ids(Location)]), false, &["task_executions_by_location (location_id=?)"]),
        (by_start(vec![rank(State)]), false, &["task_executions_by_state (state=?)"]),
        (
            by_start(vec![rank(State), rank(Status), ids(Location)]),
            false,
            &["task_executions_by_location (location_id=?)"],
        ),
        (
            by_start(with(vec![ids(Location), rank(Status)])),
            false,
            &["task_executions_by_location (location_id=? AND start_at>? AND start_at<?)"],
        ),
        (
            by_id(with(vec![ids(Location), rank(Status)])),
            true,
            &["task_executions_by_location (location_id=? AND start_at>? AND start_at<?)"],
        ),
        (
            by_start(with(vec![rank(Status)])),
            false,
            &["task_executions_by_status (status=? AND start_at>? AND start_at<?)"],
        ),
        (by_id(vec![start(GreaterOrEqual)]), true, &["task_executions_by_start (start_at>?)"]),
        (by_start(vec![text(Name)]), false, &["task_executions_by_name (name_folded=?)"]),
        (by_start(vec![tag(Tags)]), false, &["task_execution_tags USING PRIMARY KEY (value=?)"]),
        (by_start(vec![ids(Point)]), false, &["task_execution_points USING PRIMARY KEY (value=?)"]),
        (
            by_start(vec![ids(User)]),
            false,
            &[
                "task_execution_assignees USING PRIMARY KEY (value=?)",
                "task_executions_by_performer (performer_id=?)",
            ],
        ),
    ];
    for (query, is_sorted, indexes) in cases {
        let plan = of_page(&store, &query, is_sorted).await;
        for index in indexes {
            assert!(plan.contains(index), "{query:?}:\n{plan}");
        }
    }
}

#[tokio::test]
async fn matches_are_counted_without_a_look_at_the_table() {
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
async fn the_history_is_found_by_indexes() {
    use HistoryFilter::{Id, Location, Name, Tags, Type};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let two = is(Id, Test::Ids(Membership::Any, vec![Uuid::nil(), Uuid::max()]));
    let cases: [(Query<HistoryList>, &str, bool); 13] = [
        (by_id(vec![]), "SCAN point_history USING INDEX point_history_by_point", true),
        (by_id(vec![ids(Id)]), "point_history_by_point (id=?)", true),
        (by_id(vec![two]), "point_history_by_point (id=?)", true),
        (by_id(vec![ids(Location)]), "point_history_by_location (location_id=?)", true),
        (by_id(vec![ids(Location), rank(Type)]), "point_history_by_location (location_id=?)", true),
        (by_id(vec![rank(Type)]), "point_history_by_kind (kind=?)", true),
        (by_id(vec![text(Name)]), "point_history_by_name (name_folded=?)", false),
        (by_id(vec![tag(Tags)]), "point_history_tags USING PRIMARY KEY (value=?)", false),
        (by(HistorySort::Id, vec![]), "USING INDEX point_history_by_point", true),
        (by(HistorySort::HistoryId, vec![]), "SCAN point_history", true),
        (by(HistorySort::Name, vec![]), "USING INDEX point_history_by_name", true),
        (by(HistorySort::RecordedAt, vec![]), "USING INDEX point_history_by_time", true),
        (
            by(HistorySort::RecordedAt, vec![ids(Location)]),
            "point_history_by_location (location_id=?)",
            false,
        ),
    ];
    for (query, index, gives_order) in cases {
        let plan = of_page(&store, &query, false).await;
        assert!(plan.contains(index), "{query:?}:\n{plan}");
        assert_eq!(!plan.contains("B-TREE FOR ORDER BY"), gives_order, "{query:?}:\n{plan}");
    }
    for all in [vec![], vec![ids(Id)], vec![ids(Location)], vec![rank(Type)], vec![text(Name)]] {
        let condition = Condition::All(all);
        let plan = of_count::<HistoryList>(&store, &condition).await;
        assert!(plan.contains("COVERING INDEX"), "{condition:?}:\n{plan}");
    }
}

#[tokio::test]
async fn locations_are_found_by_indexes_and_their_plans_as_well() {
    use LocationFilter::{Name, Tags, WithGraphicPlan};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let plans = "graphic_plans USING COVERING INDEX graphic_plans_by_location (location_id=?)";
    let with_plan = is(WithGraphicPlan, Test::Flag(true));
    let cases: [(Query<LocationList>, &str); 6] = [
        (by_id(vec![]), "SCAN locations USING INDEX sqlite_autoindex_locations_1"),
        (by_id(vec![with_plan]), "SCAN locations USING INDEX sqlite_autoindex_locations_1"),
        (by_id(vec![text(Name)]), "locations_by_name (name_folded=?)"),
        (by_id(vec![tag(Tags)]), "location_tags USING PRIMARY KEY (value=?)"),
        (by(LocationSort::Id, vec![]), "SCAN locations USING INDEX sqlite_autoindex_locations_1"),
        (by(LocationSort::Name, vec![]), "SCAN locations USING INDEX locations_by_name"),
    ];
    for (query, index) in cases {
        let plan = of_page(&store, &query, false).await;
        assert!(plan.contains(index) && plan.contains(plans), "{query:?}:\n{plan}");
    }
    let with_plan = is(WithGraphicPlan, Test::Flag(false));
    for condition in [Condition::All(vec![]), with_plan] {
        let plan = of_count::<LocationList>(&store, &condition).await;
        assert!(plan.contains("locations USING COVERING INDEX"), "{condition:?}:\n{plan}");
    }
}
