//! Errors of use cases.

use patrol_domain::{EditError, Fault, Held, Path, Refusal, Rule, StoreError};
use thiserror::Error;

/// The reason why a use case failed. Nothing was changed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure {
    /// The record in the path does not exist.
    #[error("no such record")]
    NotFound,
    /// The user of the caller was deleted, or is no longer ACTIVE, since the credential was verified.
    #[error("the user of the caller is deleted or not ACTIVE")]
    CallerInvalid,
    /// Records in the body do not exist. Contains the paths of their ids, for example `[2].id`.
    #[error("records in the body do not exist")]
    Unknown(Vec<String>),
    /// The body contains the same record more than once. Contains the paths of the ids after the
    /// first one, for example `[2].id`.
    #[error("the body contains a record more than once")]
    Repeated(Vec<String>),
    /// The record has another version than the one in `If-Match`.
    #[error("the record has another version than expected")]
    Stale,
    /// Records of these kinds refer to the record, which therefore cannot be deleted.
    #[error("other records refer to the record")]
    InUse(Vec<Held>),
    /// Another run of the same request with an `Idempotency-Key` has taken its place.
    #[error("another run of the request has taken its place")]
    Superseded,
    /// The domain refused the change.
    #[error("the change is refused")]
    Refused(Refusal),
    /// The store failed. The same request may succeed later.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Failure {
    /// A failure with one fault: the field at `path` breaks `rule`.
    #[must_use]
    pub fn fault(path: &Path<'_>, rule: Rule) -> Self {
        Self::Refused(Refusal::Invalid(vec![Fault { identifier: path.to_string(), rule }]))
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Missing => Self::NotFound,
            EditError::Stale => Self::Stale,
            EditError::InUse(held) => Self::InUse(held),
            EditError::Superseded => Self::Superseded,
            EditError::Refused(refusal) => Self::Refused(refusal),
            EditError::Store(error) => Self::Store(error),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
