//! Lists whose readers disconnect during the count.

use std::time::Duration;

use diesel::connection::SimpleConnection;
use futures_util::StreamExt;
use patrol_domain::{
    List, Resource, StoreError,
    list::{Page, Part, Query},
};
use tokio::time::{sleep, timeout};

use super::{Abort, Things, Trial, all, revision};

/// Replaces the table by `size` generated rows, which SQLite produces while it counts.
async fn counting(size: u64) -> Trial {
    let trial = Trial::new(vec![]).await;
    let view = "DROP TABLE thing;
        CREATE TABLE size (n INTEGER);
        INSERT INTO size VALUES (0);
        CREATE VIEW thing AS
            WITH RECURSIVE n (i) AS (
                SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < (SELECT n FROM size)
            )
            SELECT i AS row FROM n";
    execute(&trial, view.to_owned()).await;
    resize(&trial, size).await;
    trial
}

async fn resize(trial: &Trial, size: u64) {
    execute(trial, format!("UPDATE size SET n = {size}")).await;
}

async fn execute(trial: &Trial, sql: String) {
    let write = trial.store.write(move |conn| {
        conn.batch_execute(&sql)?;
        Ok::<_, Abort<StoreError>>(revision::raise(conn, Resource::CheckList)?)
    });
    write.await.unwrap();
}

/// Only the total.
fn total() -> Query<Things> {
    Query { page: Page { limit: 0, offset: 0 }, ..all() }
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_whose_readers_have_gone_free_their_threads() {
    let trial = counting(u64::MAX >> 1).await;
    let endless: Vec<_> = (0..4).map(|_| trial.store.list(total())).collect();
    sleep(Duration::from_millis(100)).await;
    drop(endless);
    resize(&trial, 3).await;
    let answered = timeout(Duration::from_secs(30), trial.list(total())).await;
    assert_eq!(answered.expect("a thread is free"), (vec![], 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_continues_for_the_remaining_readers() {
    const SIZE: u64 = 5_000_000;
    let trial = counting(SIZE).await;
    let first = trial.store.list(total());
    sleep(Duration::from_millis(50)).await;
    let second = trial.store.list(total());
    sleep(Duration::from_millis(50)).await;
    drop(first);
    let parts: Vec<_> = second.collect().await;
    assert_eq!(parts, [Ok(Part::Total(SIZE))]);
}
