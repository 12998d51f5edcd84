//! The ports of media: their records, and the place of their files.

use std::{ops::Range, pin::Pin};

use async_trait::async_trait;
use futures_core::Stream;

use super::{Medium, Sha256};
use crate::shared::{
    error::StoreError,
    ids::MediaId,
    records::{Create, Delete, Get},
    timestamp::Timestamp,
};

/// A store of the records of media. A creation ends the announcement of the object; it fails with
/// `Unavailable` when the object is not announced, or is marked for removal. A deletion announces the
/// object and marks it for removal, and is refused while an entry or an action names the medium. See
/// [`crate::photo::ImageOwners`].
#[async_trait]
pub trait Media: Get<Medium> + Create<Medium> + Delete<Medium> {
    /// The media created before `until` that no entry of a report and no action names, by id after
    /// `after`: at most `limit`.
    async fn unused(
        &self,
        until: Timestamp,
        after: Option<MediaId>,
        limit: u32,
    ) -> Result<Vec<MediaId>, StoreError>;
}

/// The place of the files of media. A file never changes. [`Photos`](crate::photo::Photos) removes
/// files, because both are objects of the same place.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait MediaFiles: Send + Sync {
    /// Begins a file under a new id. Its bytes are held on a disk, not in memory.
    async fn begin(&self, object: MediaId) -> Result<Box<dyn NewMediaFile>, StoreError>;

    /// The bytes of a part of the file; `None` when there is no such file.
    async fn read(
        &self,
        object: MediaId,
        part: Range<u64>,
    ) -> Result<Option<MediaBytes>, StoreError>;
}

/// The bytes of a file, piece by piece. After an error the file is incomplete.
pub type MediaBytes = Pin<Box<dyn Stream<Item = Result<Vec<u8>, StoreError>> + Send>>;

/// A file that arrives. Nobody can read it before [`Self::store`]. A file that is dropped before is
/// removed.
#[async_trait]
pub trait NewMediaFile: Send {
    /// Appends a piece.
    async fn append(&mut self, piece: &[u8]) -> Result<(), StoreError>;

    /// What has arrived.
    fn received(&self) -> ReceivedFile;

    /// Stores the file under this id. It is durable when the method returns.
    async fn store(self: Box<Self>, object: MediaId) -> Result<(), StoreError>;
}

/// What is known of a file that has arrived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReceivedFile {
    /// Bytes.
    pub size: u64,
    /// Of all bytes.
    pub sha256: Sha256,
    /// The first bytes, at most [`MediaType::HEAD`](super::MediaType::HEAD).
    pub head: Vec<u8>,
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    Media: Get<Medium> Create<Medium> Delete<Medium> {
        async fn unused(until: Timestamp, after: Option<MediaId>, limit: u32) -> [Result<Vec<MediaId>, StoreError>];
    }
}
