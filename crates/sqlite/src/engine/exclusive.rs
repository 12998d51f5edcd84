//! Transactions that keep all other writers away, each on a connection of its own.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use diesel::{SqliteConnection, connection::SimpleConnection, result::Error as DieselError};
use patrol_domain::StoreError;

use super::{
    connection::{Place, Purpose},
    error::{Abort, store_error},
    journal::{leave_wal, use_wal},
    transaction::{begin_exclusive, retry_while_busy, roll_back},
};

/// Runs `job` as one transaction that keeps all other writers away from its beginning to its end, and
/// readers as well when nobody else has the database open at its beginning.
pub(super) fn exclusively<T, E: From<StoreError>>(
    place: &Place,
    patience: Duration,
    job: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<E>>,
) -> Result<T, E> {
    let failed = |error: DieselError| E::from(store_error(&error));
    let mut connection = place.connect(Purpose::Import).map_err(failed)?;
    leave_wal(&mut connection).map_err(failed)?;
    begin_exclusive(&mut connection, patience).map_err(failed)?;
    let run = AssertUnwindSafe(|| {
        let value = job(&mut connection)?;
        connection.batch_execute("COMMIT")?;
        Ok(value)
    });
    let result = match catch_unwind(run) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(abort)) => {
            roll_back(&mut connection);
            Err(Abort::into_error(abort))
        }
        Err(_) => {
            connection.discard();
            return Err(E::from(StoreError::Internal("the transaction has panicked".to_owned())));
        }
    };
    // A reader that came meanwhile may be in the way. Whoever opens the database next, or connects
    // to write to it, does it otherwise.
    if let Err(error) = retry_while_busy(patience, || use_wal(&mut connection)) {
        tracing::warn!(%error, "the log is not used again yet");
    }
    result
}
