//! The port of import and export.

use std::pin::Pin;

use async_trait::async_trait;
use futures_core::Stream;
use thiserror::Error;

use super::Record;
use crate::{
    event::Origin,
    shared::{
        error::StoreError,
        existing::Reference,
        fault::{Fault, Rule},
        resource::Resource,
    },
};

/// Records in the order of their lines, each with its line number. An error describes a line that
/// cannot be read, as a sentence for the operator. The iterator may block, so use it on a thread for
/// blocking work.
pub type Source = Box<dyn Iterator<Item = Result<(u64, Record), String>> + Send>;

/// Batches of records. A record comes after the records that it refers to. An error ends the stream.
pub type Export = Pin<Box<dyn Stream<Item = Result<Vec<Record>, StoreError>> + Send>>;

/// The result of an import: the number of imported records of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// One count for each kind, in the order of [`Record::KINDS`].
    counts: [u64; Record::KINDS.len()],
}

impl Imported {
    /// Adds one record of this kind.
    pub fn add(&mut self, kind: Resource) {
        for (known, count) in Record::KINDS.iter().zip(&mut self.counts) {
            *count += u64::from(*known == kind);
        }
    }

    /// The kinds, each with its number of records.
    pub fn kinds(&self) -> impl Iterator<Item = (Resource, u64)> {
        Record::KINDS.iter().copied().zip(self.counts)
    }

    /// The number of records of all kinds.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The maximum number of refused lines that an import reports. The import stops when it has found
/// them.
pub const MAX_REFUSED_LINES: usize = 20;

/// A line whose record cannot be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedLine {
    /// The line number, from 1.
    pub line: u64,
    /// The broken rules, in the order of the members; at least one.
    pub faults: Vec<Fault>,
    /// The references to missing records, each with the path of its member.
    pub missing: Vec<(String, Reference)>,
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
        let missing = references.filter(|(identifier, _)| is_broken(identifier)).collect();
        Self { line, faults, missing }
    }
}

/// The lines that an import refuses, up to [`MAX_REFUSED_LINES`]. After the first refused line the
/// import continues only to find further ones; at its end everything is rolled back.
#[derive(Default)]
pub struct RefusedLines(Vec<RefusedLine>);

impl RefusedLines {
    /// Adds a line.
    pub fn push(&mut self, line: RefusedLine) {
        self.0.push(line);
    }

    /// Whether the maximum is reached, so that the import can stop.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.0.len() >= MAX_REFUSED_LINES
    }

    /// The error of an import that ends at an unreadable line. `message` is the message of the
    /// source.
    #[must_use]
    pub fn with_unreadable(self, message: String) -> ImportError {
        if self.0.is_empty() {
            return ImportError::Source(message);
        }
        ImportError::Refused { lines: self.0, unread: Some(message) }
    }

    /// Ends the import.
    ///
    /// # Errors
    /// `Refused` when there is a line.
    pub fn finish(self) -> Result<(), ImportError> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(ImportError::Refused { lines: self.0, unread: None })
    }
}

/// Why an import failed. Nothing was stored, except perhaps after [`StoreError::Unavailable`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImportError {
    /// The first line that cannot be read, as a sentence for the operator.
    #[error("{0}")]
    Source(String),
    /// Some records refer to missing records, or have ids or values that are already taken.
    #[error("{} lines are refused", lines.len())]
    Refused {
        /// In order of line number; 1 to [`MAX_REFUSED_LINES`] lines.
        lines: Vec<RefusedLine>,
        /// The message of the source when a later line cannot be read.
        unread: Option<String>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of a dry run of an import. A store returns it as the error of the transaction, also
/// after a success, so that the transaction is rolled back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DryRunOutcome {
    /// All records could be stored.
    Done(Imported),
    /// The import would have failed.
    Failed(ImportError),
}

impl DryRunOutcome {
    /// The result that the import would have.
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

impl From<StoreError> for DryRunOutcome {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// All records of the store, for import and export.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DataSets: Send + Sync {
    /// Whether the store contains no records.
    async fn is_empty(&self) -> Result<bool, StoreError>;

    /// Stores all records of the source or none, in bounded memory. The new records of the point
    /// history get the time of `by`; the import is one event. If an execution with the same id was
    /// imported and deleted before, the new one MUST get a version that the old one never had,
    /// provided that `by` is later than the earlier import.
    ///
    /// After the import, a schedule makes no execution from an occurrence that has an imported
    /// execution, whose execution was deleted (`left_out`), or that has ended at the time of `by`.
    /// Imported executions are not compared with the plan of their task.
    ///
    /// The entries of reports are listed in the order of their lines; accepted ones get the next
    /// numbers of their round. What follows from them is stored in their rounds: see [`Replay`](crate::report::Replay).
    ///
    /// # Errors
    /// `Source` with the first line that cannot be read. `Refused` with the first lines that cannot
    /// be stored. For each line it MUST report all references to missing records (`Reference`) and
    /// all values that another record already has (`Unique`): id, employeeNo, email, qrCode,
    /// rfidCode, the ids of check-list actions, the occurrence of an existing execution.
    async fn import(&self, source: Source, by: Origin) -> Result<Imported, ImportError>;

    /// Runs [`Self::import`] and rolls it back. Returns the counts of the records that would be
    /// stored.
    ///
    /// # Errors
    /// Those of [`Self::import`].
    async fn dry_run_import(&self, source: Source, by: Origin) -> Result<Imported, ImportError>;

    /// All records of one snapshot, without photos, tokens and password hashes. The entries of a round
    /// come together, in the order in which they arrived.
    fn export(&self) -> Export;
}
