//! Backups: consistent copies of a database in use.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
    time::SystemTime,
};

use diesel::{RunQueryDsl, sql_types::Text};
use patrol_domain::StoreError;

use super::{
    connection::{DatabaseFile, Purpose},
    error::store_error,
    private_file,
};

/// Writes a consistent copy to `to`, which must not exist. Other connections can read and write
/// meanwhile.
pub(super) fn back_up(file: &DatabaseFile, to: &Path) -> Result<(), StoreError> {
    let target = to.to_str().ok_or_else(|| failure(to, "the path is not UTF-8"))?;
    // Creates the file itself, so that no other process can create it between a check and the copy.
    private_file::options()
        .write(true)
        .create_new(true)
        .open(to)
        .map_err(|error| failure(to, &error.to_string()))?;
    let copied =
        copy(file, target).and_then(|()| sync(to).map_err(|error| failure(to, &error.to_string())));
    if copied.is_err()
        && let Err(error) = fs::remove_file(to)
    {
        tracing::warn!(%error, "an incomplete backup is left behind");
    }
    copied?;
    if let Err(error) = note(file, to) {
        tracing::warn!(%error, "the time of the backup cannot be noted beside the database");
    }
    Ok(())
}

/// Makes the file and its name durable.
fn sync(file: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(file)?.sync_all()?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// The time of the last backup in seconds since 1970; `None` when there is none.
pub(super) fn last(file: &DatabaseFile) -> Option<u64> {
    fs::read_to_string(file.beside(LAST)).ok()?.trim().parse().ok()
}

/// Stores the time of the backup `to`.
fn note(file: &DatabaseFile, to: &Path) -> io::Result<()> {
    let at = to.metadata()?.modified()?;
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut options = private_file::options();
    let mut file = options.write(true).create(true).truncate(true).open(file.beside(LAST))?;
    writeln!(file, "{seconds}")?;
    file.sync_all()
}

/// The suffix of the file with the time of the last backup. A separate file, because a backup must
/// work without write access to the database and while an import holds its lock.
const LAST: &str = "-last-backup";

fn copy(file: &DatabaseFile, target: &str) -> Result<(), StoreError> {
    let mut connection = file.connect(Purpose::Backup).map_err(|error| store_error(&error))?;
    diesel::sql_query("VACUUM INTO ?")
        .bind::<Text, _>(target)
        .execute(&mut *connection)
        .map(drop)
        .map_err(|error| store_error(&error))
}

fn failure(to: &Path, reason: &str) -> StoreError {
    StoreError::Internal(format!("cannot write {}: {reason}", to.display()))
}
