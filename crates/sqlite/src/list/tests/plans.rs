//! Which indexes the list of executions uses. The planner goes by the statistics of the schema and
//! not by what is there, so that an empty store tells what a full one does.

use diesel::sql_types::{Integer, Text};
use patrol_domain::{
    Timestamp,
    list::{Comparison, Condition, Direction, Membership, Page, Query, Sort, Test},
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort},
};
use tempfile::TempDir;
use uuid::Uuid;

use super::super::{
    condition::filter,
    produce::select,
    statement::{Select, Sql},
};
use crate::{LockPatience, Settings, Store};

type Asked = Query<ExecutionList>;

fn is(filter: ExecutionFilter, test: Test) -> Condition<ExecutionFilter> {
    Condition::Is(filter, test)
}

fn ids(filter: ExecutionFilter) -> Condition<ExecutionFilter> {
    is(filter, Test::Ids(Membership::Any, vec![Uuid::nil()]))
}

fn rank(filter: ExecutionFilter) -> Condition<ExecutionFilter> {
    is(filter, Test::Ranks(Membership::Any, vec![2]))
}

fn start(comparison: Comparison) -> Condition<ExecutionFilter> {
    let time = Timestamp::from_millis(0).unwrap();
    is(ExecutionFilter::StartAt, Test::Time(comparison, time))
}

/// The default order.
fn by_id(all: Vec<Condition<ExecutionFilter>>) -> Asked {
    Query {
        condition: Condition::All(all),
        search: None,
        sort: Vec::new(),
        page: Page { limit: 50, offset: 0 },
        now: Timestamp::from_millis(0).unwrap(),
    }
}

/// The latest first.
fn by_start(all: Vec<Condition<ExecutionFilter>>) -> Asked {
    let sort = Sort { property: ExecutionSort::StartAt, direction: Direction::Descending };
    Query { sort: vec![sort], ..by_id(all) }
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
    let name = is(Name, Test::Text(Membership::Any, vec!["round".to_owned()]));
    let tag = is(Tags, Test::Tags(Membership::Any, vec!["night".to_owned()]));
    let cases: [(Asked, bool, &[&str]); 16] = [
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
        (by_start(vec![name]), false, &["task_executions_by_name (name_folded=?)"]),
        (by_start(vec![tag]), false, &["task_execution_tags USING PRIMARY KEY (value=?)"]),
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
        let filter = filter::<ExecutionList>(&query.condition, None);
        let plan = plan(&store, select(&query, &filter, is_sorted)).await;
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
        let mut count = Sql::default();
        count.text("SELECT count(*) FROM task_executions WHERE ");
        count.append(&filter::<ExecutionList>(&condition, None));
        let plan = plan(&store, count).await;
        assert!(plan.contains("COVERING INDEX"), "{condition:?}:\n{plan}");
    }
}
