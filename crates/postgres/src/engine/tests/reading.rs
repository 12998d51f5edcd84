//! Reads by key.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use diesel::{
    dsl::max,
    prelude::*,
    sql_types::{BigInt, Nullable, Text},
};
use diesel_async::RunQueryDsl;
use futures_util::future::try_join_all;
use patrol_domain::{Readiness, StoreError};

use super::{Abort, asked, database, is_unavailable, number, store, text};
use crate::engine::{Connection, Store};

async fn doubled(store: &Store, number: i64) -> Result<Option<i64>, StoreError> {
    let find = async |conn: Arc<Connection>| {
        let mut conn = &*conn;
        let query = diesel::sql_query("SELECT $1 * 2 AS doubled WHERE $1 > 0");
        let found = query.bind::<BigInt, _>(number).get_result::<Doubled>(&mut conn).await;
        Ok::<_, Abort<StoreError>>(found.optional()?.map(|found| found.doubled))
    };
    store.read(find).await
}

diesel::table! {
    numbers (id) {
        id -> BigInt,
    }
}

/// The greatest number up to this one.
async fn greatest(store: &Store, until: i64) -> Result<Option<i64>, StoreError> {
    let find = async |conn: Arc<Connection>| {
        let mut conn = &*conn;
        let found = numbers::table.filter(numbers::id.le(until)).select(max(numbers::id));
        Ok::<_, Abort<StoreError>>(RunQueryDsl::first(found, &mut conn).await?)
    };
    store.read(find).await
}

#[derive(diesel::QueryableByName)]
struct Doubled {
    #[diesel(sql_type = BigInt)]
    doubled: i64,
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_at_once_share_a_few_connections_and_get_their_own_answers() {
    let database = database();
    let url = database.url();
    let store = store(&url, 8).await;
    let readers = (0..1_000).map(|number| {
        let store = store.clone();
        tokio::spawn(async move { (number, doubled(&store, number).await) })
    });
    // Requests beyond the limit are refused, and no caller gets the answer of another.
    let mut answered = 0;
    for reader in readers.collect::<Vec<_>>() {
        let (number, found) = reader.await.unwrap();
        match found {
            Ok(found) => {
                answered += 1;
                assert_eq!(found, (number > 0).then_some(number * 2));
            }
            Err(error) => assert!(is_unavailable::<()>(&Err(error))),
        }
    }
    assert!(answered >= 500, "{answered}");
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'patrol' \
        AND datname = current_database()";
    let sessions: usize = asked(&url, sessions).remove(0).parse().unwrap();
    assert!(sessions <= 4, "{sessions}");
}

#[tokio::test]
async fn a_lost_connection_costs_no_read() {
    let database = database();
    let url = database.url();
    let store = store(&url, 8).await;
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE application_name = 'patrol' AND datname = current_database()";
    for number in 1..10 {
        assert_eq!(doubled(&store, number).await, Ok(Some(number * 2)));
        patrol_test_servers::postgres::execute(&url, end);
    }
    assert_eq!(store.ping().await, Ok(()));
}

#[tokio::test]
async fn a_read_that_takes_too_long_is_ended() {
    let database = database();
    let store = store(&database.url(), 8).await;
    let start = Instant::now();
    let slow = async |conn: Arc<Connection>| text::<StoreError>(&conn, "pg_sleep(30)::text").await;
    assert!(is_unavailable(&store.read(slow).await));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_connection_for_reads_takes_no_writes() {
    let database = database();
    let store = store(&database.url(), 8).await;
    let write =
        async |conn: Arc<Connection>| Ok(conn.batch("INSERT INTO numbers VALUES (1, 0)").await?);
    assert!(is_unavailable(&store.read(write).await));
    assert!(asked(&database.url(), "SELECT id FROM numbers").is_empty());
}

#[tokio::test]
async fn values_of_every_kind_are_bound_and_read() {
    let database = database();
    let store = store(&database.url(), 8).await;
    let echo = async |conn: Arc<Connection>| {
        let mut conn = &*conn;
        let query = diesel::sql_query("SELECT $1 AS a, $2 AS b, $3 AS c")
            .bind::<Text, _>("Ё \u{1F600}")
            .bind::<Nullable<Text>, _>(None::<String>)
            .bind::<diesel::sql_types::Array<BigInt>, _>(vec![1_i64, i64::MIN]);
        Ok::<_, Abort<StoreError>>(query.get_result::<Echo>(&mut conn).await?)
    };
    let Echo { a, b, c } = store.read(echo).await.unwrap();
    assert_eq!((a.as_str(), b, c), ("Ё \u{1F600}", None, vec![1, i64::MIN]));
    let many = async |conn: Arc<Connection>| {
        // Many at once: a read has 4 seconds in all, also on a busy machine.
        for first in (0..300).step_by(50) {
            let numbers = (first..first + 50).map(async |at| {
                let sent = format!("{at}::bigint");
                assert_eq!(number::<StoreError>(&conn, &sent).await?, at);
                Ok::<_, Abort<StoreError>>(())
            });
            try_join_all(numbers).await?;
        }
        number::<StoreError>(&conn, "count(*) FROM pg_prepared_statements").await
    };
    assert!(store.read(many).await.unwrap() <= 256, "statements do not pile up");
}

#[derive(diesel::QueryableByName)]
struct Echo {
    #[diesel(sql_type = Text)]
    a: String,
    #[diesel(sql_type = Nullable<Text>)]
    b: Option<String>,
    #[diesel(sql_type = diesel::sql_types::Array<BigInt>)]
    c: Vec<i64>,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_was_made_while_a_table_was_empty_does_not_read_all_of_it() {
    /// More often than a connection asks before it keeps its plan.
    const OFTEN: usize = 20;
    let database = database();
    let url = database.url();
    // As after an import: PostgreSQL knows that the table is empty.
    drop(asked(&url, "VACUUM ANALYZE numbers"));
    let store = store(&url, 8).await;
    for _ in 0..OFTEN {
        assert_eq!(greatest(&store, i64::MAX).await, Ok(None));
    }
    drop(asked(&url, "INSERT INTO numbers SELECT generate_series(1, 5000)"));
    for _ in 0..OFTEN {
        assert_eq!(greatest(&store, 4_000).await, Ok(Some(4_000)));
    }
    drop(store);
    let scanned = |column: &str| {
        let sql = format!("SELECT {column} FROM pg_stat_user_tables WHERE relname = 'numbers'");
        asked(&url, &sql).remove(0).parse::<usize>().unwrap()
    };
    // A session says what it has read when it ends.
    let until = Instant::now() + Duration::from_secs(20);
    while scanned("idx_scan + seq_scan") < 2 * OFTEN {
        assert!(Instant::now() < until, "the scans are not counted");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(scanned("seq_tup_read"), 0);
}
