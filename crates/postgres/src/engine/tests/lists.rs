//! Streams and counts.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use diesel::sql_types::{BigInt, Integer};
use diesel_async::RunQueryDsl;
use futures_util::{Stream, StreamExt};
use patrol_domain::StoreError;

use super::{Abort, add, asked, database, eventually, number, open_transactions, store, text};
use crate::engine::{Connection, Reader, Sender, Settings, Store};

/// How soon all work for a disconnected client has to end.
const SOON: Duration = Duration::from_secs(15);

/// A stream of numbers, in parts of 100.
fn numbers(store: &Store, most: i64) -> impl Stream<Item = Result<Vec<i64>, StoreError>> + use<> {
    store.stream(async move |conn: Arc<Connection>, to: Sender<Vec<i64>>| {
        let mut conn = &*conn;
        let query =
            diesel::dsl::sql::<BigInt>(&format!("SELECT generate_series(1, {most}::bigint)"));
        let mut rows = query.load_stream::<i64>(&mut conn).await?.chunks(100);
        while let Some(part) = rows.next().await {
            to.send(part.into_iter().collect::<Result<_, _>>()?, 800).await?;
        }
        Ok(())
    })
}

#[tokio::test]
async fn a_stream_brings_everything_and_gives_its_connection_back() {
    let database = database();
    let url = database.url();
    let store = store(&url, 1).await;
    for _ in 0..3 {
        let parts: Vec<_> = numbers(&store, 100_000).collect().await;
        let all: Vec<i64> = parts.into_iter().flat_map(Result::unwrap).collect();
        assert!(all.iter().copied().eq(1..=100_000));
        assert_eq!(open_transactions(&url), "0");
    }
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'patrol' \
        AND datname = current_database()";
    assert_eq!(asked(&url, sessions), ["1"], "the same one was used again");
}

#[tokio::test]
async fn a_reader_who_leaves_with_the_last_part_leaves_the_connection_to_others() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let mut sessions = HashSet::new();
    for _ in 0..50 {
        let job = async |conn: Arc<Connection>, to: Sender<i32>| {
            let session = diesel::dsl::sql::<Integer>("SELECT pg_backend_pid()");
            to.send(session.get_result(&mut &*conn).await?, 4).await
        };
        let mut stream = store.page(job);
        sessions.insert(stream.next().await.unwrap().unwrap());
    }
    assert_eq!(sessions.len(), 1);
}

#[tokio::test]
async fn a_stream_that_is_dropped_leaves_no_query_and_no_transaction() {
    let database = database();
    let url = database.url();
    let store = store(&url, 1).await;
    let mut stream = Box::pin(numbers(&store, 1_000_000_000));
    stream.next().await.unwrap().unwrap();
    assert_eq!(open_transactions(&url), "1");
    drop(stream);
    eventually(SOON, "nothing is open", async || open_transactions(&url) == "0").await;
    add(&store, 1).await.unwrap();
}

#[tokio::test]
async fn a_query_without_rows_yet_is_cancelled_when_nobody_waits_for_it() {
    let database = database();
    let url = database.url();
    let store = store(&url, 1).await;
    let stream = store.page(async |conn: Arc<Connection>, _: Sender<()>| {
        Ok(conn.batch("SELECT pg_sleep(60)").await?)
    });
    let within = Duration::from_secs(30);
    eventually(within, "it runs", async || open_transactions(&url) == "1").await;
    drop(stream);
    eventually(SOON, "nothing is open", async || open_transactions(&url) == "0").await;
}

#[tokio::test]
async fn a_cancel_request_does_not_hit_the_next_user_of_the_connection() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let sleeping = |sql: &'static str| {
        store.page(async move |conn: Arc<Connection>, to: Sender<i32>| {
            conn.batch(sql).await?;
            to.send(1, 4).await
        })
    };
    for attempt in 0..300 {
        let left = sleeping("SELECT pg_sleep(0.004)");
        // Some leave just before the end of the statement.
        tokio::time::sleep(Duration::from_micros(attempt % 50 * 150)).await;
        drop(left);
        let mut next = sleeping("SELECT pg_sleep(0.004)");
        assert_eq!(next.next().await, Some(Ok(1)), "attempt {attempt}");
    }
}

#[tokio::test]
async fn a_stream_whose_connection_is_lost_ends_with_an_error() {
    let database = database();
    let url = database.url();
    let store = store(&url, 1).await;
    let mut stream = Box::pin(numbers(&store, 1_000_000_000));
    stream.next().await.unwrap().unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE application_name = 'patrol' AND datname = current_database()";
    patrol_test_servers::postgres::execute(&url, end);
    let mut last = None;
    while let Some(part) = stream.next().await {
        last = Some(part);
    }
    assert!(matches!(last, Some(Err(StoreError::Unavailable(_)))), "it did not end well");
    add(&store, 1).await.unwrap();
}

#[tokio::test]
async fn a_producer_that_panics_breaks_the_stream_off() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let parts: Vec<Result<(), _>> =
        store.page(async |_: Arc<Connection>, _: Sender<()>| panic!("a defect")).collect().await;
    assert!(matches!(parts.as_slice(), [Err(StoreError::Internal(_))]), "{parts:?}");
    add(&store, 1).await.unwrap();
}

#[tokio::test]
async fn only_a_person_may_leave_a_list_open_for_as_long_as_it_takes() {
    let database = database();
    for (reader, limit) in [(Reader::Client, "16min"), (Reader::Person, "0")] {
        let settings = Settings::new(&database.url(), 1).unwrap().read_by(reader);
        let store = Store::open(&settings).await.unwrap();
        let shown = store.stream(async |conn: Arc<Connection>, to: Sender<String>| {
            let limit = "current_setting('idle_in_transaction_session_timeout')";
            to.send(text::<StoreError>(&conn, limit).await?, 9).await
        });
        assert_eq!(shown.collect::<Vec<_>>().await, [Ok(limit.to_owned())]);
    }
}

#[tokio::test]
async fn a_long_list_is_not_broken_off_because_its_reader_has_fallen_behind() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let shown = store.stream(async |conn: Arc<Connection>, to: Sender<String>| {
        to.send(text::<StoreError>(&conn, "current_setting('tcp_user_timeout')").await?, 9).await
    });
    assert_eq!(shown.collect::<Vec<_>>().await, [Ok("0".to_owned())]);
}

#[tokio::test]
async fn no_statement_is_compiled() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let shown = store.page(async |conn: Arc<Connection>, to: Sender<String>| {
        to.send(text::<StoreError>(&conn, "current_setting('jit')").await?, 9).await
    });
    assert_eq!(shown.collect::<Vec<_>>().await, [Ok("off".to_owned())]);
}

/// Counts the numbers, and records how often the database was queried.
async fn count(store: &Store, asked: &Arc<AtomicUsize>) -> u64 {
    let (counts, asked) = (store.counts().clone(), Arc::clone(asked));
    let stream = store.page(move |conn: Arc<Connection>, to: Sender<u64>| {
        let (counts, asked) = (counts.clone(), Arc::clone(&asked));
        async move {
            let query = async {
                asked.fetch_add(1, Ordering::Relaxed);
                let mut conn = &*conn;
                let counted = diesel::dsl::sql::<BigInt>("SELECT count(*) FROM numbers");
                let counted: i64 = counted.get_result(&mut conn).await?;
                Ok(u64::try_from(counted).unwrap())
            };
            to.send(counts.count(&conn, "numbers".to_owned(), query).await?, 8).await
        }
    });
    let parts: Vec<_> = stream.collect().await;
    *parts[0].as_ref().unwrap()
}

#[tokio::test]
async fn a_count_is_asked_for_once_for_each_state_of_the_data() {
    let database = database();
    let url = database.url();
    let store = store(&url, 2).await;
    let queries = Arc::new(AtomicUsize::new(0));
    add(&store, 1).await.unwrap();
    // Other tests share the server and may change it meanwhile, so this tries a few times.
    let mut is_known = false;
    for _ in 0..50 {
        let before = AtomicUsize::load(&queries, Ordering::Relaxed);
        assert_eq!(count(&store, &queries).await, 1);
        assert_eq!(count(&store, &queries).await, 1);
        is_known |= AtomicUsize::load(&queries, Ordering::Relaxed) < before + 2;
    }
    assert!(is_known, "a count is used again");
    add(&store, 2).await.unwrap();
    assert_eq!(count(&store, &queries).await, 2);
}

#[tokio::test]
async fn nothing_is_known_of_counts_after_a_connection_was_lost() {
    let database = database();
    let url = database.url();
    let store = store(&url, 1).await;
    let hold = async |conn: Arc<Connection>| {
        let own = number::<StoreError>(&conn, "pg_backend_pid()::bigint").await?;
        assert!(conn.generation().is_some());
        let others = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> {own} \
             AND application_name = 'patrol' AND datname = current_database()"
        );
        let read = async |conn: Arc<Connection>| number::<StoreError>(&conn, "1::bigint").await;
        store.read(read).await?;
        patrol_test_servers::postgres::execute(&url, &others);
        let noticed = async {
            while conn.generation().is_some() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), noticed).await.expect("it is noticed");
        Ok::<_, Abort<StoreError>>(())
    };
    store.transaction(None, hold).await.unwrap();
    let is_new = async |conn: Arc<Connection>| Ok::<_, Abort<StoreError>>(conn.generation());
    // Other connections may be detected as lost later.
    let within = Duration::from_secs(30);
    let knows = async || store.transaction(None, is_new).await.unwrap().is_some();
    eventually(within, "a connection that knows", knows).await;
}
