//! Files of media: they arrive piece by piece on a disk, and are read in parts.

use std::{io::SeekFrom, ops::Range, sync::Arc};

use async_trait::async_trait;
use futures_util::stream;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};
use patrol_domain::{
    StoreError,
    ids::MediaId,
    media::{MediaBytes, MediaFiles, MediaType, NewMediaFile, ReceivedFile},
};
use sha2::{Digest as _, Sha256};
use tokio::{
    fs,
    io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _},
    sync::Semaphore,
};

use crate::{
    PhotoStore,
    folder::{Unfinished, disk_failure, off_the_workers},
    store::{Failures, counted, failure, is_absent, name},
};

/// How many bytes are read from a place at once. A slow reader makes no request to S3 last longer.
const PIECE: u64 = 512 << 10;

/// A file is written on after so many bytes only if there is still room for it.
const CHECKED: u64 = 4 << 20;

/// How many files are sent to S3 at once. Each takes two parts of 5 MiB.
static SENDERS: Semaphore = Semaphore::const_new(3);

#[async_trait]
impl MediaFiles for PhotoStore {
    async fn begin(&self, object: MediaId) -> Result<Box<dyn NewMediaFile>, StoreError> {
        let begun = match self.folder.clone() {
            Some(folder) => off_the_workers(move || folder.begin(object))
                .await
                .map(|(file, unfinished)| (file, Destination::Folder(unfinished))),
            None => off_the_workers(tempfile::tempfile)
                .await
                .map(|file| (file, Destination::Objects(Arc::clone(&self.objects)))),
        };
        let (file, destination) = counted(begun, &self.failures.put)?;
        Ok(Box::new(Arriving {
            file: fs::File::from_std(file),
            destination,
            failures: Arc::clone(&self.failures),
            size: 0,
            digest: Sha256::new(),
            head: Vec::new(),
        }))
    }

    async fn read(
        &self,
        object: MediaId,
        part: Range<u64>,
    ) -> Result<Option<MediaBytes>, StoreError> {
        let first = match piece(self.objects.as_ref(), object, &part).await {
            Err(error) if is_absent(&error) => return Ok(None),
            first => counted(first.map_err(|error| failure(&error)), &self.failures.get)?,
        };
        let rest = part.start.saturating_add(PIECE).min(part.end)..part.end;
        let begin = (Arc::clone(&self.objects), Some(first), rest);
        let pieces = stream::try_unfold(begin, move |(objects, first, mut rest)| async move {
            let next = match first {
                Some(first) => first,
                None if rest.is_empty() => return Ok(None),
                None => {
                    let next = piece(objects.as_ref(), object, &rest).await;
                    rest.start = rest.start.saturating_add(PIECE).min(rest.end);
                    next.map_err(|error| failure(&error))?
                }
            };
            Ok(Some((next, (objects, None, rest))))
        });
        Ok(Some(Box::pin(pieces)))
    }
}

/// The first bytes of this part of an object.
async fn piece(
    objects: &dyn ObjectStore,
    object: MediaId,
    part: &Range<u64>,
) -> object_store::Result<Vec<u8>> {
    let end = part.start.saturating_add(PIECE).min(part.end);
    Ok(objects.get_range(&name(object), part.start..end).await?.into())
}

/// A file that arrives: in the folder under its temporary name, or without a name until it is sent to
/// S3.
struct Arriving {
    file: fs::File,
    destination: Destination,
    failures: Arc<Failures>,
    size: u64,
    digest: Sha256,
    head: Vec<u8>,
}

/// Where a complete file goes.
enum Destination {
    Folder(Unfinished),
    Objects(Arc<dyn ObjectStore>),
}

#[async_trait]
impl NewMediaFile for Arriving {
    async fn append(&mut self, piece: &[u8]) -> Result<(), StoreError> {
        let written = self.file.write_all(piece).await.map_err(|error| disk_failure(&error));
        counted(written, &self.failures.put)?;
        self.digest.update(piece);
        let missing = MediaType::HEAD.saturating_sub(self.head.len());
        self.head.extend(piece.iter().take(missing));
        let before = self.size;
        self.size = before.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        match &self.destination {
            Destination::Folder(unfinished) if before / CHECKED < self.size / CHECKED => {
                counted(unfinished.check_space().await, &self.failures.put)
            }
            _ => Ok(()),
        }
    }

    fn received(&self) -> ReceivedFile {
        let sha256 = self.digest.clone().finalize().into();
        ReceivedFile { size: self.size, sha256, head: self.head.clone() }
    }

    async fn store(self: Box<Self>, object: MediaId) -> Result<(), StoreError> {
        let Self { file, destination, failures, .. } = *self;
        counted(keep(file, destination, object).await, &failures.put)
    }
}

/// Makes a complete file durable, and gives it its name.
async fn keep(
    mut file: fs::File,
    destination: Destination,
    object: MediaId,
) -> Result<(), StoreError> {
    file.flush().await.map_err(|error| disk_failure(&error))?;
    match destination {
        Destination::Folder(unfinished) => {
            file.sync_all().await.map_err(|error| disk_failure(&error))?;
            off_the_workers(move || unfinished.finish(object)).await
        }
        Destination::Objects(objects) => send(&mut file, objects.as_ref(), object).await,
    }
}

/// Sends a file to S3 in parts.
async fn send(
    file: &mut fs::File,
    objects: &dyn ObjectStore,
    object: MediaId,
) -> Result<(), StoreError> {
    // The semaphore is never closed.
    let _permit = SENDERS.acquire().await;
    file.seek(SeekFrom::Start(0)).await.map_err(|error| disk_failure(&error))?;
    let upload = objects.put_multipart(&name(object)).await.map_err(|error| failure(&error))?;
    let mut parts = WriteMultipart::new(upload);
    let mut piece = Vec::new();
    loop {
        piece.clear();
        let read = (&mut *file).take(PIECE).read_to_end(&mut piece).await;
        let sent = match read {
            Ok(0) => break,
            Ok(_) => {
                parts.write(&piece);
                parts.wait_for_capacity(1).await.map_err(|error| failure(&error))
            }
            Err(error) => Err(disk_failure(&error)),
        };
        if let Err(error) = sent {
            // The place removes the parts of abandoned uploads by a rule of the bucket, if this fails.
            let _ = parts.abort().await;
            return Err(error);
        }
    }
    parts.finish().await.map(drop).map_err(|error| failure(&error))
}
