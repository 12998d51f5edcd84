//! Concurrent clients.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use diesel::{RunQueryDsl, SqliteConnection, sql_types::BigInt};
use patrol_domain::StoreError;

use super::{Abort, ProgramKind, Settings, Store, Trial, execute, insert, number, settings};

const VALUE: &str = "SELECT CAST(body AS INTEGER) AS value FROM item WHERE name = 'counter'";

/// Reads a value and writes it incremented: a lost update would be visible.
fn increment(conn: &mut SqliteConnection) -> Result<(), Abort<StoreError>> {
    let next = number(conn, VALUE) + 1;
    diesel::sql_query("UPDATE item SET body = CAST(? AS TEXT) WHERE name = 'counter'")
        .bind::<BigInt, _>(next)
        .execute(conn)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_writers_of_one_record_all_finish() {
    let trial = Trial::new().await;
    trial.begin(|conn| insert(conn, "counter", "0")).await.unwrap().unwrap();
    let writers: Vec<_> = (0..100).map(|_| trial.begin(increment)).collect();
    for writer in writers {
        writer.await.unwrap().unwrap();
    }
    assert_eq!(number(&mut trial.beside(), VALUE), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writers_and_readers_see_no_lock_and_lose_nothing() {
    let trial = Trial::new().await;
    trial.begin(|conn| insert(conn, "counter", "0")).await.unwrap().unwrap();
    let until = Instant::now() + Duration::from_secs(3);
    let written = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for _ in 0..64 {
        let (store, written) = (trial.store.clone(), Arc::clone(&written));
        tasks.push(tokio::spawn(async move {
            while Instant::now() < until {
                store.write(increment).await.unwrap();
                written.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    for _ in 0..16 {
        let store = trial.store.clone();
        tasks.push(tokio::spawn(async move {
            let mut last = 0;
            while Instant::now() < until {
                let value = store.read(|conn| Ok(number(conn, VALUE))).await.unwrap();
                assert!(value >= last, "{value} after {last}");
                last = value;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let written = i64::try_from(written.load(Ordering::Relaxed)).unwrap();
    assert!(written > 100, "{written}");
    assert_eq!(number(&mut trial.beside(), VALUE), written);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_gets_the_lock_beside_a_server_that_writes_all_the_time() {
    let trial = Trial::new().await;
    trial.begin(|conn| insert(conn, "counter", "0")).await.unwrap().unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let server = Store::open(&settings(trial.path())).unwrap();
    let writers: Vec<_> = (0..64)
        .map(|_| {
            let (store, over) = (server.clone(), Arc::clone(&over));
            tokio::spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    store.write(increment).await.unwrap();
                }
            })
        })
        .collect();
    let command = Settings { lock: ProgramKind::Command, ..settings(trial.path()) };
    let command = Store::open(&command).unwrap();
    for at in 0..5 {
        command.write(move |conn| insert(conn, &format!("written {at}"), "")).await.unwrap();
        command.exclusive(move |conn| insert(conn, &format!("imported {at}"), "")).await.unwrap();
    }
    over.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(trial.names().len(), 11);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_stays_bounded_while_others_read() {
    let trial = Trial::new().await;
    let over = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let (store, over) = (trial.store.clone(), Arc::clone(&over));
            tokio::spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    store
                        .read(|conn| Ok(number(conn, "SELECT count(*) AS value FROM child")))
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    let log = trial.folder.path().join("a.db-wal");
    let mut greatest = 0;
    for round in 0..40 {
        let writes: Vec<_> = (0..64)
            .map(|at| {
                trial.begin(move |conn| {
                    execute(
                        conn,
                        &format!(
                            "REPLACE INTO item VALUES ({at}, hex(zeroblob(32000)) || {round})"
                        ),
                    )
                })
            })
            .collect();
        for write in writes {
            write.await.unwrap().unwrap();
        }
        greatest = greatest.max(log.metadata().unwrap().len());
    }
    over.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await.unwrap();
    }
    // 40 times 64 records of 64 KB are 168 MB, and the writer moves a log of 64 MB. A reader may
    // prevent one restart of the log, but not each.
    assert!(greatest < 120_000_000, "{greatest}");
}

#[tokio::test]
async fn a_short_log_is_moved_too() {
    let trial = Trial::new().await;
    for at in 0..20 {
        let sql = format!("INSERT INTO item VALUES ({at}, hex(zeroblob(500000)))");
        trial.begin(move |conn| execute(conn, &sql)).await.unwrap().unwrap();
    }
    // The log has 20 MB now, and there are no more writes.
    let start = Instant::now();
    while trial.path().metadata().unwrap().len() < 12_000_000 {
        assert!(start.elapsed() < Duration::from_secs(20), "nothing has moved");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
