//! Which indexes lists use: every filter and every sort, with 20,000 records. Slow ones are listed
//! explicitly.

mod executions;
mod large;
mod memory;
mod others;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, Weak},
};

use diesel::sql_types::Text;
use futures_util::StreamExt;
use patrol_domain::{
    StoreError, Timestamp,
    list::{Condition, Direction, Membership, Page, Query, Sort, Test},
};
use patrol_repository::stored::list::TableQuery;
use patrol_test_servers::postgres::Database;
use uuid::Uuid;

use super::{
    Sql,
    condition::filter,
    produce::{ListPlan, is_hard_to_estimate, select},
    statement::{ListTable, Select},
};
use crate::{
    Settings, Store,
    engine::{Connection, Sender},
};

/// A copy of a database, and what it was copied from, which the next test can copy too.
struct Copied {
    copy: Database,
    _filled: Arc<Database>,
}

static FILLED: Mutex<BTreeMap<&str, Weak<Database>>> = Mutex::new(BTreeMap::new());

/// A store with the data of `fill`, which tests that run at the same time share.
async fn filled(fill: &'static str) -> (Copied, Store) {
    let database = {
        let mut filled = FILLED.lock().unwrap();
        let known = filled.get(fill).and_then(Weak::upgrade);
        let known = known.unwrap_or_else(|| Arc::new(fill_in(fill)));
        filled.insert(fill, Arc::downgrade(&known));
        Copied { copy: known.copy(), _filled: known }
    };
    let store = store(&database.copy.url()).await;
    (database, store)
}

fn fill_in(fill: &str) -> Database {
    let database = database();
    patrol_test_servers::postgres::execute(&database.url(), fill);
    // VACUUM cannot run in a transaction.
    for table in [
        "task_executions",
        "locations",
        "graphic_plans",
        "points",
        "point_history",
        "scheduled_tasks",
        "tokens",
        "users",
        "check_lists",
        "reports",
    ] {
        patrol_test_servers::postgres::execute(&database.url(), &format!("VACUUM ANALYZE {table}"));
    }
    database
}

fn database() -> Database {
    let migrations = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/postgres");
    Database::fresh(Path::new(migrations), |url| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let url = url.to_owned();
        // The test already runs in a runtime.
        let opening = move || drop(runtime.block_on(store(&url)));
        std::thread::spawn(opening).join().unwrap();
    })
}

const CONNECTIONS: usize = 2;

async fn store(url: &str) -> Store {
    Store::open(&Settings::new(url, CONNECTIONS).unwrap()).await.unwrap()
}

/// An id in the data.
const SEVEN: Uuid = Uuid::from_u128(7);

fn seven() -> Test {
    Test::Ids(Membership::Any, vec![SEVEN])
}

fn rank(rank: i16) -> Test {
    Test::Codes(Membership::Any, vec![rank])
}

fn tag() -> Test {
    Test::Tags(Membership::Any, vec!["tag7".to_owned()])
}

fn is_text(text: &str) -> Test {
    Test::Text(Membership::Any, vec![text.to_owned()])
}

fn has(text: &str) -> Test {
    Test::Contains(text.to_owned())
}

fn time(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A usual page with all of `tests`.
fn page<L: ListTable>(tests: Vec<(L::Filter, Test)>) -> Query<L> {
    let is = |(filter, test)| Condition::Is(filter, test);
    Query {
        page: Page { limit: 50, offset: 0 },
        ..Query::of(
            Condition::All(tests.into_iter().map(is).collect()),
            time("2026-02-01T00:00:00Z"),
        )
    }
}

fn sorted<L: ListTable>(query: Query<L>, property: L::Sort, direction: Direction) -> Query<L> {
    Query { sort: vec![Sort { property, direction }], ..query }
}

/// The plan of a page for `query` with few matches.
async fn of_page<L: ListTable + Clone>(store: &Store, query: &Query<L>) -> String {
    let query = TableQuery::from(query.clone());
    let filter = filter(query.table, &query.condition, query.search.as_deref());
    let list_plan =
        if is_hard_to_estimate(&query) { ListPlan::FilterThenSort } else { ListPlan::Automatic };
    plan(store, &select(&query, query.table.columns.postgres, &filter, query.page, list_plan)).await
}

/// The plan of the count.
async fn of_count<L: ListTable + Clone>(store: &Store, query: &Query<L>) -> String {
    let TableQuery { table, condition, search, .. } = query.clone().into();
    plan(store, &Sql::count(table, &filter(table, &condition, search.as_deref()))).await
}

/// Checks that both use these indexes and read no other rows.
async fn uses<L: ListTable + Clone>(store: &Store, query: Query<L>, paged: &str, counted: &str) {
    let plan = of_page(store, &query).await;
    assert!(plan.contains(paged) && !plan.contains("Seq Scan"), "{paged}\n{plan}");
    let plan = of_count(store, &query).await;
    assert!(plan.contains(counted) && !plan.contains("Seq Scan"), "{counted}\n{plan}");
}

/// Checks that the first page in this order comes from this index.
async fn walks<L: ListTable + Clone>(
    store: &Store,
    sort: L::Sort,
    direction: Direction,
    index: &str,
) where
    L::Sort: Copy,
{
    let plan = of_page(store, &sorted(page::<L>(vec![]), sort, direction)).await;
    assert!(plan.contains(index) && !plan.contains("Seq Scan"), "{direction:?} {index}\n{plan}");
}

/// Checks that the first page in this order sorts all rows. When a new index makes this fail, move
/// the sort to the list of fast ones.
async fn sorts<L: ListTable + Clone>(store: &Store, sort: L::Sort)
where
    L::Sort: Copy,
{
    for direction in [Direction::Ascending, Direction::Descending] {
        let plan = of_page(store, &sorted(page::<L>(vec![]), sort, direction)).await;
        assert!(plan.contains("Seq Scan"), "{plan}");
    }
}

/// PostgreSQL's plan for `sql`.
async fn plan(store: &Store, sql: &Sql) -> String {
    let mut explain = Sql::default();
    explain.text("EXPLAIN ");
    explain.append(sql);
    let lines = store.page(move |conn: Arc<Connection>, to: Sender<String>| {
        let explain = explain.clone();
        async move {
            let mut lines = <Text as Select<String>>::rows(explain, &conn).await?;
            while let Some(line) = lines.next().await {
                to.send(line?, 0).await?;
            }
            Ok(())
        }
    });
    let lines: Vec<Result<String, StoreError>> = lines.collect().await;
    lines.into_iter().map(|line| line.unwrap() + "\n").collect()
}
