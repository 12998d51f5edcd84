//! `patrol export`.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::Path,
};

use futures_util::StreamExt;
use patrol_application::Operator;
use patrol_domain::data_set::Export;
use tempfile::NamedTempFile;

use super::standard_stream::is_standard;
use crate::{
    error::CommandError,
    output::unwritable,
    settings::{Configuration, Database},
    signals::Signals,
    store::Access,
    wiring::Wiring,
};

/// The buffer size in bytes.
const BUFFER: usize = 1 << 16;

/// Writes the store to `file`. An empty store replaces a file that is not empty only with `force`.
pub(super) async fn run(
    configuration: &Configuration,
    file: &Path,
    force: bool,
) -> Result<(), CommandError> {
    if let Database::Sqlite(store) = &configuration.database
        && let (Ok(store), Ok(target)) = (fs::canonicalize(store), fs::canonicalize(file))
        && store == target
    {
        return Err(CommandError::Usage(format!(
            "{} is the store itself; choose another file",
            file.display()
        )));
    }
    let export = async |wiring: &Wiring| {
        let records = wiring.data_sets().export(Operator);
        if is_standard(file) {
            write(records, &mut io::stdout().lock(), &unwritable).await
        } else {
            to_file(records, file, force).await
        }
    };
    let records = Wiring::run(configuration, Access::Read, export).await?;
    // Standard output may be the data set, so the number goes to standard error.
    let _ = writeln!(io::stderr(), "exported {records} records");
    Ok(())
}

/// Writes a regular file under a temporary name first, so that a failed export leaves an existing
/// file unchanged and no incomplete file. Returns the number of records.
async fn to_file(records: Export, file: &Path, force: bool) -> Result<u64, CommandError> {
    let failed = |error: &io::Error| {
        let shown = file.display();
        CommandError::Failed(format!("cannot write {shown}: {error}; check the path and the space"))
    };
    // Replaces the target of a symbolic link, not the link.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|file| !file.is_file()) {
        let mut out =
            OpenOptions::new().write(true).open(&target).map_err(|error| failed(&error))?;
        return write(records, &mut out, &failed).await;
    }
    let mut signals = Signals::listen()?;
    let mut draft = draft(&target).map_err(|error| failed(&error))?;
    let written = tokio::select! {
        written = write(records, &mut draft, &failed) => written?,
        signal = signals.next() => return Err(CommandError::Failed(format!(
            "{signal} stopped the export; {} is unchanged", file.display()
        ))),
    };
    if written == 0 && !force && existing.is_some_and(|file| file.len() > 0) {
        return Err(CommandError::Failed(format!(
            "the store is empty; {} was not replaced by an empty file; check --database-url, or \
             add --force",
            file.display()
        )));
    }
    publish(draft, &target).map_err(|error| failed(&error))?;
    Ok(written)
}

/// Writes the records and returns their number.
async fn write(
    mut records: Export,
    out: &mut impl Write,
    failed: &impl Fn(&io::Error) -> CommandError,
) -> Result<u64, CommandError> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    let mut written = 0;
    while let Some(batch) = records.next().await {
        for record in batch? {
            patrol_data_set::write_record(&record, &mut out).map_err(|error| failed(&error))?;
            written += 1;
        }
        // Lets a signal interrupt an export that never waits for the store.
        tokio::task::yield_now().await;
    }
    out.flush().map_err(|error| failed(&error))?;
    Ok(written)
}

/// A new file beside `target` that only its owner can read, because a data set contains PINs.
/// Dropping it removes the file.
fn draft(target: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".patrol-export-").tempfile_in(folder(target))
}

/// Renames a draft to its final name and makes that durable. The permissions of a replaced file are
/// kept.
fn publish(draft: NamedTempFile, target: &Path) -> io::Result<()> {
    draft.as_file().sync_all()?;
    if let Ok(replaced) = fs::metadata(target) {
        draft.as_file().set_permissions(replaced.permissions())?;
    }
    draft.persist(target)?;
    File::open(folder(target))?.sync_all()
}

fn folder(target: &Path) -> &Path {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use patrol_domain::{
        StoreError,
        data_set::Record,
        ids::{ScheduledTaskId, Uuid},
        scheduled_task::ScheduledTask,
    };

    use super::*;

    fn records(end: Result<Vec<Record>, StoreError>) -> Export {
        let id = ScheduledTaskId(Uuid::from_u128(1));
        let task = ScheduledTask::new(id, "Обход");
        Box::pin(stream::iter([Ok(vec![Record::from(task)]), end]))
    }

    #[tokio::test]
    async fn a_failed_export_leaves_the_file_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("company.ndjson");
        fs::write(&file, "old").unwrap();
        let broken = Err(StoreError::Unavailable("gone".to_owned()));
        assert!(to_file(records(broken), &file, true).await.is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        to_file(records(Ok(Vec::new())), &file, true).await.unwrap();
        assert!(fs::read_to_string(&file).unwrap().contains("Обход"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn only_the_owner_can_read_a_new_file() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new");
        to_file(records(Ok(Vec::new())), &file, true).await.unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[tokio::test]
    async fn a_link_stays_a_link_and_a_file_keeps_its_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&file, &link).unwrap();
        to_file(records(Ok(Vec::new())), &link, true).await.unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::read_to_string(&file).unwrap().contains("Обход"));
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
