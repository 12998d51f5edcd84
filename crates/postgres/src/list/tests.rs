//! Which indexes lists use, among 20,000 executions.

use std::path::Path;

use diesel::sql_types::Text;
use futures_util::StreamExt;
use patrol_cluster::Database;
use patrol_domain::{
    StoreError, Timestamp,
    list::{Comparison, Condition, Direction, Membership, Page, Query, Sort, Test},
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort},
};
use uuid::Uuid;

use super::{
    condition::filter,
    produce::{count, select},
    statement::{Select, Sql},
};
use crate::{Settings, Store, engine::Length};

/// Executions of 200 users at 50 locations, with 400 points and 100 tags, one a minute.
const FILL: &str = "
    INSERT INTO locations
    SELECT lpad(n::text, 32, '0')::uuid, '', '', '', '', NULL, NULL, '{}', ''
    FROM generate_series(0, 49) AS n;
    INSERT INTO users (id, first_name, last_name, language, role, status, location_ids, tags, linked)
    SELECT lpad(n::text, 32, '0')::uuid, '', '', '', 0, 0, '{}', '{}', FALSE
    FROM generate_series(0, 199) AS n;
    INSERT INTO scheduled_tasks VALUES (lpad('', 32, '0')::uuid, '', NULL);
    INSERT INTO task_executions
    SELECT
        lpad(n::text, 32, '0')::uuid, 1, lpad('', 32, '0')::uuid, lpad((n / 10)::text, 32, '0')::uuid,
        lpad((n % 50)::text, 32, '0')::uuid, lpad((n % 200)::text, 32, '0')::uuid,
        ARRAY[lpad((n % 199)::text, 32, '0')::uuid], ARRAY[lpad((n % 400)::text, 32, '0')::uuid],
        n % 3, n % 3, n % 4, n % 2 = 0, FALSE, FALSE, FALSE, FALSE,
        timestamptz '2026-01-01 00:00Z' + n * interval '1 minute',
        timestamptz '2026-01-01 01:00Z' + n * interval '1 minute', NULL, NULL,
        0, 0, 0, 0, 'Round ' || n % 5000, 'round ' || n % 5000, ARRAY['tag' || n % 100],
        'tag' || n % 100, NULL, NULL, to_json(repeat('step', 300))
    FROM generate_series(0, 19999) AS n";

fn database() -> Database {
    let migrations = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/postgres");
    Database::fresh(Path::new(migrations), |url| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let url = url.to_owned();
        // A test is within a runtime already.
        let opening = move || drop(runtime.block_on(store(&url)));
        std::thread::spawn(opening).join().unwrap();
    })
}

async fn store(url: &str) -> Store {
    Store::open(&Settings::new(url, 2).unwrap()).await.unwrap()
}

/// What has this id: the numbers below ten look the same in the data.
const SEVEN: Uuid = Uuid::from_u128(7);

fn is(filter: ExecutionFilter, test: Test) -> Condition<ExecutionFilter> {
    Condition::Is(filter, test)
}

fn ids(filter: ExecutionFilter) -> Condition<ExecutionFilter> {
    is(filter, Test::Ids(Membership::Any, vec![SEVEN]))
}

/// From the given hour of the data on.
fn start(comparison: Comparison, hour: i64) -> Condition<ExecutionFilter> {
    let begin = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    is(ExecutionFilter::StartAt, Test::Time(comparison, begin.shifted(hour * 3_600_000).unwrap()))
}

fn query(
    all: Vec<Condition<ExecutionFilter>>,
    sort: Option<(ExecutionSort, Direction)>,
) -> Query<ExecutionList> {
    Query {
        condition: Condition::All(all),
        search: None,
        sort: sort.map(|(property, direction)| Sort { property, direction }).into_iter().collect(),
        page: Page { limit: 50, offset: 0 },
        now: Timestamp::from_millis(0).unwrap(),
    }
}

/// How `sql` is carried out.
async fn plan(store: &Store, sql: &Sql) -> String {
    let mut explain = Sql::default();
    explain.text("EXPLAIN ");
    explain.append(sql);
    let lines = store.stream(Length::Page, async move |conn, to| {
        let mut lines = <Text as Select<String>>::rows(explain, &conn).await?;
        while let Some(line) = lines.next().await {
            to.send(line?).await?;
        }
        Ok(())
    });
    let lines: Vec<Result<String, StoreError>> = lines.collect().await;
    lines.into_iter().map(|line| line.unwrap() + "\n").collect()
}

#[tokio::test]
async fn pages_and_counts_use_indexes() {
    use ExecutionFilter::{Location, Name, Point, State, Status, Tags, User};

    let database = database();
    patrol_cluster::execute(&database.url(), FILL);
    patrol_cluster::execute(&database.url(), "VACUUM ANALYZE task_executions");
    let store = store(&database.url()).await;
    let tag = || is(Tags, Test::Tags(Membership::Any, vec!["tag7".to_owned()]));
    let name = || is(Name, Test::Text(Membership::Any, vec!["round 7".to_owned()]));
    let rank = |filter| is(filter, Test::Ranks(Membership::Any, vec![1]));
    let day = || vec![start(Comparison::GreaterOrEqual, 24), start(Comparison::Less, 25)];
    let by_start = Some((ExecutionSort::StartAt, Direction::Descending));
    let by_name = Some((ExecutionSort::Name, Direction::Ascending));
    for (all, sort, paged, counted) in [
        (vec![], None, "_pkey", ""),
        (vec![], by_start, "_by_start", ""),
        (vec![], by_name, "_by_name", ""),
        (vec![name()], None, "_by_name", "_by_name"),
        (vec![ids(User)], by_start, "_by_assignees", "_by_performer"),
        (vec![ids(Point)], by_start, "_by_points", "_by_points"),
        (vec![tag()], by_start, "_by_tags", "_by_tags"),
        (vec![ids(Location)], by_start, "_by_location", "_by_location"),
        (day(), by_start, "_by_start", "_by_start"),
        (vec![rank(State)], by_start, "Index Scan", "Index Only Scan"),
        (vec![rank(Status)], by_start, "Index Scan", "Index Only Scan"),
    ] {
        let query = query(all, sort);
        let filter = filter::<ExecutionList>(&query.condition, None);
        let of_page = plan(&store, &select(&query, &filter)).await;
        assert!(of_page.contains(paged) && !of_page.contains("Seq Scan"), "{query:?}\n{of_page}");
        let of_count = plan(&store, &count::<ExecutionList>(&filter)).await;
        assert!(of_count.contains(counted), "{query:?}\n{of_count}");
    }
}
