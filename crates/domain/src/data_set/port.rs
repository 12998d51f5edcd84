//! The port of import and export.

use std::pin::Pin;

use async_trait::async_trait;
use futures_core::Stream;
use thiserror::Error;

use super::{Record, Reference};
use crate::{
    event::{Origin, Resource},
    shared::{
        error::StoreError,
        fault::{Fault, Rule},
    },
};

/// Records in the order of their lines, each with its line number. An error is a line that cannot
/// be read, as a sentence for the operator. The iterator may block, so it is called on a thread for
/// blocking work.
pub type Source = Box<dyn Iterator<Item = Result<(u64, Record), String>> + Send>;

/// Batches of records, sorted so that a record comes after those it refers to. An error is the last
/// item.
pub type Export = Pin<Box<dyn Stream<Item = Result<Vec<Record>, StoreError>> + Send>>;

/// The result of an import: the number of imported records of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// In the order of [`Record::KINDS`].
    counts: [u64; Record::KINDS.len()],
}

impl Imported {
    /// Counts a record.
    pub fn add(&mut self, kind: Resource) {
        for (known, count) in Record::KINDS.iter().zip(&mut self.counts) {
            *count += u64::from(*known == kind);
        }
    }

    /// The kinds, each with its number of records.
    pub fn kinds(&self) -> impl Iterator<Item = (Resource, u64)> {
        Record::KINDS.into_iter().zip(self.counts)
    }

    /// The number of records of all kinds.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The most refused lines that an import collects before it gives up.
pub const MOST_REFUSED: usize = 20;

/// A line whose record cannot be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedLine {
    /// Counted from 1.
    pub line: u64,
    /// The broken rules, in the order of the members; never empty.
    pub faults: Vec<Fault>,
    /// Records that are referred to and do not exist, each with the identifier of the referring
    /// member.
    pub unknown: Vec<(String, Reference)>,
}

impl RefusedLine {
    /// The line of `record` with these faults.
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

/// Why an import stored nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImportError {
    /// The first line that cannot be read, as a sentence for the operator.
    #[error("{0}")]
    Source(String),
    /// Some records refer to missing records, or have values or ids that are already taken.
    #[error("{} lines are refused", lines.len())]
    Refused {
        /// In order of line number; 1 to [`MOST_REFUSED`] lines.
        lines: Vec<RefusedLine>,
        /// The message of the source when a later line cannot be read.
        unread: Option<String>,
    },
    /// The store failed; nothing was imported.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of an import rehearsal. It is an error in any case, so that the transaction is rolled
/// back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rehearsal {
    /// All records could be stored.
    Done(Imported),
    /// Some records could not be stored.
    Failed(ImportError),
}

impl Rehearsal {
    /// The result that the import would have had.
    ///
    /// # Errors
    /// Those of the import.
    pub fn into_result(self) -> Result<Imported, ImportError> {
        match self {
            Self::Done(imported) => Ok(imported),
            Self::Failed(error) => Err(error),
        }
    }
}

impl From<StoreError> for Rehearsal {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// The whole store, for import and export.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DataSets: Send + Sync {
    /// Whether the store has no records at all.
    async fn is_empty(&self) -> Result<bool, StoreError>;

    /// Stores all records of the source or none, in bounded memory. The new point history records
    /// get the time of `by`, and the import is one event. An execution MUST get a version that no
    /// earlier execution with the same id had, even a deleted one, as long as that time is later
    /// than the earlier import.
    ///
    /// # Errors
    /// `Source` with the first line that cannot be read. `Refused` with the first lines that cannot
    /// be stored; it MUST name every reference of a line that does not exist (`Reference`) and
    /// every value that another record already has (`Unique`): id, employeeNo, email, qrCode,
    /// rfidCode, the ids of check-list actions.
    async fn import(&self, source: Source, by: Origin) -> Result<Imported, ImportError>;

    /// Runs [`Self::import`] and rolls it back. Returns the counts that the import would have.
    ///
    /// # Errors
    /// Those of [`Self::import`].
    async fn rehearse_import(&self, source: Source, by: Origin) -> Result<Imported, ImportError>;

    /// All records of one snapshot, except photos, tokens and password hashes.
    fn export(&self) -> Export;
}
