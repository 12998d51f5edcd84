//! Stores photos.

use std::{io, sync::Arc};

use async_trait::async_trait;
use futures_util::TryStreamExt;
use object_store::{
    ObjectStore, ObjectStoreExt, local::LocalFileSystem, memory::InMemory, path::Path,
};
use patrol_domain::{
    Counter, Metric, Monitored, StoreError, Timestamp,
    ids::{MediaId, parse},
    photo::{Photo, Photos},
};

use crate::{
    folder::Folder,
    image::format_of,
    place::{OpenError, Place},
    s3,
};

/// Photos as objects, named by their ids. The content shows the format, because only cleaned images
/// are stored.
pub struct PhotoStore {
    pub(crate) objects: Arc<dyn ObjectStore>,
    /// The folder, when the photos are in one.
    pub(crate) folder: Option<Folder>,
    pub(crate) failures: Arc<Failures>,
}

/// Counts failures by operation.
#[derive(Default)]
pub(crate) struct Failures {
    pub(crate) put: Counter,
    pub(crate) get: Counter,
    delete: Counter,
    list: Counter,
}

impl PhotoStore {
    /// Opens the photos at this place. Creates a missing folder; does not contact S3 yet. For S3,
    /// environment variables that begin with `AWS_` are used.
    ///
    /// # Errors
    /// When the folder cannot be created, or variables for S3 are missing.
    pub fn open(
        place: &Place,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, OpenError> {
        let (objects, folder): (Arc<dyn ObjectStore>, _) = match place {
            Place::Folder(path) => {
                let failed = |cause| OpenError::Folder { path: path.clone(), cause };
                let folder = Folder::open(path).map_err(failed)?;
                let files = LocalFileSystem::new_with_prefix(path)
                    .map_err(|error| failed(io::Error::other(error)))?;
                (Arc::new(files), Some(folder))
            }
            Place::Memory => (Arc::new(InMemory::new()), None),
            Place::S3 { bucket, prefix } => (s3::open(bucket, prefix, environment)?, None),
        };
        Ok(Self { objects, folder, failures: Arc::default() })
    }
}

impl PhotoStore {
    async fn write(&self, id: MediaId, photo: Photo) -> Result<(), StoreError> {
        match &self.folder {
            Some(folder) => folder.write(id, photo.bytes).await,
            None => match self.objects.put(&name(id), photo.bytes.into()).await {
                Ok(_) => Ok(()),
                Err(error) => Err(failure(&error)),
            },
        }
    }

    async fn read(&self, id: MediaId) -> Result<Option<Photo>, StoreError> {
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
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(failure(&error)),
        }
    }

    /// A HEAD response has no body that could show whether the object or the bucket is missing, so
    /// a missing object is requested again with GET.
    async fn is_there(&self, id: MediaId) -> Result<bool, StoreError> {
        match self.objects.head(&name(id)).await {
            Ok(_) => Ok(true),
            Err(error) if is_absent(&error) => Ok(self.read(id).await?.is_some()),
            Err(error) => Err(failure(&error)),
        }
    }

    async fn remove(&self, id: MediaId) -> Result<(), StoreError> {
        match &self.folder {
            Some(folder) => folder.remove(id).await,
            None => match self.objects.delete(&name(id)).await {
                Err(error) if !is_absent(&error) => Err(failure(&error)),
                _ => Ok(()),
            },
        }
    }

    async fn list(&self) -> Result<Vec<(MediaId, Timestamp)>, StoreError> {
        let objects = self.objects.list(None).try_filter_map(|object| async move {
            let stored = Timestamp::from_millis(object.last_modified.timestamp_millis());
            // Objects with other names do not belong to Patrol.
            Ok(object.location.filename().and_then(id_of).zip(stored))
        });
        objects.try_collect().await.map_err(|error| failure(&error))
    }
}

#[async_trait]
impl Photos for PhotoStore {
    async fn put(&self, id: MediaId, photo: Photo) -> Result<(), StoreError> {
        counted(self.write(id, photo).await, &self.failures.put)
    }

    async fn get(&self, id: MediaId) -> Result<Option<Photo>, StoreError> {
        counted(self.read(id).await, &self.failures.get)
    }

    async fn exists(&self, id: MediaId) -> Result<bool, StoreError> {
        counted(self.is_there(id).await, &self.failures.get)
    }

    async fn delete(&self, id: MediaId) -> Result<(), StoreError> {
        counted(self.remove(id).await, &self.failures.delete)
    }

    async fn all(&self) -> Result<Vec<(MediaId, Timestamp)>, StoreError> {
        counted(self.list().await, &self.failures.list)
    }
}

impl Monitored for PhotoStore {
    fn metrics(&self) -> Vec<Metric> {
        let Failures { put, get, delete, list } = self.failures.as_ref();
        [("put", put), ("get", get), ("delete", delete), ("list", list)]
            .map(|(operation, failures)| {
                failures.metric(
                    "patrol_photo_place_failures_total",
                    "Requests that the place of the photos did not carry out, by operation.",
                    Some(("operation", operation)),
                )
            })
            .into()
    }
}

/// Returns the result and counts a failure.
pub(crate) fn counted<T>(
    result: Result<T, StoreError>,
    failures: &Counter,
) -> Result<T, StoreError> {
    if result.is_err() {
        failures.increment();
    }
    result
}

/// The object name of a photo or a file.
pub(crate) fn name(id: MediaId) -> Path {
    Path::from(id.to_string())
}

/// The photo with this object name, complete or temporary.
fn id_of(name: &str) -> Option<MediaId> {
    parse(Folder::finished(name)).map(MediaId)
}

/// The answer of S3 when the bucket is missing or access is denied. `object_store` has no error
/// variant for it when listing, so it is searched in the message, which is never shown.
const NO_BUCKET: &str = "<Code>NoSuchBucket</Code>";
const FORBIDDEN: &str = "status code: 403";

/// Whether the object itself is missing. If the bucket is missing, nothing is known about the
/// object.
pub(crate) fn is_absent(error: &object_store::Error) -> bool {
    let not_found = matches!(error, object_store::Error::NotFound { .. });
    not_found && !error.to_string().contains(NO_BUCKET)
}

/// The failure without the address and without the answer of the server, which may contain secrets.
pub(crate) fn failure(error: &object_store::Error) -> StoreError {
    use object_store::Error;
    let said = error.to_string();
    let internal = |what: &str| StoreError::Internal(format!("photos: {what}"));
    match error {
        _ if said.contains(NO_BUCKET) => internal("there is no such bucket"),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            internal("access is denied")
        }
        _ if said.contains(FORBIDDEN) => internal("access is denied"),
        Error::InvalidPath { .. } | Error::NotSupported { .. } | Error::NotImplemented { .. } => {
            internal("it cannot do what is asked of it")
        }
        other => match cause(other) {
            Some(kind) => StoreError::Unavailable(format!("photos: {kind}")),
            None => StoreError::Unavailable("photos cannot be reached".to_owned()),
        },
    }
}

/// The error of the operating system, if there is one.
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
