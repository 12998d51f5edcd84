//! Protects the files of a service: root must not create files that the service cannot write.

use std::os::unix::fs::MetadataExt;

use patrol_photos::Place;
use rustix::process::geteuid;

use crate::{
    error::CommandError,
    settings::{Configuration, Database},
};

/// Refuses to run as root if the store or the folder of photos exists and belongs to another user.
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
        // An error is reported when the path is used.
        if let Ok(metadata) = std::fs::metadata(path)
            && metadata.uid() != 0
        {
            let owner = metadata.uid();
            return Err(CommandError::Usage(format!(
                "it runs as root, but {} belongs to the user {owner}; run it as that user, with \
                 `sudo -u '#{owner}'`, or with `patrol-service` if the Debian package is installed",
                path.display()
            )));
        }
    }
    Ok(())
}
