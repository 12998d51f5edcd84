//! Errors of stores.

use thiserror::Error;

use super::{fault::Refusal, holder::Held};

/// A failure of a store. These errors are logged, so they never contain a value of a record, an
/// address or a password.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StoreError {
    /// The store cannot be reached, is full, is locked by another process, or is overloaded. The
    /// same request may succeed later. A change may have been stored if the connection was lost
    /// during the commit.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// A stored record cannot be decoded.
    #[error("{table}.{column} of {row} is corrupt: {cause}")]
    Corrupt {
        /// The table, for example `users`.
        table: &'static str,
        /// The column, for example `role`.
        column: &'static str,
        /// The id of the row.
        row: String,
        /// Why the value cannot be decoded. Does not contain the value.
        cause: String,
    },
    /// A page is larger than [`PART_BYTES`](crate::list::PART_BYTES), the most that is held in
    /// memory. The same query succeeds [in parts](crate::list::Query::in_parts). Only lists return
    /// this error.
    #[error("the page is too large to be sent at once")]
    PageTooLarge,
    /// Any other failure: a defect of Patrol or of the store.
    #[error("the store failed: {0}")]
    Internal(String),
}

/// Why a change of a record failed. Nothing was stored, except perhaps after
/// [`StoreError::Unavailable`]: the result of the commit may be unknown.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EditError {
    /// The record does not exist.
    #[error("no such record")]
    Missing,
    /// The record has another version than the caller expects.
    #[error("the record has another version than expected")]
    Stale,
    /// The record cannot be deleted, because other records refer to it. Contains the kinds of these
    /// records, in the order of [`Holder::of`](super::holder::Holder::of).
    #[error("other records refer to the record")]
    InUse(Vec<Held>),
    /// Another run of the same request holds the `Idempotency-Key` now, so this run may not change
    /// anything.
    #[error("another run of the request holds its idempotency key")]
    Superseded,
    /// The domain refused the change.
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
