//! How a store fails.

use thiserror::Error;

use super::fault::Refusal;

/// A failure of a store. It never carries a value of a record, nor an address or a password.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StoreError {
    /// The store cannot be reached, is full, is locked by another process, or has more to do than
    /// it takes on. The same request may succeed later.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// A stored record cannot be read.
    #[error("{table}.{column} of {row} is corrupt: {cause}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row, by its id.
        row: String,
        /// What is wrong with it.
        cause: String,
    },
    /// Anything else: a defect, here or in the store.
    #[error("the store failed: {0}")]
    Internal(String),
}

/// Why a record was not changed. Nothing was stored.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EditError {
    /// There is no such record.
    #[error("no such record")]
    Missing,
    /// The record has another version than the caller expects.
    #[error("the record has changed since")]
    Stale,
    /// The domain refuses the change.
    #[error("the change is refused")]
    Refused(Refusal),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Refusal> for EditError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
