//! Lists that are slow, large or late, or stalled by their clients.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use diesel::{RunQueryDsl, SqliteConnection};
use futures_util::{Stream, StreamExt};
use patrol_domain::{Monitored, StoreError};
use tokio::time::{sleep, timeout};

use super::{Abort, Settings, Store, TIMEOUTS, Timeouts, Trial, execute, insert, names, settings};
use crate::engine::{Sender, watch::ListLimits};

const SECOND: Duration = Duration::from_secs(1);

/// An endless query.
fn endless(conn: &mut SqliteConnection) -> Result<(), Abort<StoreError>> {
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                   SELECT count(*) FROM n";
    Ok(diesel::sql_query(endless).execute(conn).map(drop)?)
}

type Numbers = std::pin::Pin<Box<dyn Stream<Item = Result<usize, StoreError>> + Send>>;

/// A page without rows that never ends.
fn endless_page(trial: &Trial) -> Numbers {
    trial.store.produced(true, |conn, _| endless(conn))
}

/// A long list without rows that never ends.
fn endless_list(trial: &Trial) -> Numbers {
    trial.store.stream(|conn, _| endless(conn))
}

/// A page with the names of all items.
fn quick_page(trial: &Trial) -> Numbers {
    trial.store.produced(true, |conn, sender| sender.send(names(conn)?.len(), 1))
}

/// The metric with this name and label value.
fn metric(store: &Store, name: &str, label: Option<&str>) -> f64 {
    let metrics = store.metrics();
    let is_wanted = |metric: &&patrol_domain::Metric| {
        metric.name == name && metric.label.map(|(_, value)| value) == label
    };
    metrics.iter().find(is_wanted).expect(name).value
}

fn unavailable(reason: &str) -> StoreError {
    StoreError::Unavailable(reason.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn quick_pages_are_answered_beside_slow_ones() {
    let trial = Trial::new().await;
    let slow: Vec<_> = (0..8).map(|_| endless_page(&trial)).collect();
    sleep(Duration::from_millis(50)).await;
    for _ in 0..20 {
        let page = timeout(20 * SECOND, quick_page(&trial).collect::<Vec<_>>()).await;
        assert_eq!(page.expect("it waits behind slow pages"), [Ok(0)]);
    }
    becomes(&trial, "patrol_store_running", 2.0).await;
    becomes(&trial, "patrol_store_queue_length", 6.0).await;
    drop(slow);
    becomes(&trial, "patrol_store_running", 0.0).await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_waits_for_the_processor_stays_quick() {
    let trial = Trial::new().await;
    let slow: Vec<_> = (0..8).map(|_| endless_page(&trial)).collect();
    becomes(&trial, "patrol_store_queue_length", 6.0).await;
    let (mut quick, mut tries) = (0, 0);
    while quick < 5 {
        let slept = Arc::new(AtomicUsize::new(0));
        let noted = Arc::clone(&slept);
        let page: Numbers = trial.store.produced(true, move |_, sender| {
            let begin = Instant::now();
            std::thread::sleep(Duration::from_millis(30));
            noted.store(begin.elapsed().as_millis().try_into().unwrap(), Ordering::Relaxed);
            sender.send(0, 1)
        });
        let page = timeout(20 * SECOND, page.collect::<Vec<_>>()).await;
        // The clock counts, too, when it shows ten times as much.
        if slept.load(Ordering::Relaxed) < 200 {
            assert_eq!(page.expect("it waits behind slow pages"), [Ok(0)]);
            quick += 1;
        }
        tries += 1;
        assert!(tries < 50, "the machine is too slow to tell");
    }
    drop(slow);
}

/// Waits until the metric of slow pages has this value.
async fn becomes(trial: &Trial, name: &str, value: f64) {
    for _ in 0..400 {
        if (metric(&trial.store, name, Some("slow_pages")) - value).abs() < 0.1 {
            return;
        }
        sleep(Duration::from_millis(50)).await;
    }
    panic!("{name} is not {value}: {:?}", trial.store.metrics());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_page_that_restarts_is_complete() {
    let trial = Trial::new().await;
    let busy: Vec<_> = (0..2).map(|_| endless_page(&trial)).collect();
    becomes(&trial, "patrol_store_running", 2.0).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let slow: Numbers = trial.store.produced(true, move |conn, sender| {
        sender.send(1, 1)?;
        if counted.fetch_add(1, Ordering::Relaxed) == 0 {
            endless(conn)?;
        }
        sender.send(2, 1)
    });
    becomes(&trial, "patrol_store_queue_length", 1.0).await;
    drop(busy);
    let page = timeout(10 * SECOND, slow.collect::<Vec<_>>()).await;
    assert_eq!(page.expect("a thread is free"), [Ok(1), Ok(2)]);
    assert_eq!(runs.load(Ordering::Relaxed), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_wait_too_long_are_refused_even_when_all_threads_are_busy() {
    let trial = Trial::with(Timeouts { wait: Some(SECOND), ..TIMEOUTS }).await;
    let late = unavailable("the request waited for a thread for too long");
    // Pages.
    let slow: Vec<_> = (0..2).map(|_| endless_page(&trial)).collect();
    sleep(Duration::from_millis(500)).await;
    let page = timeout(10 * SECOND, endless_page(&trial).collect::<Vec<_>>()).await;
    assert_eq!(page.expect("it waits for ever"), [Err(late.clone())]);
    // Long lists.
    let long: Vec<_> = (0..16).map(|_| endless_list(&trial)).collect();
    let list: Numbers = trial.store.stream(|_, sender| sender.send(1, 1));
    let list = timeout(10 * SECOND, list.collect::<Vec<_>>()).await;
    assert_eq!(list.expect("it waits for ever"), [Err(late.clone())]);
    // Reads.
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(held));
    for _ in 0..2 {
        let (store, held) = (trial.store.clone(), Arc::clone(&held));
        tokio::spawn(
            async move { store.read(move |_| Ok(held.lock().unwrap().recv().is_err())).await },
        );
    }
    sleep(Duration::from_millis(100)).await;
    let read = timeout(10 * SECOND, trial.store.read(|conn| Ok(names(conn)?))).await;
    assert_eq!(read.expect("it waits for ever"), Err(late.clone()));
    // Writes.
    let writing = trial.hold().await;
    let write = timeout(10 * SECOND, trial.insert("late")).await.expect("it waits for ever");
    assert_eq!(write.unwrap(), Err(late));
    drop((slow, long, release, writing));
}

/// A trial with these limits for lists.
async fn limited(first_row: Duration, progress: Duration, whole: Duration) -> Trial {
    let lists = Some(ListLimits { first_row, progress, whole });
    Trial::with(Timeouts { lists, ..TIMEOUTS }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_has_a_time_limit_to_its_first_row_and_then_for_each_further_one() {
    let trial = limited(SECOND, 2 * SECOND, 100 * SECOND).await;
    let begin = Instant::now();
    let list = endless_list(&trial);
    let expected = unavailable("the first row of the list took too long");
    assert_eq!(list.collect::<Vec<_>>().await, [Err(expected.clone())]);
    assert!(begin.elapsed() < 20 * SECOND, "{:?}", begin.elapsed());
    let page = endless_page(&trial);
    assert_eq!(page.collect::<Vec<_>>().await, [Err(expected)]);

    let begin = Instant::now();
    let list: Numbers = trial.store.stream(|conn, sender| {
        sender.note_row();
        sender.send(1, 1)?;
        endless(conn)
    });
    let expected = unavailable("the next row of the list took too long");
    assert_eq!(list.collect::<Vec<_>>().await, [Ok(1), Err(expected)]);
    assert!(begin.elapsed() > 2 * SECOND, "{:?}", begin.elapsed());
}

/// Numbers, each of which fills the buffer for the client.
fn heavy(trial: &Trial) -> Numbers {
    trial.store.stream(|conn, sender: &mut Sender<usize>| {
        names(conn)?;
        for at in 0.. {
            sender.note_row();
            sender.send(at, usize::MAX)?;
        }
        Ok(())
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_a_slow_client_does_not_count_as_time_of_the_store() {
    let trial = limited(SECOND, SECOND, 4 * SECOND).await;
    let mut list = heavy(&trial);
    assert_eq!(list.next().await, Some(Ok(0)));
    sleep(2 * SECOND).await;
    assert_eq!(list.next().await, Some(Ok(1)));
    // But not for ever.
    sleep(3 * SECOND).await;
    let rest = timeout(20 * SECOND, list.collect::<Vec<_>>()).await.expect("it goes on");
    assert_eq!(rest.last(), Some(&Err(unavailable("the list took too long in all"))));
    assert!(rest.len() < 4, "{rest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_reads_further_only_after_its_client_has_taken_a_large_part() {
    let trial = Trial::new().await;
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let mut list: Numbers = trial.store.stream(move |_, sender| {
        for at in 0..10 {
            sender.send(at, 2 << 20)?;
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    for taken in 0..10 {
        assert!(list.next().await.unwrap().is_ok());
        sleep(Duration::from_millis(50)).await;
        assert_eq!(sent.load(Ordering::Relaxed), taken);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_larger_than_the_memory_bound_fails_without_a_part() {
    let trial = Trial::new().await;
    let page: Numbers = trial.store.produced(true, move |_, sender| {
        for at in 0..10 {
            sender.send(at, 600 << 10)?;
        }
        Ok(())
    });
    assert_eq!(page.collect::<Vec<_>>().await, [Err(StoreError::PageTooLarge)]);
}

/// Writes about this many megabytes to the log.
async fn write(trial: &Trial, megabytes: usize) {
    for _ in 0..megabytes {
        let sql = "REPLACE INTO item VALUES ('large', hex(randomblob(500000)))";
        trial.begin(move |conn| execute(conn, sql)).await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_list_is_cancelled_before_the_log_exceeds_its_bound() {
    const LIMIT: u64 = 40 << 20;
    let trial = Trial::new().await;
    let bounded = Settings { wal_limit: LIMIT, ..settings(trial.path()) };
    let trial = Trial { store: Store::open(&bounded).unwrap(), ..trial };
    trial.insert("first").await.unwrap().unwrap();
    let mut slow = heavy(&trial);
    assert_eq!(slow.next().await, Some(Ok(0)));
    let log = trial.folder.path().join("a.db-wal");
    let mut greatest = 0;
    for _ in 0..60 {
        write(&trial, 2).await;
        greatest = greatest.max(log.metadata().unwrap().len());
    }
    assert!(greatest < LIMIT, "{greatest}");
    assert!(greatest > LIMIT / 2, "the list had kept nothing in the log: {greatest}");
    let rest = timeout(20 * SECOND, slow.collect::<Vec<_>>()).await.expect("it goes on");
    let expected = unavailable("the write-ahead log is full of pages that the list still reads");
    assert_eq!(rest.last(), Some(&Err(expected)));
    let broken_off = metric(&trial.store, "patrol_store_lists_broken_off_total", None);
    assert!((broken_off - 1.0).abs() < 0.1, "{broken_off}");
    // A thread of its own moves the log; on a busy machine that takes a moment.
    let end = Instant::now() + 20 * SECOND;
    while metric(&trial.store, "patrol_store_wal_bytes", None) >= 30e6 {
        assert!(Instant::now() < end, "the file does not shrink");
        write(&trial, 1).await;
    }
}

#[tokio::test]
async fn the_time_of_the_last_backup_is_known_to_other_processes() {
    let trial = Trial::new().await;
    let name = "patrol_store_last_backup_timestamp_seconds";
    assert!(trial.store.metrics().iter().all(|metric| metric.name != name));
    let other = Store::open(&settings(trial.path())).unwrap();
    let copy = trial.folder.path().join("copy.db");
    other.backup(&copy).await.unwrap();
    let made = copy.metadata().unwrap().modified().unwrap();
    let made = made.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    assert!((metric(&trial.store, name, None) - made).abs() < 2.0);
}

#[tokio::test]
async fn failed_commits_are_counted() {
    let trial = Trial::new().await;
    let name = "patrol_store_failed_commits_total";
    assert!(metric(&trial.store, name, None) < 0.5);
    // A deferred constraint fails at the commit.
    let orphan = "INSERT INTO child VALUES ('nobody')";
    assert!(trial.begin(move |conn| execute(conn, orphan)).await.unwrap().is_err());
    assert!(metric(&trial.store, name, None) > 0.5);
    trial.begin(|conn| insert(conn, "next", "body")).await.unwrap().unwrap();
}
