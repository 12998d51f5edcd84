//! Exhausted pools, and broken connections.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use patrol_domain::StoreError;
use tokio::sync::Notify;

use super::{add, database, is_unavailable, number, store, text};
use crate::engine::{Connection, Settings, Store};

/// Holds the only connection of a pool for a while, from when this returns.
async fn hold(store: &Store) -> tokio::task::JoinHandle<()> {
    let store = store.clone();
    let held = Arc::new(Notify::new());
    let holds = Arc::clone(&held);
    let holding = tokio::spawn(async move {
        let sleep = async move |conn: Arc<Connection>| {
            holds.notify_one();
            text::<StoreError>(&conn, "pg_sleep(20)::text").await
        };
        drop(store.exclusive(sleep).await);
    });
    held.notified().await;
    holding
}

#[tokio::test]
async fn an_exhausted_pool_says_so_within_its_limit() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let holding = hold(&store).await;
    let start = Instant::now();
    let done = add(&store, 1).await;
    assert!(is_unavailable(&done), "{done:?}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    // Reads have separate connections.
    let read = async |conn: Arc<Connection>| number::<StoreError>(&conn, "1::bigint").await;
    assert_eq!(store.read(read).await, Ok(1));
    holding.abort();
    assert!(holding.await.unwrap_err().is_cancelled());
    add(&store, 1).await.unwrap();
}

#[tokio::test]
async fn who_comes_when_too_many_wait_is_refused_at_once() {
    let database = database();
    let mut settings = Settings::new(&database.url(), 1).unwrap();
    settings.queue = 1;
    let store = Store::open(&settings).await.unwrap();
    let holding = hold(&store).await;
    let waiting = tokio::spawn({
        let store = store.clone();
        async move { add(&store, 1).await }
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let start = Instant::now();
    assert!(is_unavailable(&add(&store, 2).await));
    // The waiting request is refused after 5 s.
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(is_unavailable(&waiting.await.unwrap()));
    holding.abort();
}

#[tokio::test]
async fn a_session_that_has_become_read_only_is_replaced() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let poison = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY";
    let poisoned: Result<(), StoreError> =
        store.transaction(None, async |conn: Arc<Connection>| Ok(conn.batch(poison).await?)).await;
    assert_eq!(poisoned, Ok(()));
    let refused = add(&store, 1).await;
    assert!(is_unavailable(&refused), "{refused:?}");
    add(&store, 1).await.unwrap();
}

/// The sessions of reads by key.
async fn readers(store: &Store) -> BTreeSet<i64> {
    let mut all = BTreeSet::new();
    for _ in 0..20 {
        let id = async |conn: Arc<Connection>| {
            number::<StoreError>(&conn, "pg_backend_pid()::bigint").await
        };
        all.insert(store.read(id).await.unwrap());
    }
    all
}

#[tokio::test]
async fn reads_leave_a_server_that_has_become_read_only_as_well() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let before = readers(&store).await;
    let poison = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY";
    let poisoned: Result<(), StoreError> =
        store.transaction(None, async |conn: Arc<Connection>| Ok(conn.batch(poison).await?)).await;
    assert_eq!(poisoned, Ok(()));
    assert!(readers(&store).await.intersection(&before).next().is_some(), "none was replaced yet");
    assert!(is_unavailable(&add(&store, 1).await));
    let after = readers(&store).await;
    assert!(after.is_disjoint(&before), "{before:?} {after:?}");
}

#[tokio::test]
async fn connections_that_were_ended_are_passed_over() {
    let database = database();
    let url = database.url();
    let store = store(&url, 1).await;
    add(&store, 1).await.unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE application_name = 'patrol' AND datname = current_database()";
    for id in 2..10 {
        patrol_test_servers::postgres::execute(&url, end);
        add(&store, id).await.unwrap();
    }
}
