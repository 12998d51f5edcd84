//! Protects the files of a service: root must not create files that the service cannot write.

use std::{
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use patrol_photos::Place;
use rustix::process::geteuid;

use crate::{
    error::CommandError,
    settings::{Configuration, Database},
};

/// Refuses to run as root if the store or the folder of photos belongs to another user, or would be
/// created in a folder of another user.
///
/// # Errors
/// Names the path and its owner.
pub(crate) fn check(configuration: &Configuration) -> Result<(), CommandError> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let store = match &configuration.database {
        Database::Sqlite(path) => Some(path),
        Database::Postgres(_) => None,
    };
    let photos = match &configuration.photos.place {
        Place::Folder(path) => Some(path),
        Place::Memory | Place::S3 { .. } => None,
    };
    for path in store.into_iter().chain(photos) {
        if let Some((path, owner)) = owner(path)
            && owner != 0
        {
            return Err(CommandError::Usage(format!(
                "it runs as root, but {} belongs to the user {owner}; run it as that user, for \
                 example with `sudo -u '#{owner}'`",
                path.display()
            )));
        }
    }
    Ok(())
}

/// The owner of a path, or of its folder if the path does not exist. `None` if neither exists; an
/// error other than that is reported when the path is used.
fn owner(path: &Path) -> Option<(PathBuf, u32)> {
    let is_absent = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let read =
        |path: &Path| std::fs::metadata(path).map(|metadata| (path.to_owned(), metadata.uid()));
    match read(path) {
        Err(error) if is_absent(&error) => {
            let folder = path.parent()?;
            let here = Path::new(".");
            read(if folder.as_os_str().is_empty() { here } else { folder }).ok()
        }
        found => found.ok(),
    }
}
