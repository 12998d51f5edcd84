//! Where photos are kept.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::TryStreamExt;
use object_store::{
    BackoffConfig, ClientConfigKey, ObjectStore, ObjectStoreExt, RetryConfig,
    aws::{AmazonS3Builder, AmazonS3ConfigKey},
    local::LocalFileSystem,
    memory::InMemory,
    path::Path,
    prefix::PrefixStore,
};
use patrol_domain::{
    StoreError, Timestamp,
    ids::{MediaId, parse},
    photo::{Photo, Photos},
};
use thiserror::Error;

use crate::{folder::Folder, image::format_of};

/// Where photos are (operations, "Configuration").
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a folder, which is made when it is not there.
    Folder(PathBuf),
    /// In the memory of the process: gone with it.
    Memory,
    /// In a bucket of S3, or of a server that speaks its protocol. Region, endpoint and credentials
    /// come from the variables of the environment that begin with `AWS_`.
    S3 {
        /// The bucket.
        bucket: String,
        /// What the names of the photos begin with; may be empty.
        prefix: String,
    },
}

/// The place cannot be used.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The folder cannot be made or read.
    #[error("cannot use the folder {path} for photos: {cause}", path = path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// What the environment says of S3 does not fit together.
    #[error("cannot use S3 for photos")]
    S3,
}

/// Photos, an object each, named by the id of the photo. What format it has, its content tells: only
/// pictures that were made clean are kept.
pub struct PhotoStore {
    objects: Arc<dyn ObjectStore>,
    /// The same place, when it is a folder.
    folder: Option<Folder>,
}

/// How long S3 may take to accept a connection.
const CONNECT: &str = "3 seconds";
/// How long S3 may take to answer.
const ANSWER: &str = "10 seconds";
/// How often a request to S3 is sent again, and for how long: whoever waits for the answer of Patrol
/// can ask again as well.
const AGAIN: usize = 2;
const AGAIN_FOR: Duration = Duration::from_secs(5);

impl PhotoStore {
    /// The photos at this place. A folder is made when it is not there; S3 is not asked yet.
    ///
    /// # Errors
    /// When the folder cannot be made, or the environment says too little of S3.
    pub fn open(place: &Place) -> Result<Self, OpenError> {
        match place {
            Place::Folder(path) => {
                let failed = |cause| OpenError::Folder { path: path.clone(), cause };
                let folder = Folder::open(path).map_err(failed)?;
                let files = LocalFileSystem::new_with_prefix(path)
                    .map_err(|error| failed(io::Error::other(error)))?;
                Ok(Self { objects: Arc::new(files), folder: Some(folder) })
            }
            Place::Memory => Ok(Self { objects: Arc::new(InMemory::new()), folder: None }),
            Place::S3 { bucket, prefix } => {
                let client = |key| AmazonS3ConfigKey::Client(key);
                let s3 = AmazonS3Builder::from_env()
                    .with_bucket_name(bucket)
                    .with_config(client(ClientConfigKey::ConnectTimeout), CONNECT)
                    .with_config(client(ClientConfigKey::Timeout), ANSWER)
                    .with_retry(RetryConfig {
                        max_retries: AGAIN,
                        retry_timeout: AGAIN_FOR,
                        backoff: BackoffConfig {
                            init_backoff: Duration::from_millis(100),
                            max_backoff: Duration::from_secs(1),
                            base: 2.0,
                        },
                    })
                    .build()
                    // It would quote the environment.
                    .map_err(|_| OpenError::S3)?;
                Ok(Self { objects: Arc::new(PrefixStore::new(s3, prefix.as_str())), folder: None })
            }
        }
    }
}

#[async_trait]
impl Photos for PhotoStore {
    async fn put(&self, id: MediaId, photo: Photo) -> Result<(), StoreError> {
        match &self.folder {
            Some(folder) => folder.write(id, photo.bytes).await,
            None => match self.objects.put(&name(id), photo.bytes.into()).await {
                Ok(_) => Ok(()),
                Err(error) => Err(failure(&error)),
            },
        }
    }

    async fn get(&self, id: MediaId) -> Result<Option<Photo>, StoreError> {
        let found = match self.objects.get(&name(id)).await {
            Ok(found) => found.bytes().await,
            Err(error) => Err(error),
        };
        match found {
            Ok(bytes) => match format_of(&bytes) {
                Some(format) => Ok(Some(Photo { format, bytes: bytes.into() })),
                None => Err(StoreError::Corrupt {
                    table: "photos",
                    column: "object",
                    row: id.to_string(),
                    cause: "it is no picture".to_owned(),
                }),
            },
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failure(&error)),
        }
    }

    async fn delete(&self, id: MediaId) -> Result<(), StoreError> {
        match &self.folder {
            Some(folder) => folder.remove(id).await,
            None => match self.objects.delete(&name(id)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(failure(&error)),
            },
        }
    }

    async fn all(&self) -> Result<Vec<(MediaId, Timestamp)>, StoreError> {
        let objects = self.objects.list(None).try_filter_map(|object| async move {
            let stored = Timestamp::from_millis(object.last_modified.timestamp_millis());
            // What has another name is not Patrol's.
            Ok(object.location.filename().and_then(id_of).zip(stored))
        });
        objects.try_collect().await.map_err(|error| failure(&error))
    }
}

/// How the object of a photo is called.
fn name(id: MediaId) -> Path {
    Path::from(id.to_string())
}

/// The photo whose object, finished or not, is called so.
fn id_of(name: &str) -> Option<MediaId> {
    parse(Folder::finished(name)).map(MediaId)
}

/// What is told of a failure: never an address, nor what a server answered.
fn failure(error: &object_store::Error) -> StoreError {
    use object_store::Error;
    match error {
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            StoreError::Internal("photos: access is denied".to_owned())
        }
        Error::InvalidPath { .. } | Error::NotSupported { .. } | Error::NotImplemented { .. } => {
            StoreError::Internal("photos: it cannot do what is asked of it".to_owned())
        }
        other => match cause(other) {
            Some(kind) => StoreError::Unavailable(format!("photos: {kind}")),
            None => StoreError::Unavailable("photos cannot be reached".to_owned()),
        },
    }
}

/// What the operating system says, if it was asked.
fn cause(error: &(dyn std::error::Error + 'static)) -> Option<io::ErrorKind> {
    let mut error = Some(error);
    while let Some(this) = error {
        if let Some(io) = this.downcast_ref::<io::Error>() {
            return Some(io.kind());
        }
        error = this.source();
    }
    None
}
