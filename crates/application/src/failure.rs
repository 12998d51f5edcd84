//! Errors of use cases.

use patrol_domain::{EditError, Fault, Faults, Path, Refusal, Rule, StoreError};
use thiserror::Error;

/// Why a use case did nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure {
    /// The addressed record does not exist.
    #[error("no such record")]
    NotFound,
    /// Records named in the body do not exist. Contains the paths of their members, as [`Path`]
    /// writes them.
    #[error("no such records")]
    Unknown(Vec<String>),
    /// Records are named twice in the body. Contains the paths of the repetitions.
    #[error("records are named again")]
    Repeated(Vec<String>),
    /// The record has changed since the version in `If-Match`.
    #[error("the record has changed since")]
    Stale,
    /// The domain refused the change.
    #[error("what was sent is refused")]
    Refused(Refusal),
    /// The store failed; the same request may succeed later.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Failure {
    /// A failure with a single fault.
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

/// Fails when there are faults.
pub(crate) fn unless(faults: Faults) -> Result<(), Failure> {
    faults.or(()).map_err(Failure::Refused)
}
