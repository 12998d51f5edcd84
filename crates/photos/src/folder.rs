//! A folder of photos: what `object_store` leaves to be wished for there. Files are for their owner
//! only, removals are durable too, and what a killed process had begun to write has a name by which
//! it is found.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use patrol_domain::{StoreError, ids::MediaId};
use tokio::task::spawn_blocking;

/// What the name of a file ends with until the file is complete.
const UNFINISHED: &str = ".part";

/// A folder that holds a file a photo.
#[derive(Clone)]
pub(crate) struct Folder {
    path: Arc<PathBuf>,
}

impl Folder {
    /// The folder at `path`, made for its owner only when it is not there. One that is there keeps
    /// its rights.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(path)?;
        // Absolute: nobody shall lose photos by changing the directory.
        Ok(Self { path: Arc::new(fs::canonicalize(path)?) })
    }

    /// Writes a file under another name first, so that half of one is never seen. Durable when it
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
                // What stays is found by the name of the photo.
                let _ = fs::remove_file(&unfinished);
            }
            written
        })
        .await
    }

    /// Removes a file, and what a write of it has left that was cut short.
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

    /// The name that a file has when it is complete.
    pub(crate) fn finished(name: &str) -> &str {
        name.strip_suffix(UNFINISHED).unwrap_or(name)
    }

    fn unfinished(&self, id: MediaId) -> PathBuf {
        self.path.join(format!("{id}{UNFINISHED}"))
    }

    /// Makes durable which files there are.
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

/// Options with which a file is made that only its owner may read. An id is used once, so the file is
/// new.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true);
    options
}
