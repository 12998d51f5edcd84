//! Transactions without conflicts, and transactions that are dropped.

use std::{sync::Arc, time::Duration};

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use patrol_domain::{EditError, StoreError};
use patrol_repository::{
    Connection as _,
    stored::{
        list::{BuiltStatement, Sql},
        sql::types,
    },
};
use tokio::time::timeout;
use uuid::Uuid;

use super::{add, asked, database, eventually, insert, number, open_transactions, store, text};
use crate::engine::{Abort, Connection, JobConnection};

#[tokio::test]
async fn what_is_done_is_kept_and_what_is_refused_is_not() {
    let database = database();
    let store = store(&database.url(), 2).await;
    add(&store, 1).await.unwrap();
    let refused: Result<(), EditError> = store
        .transaction(None, async |conn: Arc<Connection>| {
            conn.batch("INSERT INTO numbers VALUES (2, 0)").await?;
            Err(Abort::Refused(EditError::Stale))
        })
        .await;
    assert_eq!(refused, Err(EditError::Stale));
    assert_eq!(asked(&database.url(), "SELECT id FROM numbers"), ["1"]);
}

#[tokio::test]
async fn a_violated_constraint_ends_only_a_savepoint() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let done = store
        .transaction(None, async |conn: Arc<Connection>| {
            insert(&conn, 1).await?;
            let again = conn.savepoint(insert(&conn, 1)).await;
            let Err(Abort::Database(DieselError::DatabaseError(kind, information))) = again else {
                panic!("two of the same");
            };
            assert!(matches!(kind, DatabaseErrorKind::UniqueViolation));
            assert!(information.message().starts_with("23505 "), "{}", information.message());
            conn.savepoint(insert(&conn, 2)).await?;
            Ok::<_, Abort<StoreError>>(())
        })
        .await;
    assert_eq!(done, Ok(()));
    assert_eq!(asked(&database.url(), "SELECT id FROM numbers ORDER BY id"), ["1", "2"]);
}

#[tokio::test]
async fn an_error_that_is_passed_over_is_not_taken_for_success() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let done = store
        .transaction(None, async |conn: Arc<Connection>| {
            insert(&conn, 1).await?;
            drop(insert(&conn, 1).await);
            Ok::<_, Abort<StoreError>>(())
        })
        .await;
    assert!(matches!(done, Err(StoreError::Internal(_))), "{done:?}");
    assert!(asked(&database.url(), "SELECT id FROM numbers").is_empty());
    add(&store, 1).await.unwrap();
}

#[tokio::test]
async fn values_of_records_are_not_told_with_an_error() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let failed = store
        .transaction(None, async |conn: Arc<Connection>| {
            number::<StoreError>(&conn, "'sesame'::bigint").await
        })
        .await;
    let Err(StoreError::Internal(said)) = failed else { panic!("{failed:?}") };
    assert!(!said.contains("sesame") && said.starts_with("22P02"), "{said}");
}

#[tokio::test]
async fn a_transaction_that_is_dropped_leaves_nothing_open() {
    let database = database();
    let url = database.url();
    let store = store(&url, 1).await;
    let slow = store.transaction(None, async |conn: Arc<Connection>| {
        insert(&conn, 1).await?;
        text::<StoreError>(&conn, "pg_sleep(60)::text").await
    });
    assert!(timeout(Duration::from_millis(500), slow).await.is_err());
    // The pool has one connection, so this is a new one.
    add(&store, 2).await.unwrap();
    let within = Duration::from_secs(15);
    eventually(within, "it is cancelled", async || open_transactions(&url) == "0").await;
    assert_eq!(asked(&url, "SELECT id FROM numbers"), ["2"]);
}

#[tokio::test]
async fn a_store_that_is_closed_finishes_what_has_begun_and_begins_nothing() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let slow = tokio::spawn({
        let store = store.clone();
        let insert = async |conn: Arc<Connection>| {
            text::<StoreError>(&conn, "pg_sleep(1)::text").await?;
            insert(&conn, 1).await
        };
        async move { store.transaction(None, insert).await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    store.clone().close().await;
    assert_eq!(asked(&database.url(), "SELECT id FROM numbers"), ["1"]);
    assert!(matches!(add(&store, 2).await, Err(StoreError::Unavailable(_))));
    assert_eq!(slow.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn a_lost_commit_is_never_said_to_be_one() {
    let database = database();
    let url = database.url();
    patrol_test_servers::postgres::execute(
        &url,
        "CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
         CREATE CONSTRAINT TRIGGER lost AFTER INSERT ON numbers DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION end_session()",
    );
    let store = store(&url, 1).await;
    let runs = std::sync::atomic::AtomicUsize::new(0);
    let done = store
        .transaction(None, async |conn: Arc<Connection>| {
            runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            insert(&conn, 1).await
        })
        .await;
    assert!(matches!(done, Err(StoreError::Unavailable(_))), "{done:?}");
    assert_eq!(runs.into_inner(), 1, "it may have been stored, so it is not run again");
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_of_one_record_share_a_connection_and_lose_nothing() {
    let database = database();
    let store = store(&database.url(), 1).await;
    add(&store, 1).await.unwrap();
    let writers = (0..100).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let raise = async |conn: Arc<Connection>| {
                let find = "number FROM numbers WHERE id = 1 FOR UPDATE";
                let found: i64 = number::<StoreError>(&conn, find).await?;
                let set = format!("UPDATE numbers SET number = {} WHERE id = 1", found + 1);
                Ok(conn.batch(&set).await?)
            };
            store.transaction(Some(Uuid::from_u128(1)), raise).await
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap().unwrap();
    }
    assert_eq!(asked(&database.url(), "SELECT number FROM numbers"), ["100"]);
}

/// As a statement whose time is over as soon as it has got a lock.
#[tokio::test]
async fn a_statement_that_fails_after_its_first_row_has_failed() {
    let database = database();
    let store = store(&database.url(), 2).await;
    let done = store
        .transaction(None, async |conn: Arc<Connection>| {
            let failing =
                Sql::of(&["SELECT (6 / (3 - n))::bigint FROM generate_series(2, 3) AS n"]);
            let failing = BuiltStatement::<(types::BigInt,)>::from(failing);
            Ok::<Option<(i64,)>, Abort<StoreError>>(JobConnection(&conn).first(failing).await?)
        })
        .await;
    assert_eq!(done, Err(StoreError::Internal("22012".to_owned())));
}

/// One of two changes fails in the middle of the other, which then has no error of its own.
#[tokio::test]
async fn of_two_changes_at_once_the_one_that_failed_tells_why() {
    let database = database();
    let store = store(&database.url(), 2).await;
    let done: Result<(), StoreError> = store
        .transaction(None, async |conn: Arc<Connection>| {
            let long = async {
                conn.batch("SELECT 1").await?;
                Ok(conn.batch("SELECT 2").await?)
            };
            let failing = async { Ok(conn.batch("SELECT 1 / 0").await?) };
            JobConnection(&conn).both(long, failing).await
        })
        .await;
    assert_eq!(done, Err(StoreError::Internal("22012".to_owned())));
}
