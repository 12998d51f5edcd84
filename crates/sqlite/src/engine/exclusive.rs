//! What has a connection of its own: transactions that keep all other writers away, and backups.

use std::{
    fs::{self, OpenOptions},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    time::Duration,
};

use diesel::{
    RunQueryDsl, SqliteConnection, connection::SimpleConnection, result::Error as DieselError,
    sql_types::Text,
};
use patrol_domain::StoreError;

use super::{
    connection::{Place, Purpose},
    error::{Abort, store_error},
    file,
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

/// Writes a consistent copy to `to`, which must not exist. Others read and write meanwhile.
pub(super) fn back_up(place: &Place, to: &Path) -> Result<(), StoreError> {
    let target = to.to_str().ok_or_else(|| failure(to, "the path is not UTF-8"))?;
    // Made here, so that nobody else makes it between a look and the copy.
    file::private()
        .write(true)
        .create_new(true)
        .open(to)
        .map_err(|error| failure(to, &error.to_string()))?;
    let copied = copy(place, target).and_then(|()| {
        let file = OpenOptions::new().write(true).open(to);
        file.and_then(|file| file.sync_all()).map_err(|error| failure(to, &error.to_string()))
    });
    if copied.is_err()
        && let Err(error) = fs::remove_file(to)
    {
        tracing::warn!(%error, "an incomplete backup is left behind");
    }
    copied
}

fn copy(place: &Place, target: &str) -> Result<(), StoreError> {
    let mut connection = place.connect(Purpose::Backup).map_err(|error| store_error(&error))?;
    diesel::sql_query("VACUUM INTO ?")
        .bind::<Text, _>(target)
        .execute(&mut *connection)
        .map(drop)
        .map_err(|error| store_error(&error))
}

fn failure(to: &Path, reason: &str) -> StoreError {
    StoreError::Internal(format!("cannot write {}: {reason}", to.display()))
}
