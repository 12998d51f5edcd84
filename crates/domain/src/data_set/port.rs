//! What import and export ask of a store.

use std::pin::Pin;

use async_trait::async_trait;
use futures_core::Stream;
use thiserror::Error;

use super::{Record, Reference};
use crate::shared::{
    error::StoreError,
    fault::{Fault, Rule},
    timestamp::Timestamp,
};

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

/// The most refused lines that an import collects before it gives up.
pub const MOST_REFUSED: usize = 20;

/// A line whose record cannot be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedLine {
    /// The number of the line.
    pub line: u64,
    /// What is wrong, in the order of the members; never empty.
    pub faults: Vec<Fault>,
    /// The references among the faults, by the identifier of the member.
    pub unknown: Vec<(String, Reference)>,
}

impl RefusedLine {
    /// The line of `record`, with these faults.
    #[must_use]
    pub fn new(line: u64, record: &Record, faults: Vec<Fault>) -> Self {
        let is_broken = |identifier: &str| {
            let names = |fault: &Fault| fault.identifier == identifier;
            faults.iter().any(|fault| fault.rule == Rule::Reference && names(fault))
        };
        let references = record.references().into_iter();
        let unknown = references.filter(|(identifier, _)| is_broken(identifier)).collect();
        Self { line, faults, unknown }
    }
}

/// Why nothing was imported.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImportError {
    /// A line cannot be read.
    #[error("{0}")]
    Source(String),
    /// Records cannot be stored: something that they refer to is missing, or something of them is
    /// there already.
    #[error("{} lines are refused", lines.len())]
    Refused {
        /// The lines in their order, at least one and at most [`MOST_REFUSED`].
        lines: Vec<RefusedLine>,
        /// What the source says when a line after them cannot be read.
        unread: Option<String>,
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
    /// `Source` with the first line that cannot be read. `Refused` with the first lines that cannot
    /// be stored; it MUST name every reference of a line that does not exist (`Reference`) and every
    /// value that another record has already (`Unique`): id, employeeNo, email, qrCode, rfidCode, the
    /// ids of check-list actions.
    async fn import(&self, source: Source, at: Timestamp) -> Result<Imported, ImportError>;

    /// Does what [`Self::import`] does, and takes everything back. Returns what would be imported.
    ///
    /// # Errors
    /// Those of [`Self::import`].
    async fn rehearse_import(&self, source: Source, at: Timestamp)
    -> Result<Imported, ImportError>;

    /// All records of one snapshot, without photos, tokens and password hashes.
    fn export(&self) -> Export;
}
