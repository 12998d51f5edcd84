//! Transactions, by statements of our own: Diesel keeps no count of them, so that it cannot go on
//! with a wrong one.

use std::{
    future::Future,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};

use diesel::QueryResult;
use patrol_domain::StoreError;
use tokio::time::Instant;

use super::{
    Abort, Connection,
    count::STATE,
    error::{Cause, cause, connection_lost},
    limit::{self, Reader},
    pool::{Lease, Pool},
};

/// A transaction that changes something.
const CHANGE: &str = "BEGIN";

/// A transaction that changes much and takes its time.
const LONG_CHANGE: &str = "BEGIN; SET LOCAL statement_timeout = 0; \
    SET LOCAL lock_timeout = '30s'; SET LOCAL idle_in_transaction_session_timeout = 0";

/// A transaction that sees one state of the data. Its statements are planned for their values: a
/// plan for any values reads a list as if nothing were asked for. The store itself looks how long a
/// list takes; PostgreSQL's limits only have to be longer than the longest list, also between two
/// statements, where a list waits for its reader.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL statement_timeout = '16min'; \
    SET LOCAL idle_in_transaction_session_timeout = '16min'";

/// The same for a reader that may stop for as long as it likes.
const LONG_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL statement_timeout = 0; \
    SET LOCAL idle_in_transaction_session_timeout = 0";

/// Lets what is read slowly be sent slowly. PostgreSQL's system takes a reader that takes nothing for
/// one that is gone, although it says that it is there, and a reader that has fallen behind takes
/// nothing until much of what waits for it is read. Not every engine knows the setting.
pub(super) const SLOWLY: &str = "SELECT set_config('tcp_user_timeout', '0', true) \
    WHERE current_setting('tcp_user_timeout', true) IS NOT NULL";

/// Ends a transaction. Without a limit of time: PostgreSQL answers a COMMIT that it cancels while it
/// waits for a standby as if all were well, although a fail-over would lose the change.
const COMMIT: &str = "SET LOCAL statement_timeout = 0; COMMIT";

/// How long a transaction pauses at most before its second attempt; twice that before the third.
const PAUSE: Duration = Duration::from_millis(4);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// How often a transaction is run again that breaks a constraint: another node may have taken a value
/// since this one asked who has it. The next run sees who does, unless it does not look.
const LOOKS: u32 = 3;

/// Runs `job` in a transaction, again and again while others are in its way. It was `asked` for when
/// it began to wait for its turn.
pub(super) async fn change<T, E, F, Fut>(pool: &Pool, asked: Instant, job: &F) -> Result<T, E>
where
    E: From<StoreError>,
    F: Fn(Arc<Connection>) -> Fut,
    Fut: Future<Output = Result<T, Abort<E>>>,
{
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
                tokio::time::sleep(up_to(pause)).await;
                pause = LONGEST_PAUSE.min(pause.saturating_mul(2));
                asked = Instant::now();
            }
            result => return result.map_err(Abort::into_error),
        }
    }
}

async fn attempt<T, E, F, Fut>(pool: &Pool, asked: Instant, job: &F) -> Result<T, Abort<E>>
where
    F: Fn(Arc<Connection>) -> Fut,
    Fut: Future<Output = Result<T, Abort<E>>>,
{
    let lease = begin(pool, CHANGE, asked).await?;
    let connection = lease.connection()?;
    let result = job(Arc::clone(&connection)).await;
    end(&connection, result).await
}

/// Runs `job` once, in a transaction that takes as long as it takes.
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
    run.await.map_err(Abort::into_error)
}

/// Begins a transaction on a connection of its own that sees one state of the data.
pub(super) async fn snapshot(pool: &Pool, reader: Reader) -> Result<Lease, Abort<StoreError>> {
    let sql = match reader {
        Reader::Client => SNAPSHOT,
        Reader::Person => LONG_SNAPSHOT,
    };
    // Named at once, which saves asking for it.
    let sql = format!("{sql}; {STATE}");
    let mut lease = begin(pool, &sql, Instant::now()).await?;
    lease.reads();
    Ok(lease)
}

/// Begins a transaction on a connection of the pool. Those that turn out to be lost are passed over:
/// nothing has been done over them yet.
async fn begin<E>(pool: &Pool, sql: &str, asked: Instant) -> Result<Lease, Abort<E>> {
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

/// How soon a lost connection is noticed. What takes longer is a server that does not answer.
const NOTICED: Duration = Duration::from_millis(500);

/// Commits what has succeeded and takes back the rest.
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
    let committed = connection.batch(COMMIT).await;
    if committed.is_err() {
        connection.counters().failed_commits.increment();
    }
    match committed {
        Ok(()) => {
            connection.closed();
            Ok(())
        }
        // It may have been stored or not; never is it said to be.
        Err(error) if cause(&error).ends_connection() => Err(connection_lost(
            "the connection was lost before the database said whether the change is stored",
        )),
        Err(error) => {
            // PostgreSQL has rolled back, unless it did not get as far as the COMMIT.
            connection.roll_back().await;
            Err(error)
        }
    }
}

/// A time up to `longest`, another one each time, so that those who met do not meet again.
fn up_to(longest: Duration) -> Duration {
    let micros = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(RandomState::new().hash_one(()) % micros.max(1))
}
