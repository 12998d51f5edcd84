//! Slow lists, and requests that wait behind them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{
    Stream, StreamExt,
    future::{join_all, select_all},
};
use patrol_domain::{Metric, StoreError, list::PART_BYTES};
use patrol_test_servers::postgres::Database;

use super::{asked, database, eventually, is_unavailable, number, open_transactions, text};
use crate::engine::{Connection, Sender, Settings, Store};

/// A store with the limits that `set` makes.
async fn limited(database: &Database, pool: usize, set: impl FnOnce(&mut Settings)) -> Store {
    let mut settings = Settings::new(&database.url(), pool).unwrap();
    set(&mut settings);
    Store::open(&settings).await.unwrap()
}

async fn usual(database: &Database) -> Store {
    limited(database, 8, |_| {}).await
}

/// Whether the store has counted one list that took too long.
fn has_counted_one(store: &Store) -> bool {
    let mut cancelled = store.engine().connector.counters().cancelled.metrics();
    let is_late = |metric: &Metric| metric.label == Some(("reason", "too_long"));
    cancelled.find(is_late).is_some_and(|metric| (metric.value - 1.0).abs() < 0.1)
}

/// A page whose query takes this many seconds.
fn sleep(
    store: &Store,
    seconds: f64,
) -> impl Stream<Item = Result<String, StoreError>> + Unpin + use<> {
    store.page(move |conn: Arc<Connection>, to: Sender<String>| async move {
        let slept = text::<StoreError>(&conn, &format!("pg_sleep({seconds})::text")).await?;
        to.send(slept, 4).await
    })
}

/// A long list with this many parts of this size.
fn long(
    store: &Store,
    parts: u32,
    bytes: usize,
) -> impl Stream<Item = Result<Vec<u8>, StoreError>> + Unpin + use<> {
    store.stream(async move |conn: Arc<Connection>, to: Sender<Vec<u8>>| {
        for _ in 0..parts {
            number::<StoreError>(&conn, "1::bigint").await?;
            conn.has_first_row();
            to.send(vec![0; bytes], bytes).await?;
        }
        Ok(())
    })
}

async fn last<T>(
    mut list: impl Stream<Item = Result<T, StoreError>> + Unpin,
) -> Result<T, StoreError> {
    let mut last = Err(StoreError::Internal("nothing came".to_owned()));
    while let Some(part) = list.next().await {
        last = part;
    }
    last
}

/// The number of queries that the server runs for the store.
fn running(url: &str) -> usize {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'patrol' \
        AND datname = current_database() AND state = 'active'";
    asked(url, sql).remove(0).parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_pages_do_not_hold_up_cheap_ones() {
    let database = database();
    let store = limited(&database, 8, |settings| {
        settings.lists.first_row = Duration::from_secs(60);
    })
    .await;
    let slow: Vec<_> = (0..16).map(|_| sleep(&store, 10.0)).collect();
    eventually(Duration::from_secs(10), "some run", async || running(&database.url()) > 3).await;
    for _ in 0..20 {
        // Behind slow ones it would wait too long, and be refused.
        last(sleep(&store, 0.0)).await.unwrap();
    }
    // They run in order, except those that waited too long.
    let slow = join_all(slow.into_iter().map(last)).await;
    let served = slow.iter().filter(|slow| slow.is_ok()).count();
    assert!(served >= 3, "{served}");
    assert!(slow.iter().all(|slow| slow.is_ok() || is_unavailable(slow)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_page_that_keeps_nobody_waiting_runs_once() {
    let database = database();
    let store = usual(&database).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let slow = (0..6).map(|_| {
        let runs = Arc::clone(&runs);
        last(store.page(move |conn: Arc<Connection>, to: Sender<String>| {
            runs.fetch_add(1, Ordering::Relaxed);
            async move { to.send(text::<StoreError>(&conn, "pg_sleep(3)::text").await?, 4).await }
        }))
    });
    let slow = join_all(slow).await;
    assert!(slow.iter().all(Result::is_ok), "{slow:?}");
    assert_eq!(runs.load(Ordering::Relaxed), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_made_room_gives_its_connection_back() {
    let database = database();
    let url = database.url();
    let store = usual(&database).await;
    let slow: Vec<_> = (0..6).map(|_| sleep(&store, 20.0)).collect();
    eventually(Duration::from_secs(10), "six run", async || running(&url) == 6).await;
    let sessions = |state: &str| {
        let sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'patrol' \
            AND datname = current_database() AND query LIKE '%'";
        asked(&url, &format!("{sql} AND {state}"))
    };
    let before = sessions("state = 'active'");
    assert_eq!(before.len(), 6);
    join_all((0..3).map(|_| last(sleep(&store, 0.0)))).await;
    eventually(Duration::from_secs(10), "three run on", async || running(&url) == 3).await;
    let after = sessions("true");
    assert!(
        before.iter().all(|pid| after.contains(pid)),
        "the same sessions: {before:?} {after:?}"
    );
    drop(slow);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_too_long_is_told() {
    let database = database();
    let store = limited(&database, 2, |settings| {
        settings.lists.wait = Duration::from_millis(500);
        settings.lists.first_row = Duration::from_secs(60);
    })
    .await;
    let slow = [sleep(&store, 20.0), sleep(&store, 20.0)];
    eventually(Duration::from_secs(10), "both run", async || running(&database.url()) == 2).await;
    last(sleep(&store, 0.0)).await.unwrap();
    let (ended, ..) = select_all(slow.map(|slow| Box::pin(last(slow)))).await;
    assert!(is_unavailable(&ended), "a preempted page did not get a slot again: {ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_waits_for_its_turn_for_a_while_and_no_page_waits_with_it() {
    let database = database();
    let store = limited(&database, 2, |settings| {
        settings.lists.wait = Duration::from_millis(500);
    })
    .await;
    let mut slow: Vec<_> = (0..8).map(|_| long(&store, 100, PART_BYTES)).collect();
    for list in &mut slow {
        list.next().await.unwrap().unwrap();
    }
    let start = Instant::now();
    let refused = last(long(&store, 1, 1)).await;
    assert!(is_unavailable(&refused), "{refused:?}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    last(sleep(&store, 0.0)).await.unwrap();
    slow.pop();
    last(long(&store, 1, 1)).await.unwrap();
}

#[tokio::test]
async fn a_reader_that_takes_its_time_keeps_its_list() {
    let database = database();
    let store = limited(&database, 1, |settings| {
        settings.lists.first_row = Duration::from_millis(500);
        settings.lists.progress = Duration::from_millis(500);
    })
    .await;
    let mut slow = long(&store, 5, PART_BYTES);
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(800)).await;
        slow.next().await.unwrap().unwrap();
    }
    assert!(slow.next().await.is_none(), "it is complete");
}

#[tokio::test]
async fn a_list_is_broken_off_when_its_time_is_over() {
    let database = database();
    let url = database.url();
    let store = limited(&database, 1, |settings| {
        settings.lists.longest = Duration::from_secs(1);
    })
    .await;
    let mut slow = long(&store, 100, PART_BYTES);
    slow.next().await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(is_unavailable(&last(slow).await));
    eventually(Duration::from_secs(10), "nothing is open", async || open_transactions(&url) == "0")
        .await;
}

#[tokio::test]
async fn a_list_without_a_first_row_in_time_is_refused() {
    let database = database();
    let url = database.url();
    let store = limited(&database, 1, |settings| {
        settings.lists.first_row = Duration::from_millis(500);
    })
    .await;
    // Several statements, each of which alone would be in time.
    let ran = Arc::new(AtomicUsize::new(0));
    let page = store.page({
        let ran = Arc::clone(&ran);
        move |conn: Arc<Connection>, to: Sender<()>| {
            let ran = Arc::clone(&ran);
            async move {
                while ran.fetch_add(1, Ordering::Relaxed) < 50 {
                    text::<StoreError>(&conn, "pg_sleep(0.2)::text").await?;
                }
                to.send((), 0).await
            }
        }
    });
    assert!(is_unavailable(&last(page).await));
    assert!(ran.load(Ordering::Relaxed) < 50, "{ran:?}");
    eventually(Duration::from_secs(10), "nothing runs", async || running(&url) == 0).await;
    assert!(has_counted_one(&store));
}

#[tokio::test]
async fn a_list_without_a_next_row_in_time_breaks_off() {
    let database = database();
    let store = limited(&database, 1, |settings| {
        settings.lists.progress = Duration::from_millis(500);
    })
    .await;
    let list = store.stream(async |conn: Arc<Connection>, to: Sender<()>| {
        text::<StoreError>(&conn, "'first'").await?;
        conn.has_first_row();
        to.send((), 0).await?;
        text::<StoreError>(&conn, "pg_sleep(60)::text").await?;
        to.send((), 0).await
    });
    let parts: Vec<_> = list.collect().await;
    assert!(matches!(parts.as_slice(), [Ok(()), Err(StoreError::Unavailable(_))]), "{parts:?}");
    assert!(has_counted_one(&store));
}

#[tokio::test]
async fn a_page_that_is_larger_than_a_part_fails_without_a_part() {
    let database = database();
    let url = database.url();
    let store = limited(&database, 1, |_| {}).await;
    let page = store.page(async |conn: Arc<Connection>, to: Sender<Vec<u8>>| {
        for _ in 0..10_u8 {
            number::<StoreError>(&conn, "1::bigint").await?;
            to.send(vec![0; PART_BYTES], PART_BYTES).await?;
        }
        Ok(())
    });
    assert_eq!(page.collect::<Vec<_>>().await, [Err(StoreError::PageTooLarge)]);
    eventually(Duration::from_secs(10), "nothing is open", async || open_transactions(&url) == "0")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_ends_what_runs_for_it_soon() {
    let database = database();
    let url = database.url();
    let store = usual(&database).await;
    let counted = |store: &Store| {
        let counts = store.counts().clone();
        store.page(move |conn: Arc<Connection>, to: Sender<u64>| {
            let counts = counts.clone();
            async move {
                let query = async {
                    let slept = text::<StoreError>(&conn, "pg_sleep(60)::text").await;
                    slept.map(|_| 0).map_err(|_| diesel::result::Error::NotFound)
                };
                to.send(counts.count(&conn, "shared".to_owned(), query).await?, 8).await
            }
        })
    };
    // A page, two that share a count, and more than run at once.
    let page = sleep(&store, 60.0);
    let (first, second) = (counted(&store), counted(&store));
    let many: Vec<_> = (0..12).map(|_| sleep(&store, 60.0)).collect();
    let within = Duration::from_secs(30);
    eventually(within, "they run", async || running(&url) >= 3).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    drop((page, first, many));
    // A second on an idle machine; the queries would run for a minute.
    let soon = Duration::from_secs(15);
    eventually(soon, "only the second count runs", async || running(&url) == 1).await;
    drop(second);
    eventually(soon, "nothing is open", async || open_transactions(&url) == "0").await;
}
