//! What import and export ask of a store.

use std::pin::Pin;

use async_trait::async_trait;
use futures_core::Stream;
use thiserror::Error;

use super::Record;
use crate::shared::{error::StoreError, fault::Fault, timestamp::Timestamp};

/// Records in the order of their lines, each with the number of its line; an error is a line that
/// cannot be read, as a sentence for a person. Called on a thread that may block.
pub type Source = Box<dyn Iterator<Item = Result<(u64, Record), String>> + Send>;

/// Records in batches, in an order that defines before it refers. After an error nothing follows.
pub type Export = Pin<Box<dyn Stream<Item = Result<Vec<Record>, StoreError>> + Send>>;

/// How much was imported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// Records.
    pub records: u64,
}

/// Why nothing was imported.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImportError {
    /// A line cannot be read.
    #[error("{0}")]
    Source(String),
    /// A record cannot be stored: something that it refers to is missing, or something of it is
    /// there already.
    #[error("line {line} is refused")]
    Refused {
        /// The number of the line.
        line: u64,
        /// What is wrong, in the order of the members; never empty.
        faults: Vec<Fault>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A store as a whole.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DataSets: Send + Sync {
    /// Whether the store holds no record at all.
    async fn is_empty(&self) -> Result<bool, StoreError>;

    /// Stores all records of the source, or none of them, in bounded memory. `at` is the time that
    /// the history of points records. An execution MUST get a version that none of the same id has
    /// had before, even when that was deleted, as long as `at` is later than the import of that one.
    ///
    /// # Errors
    /// `Source` with the first line that cannot be read. `Refused` MUST name every reference of
    /// the line that does not exist (`Reference`) and every value that another record has already
    /// (`Unique`): id, employeeNo, email, qrCode, rfidCode, the ids of check-list actions.
    async fn import(&self, source: Source, at: Timestamp) -> Result<Imported, ImportError>;

    /// All records of one snapshot, without photos, tokens and password hashes.
    fn export(&self) -> Export;
}
