//! Transactions, by statements of our own: Diesel keeps no count of them, so that it cannot go on
//! with a wrong one when SQLite has ended a transaction by itself.

use std::{
    thread,
    time::{Duration, Instant},
};

use diesel::{QueryResult, SqliteConnection, connection::SimpleConnection};

use super::error::{Abort, Cause, cause};

/// Between two tries to get the write lock. SQLite's own waits grow to 100 ms, with which one
/// process starves beside another that writes all the time.
const RETRY: Duration = Duration::from_millis(1);

/// Begins a transaction that holds the write lock.
///
/// # Errors
/// `database is locked` when another connection holds the lock for longer than `patience`.
pub(super) fn begin(connection: &mut SqliteConnection, patience: Duration) -> QueryResult<()> {
    retry_while_busy(patience, || connection.batch_execute("BEGIN IMMEDIATE"))
}

/// Begins a transaction that holds the write lock, and keeps readers away as well when the database
/// is not in WAL mode.
///
/// # Errors
/// As [`begin`].
pub(super) fn begin_exclusive(
    connection: &mut SqliteConnection,
    patience: Duration,
) -> QueryResult<()> {
    retry_while_busy(patience, || connection.batch_execute("BEGIN EXCLUSIVE"))
}

/// Runs `action` until it meets no lock, or for as long as `patience` lasts.
pub(super) fn retry_while_busy<T>(
    patience: Duration,
    mut action: impl FnMut() -> QueryResult<T>,
) -> QueryResult<T> {
    let start = Instant::now();
    loop {
        match action() {
            Err(error) if cause(&error) == Cause::Busy && start.elapsed() < patience => {
                thread::sleep(RETRY);
            }
            result => return result,
        }
    }
}

/// Takes everything back since [`begin`]. False when the connection cannot be used any more.
pub(super) fn roll_back(connection: &mut SqliteConnection) -> bool {
    match connection.batch_execute("ROLLBACK") {
        Ok(()) => true,
        Err(error) => cause(&error) == Cause::NoTransaction,
    }
}

/// Runs `read`, all of whose statements see the same state of the database.
pub(crate) fn snapshot<T, E>(
    connection: &mut SqliteConnection,
    read: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<E>>,
) -> Result<T, Abort<E>> {
    connection.batch_execute("BEGIN")?;
    let result = read(connection);
    // A failure has ended the transaction in some cases and not in others.
    let end = connection.batch_execute("ROLLBACK");
    let result = result?;
    end?;
    Ok(result)
}
