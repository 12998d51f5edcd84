//! Transactions with our own statements. Diesel would count transactions, and the count would be
//! wrong after SQLite has ended one by itself.

use std::{
    thread,
    time::{Duration, Instant},
};

use diesel::{QueryResult, SqliteConnection, connection::SimpleConnection};

use super::error::{Abort, Cause, cause};

/// The pause between two attempts to get the write lock. SQLite's own waits grow to 100 ms, so a
/// process would starve beside another that writes all the time.
const RETRY: Duration = Duration::from_millis(1);

/// Begins a transaction with the write lock.
///
/// # Errors
/// `database is locked` when another connection holds the lock for longer than `timeout`.
pub(super) fn begin(connection: &mut SqliteConnection, timeout: Duration) -> QueryResult<()> {
    retry_while_busy(timeout, || connection.batch_execute("BEGIN IMMEDIATE"))
}

/// Begins a transaction with the write lock, which also excludes readers when the database is not
/// in WAL mode.
///
/// # Errors
/// Those of [`begin`].
pub(super) fn begin_exclusive(
    connection: &mut SqliteConnection,
    timeout: Duration,
) -> QueryResult<()> {
    retry_while_busy(timeout, || connection.batch_execute("BEGIN EXCLUSIVE"))
}

/// Repeats `action` while it meets a lock, at most for `timeout`.
pub(super) fn retry_while_busy<T>(
    timeout: Duration,
    mut action: impl FnMut() -> QueryResult<T>,
) -> QueryResult<T> {
    let start = Instant::now();
    loop {
        match action() {
            Err(error) if cause(&error) == Cause::Busy && start.elapsed() < timeout => {
                thread::sleep(RETRY);
            }
            result => return result,
        }
    }
}

/// Rolls back to [`begin`]. False when the connection can no longer be used.
pub(super) fn roll_back(connection: &mut SqliteConnection) -> bool {
    match connection.batch_execute("ROLLBACK") {
        Ok(()) => true,
        Err(error) => cause(&error) == Cause::NoTransaction,
    }
}

/// Runs `read` in one snapshot of the database.
pub(super) fn snapshot<T, E>(
    connection: &mut SqliteConnection,
    read: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<E>>,
) -> Result<T, Abort<E>> {
    connection.batch_execute("BEGIN")?;
    let result = read(connection);
    // Some failures have already ended the transaction.
    let end = connection.batch_execute("ROLLBACK");
    let result = result?;
    end?;
    Ok(result)
}
