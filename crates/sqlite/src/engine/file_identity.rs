//! Detects that the file of an open store was removed or replaced. Otherwise the store would go on
//! writing to the removed file, and all later changes would be lost at the end of the process.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use patrol_domain::StoreError;

/// The file that a path named when the store was opened.
#[derive(Clone, Debug)]
pub(super) struct FileIdentity {
    path: PathBuf,
    /// Device and inode; `None` when they could not be read.
    opened: Option<(u64, u64)>,
}

impl FileIdentity {
    /// The file at `path` now.
    pub(super) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), opened: identity(path) }
    }

    /// Checks that the path still names the file that was opened.
    ///
    /// # Errors
    /// `Unavailable` when the path names another file than before, or none.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if identity(&self.path) == self.opened {
            return Ok(());
        }
        Err(StoreError::Unavailable(format!(
            "{} was removed or replaced while the program runs; stop the program, put the right file \
             there, and start it again",
            self.path.display()
        )))
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}
