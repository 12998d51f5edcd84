//! The engine with a real server.

mod conflicts;
mod groups;
mod hosts;
mod lists;
mod opening;
mod outages;
mod pool;
mod reading;
mod search;
mod tls;
mod waiting;
mod writing;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use diesel::sql_types::{BigInt, Text};
use diesel_async::RunQueryDsl;
use patrol_domain::StoreError;
use patrol_test_servers::postgres::Database;

use super::{Abort, Connection, Settings, Store};

const MIGRATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/postgres");

/// A database with the current schema and a table of numbers.
fn database() -> Database {
    let database = Database::fresh(Path::new(MIGRATIONS), |url| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let url = url.to_owned();
        // The test already runs in a runtime.
        let opening = move || drop(runtime.block_on(store(&url, 2)));
        std::thread::spawn(opening).join().unwrap();
    });
    with_numbers(&database.url());
    database
}

fn with_numbers(url: &str) {
    patrol_test_servers::postgres::execute(
        url,
        "CREATE TABLE numbers (id bigint PRIMARY KEY, number bigint)",
    );
}

async fn store(url: &str, pool: usize) -> Store {
    Store::open(&Settings::new(url, pool).unwrap()).await.unwrap()
}

/// The first column of the rows of `sql`, queried over a separate session.
fn asked(url: &str, sql: &str) -> Vec<String> {
    patrol_test_servers::postgres::query(url, sql)
}

async fn number<E>(mut conn: &Connection, sql: &str) -> Result<i64, Abort<E>> {
    Ok(diesel::dsl::sql::<BigInt>(&format!("SELECT {sql}")).get_result(&mut conn).await?)
}

async fn text<E>(mut conn: &Connection, sql: &str) -> Result<String, Abort<E>> {
    Ok(diesel::dsl::sql::<Text>(&format!("SELECT {sql}")).get_result(&mut conn).await?)
}

async fn insert(conn: &Connection, id: i64) -> Result<(), Abort<StoreError>> {
    Ok(conn.batch(&format!("INSERT INTO numbers VALUES ({id}, 0)")).await?)
}

/// Adds a number in a transaction.
async fn add(store: &Store, id: i64) -> Result<(), StoreError> {
    store.transaction(None, async |conn: Arc<Connection>| insert(&conn, id).await).await
}

/// The number of a store's sessions in a transaction.
fn open_transactions(url: &str) -> String {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'patrol' \
        AND datname = current_database() AND xact_start IS NOT NULL";
    asked(url, sql).remove(0)
}

/// Repeats `check` until it is true; a try after `within` must be true.
async fn eventually(within: Duration, what: &str, mut check: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    loop {
        let begun = start.elapsed();
        if check().await {
            return;
        }
        assert!(begun < within, "not within {within:?}: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn is_unavailable<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Unavailable(_)))
}
