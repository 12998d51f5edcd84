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
            let unfinished = folder.unfinished(id);
            let written = private().open(&unfinished).and_then(|mut file| {
                file.write_all(&bytes)?;
                file.sync_all()?;
                fs::rename(&unfinished, folder.path.join(id.to_string()))?;
                folder.sync()
            });
            if written.is_err() {
                // If this fails too, the file is found later: its name contains the photo's id.
                let _ = fs::remove_file(&unfinished);
            }
            written
        })
        .await
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
        match spawn_blocking(move || work(&folder)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(StoreError::Unavailable(format!("photos: {}", error.kind()))),
            Err(_) => Err(StoreError::Internal("photos: a write was cut short".to_owned())),
        }
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
