//! Writes that share a commit.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use diesel::{RunQueryDsl, connection::SimpleConnection};
use patrol_domain::StoreError;

use super::{Abort, TIMEOUTS, Timeouts, Trial, execute, insert, names, number};

fn locked() -> StoreError {
    StoreError::Unavailable("the database is locked by another process".to_owned())
}

#[tokio::test]
async fn writes_that_wait_together_are_one_transaction() {
    let trial = Trial::new().await;
    let release = trial.hold().await;
    let others: Vec<_> = (0..20).map(|at| trial.insert(format!("{at:02}"))).collect();
    let mut beside = trial.beside();
    let last = trial.begin(move |conn| Ok((names(conn)?.len(), names(&mut beside)?.len())));
    drop(release);
    assert_eq!(last.await.unwrap(), Ok((20, 0)), "what the group sees, and what others see");
    for other in others {
        other.await.unwrap().unwrap();
    }
    assert_eq!(trial.names().len(), 20);
}

#[tokio::test]
async fn a_refused_write_is_rolled_back_alone() {
    let trial = Trial::new().await;
    let release = trial.hold().await;
    let before = trial.insert("before");
    let refused = trial.begin(|conn| -> Result<(), _> {
        insert(conn, "refused", "body")?;
        Err(Abort::Refused(StoreError::Internal("no".to_owned())))
    });
    let corrupt = trial.begin(|conn| -> Result<(), _> {
        insert(conn, "corrupt", "body")?;
        Err(Abort::Store(StoreError::Internal("corrupt".to_owned())))
    });
    let twice = trial.begin(|conn| {
        insert(conn, "half", "body")?;
        insert(conn, "before", "body")
    });
    let after = trial.insert("after");
    drop(release);
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    assert_eq!(refused.await.unwrap(), Err(StoreError::Internal("no".to_owned())));
    assert_eq!(corrupt.await.unwrap(), Err(StoreError::Internal("corrupt".to_owned())));
    let violation = StoreError::Internal("UNIQUE constraint failed: item.name".to_owned());
    assert_eq!(twice.await.unwrap(), Err(violation));
    assert_eq!(trial.names(), ["after", "before"]);
}

#[tokio::test]
async fn on_a_full_disk_acknowledged_writes_stay_and_refused_writes_do_not() {
    let trial = Trial::new().await;
    let limit = trial.begin(|conn| {
        let pages = number(conn, "SELECT page_count AS value FROM pragma_page_count");
        execute(conn, &format!("PRAGMA max_page_count = {}", pages + 60))
    });
    limit.await.unwrap().unwrap();
    let release = trial.hold().await;
    let body = "x".repeat(10_000);
    let writes: Vec<_> = (0..60)
        .map(|at| {
            let (name, body) = (format!("{at:02}"), body.clone());
            let write = trial.begin({
                let name = name.clone();
                move |conn| {
                    // Large records, which do not fit in the end, between small ones, which do.
                    let body = if at % 3 == 0 { "small" } else { &body };
                    insert(conn, &name, body)
                }
            });
            (name, write)
        })
        .collect();
    drop(release);
    let mut acknowledged = Vec::new();
    let mut refused = 0;
    for (name, write) in writes {
        match write.await.unwrap() {
            Ok(()) => acknowledged.push(name),
            Err(StoreError::Unavailable(reason)) => {
                assert_eq!(reason, "database or disk is full");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 0 && acknowledged.len() > 20, "{refused} {acknowledged:?}");
    assert_eq!(trial.names(), acknowledged);

    trial.begin(|conn| execute(conn, "PRAGMA max_page_count = 1000000")).await.unwrap().unwrap();
    trial.insert("zz").await.unwrap().unwrap();
    assert_eq!(
        number(
            &mut trial.beside(),
            "SELECT count(*) AS value FROM pragma_integrity_check WHERE integrity_check = 'ok'"
        ),
        1
    );
}

#[tokio::test]
async fn a_write_that_hides_the_end_of_the_transaction_is_not_acknowledged() {
    let trial = Trial::new().await;
    let limit = "CREATE TABLE plain (body TEXT) STRICT; PRAGMA max_page_count = 100";
    trial.begin(move |conn| execute(conn, limit)).await.unwrap().unwrap();
    let release = trial.hold().await;
    let before = trial.insert("before");
    let hiding = trial.begin(|conn| {
        // One row in one tree: SQLite cannot roll back only this statement, and ends the whole
        // transaction.
        let filled = conn.batch_execute("INSERT INTO plain VALUES (hex(zeroblob(1000000)))");
        assert_eq!(filled.unwrap_err().to_string(), "database or disk is full");
        Ok(())
    });
    let after = trial.insert("after");
    drop(release);
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    assert!(hiding.await.unwrap().is_err());
    assert_eq!(trial.names(), ["after", "before"]);
}

#[tokio::test]
async fn a_panic_affects_only_its_own_write() {
    let trial = Trial::new().await;
    trial.begin(|conn| execute(conn, "CREATE TEMP TABLE old (x)")).await.unwrap().unwrap();
    let release = trial.hold().await;
    let before = trial.insert("before");
    let panicking = trial.begin(|conn| -> Result<(), _> {
        insert(conn, "panicking", "body")?;
        panic!("a defect");
    });
    let after = trial.insert("after");
    drop(release);
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    let expected = StoreError::Internal("the write has panicked".to_owned());
    assert_eq!(panicking.await.unwrap(), Err(expected));
    assert_eq!(trial.names(), ["after", "before"]);
    let replaced =
        trial.begin(|conn| Ok(number(conn, "SELECT count(*) AS value FROM temp.sqlite_schema")));
    assert_eq!(replaced.await.unwrap(), Ok(0), "the connection is another one");
}

#[tokio::test]
async fn after_a_failed_commit_writes_are_tried_one_by_one() {
    let trial = Trial::new().await;
    let release = trial.hold().await;
    let runs = Arc::new(AtomicUsize::new(0));
    let before = trial.begin({
        let runs = Arc::clone(&runs);
        move |conn| {
            runs.fetch_add(1, Ordering::Relaxed);
            insert(conn, "before", "body")
        }
    });
    let dangling = trial.begin(|conn| execute(conn, "INSERT INTO child VALUES ('nobody')"));
    let after = trial.insert("after");
    drop(release);
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    let expected = StoreError::Internal("FOREIGN KEY constraint failed".to_owned());
    assert_eq!(dangling.await.unwrap(), Err(expected));
    assert_eq!(trial.names(), ["after", "before"]);
    assert_eq!(runs.load(Ordering::Relaxed), 2, "once in the group, and once alone");
    assert_eq!(number(&mut trial.beside(), "SELECT count(*) AS value FROM child"), 0);
}

#[tokio::test]
async fn a_write_whose_caller_has_gone_does_not_affect_others() {
    let trial = Trial::new().await;
    let release = trial.hold().await;
    let before = trial.insert("before");
    let gone = trial.insert("gone");
    let after = trial.insert("after");
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    drop(release);
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    assert_eq!(trial.names(), ["after", "before"], "what had not begun is left out");

    let (store, (begun, beginning)) = (trial.store.clone(), std::sync::mpsc::channel());
    let left = tokio::spawn(async move {
        store
            .write(move |conn| {
                begun.send(()).unwrap();
                std::thread::sleep(Duration::from_millis(50));
                insert(conn, "left", "body")
            })
            .await
    });
    tokio::task::spawn_blocking(move || beginning.recv().unwrap()).await.unwrap();
    left.abort();
    trial.insert("later").await.unwrap().unwrap();
    assert_eq!(trial.names(), ["after", "before", "later", "left"], "what had begun is finished");
}

#[tokio::test]
async fn a_full_queue_refuses_at_once() {
    let trial = Trial::new().await;
    let release = trial.hold().await;
    let waiting: Vec<_> = (0..128).map(|at| trial.insert(format!("{at:03}"))).collect();
    let refused = trial.insert("refused").await.unwrap();
    let expected = StoreError::Unavailable("too many requests wait for it".to_owned());
    assert_eq!(refused, Err(expected));
    drop(release);
    for write in waiting {
        write.await.unwrap().unwrap();
    }
    trial.insert("x").await.unwrap().unwrap();
    assert_eq!(trial.names().len(), 129);
}

#[tokio::test]
async fn writes_are_unavailable_only_while_another_process_holds_the_lock() {
    let timeout = Duration::from_secs(2);
    let trial = Trial::with(Timeouts { lock: timeout, ..TIMEOUTS }).await;
    let mut beside = trial.beside();
    beside.batch_execute("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    let writes: Vec<_> = (0..64).map(|at| trial.insert(format!("{at:02}"))).collect();
    for write in writes {
        assert_eq!(write.await.unwrap(), Err(locked()));
    }
    let waited = start.elapsed();
    assert!(waited >= timeout, "{waited:?}");
    assert!(waited < timeout * 10, "they wait together: {waited:?}");
    assert_eq!(trial.store.read(|conn| Ok(names(conn)?.len())).await, Ok(0), "reads go on");

    let exclusive = trial.store.exclusive(|conn| insert(conn, "exclusive", "body")).await;
    assert!(matches!(exclusive, Err(StoreError::Unavailable(_))), "{exclusive:?}");

    let patient = trial.insert("patient");
    tokio::time::sleep(Duration::from_millis(50)).await;
    beside.batch_execute("COMMIT").unwrap();
    patient.await.unwrap().unwrap();
    trial.insert("after").await.unwrap().unwrap();
    assert_eq!(trial.names(), ["after", "patient"]);
}

#[tokio::test]
async fn writes_of_many_groups_wait_for_a_lock_together() {
    let timeout = Duration::from_secs(3);
    let trial = Trial::with(Timeouts { lock: timeout, ..TIMEOUTS }).await;
    let mut beside = trial.beside();
    beside.batch_execute("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    let writes: Vec<_> = (0..128).map(|at| trial.insert(format!("{at:03}"))).collect();
    for write in writes {
        assert_eq!(write.await.unwrap(), Err(locked()));
    }
    let waited = start.elapsed();
    assert!(waited >= timeout && waited < timeout * 2, "{waited:?}");
}

#[tokio::test]
async fn each_write_waits_for_a_lock_for_its_own_patience() {
    let timeout = Duration::from_secs(4);
    let trial = Trial::with(Timeouts { lock: timeout, ..TIMEOUTS }).await;
    let mut beside = trial.beside();
    beside.batch_execute("BEGIN IMMEDIATE").unwrap();
    let first = trial.insert("first");
    tokio::time::sleep(timeout / 20).await;
    // These form one group after the first one has been refused.
    let old = trial.insert("old");
    tokio::time::sleep(timeout * 7 / 10).await;
    let young = trial.insert("young");
    assert_eq!(first.await.unwrap(), Err(locked()));
    assert_eq!(old.await.unwrap(), Err(locked()));
    beside.batch_execute("COMMIT").unwrap();
    assert_eq!(young.await.unwrap(), Ok(()));
    assert_eq!(trial.names(), ["young"]);
}

#[tokio::test]
async fn closing_finishes_waiting_writes_and_empties_the_log() {
    let trial = Trial::new().await;
    let release = trial.hold().await;
    let waiting: Vec<_> = (0..10).map(|at| trial.insert(format!("{at:02}"))).collect();
    let closing = tokio::spawn(trial.store.clone().close());
    tokio::time::sleep(Duration::from_millis(20)).await;
    let late = trial.insert("late").await.unwrap();
    assert_eq!(late, Err(StoreError::Unavailable("it is closed".to_owned())));
    drop(release);
    for write in waiting {
        write.await.unwrap().unwrap();
    }
    closing.await.unwrap();
    let log = trial.folder.path().join("a.db-wal");
    assert_eq!(log.metadata().map_or(0, |file| file.len()), 0);
    assert_eq!(trial.names().len(), 10);
}

#[tokio::test]
async fn an_exclusive_transaction_is_all_or_nothing() {
    let trial = Trial::new().await;
    let kept = trial.store.exclusive(|conn| insert(conn, "kept", "body")).await;
    assert_eq!(kept, Ok(()));
    let refused = trial.store.exclusive(|conn| -> Result<(), _> {
        insert(conn, "refused", "body")?;
        Err(Abort::Refused(StoreError::Internal("no".to_owned())))
    });
    assert_eq!(refused.await, Err(StoreError::Internal("no".to_owned())));
    let panicking = trial.store.exclusive(|conn| -> Result<(), Abort<StoreError>> {
        insert(conn, "panicking", "body")?;
        panic!("a defect");
    });
    assert!(panicking.await.is_err());
    let dangling = trial
        .store
        .exclusive(|conn| Ok(diesel::sql_query("INSERT INTO child VALUES ('x')").execute(conn)?));
    let expected = StoreError::Internal("FOREIGN KEY constraint failed".to_owned());
    assert_eq!(dangling.await, Err(expected));
    trial.insert("after").await.unwrap().unwrap();
    assert_eq!(trial.names(), ["after", "kept"]);
}
