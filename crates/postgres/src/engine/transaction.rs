//! Transactions with our own statements. Diesel would count transactions, and the count could
//! become wrong.

use std::{
    future::Future,
    hash::{BuildHasher, RandomState},
    marker::PhantomData,
    sync::Arc,
    time::Duration,
};

use diesel::QueryResult;
use futures_core::future::BoxFuture;
use patrol_domain::StoreError;
use tokio::time::Instant;

use super::{
    Abort, Connection,
    count::STATE,
    error::{Cause, caller_error, cause, connection_lost, lost},
    limit::{self, Reader},
    pool::{Lease, Pool},
};

/// A transaction for a change. Its statements find rows by keys, and their plans are kept: one that was made
/// while a table was empty would read the whole table until autovacuum has seen it, up to a minute later.
const CHANGE: &str = "BEGIN; SET LOCAL enable_seqscan = off";

/// A transaction for changes of different records. One of them that has to wait for a lock must not hold up
/// the others.
pub(super) const GROUP: &str =
    "BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL lock_timeout = '50ms'";

/// A transaction for a large and slow change.
const LONG_CHANGE: &str = "BEGIN; SET LOCAL statement_timeout = 0; \
    SET LOCAL lock_timeout = '30s'; SET LOCAL idle_in_transaction_session_timeout = 0";

/// A transaction with one snapshot. Its statements are planned for their values, because a generic
/// plan would read a list as if it had no filter. The store limits the time of a list itself;
/// PostgreSQL's limits only have to be longer than the longest list, also between two statements,
/// while a list waits for its reader.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL statement_timeout = '16min'; \
    SET LOCAL idle_in_transaction_session_timeout = '16min'";

/// The same for a reader without time limit.
const LONG_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL statement_timeout = 0; \
    SET LOCAL idle_in_transaction_session_timeout = 0";

/// Turns off `tcp_user_timeout` for slow readers: with it, the system counts a reader that reads
/// nothing as lost, although it acknowledges probes. A reader that has fallen behind reads nothing
/// until it has processed much of the buffered data. Not every engine has the setting.
pub(super) const SLOWLY: &str = "SELECT set_config('tcp_user_timeout', '0', true) \
    WHERE current_setting('tcp_user_timeout', true) IS NOT NULL";

/// Ends a transaction, without a time limit: when PostgreSQL cancels a COMMIT that waits for a
/// standby, it reports success, although a fail-over would lose the change.
const COMMIT: &str = "SET LOCAL statement_timeout = 0; COMMIT";

/// The longest pause before the second attempt; it doubles for each further one.
const PAUSE: Duration = Duration::from_millis(4);

/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_millis(250);

/// How often a transaction is retried after a violated constraint: another node may have taken a
/// value after this transaction looked it up. The retry sees the new owner, if the job looks it up.
const LOOKS: u32 = 3;

/// A job whose result may have any type, so that what runs it is compiled once.
pub(super) trait Change: Send {
    /// Runs the job, possibly again, and keeps its value or refusal for the caller.
    fn run(&mut self, connection: Arc<Connection>) -> BoxFuture<'_, Result<(), Abort<()>>>;
}

/// A job, and what its last run returned.
pub(super) struct Changing<F, Fut, T, E> {
    job: F,
    result: Option<Result<T, E>>,
    /// Ties the type of the job's futures to this one.
    runs: PhantomData<fn() -> Fut>,
}

impl<F, Fut, T, E: From<StoreError>> Changing<F, Fut, T, E> {
    pub(super) const fn new(job: F) -> Self {
        Self { job, result: None, runs: PhantomData }
    }

    /// The result for the caller after `end`, that of the transaction.
    pub(super) fn after(self, end: Result<(), Abort<()>>) -> Result<T, E> {
        let end = match end {
            Ok(()) | Err(Abort::Refused(())) => {
                return self.result.unwrap_or_else(|| Err(lost().into()));
            }
            Err(Abort::Database(error)) => Abort::Database(error),
            Err(Abort::Store(error)) => Abort::Store(error),
        };
        Err(caller_error(end))
    }
}

impl<F, Fut, T, E> Change for Changing<F, Fut, T, E>
where
    F: Fn(Arc<Connection>) -> Fut + Send,
    Fut: Future<Output = Result<T, Abort<E>>> + Send,
    T: Send,
    E: Send,
{
    fn run(&mut self, connection: Arc<Connection>) -> BoxFuture<'_, Result<(), Abort<()>>> {
        let running = (self.job)(connection);
        Box::pin(async {
            let (result, end) = match running.await {
                Ok(done) => (Some(Ok(done)), Ok(())),
                Err(Abort::Refused(refusal)) => (Some(Err(refusal)), Err(Abort::Refused(()))),
                Err(Abort::Database(error)) => (None, Err(Abort::Database(error))),
                Err(Abort::Store(error)) => (None, Err(Abort::Store(error))),
            };
            self.result = result;
            end
        })
    }
}

/// Runs a job in a transaction, and retries it after conflicts. `asked` is the start of its wait.
pub(super) async fn change(
    pool: &Pool,
    asked: Instant,
    job: &mut dyn Change,
) -> Result<(), Abort<()>> {
    let start = Instant::now();
    let (mut asked, mut pause, mut looks) = (asked, PAUSE, 0);
    loop {
        match attempt(pool, asked, job).await {
            Err(Abort::Database(error)) if cause(&error) == Cause::Constraint && looks < LOOKS => {
                looks += 1;
                asked = Instant::now();
            }
            Err(Abort::Database(error))
                if cause(&error) == Cause::Conflict && start.elapsed() < limit::RETRIES =>
            {
                pool.counters().retries.increment();
                tokio::time::sleep(up_to(pause)).await;
                pause = MAX_PAUSE.min(pause.saturating_mul(2));
                asked = Instant::now();
            }
            end => return end,
        }
    }
}

async fn attempt(pool: &Pool, asked: Instant, job: &mut dyn Change) -> Result<(), Abort<()>> {
    let lease = begin(pool, CHANGE, asked).await?;
    let connection = lease.connection()?;
    let result = job.run(Arc::clone(&connection)).await;
    end(&connection, result).await
}

/// Runs `job` once, in a transaction without time limit.
pub(super) async fn long_change<T, E, F, Fut>(pool: &Pool, job: F) -> Result<T, E>
where
    E: From<StoreError>,
    F: FnOnce(Arc<Connection>) -> Fut,
    Fut: Future<Output = Result<T, Abort<E>>>,
{
    let run = async {
        let lease = begin(pool, LONG_CHANGE, Instant::now()).await?;
        let connection = lease.connection()?;
        connection.set_limit(limit::PATIENT);
        let result = job(Arc::clone(&connection)).await;
        end(&connection, result).await
    };
    run.await.map_err(caller_error)
}

/// Begins a transaction with a snapshot on a leased connection.
pub(super) async fn snapshot(pool: &Pool, reader: Reader) -> Result<Lease, Abort<StoreError>> {
    let sql = match reader {
        Reader::Client => SNAPSHOT,
        Reader::Person => LONG_SNAPSHOT,
    };
    // In the same round trip, which saves a separate query.
    let sql = format!("{sql}; {STATE}");
    let mut lease = begin(pool, &sql, Instant::now()).await?;
    lease.reads();
    Ok(lease)
}

/// Begins a transaction on a connection of the pool. Connections that turn out to be lost are
/// skipped, because nothing has been done over them yet.
pub(super) async fn begin<E>(pool: &Pool, sql: &str, asked: Instant) -> Result<Lease, Abort<E>> {
    loop {
        let lease = pool.lease(asked).await?;
        let connection = lease.connection()?;
        let leased = Instant::now();
        connection.set_limit(limit::BEGIN.saturating_sub(asked.elapsed()).max(NOTICED));
        match connection.begin(sql).await {
            Ok(()) => {
                connection.set_limit(limit::STATEMENT);
                return Ok(lease);
            }
            Err(error)
                if cause(&error) == Cause::Lost
                    && leased.elapsed() < NOTICED
                    && asked.elapsed() < limit::LEASE => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// How soon a lost connection is detected. If it takes longer, the server does not answer.
const NOTICED: Duration = Duration::from_millis(500);

/// Commits a success and rolls back anything else.
pub(super) async fn end<T, E>(
    connection: &Connection,
    result: Result<T, Abort<E>>,
) -> Result<T, Abort<E>> {
    match result {
        Ok(_) if connection.has_failed() => {
            connection.roll_back().await;
            let passed_over = "a failed statement was passed over".to_owned();
            Err(StoreError::Internal(passed_over).into())
        }
        Ok(done) => {
            commit(connection).await?;
            Ok(done)
        }
        Err(abort) => {
            connection.roll_back().await;
            Err(abort)
        }
    }
}

async fn commit(connection: &Connection) -> QueryResult<()> {
    connection.commits();
    let (counters, start) = (connection.counters(), Instant::now());
    let committed = connection.batch(COMMIT).await;
    counters.commits.note(committed.is_ok(), start.elapsed());
    match committed {
        Ok(()) => {
            connection.closed();
            Ok(())
        }
        // The change may have been stored or not; it is never reported as stored.
        Err(error) if cause(&error).ends_connection() => Err(connection_lost(
            "the connection was lost before the database said whether the change is stored",
        )),
        Err(error) => {
            // PostgreSQL has rolled back, unless it did not reach the COMMIT.
            connection.roll_back().await;
            Err(error)
        }
    }
}

/// A random time up to `longest`, so that conflicting transactions do not meet again.
fn up_to(longest: Duration) -> Duration {
    let micros = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(RandomState::new().hash_one(()) % micros.max(1))
}
