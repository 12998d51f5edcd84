//! A folder of photos. Unlike the folder of `object_store`, files are readable by their owner only,
//! removals are durable too, and a file left half-written by a killed process can be found by its
//! name.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use patrol_domain::{StoreError, ids::MediaId};
use tokio::task::spawn_blocking;

/// The suffix of a file until it is complete.
const UNFINISHED: &str = ".part";

/// The space that files leave to the database, at most: its writes go on when photos and media fill the disk.
const RESERVE: u64 = 1 << 30;

/// The reserve is no more than the space of the file system divided by this.
const RESERVE_DIVISOR: u64 = 20;

/// A folder with one file for each photo.
#[derive(Clone)]
pub(crate) struct Folder {
    path: Arc<PathBuf>,
}

impl Folder {
    /// Opens the folder at `path`, created with access for its owner only when it is missing. An
    /// existing folder keeps its permissions.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(path)?;
        // Absolute, so that photos are still found after a change of the working directory.
        Ok(Self { path: Arc::new(fs::canonicalize(path)?) })
    }

    /// Writes to a temporary name first, so that a half-written file is never read. Durable when it
    /// returns.
    pub(crate) async fn write(&self, id: MediaId, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.off_the_workers(move |folder| {
            let (mut file, unfinished) = folder.begin(id)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            unfinished.finish(id)
        })
        .await
    }

    /// Begins a file under a temporary name.
    ///
    /// # Errors
    /// Those of [`Self::check_space`], and when the file cannot be made.
    pub(crate) fn begin(&self, id: MediaId) -> io::Result<(File, Unfinished)> {
        self.check_space()?;
        let file = private().open(self.unfinished(id))?;
        Ok((file, Unfinished { folder: self.clone(), id }))
    }

    /// Checks that the file system has room for more than its reserve.
    ///
    /// # Errors
    /// `StorageFull` when it has not.
    pub(crate) fn check_space(&self) -> io::Result<()> {
        let space = rustix::fs::statvfs(self.path.as_path())?;
        let bytes = |blocks: u64| blocks.saturating_mul(space.f_frsize);
        if is_short(bytes(space.f_bavail), bytes(space.f_blocks)) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    /// Removes a file, and the temporary file of an interrupted write.
    pub(crate) async fn remove(&self, id: MediaId) -> Result<(), StoreError> {
        self.off_the_workers(move |folder| {
            for path in [folder.path.join(id.to_string()), folder.unfinished(id)] {
                match fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            folder.sync()
        })
        .await
    }

    /// The name of the file once it is complete.
    pub(crate) fn finished(name: &str) -> &str {
        name.strip_suffix(UNFINISHED).unwrap_or(name)
    }

    fn unfinished(&self, id: MediaId) -> PathBuf {
        self.path.join(format!("{id}{UNFINISHED}"))
    }

    /// Makes created and removed directory entries durable.
    fn sync(&self) -> io::Result<()> {
        File::open(self.path.as_path())?.sync_all()
    }

    async fn off_the_workers(
        &self,
        work: impl FnOnce(&Self) -> io::Result<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        let folder = self.clone();
        off_the_workers(move || work(&folder)).await
    }
}

/// Whether a file system has no room for photos and media. Some report no size.
const fn is_short(free: u64, size: u64) -> bool {
    let part = size / RESERVE_DIVISOR;
    free < if part < RESERVE { part } else { RESERVE }
}

/// Runs `work` on a thread that may wait for the disk.
pub(crate) async fn off_the_workers<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, StoreError> {
    match spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| disk_failure(&error)),
        Err(_) => Err(StoreError::Internal("photos: a write was cut short".to_owned())),
    }
}

/// The failure of the disk, without a path.
pub(crate) fn disk_failure(error: &io::Error) -> StoreError {
    StoreError::Unavailable(format!("photos: {}", error.kind()))
}

/// A file under its temporary name, which is removed on drop.
pub(crate) struct Unfinished {
    folder: Folder,
    id: MediaId,
}

impl Unfinished {
    /// Checks that there is still room for the file.
    ///
    /// # Errors
    /// Those of [`Folder::check_space`].
    pub(crate) async fn check_space(&self) -> Result<(), StoreError> {
        self.folder.off_the_workers(Folder::check_space).await
    }

    /// Gives the file, whose content is durable, the name of an object. Durable when it returns.
    pub(crate) fn finish(self, object: MediaId) -> io::Result<()> {
        let Self { folder, id } = &self;
        fs::rename(folder.unfinished(*id), folder.path.join(object.to_string()))?;
        folder.sync()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // A finished file no longer has this name. If it cannot be removed, it is found later: its name
        // contains the id of its object.
        let _ = fs::remove_file(self.folder.unfinished(self.id));
    }
}

/// Options for a new file that only its owner may read. Each id is used once, so the file must not
/// exist.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_keeps_a_twentieth_or_a_gibibyte() {
        for (free, size, is_full) in [
            (5, 100, false),
            (4, 100, true),
            (RESERVE, 1 << 50, false),
            (RESERVE - 1, 1 << 50, true),
            (0, 0, false),
        ] {
            assert_eq!(is_short(free, size), is_full, "{free} of {size}");
        }
    }
}
