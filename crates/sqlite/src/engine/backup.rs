//! Backups: consistent copies of a database in use.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
    time::SystemTime,
};

use diesel::{RunQueryDsl, sql_types::Text};
use patrol_domain::StoreError;
use tempfile::Builder;

use super::{
    connection::{DatabaseFile, Purpose},
    error::store_error,
    private_file,
};

/// Writes a consistent copy to `to`, which must not exist. Other connections can read and write
/// meanwhile. The copy gets its name when it is complete.
pub(super) fn back_up(file: &DatabaseFile, to: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| failure(to, &error.to_string());
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Only the owner can read it. It is removed when the copy fails.
    let copy = Builder::new().prefix(INCOMPLETE).tempfile_in(folder).map_err(failed)?;
    let path = copy.path().to_str().ok_or_else(|| failure(to, "the path is not UTF-8"))?;
    fill(file, path)?;
    copy.as_file().sync_all().map_err(failed)?;
    copy.persist_noclobber(to).map_err(|error| failed(error.error))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    if let Err(error) = note(file, to) {
        tracing::warn!(%error, "the time of the backup cannot be noted beside the database");
    }
    Ok(())
}

/// The beginning of the name of a copy that is not complete.
const INCOMPLETE: &str = ".patrol-backup-";

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

fn fill(file: &DatabaseFile, target: &str) -> Result<(), StoreError> {
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
