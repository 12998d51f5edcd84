//! Exclusive transactions, each on its own connection.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use diesel::{SqliteConnection, connection::SimpleConnection, result::Error as DieselError};
use patrol_domain::StoreError;

use super::{
    connection::{DatabaseFile, Purpose},
    error::{Abort, caller_error, store_error},
    journal::{leave_wal, use_wal},
    transaction::{begin_exclusive, retry_while_busy, roll_back},
};

/// Runs `job` as one transaction that excludes other writers. It excludes readers as well if no
/// other connection has the database open at its start.
pub(super) fn exclusively<T, E: From<StoreError>>(
    file: &DatabaseFile,
    timeout: Duration,
    job: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<E>>,
) -> Result<T, E> {
    let failed = |error: DieselError| E::from(store_error(&error));
    let mut connection = file.connect(Purpose::Import).map_err(failed)?;
    leave_wal(&mut connection).map_err(failed)?;
    begin_exclusive(&mut connection, timeout).map_err(failed)?;
    let run = AssertUnwindSafe(|| {
        let value = job(&mut connection)?;
        connection.batch_execute("COMMIT")?;
        Ok(value)
    });
    let result = match catch_unwind(run) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(abort)) => {
            roll_back(&mut connection);
            Err(caller_error(abort))
        }
        Err(_) => {
            connection.discard();
            return Err(E::from(StoreError::Internal("the transaction has panicked".to_owned())));
        }
    };
    // A connection that was opened meanwhile may prevent the switch back to WAL. The next process
    // that opens the database for writing switches it.
    if let Err(error) = retry_while_busy(timeout, || use_wal(&mut connection)) {
        tracing::warn!(%error, "the database cannot be switched back to the write-ahead log yet");
    }
    result
}
