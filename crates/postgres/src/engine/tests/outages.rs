//! The database restarts or hangs.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use diesel::ExpressionMethods;
use futures_util::StreamExt;
use patrol_domain::{Readiness, StoreError};
use patrol_test_servers::postgres::{Durability, Server, Stop};

use super::{add, asked, eventually, is_unavailable, number, store, with_numbers};
use crate::engine::{Connection, Copied, OpenError, Sender, Settings, Store};

async fn read(store: &Store) -> Result<i64, StoreError> {
    store.read(async |conn: Arc<Connection>| number::<StoreError>(&conn, "1::bigint").await).await
}

async fn page(store: &Store) -> Result<(), StoreError> {
    let send = async |_: Arc<Connection>, to: Sender<()>| to.send((), 0).await;
    store.page(send).next().await.unwrap()
}

/// Whether all kinds of requests work.
async fn serves(store: &Store) -> bool {
    static NEXT: AtomicI64 = AtomicI64::new(1_000_000);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let writes = add(store, id).await.is_ok();
    writes && read(store).await.is_ok() && page(store).await.is_ok() && store.ping().await.is_ok()
}

/// The longest time until everything works again. The goal is 5 s; the writers of the tests run on
/// the same machine.
const RECOVERY: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_was_acknowledged_is_lost_when_the_database_crashes_under_load() {
    let server = Server::start(Durability::Kept);
    let url = server.url("postgres");
    let store = store(&url, 4).await;
    with_numbers(&url);
    let (next, is_over) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicBool::new(false)));
    let journal = Arc::new(Mutex::new(Vec::new()));
    let writers: Vec<_> = (0..16)
        .map(|_| {
            let (store, next) = (store.clone(), Arc::clone(&next));
            let (journal, is_over) = (Arc::clone(&journal), Arc::clone(&is_over));
            tokio::spawn(async move {
                while !is_over.load(Ordering::Relaxed) {
                    let id = next.fetch_add(1, Ordering::Relaxed);
                    match add(&store, id).await {
                        Ok(()) => journal.lock().unwrap().push(id),
                        Err(error) => {
                            assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
                            tokio::time::sleep(Duration::from_millis(20)).await;
                        }
                    }
                    if let Err(error) = read(&store).await {
                        assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
                    }
                }
            })
        })
        .collect();
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        server.stop(Stop::Immediate);
        assert!(is_unavailable(&read(&store).await));
        assert!(store.ping().await.is_err());
        server.resume_service();
        eventually(RECOVERY, "full service", async || serves(&store).await).await;
    }
    is_over.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    let kept = asked(&url, "SELECT id FROM numbers");
    let kept: std::collections::HashSet<i64> = kept.iter().map(|id| id.parse().unwrap()).collect();
    let journal = journal.lock().unwrap();
    assert!(journal.len() > 100, "{} writes are no load", journal.len());
    let lost: Vec<_> = journal.iter().filter(|id| !kept.contains(id)).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_hangs_is_noticed_in_time_and_so_is_its_return() {
    let server = Server::start(Durability::Fast);
    let url = server.url("postgres");
    let store = store(&url, 2).await;
    with_numbers(&url);
    assert!(serves(&store).await);
    server.freeze();
    // Twice: over the old connections, and over new ones.
    for _ in 0..2 {
        let start = Instant::now();
        let (wrote, read, page) = tokio::join!(add(&store, 1), read(&store), page(&store));
        assert!(is_unavailable(&wrote) && is_unavailable(&read) && is_unavailable(&page));
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        let start = Instant::now();
        assert!(is_unavailable(&store.ping().await));
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    }
    server.thaw();
    eventually(RECOVERY, "full service", async || serves(&store).await).await;
}

#[tokio::test]
async fn a_store_is_not_opened_on_a_database_that_hangs() {
    let server = Server::start(Durability::Fast);
    let settings = Settings::new(&server.url("postgres"), 2).unwrap();
    server.freeze();
    let start = Instant::now();
    let opened = Store::open(&settings).await.map(drop);
    assert!(matches!(opened, Err(OpenError::Unreachable(_))), "{opened:?}");
    assert!(start.elapsed() < Duration::from_secs(25), "{:?}", start.elapsed());
    server.thaw();
    Store::open(&settings).await.map(drop).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_before_a_database_that_hangs_is_answered_in_time() {
    let server = Server::start(Durability::Fast);
    let url = server.url("postgres");
    let store = store(&url, 2).await;
    with_numbers(&url);
    assert!(serves(&store).await);
    server.freeze();
    let start = Instant::now();
    let crowd: Vec<_> = (0..1_000)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(async move {
                let written = add(&store, id).await;
                (written, read(&store).await)
            })
        })
        .collect();
    for one in crowd {
        let (written, read) = one.await.unwrap();
        assert!(is_unavailable(&written) && is_unavailable(&read));
    }
    // A write and a read, one after the other.
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    server.thaw();
    eventually(RECOVERY, "full service", async || serves(&store).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_with_a_word_is_no_more_than_an_outage() {
    let server = Server::start(Durability::Fast);
    let url = server.url("postgres");
    let store = store(&url, 2).await;
    with_numbers(&url);
    assert!(serves(&store).await);
    server.stop(Stop::Fast);
    assert!(is_unavailable(&add(&store, 1).await));
    assert!(is_unavailable(&read(&store).await));
    assert!(is_unavailable(&page(&store).await));
    server.resume_service();
    eventually(RECOVERY, "full service", async || serves(&store).await).await;
}

diesel::table! {
    texts (id) {
        id -> BigInt,
        text -> Text,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_a_hanging_database_does_not_take_are_not_passed_over() {
    let server = Server::start(Durability::Fast);
    let url = server.url("postgres");
    let store = store(&url, 2).await;
    with_numbers(&url);
    patrol_test_servers::postgres::execute(
        &url,
        "CREATE TABLE texts (id bigint PRIMARY KEY, text text)",
    );
    // More than the buffers in between can hold.
    let text = "a".repeat(100_000);
    let copied = store.transaction(None, async |conn: Arc<Connection>| {
        let rows = (0_i64..300).map(|id| {
            if id == 10 {
                server.freeze();
            }
            let row = (texts::id.eq(id), texts::text.eq(&text));
            Ok(Copied::of(&diesel::insert_into(texts::table).values(vec![row]))?)
        });
        conn.set_limit(Duration::from_millis(300));
        // Resumes before the end of the copy.
        let thaw = async {
            tokio::time::sleep(Duration::from_millis(900)).await;
            server.thaw();
        };
        let (copied, ()) = tokio::join!(conn.copy::<StoreError>(Box::new(rows)), thaw);
        copied
    });
    assert!(is_unavailable(&copied.await));
    assert_eq!(asked(&url, "SELECT count(*) FROM texts"), ["0"]);
    eventually(RECOVERY, "full service", async || serves(&store).await).await;
}
