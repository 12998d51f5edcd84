//! Conflicting transactions.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use patrol_domain::StoreError;
use tokio::sync::Barrier;

use super::{add, asked, database, insert, store};
use crate::engine::{Abort, Connection};

#[tokio::test]
async fn a_serialization_failure_is_tried_again_from_the_beginning() {
    let database = database();
    let store = store(&database.url(), 2).await;
    let runs = AtomicUsize::new(0);
    let done = store
        .transaction(None, async |conn: Arc<Connection>| {
            insert(&conn, 1).await?;
            if runs.fetch_add(1, Ordering::Relaxed) < 3 {
                conn.batch("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$").await?;
            }
            Ok::<_, Abort<StoreError>>(())
        })
        .await;
    assert_eq!(done, Ok(()));
    assert_eq!(runs.into_inner(), 4);
    assert_eq!(asked(&database.url(), "SELECT id FROM numbers"), ["1"]);
}

#[tokio::test]
async fn who_never_gets_through_is_told_to_come_again() {
    let database = database();
    let store = store(&database.url(), 2).await;
    let done: Result<(), StoreError> = store
        .transaction(None, async |conn: Arc<Connection>| {
            Ok(conn.batch("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$").await?)
        })
        .await;
    assert!(matches!(done, Err(StoreError::Unavailable(_))), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_sides_of_a_deadlock_succeed_in_the_end() {
    let database = database();
    let store = store(&database.url(), 2).await;
    add(&store, 1).await.unwrap();
    add(&store, 2).await.unwrap();
    let both_hold_one = Arc::new(Barrier::new(2));
    let sides = [(1, 2), (2, 1)].map(|(first, second)| {
        let (store, both_hold_one) = (store.clone(), Arc::clone(&both_hold_one));
        tokio::spawn(async move {
            let runs = AtomicUsize::new(0);
            let cross = async |conn: Arc<Connection>| {
                let raise = |id| format!("UPDATE numbers SET number = number + 1 WHERE id = {id}");
                conn.batch(&raise(first)).await?;
                if runs.fetch_add(1, Ordering::Relaxed) == 0 {
                    both_hold_one.wait().await;
                }
                Ok::<_, Abort<StoreError>>(conn.batch(&raise(second)).await?)
            };
            store.transaction(None, cross).await.unwrap();
            runs.load(Ordering::Relaxed)
        })
    });
    let [one, other] = sides;
    let runs = one.await.unwrap() + other.await.unwrap();
    assert!(runs > 2, "there was a deadlock");
    assert_eq!(asked(&database.url(), "SELECT number FROM numbers"), ["2", "2"]);
}
