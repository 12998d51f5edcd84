//! Changes that share a transaction.

use std::{future::Future, sync::Arc, time::Duration};

use diesel::ExpressionMethods as _;
use futures_util::future::join_all;
use patrol_domain::{EditError, Monitored as _, StoreError};
use patrol_repository::Connection as _;
use tokio::{sync::Notify, task::JoinHandle, time::timeout};
use uuid::Uuid;

use super::{add, asked, database, eventually, store, with_numbers};
use crate::engine::{Abort, Connection, JobConnection, Store};

diesel::table! {
    numbers (id) {
        id -> BigInt,
        number -> BigInt,
    }
}

/// Adds a number in a transaction that may be that of others: an even one at once, an odd one before the commit.
fn add_with_others(store: &Store, id: i64) -> impl Future<Output = Result<i64, EditError>> + use<> {
    let store = store.clone();
    let add = move |conn: Arc<Connection>| async move {
        if id < 0 {
            return Err(Abort::Refused(EditError::Missing));
        }
        if id % 2 == 0 {
            conn.batch(&format!("INSERT INTO numbers VALUES ({id}, 0)")).await?;
        } else {
            let row = (numbers::id.eq(id), numbers::number.eq(0_i64));
            let row = diesel::insert_into(numbers::table).values(row);
            JobConnection(&conn).insert_all(vec![row]).await?;
        }
        Ok(id)
    };
    let record = Uuid::from_u128(u128::from(id.unsigned_abs()));
    async move { store.transaction_with_others(record, add).await }
}

/// The sum of the metrics with this name.
fn counted(store: &Store, name: &str) -> f64 {
    let metrics = store.metrics();
    metrics.iter().filter(|metric| metric.name == name).map(|metric| metric.value).sum()
}

/// Runs statements in a transaction that goes on while the last of them sleeps.
async fn hold(store: &Store, url: &str, sql: &'static str) -> JoinHandle<Result<(), StoreError>> {
    let store = store.clone();
    let holding = tokio::spawn(async move {
        store.transaction(None, async |conn: Arc<Connection>| Ok(conn.batch(sql).await?)).await
    });
    let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' \
        AND datname = current_database()";
    let is_held = async || asked(url, sleeping) == ["1"];
    eventually(Duration::from_secs(10), "the transaction holds", is_held).await;
    holding
}

#[tokio::test]
async fn changes_that_come_at_once_share_a_transaction_and_each_has_its_result() {
    let database = database();
    let store = store(&database.url(), 4).await;
    let commits = || counted(&store, "patrol_store_commits_total");
    let before = commits();
    let changes = (1..=100).map(|id| add_with_others(&store, if id % 10 == 0 { -id } else { id }));
    for (id, added) in (1..).zip(join_all(changes).await) {
        let expected = if id % 10 == 0 { Err(EditError::Missing) } else { Ok(id) };
        assert_eq!(added, expected);
    }
    assert_eq!(asked(&database.url(), "SELECT count(*) FROM numbers"), ["90"]);
    let commits = commits() - before;
    assert!(commits <= 50.0, "{commits} transactions");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_group_does_not_wait_for_the_one_before() {
    let database = database();
    let store = store(&database.url(), 4).await;
    let [begun, end] = [(); 2].map(|()| Arc::new(Notify::new()));
    let slow = {
        let (store, begun, end) = (store.clone(), Arc::clone(&begun), Arc::clone(&end));
        let wait = move |_: Arc<Connection>| {
            let (begun, end) = (Arc::clone(&begun), Arc::clone(&end));
            async move {
                begun.notify_one();
                end.notified().await;
                Ok::<_, Abort<EditError>>(())
            }
        };
        tokio::spawn(async move { store.transaction_with_others(Uuid::nil(), wait).await })
    };
    begun.notified().await;
    let added = join_all((1..=32).map(|id| add_with_others(&store, id)));
    let added = timeout(Duration::from_secs(5), added).await.expect("another group");
    assert!(added.iter().all(Result::is_ok), "{added:?}");
    end.notify_one();
    assert_eq!(slow.await.unwrap(), Ok(()));
    assert_eq!(asked(&database.url(), "SELECT count(*) FROM numbers"), ["32"]);
}

#[tokio::test]
async fn a_change_that_fails_takes_no_other_with_it() {
    let database = database();
    let store = store(&database.url(), 4).await;
    add(&store, 7).await.unwrap();
    let added = join_all((1..=20).map(|id| add_with_others(&store, id))).await;
    for (id, added) in (1..).zip(added) {
        if id == 7 {
            assert!(matches!(added, Err(EditError::Store(StoreError::Internal(_)))), "{added:?}");
        } else {
            assert_eq!(added, Ok(id));
        }
    }
    assert_eq!(asked(&database.url(), "SELECT count(*) FROM numbers"), ["20"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_waits_for_a_lock_does_not_hold_up_the_others() {
    let database = database();
    let url = database.url();
    let store = store(&url, 4).await;
    let holding =
        hold(&store, &url, "INSERT INTO numbers VALUES (1, 0); SELECT pg_sleep(2.5)").await;
    let blocked = tokio::spawn(add_with_others(&store, 1));
    let others = join_all((2..=20).map(|id| add_with_others(&store, id)));
    let others = timeout(Duration::from_secs(2), others).await.expect("they wait for nobody");
    assert!(others.iter().all(Result::is_ok), "{others:?}");
    holding.await.unwrap().unwrap();
    assert!(blocked.await.unwrap().is_err(), "the number is taken");
    let errors = counted(&store, "patrol_store_errors_total");
    assert!(errors < 1.0, "{errors} are told although nothing was wrong");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_locked_table_are_stored_by_each_change_alone() {
    let database = database();
    let url = database.url();
    let store = store(&url, 4).await;
    let holding = hold(&store, &url, "LOCK TABLE numbers; SELECT pg_sleep(0.5)").await;
    let added = join_all((0..20).map(|n| add_with_others(&store, 2 * n + 1))).await;
    assert!(added.iter().all(Result::is_ok), "{added:?}");
    holding.await.unwrap().unwrap();
    assert_eq!(asked(&url, "SELECT count(*) FROM numbers"), ["20"]);
    let errors = counted(&store, "patrol_store_errors_total");
    assert!(errors < 1.0, "{errors} connections are lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_leaves_the_others_theirs() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let gone = add_with_others(&store, 1);
    assert!(timeout(Duration::ZERO, gone).await.is_err());
    let added = join_all((2..=20).map(|id| add_with_others(&store, id))).await;
    assert!(added.iter().all(Result::is_ok), "{added:?}");
    let stored = asked(&database.url(), "SELECT count(*) FROM numbers WHERE id > 1");
    assert_eq!(stored, ["19"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_no_group_takes_are_refused_in_time() {
    let server = patrol_test_servers::postgres::Server::start(
        patrol_test_servers::postgres::Durability::Fast,
    );
    let url = server.url("postgres");
    let store = store(&url, 2).await;
    with_numbers(&url);
    add_with_others(&store, 1000).await.unwrap();
    server.freeze();
    let changes = join_all((1..=100).map(|id| tokio::spawn(add_with_others(&store, id))));
    let ended = timeout(Duration::from_secs(6), changes).await;
    server.thaw();
    for added in ended.expect("nobody waits for longer") {
        let added = added.unwrap();
        assert!(matches!(added, Err(EditError::Store(StoreError::Unavailable(_)))), "{added:?}");
    }
}
