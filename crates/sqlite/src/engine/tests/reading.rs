//! Reads, pages and long lists.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use diesel::{QueryableByName, RunQueryDsl, SqliteConnection, sql_types::Integer};
use futures_util::{Stream, StreamExt};
use patrol_domain::StoreError;
use tokio::time::timeout;

use super::{Abort, Trial, execute, names};
use crate::engine::Sender;
use crate::engine::error::caller_error;

/// Endless numbers, produced as fast as they are read.
fn endless(trial: &Trial) -> impl Stream<Item = Result<u64, StoreError>> + Unpin + use<> {
    trial.store.stream(|conn, sender| {
        names(conn)?;
        for at in 0.. {
            sender.send(at, 1)?;
        }
        Ok(())
    })
}

/// Whether the log can be emptied: no reader has an old snapshot.
fn can_empty_log(conn: &mut SqliteConnection) -> bool {
    #[derive(QueryableByName)]
    struct Checkpoint {
        #[diesel(sql_type = Integer)]
        busy: i32,
    }
    let checkpoint = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)");
    checkpoint.get_result::<Checkpoint>(conn).unwrap().busy == 0
}

async fn becomes_true(mut check: impl FnMut() -> bool) -> bool {
    for _ in 0..200 {
        if check() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn a_panic_affects_only_its_own_read() {
    let trial = Trial::new().await;
    for _ in 0..5 {
        let panicking = trial.store.read(|_| -> Result<(), _> { panic!("a defect") });
        assert_eq!(
            panicking.await,
            Err(StoreError::Internal("the request was abandoned".to_owned()))
        );
        assert_eq!(trial.store.read(|conn| Ok(names(conn)?)).await, Ok(vec![]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_long_lists_do_not_block_reads_and_the_seventeenth_waits() {
    let trial = Trial::new().await;
    let mut lists = Vec::new();
    for _ in 0..16 {
        let mut list = endless(&trial);
        assert_eq!(list.next().await, Some(Ok(0)));
        lists.push(list);
    }
    let mut seventeenth = endless(&trial);
    let waiting = timeout(Duration::from_millis(100), seventeenth.next()).await;
    assert!(waiting.is_err(), "{waiting:?}");
    assert_eq!(trial.store.read(|conn| Ok(names(conn)?)).await, Ok(vec![]));
    drop(lists.pop());
    assert_eq!(timeout(Duration::from_secs(30), seventeenth.next()).await, Ok(Some(Ok(0))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_list_releases_its_snapshot() {
    let trial = Trial::new().await;
    let mut list = endless(&trial);
    assert_eq!(list.next().await, Some(Ok(0)));
    trial.insert("later").await.unwrap().unwrap();
    let mut beside = trial.beside();
    assert!(!can_empty_log(&mut beside), "the list still reads what was there before");
    drop(list);
    assert!(becomes_true(|| can_empty_log(&mut beside)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_list_ends_its_query_although_it_sends_nothing() {
    let trial = Trial::new().await;
    let (end, ended) = tokio::sync::oneshot::channel();
    let (begun, beginning) = tokio::sync::oneshot::channel();
    let list = trial.store.stream(move |conn, _: &mut Sender<()>| {
        begun.send(()).unwrap();
        let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                       SELECT count(*) FROM n";
        let result = execute(conn, endless);
        end.send(result.map_err(caller_error)).unwrap();
        Ok(())
    });
    beginning.await.unwrap();
    drop(list);
    let expected = StoreError::Unavailable("the query was cancelled".to_owned());
    let ended = timeout(Duration::from_secs(30), ended).await.expect("the query goes on");
    assert_eq!(ended.unwrap(), Err(expected));
    let next = trial.store.stream(|conn, sender| sender.send(names(conn)?.len(), 1));
    assert_eq!(next.collect::<Vec<_>>().await, [Ok(0)], "the connection is as good as before");
}

#[tokio::test]
async fn a_stream_that_breaks_off_ends_with_an_error() {
    let trial = Trial::new().await;
    let whole = trial.store.stream(|_, sender| {
        sender.send(1, 1)?;
        sender.send(2, 1)
    });
    assert_eq!(whole.collect::<Vec<_>>().await, [Ok(1), Ok(2)]);

    let failing = trial.store.stream(|_, sender: &mut Sender<i32>| {
        sender.send(1, 1)?;
        Err(Abort::Store(StoreError::Internal("broken".to_owned())))
    });
    let expected = StoreError::Internal("broken".to_owned());
    assert_eq!(failing.collect::<Vec<_>>().await, [Ok(1), Err(expected)]);

    let panicking = trial.store.stream(|_, sender| {
        sender.send(1, 1)?;
        panic!("a defect");
    });
    let expected = StoreError::Internal("the request was abandoned".to_owned());
    assert_eq!(panicking.collect::<Vec<_>>().await, [Ok(1), Err(expected)]);

    trial.store.clone().close().await;
    let refused = endless(&trial);
    let expected = StoreError::Unavailable("it is closed".to_owned());
    assert_eq!(refused.collect::<Vec<_>>().await, [Err(expected)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_whose_caller_has_gone_are_skipped() {
    let trial = Trial::new().await;
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(held));
    let busy: Vec<_> = (0..2)
        .map(|_| {
            let (store, held) = (trial.store.clone(), Arc::clone(&held));
            tokio::spawn(async move {
                store.read(move |_| Ok(held.lock().unwrap().recv().is_err())).await
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let ran = Arc::new(AtomicUsize::new(0));
    let read = |ran: Arc<AtomicUsize>| {
        let store = trial.store.clone();
        tokio::spawn(
            async move { store.read(move |_| Ok(ran.fetch_add(1, Ordering::Relaxed))).await },
        )
    };
    let (gone, kept) = (read(Arc::clone(&ran)), read(Arc::clone(&ran)));
    tokio::time::sleep(Duration::from_millis(50)).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    drop(release);
    kept.await.unwrap().unwrap();
    for read in busy {
        read.await.unwrap().unwrap();
    }
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}
