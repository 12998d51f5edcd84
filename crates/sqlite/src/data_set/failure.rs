//! Why an import did not store a record.

use diesel::result::{DatabaseErrorKind, Error};
use patrol_domain::data_set::ImportError;

use crate::engine::Abort;

/// Why a record was not stored.
pub(super) enum Failure {
    /// It violates a constraint. With `own_row_is_stored`, its own row was stored, and one of its
    /// other rows violates it.
    Refused {
        own_row_is_stored: bool,
    },
    Other(Abort<ImportError>),
}

impl Failure {
    /// The failure to store a further row of the record, after the record's own row was stored.
    pub(super) fn of_other_row(abort: Abort<ImportError>) -> Self {
        Self::new(abort, true)
    }

    pub(super) fn new(abort: Abort<ImportError>, own_row_is_stored: bool) -> Self {
        match abort {
            Abort::Database(Error::DatabaseError(
                DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::ForeignKeyViolation,
                _,
            )) => Self::Refused { own_row_is_stored },
            other => Self::Other(other),
        }
    }
}

impl From<Abort<ImportError>> for Failure {
    /// The failure to store the row of a record.
    fn from(abort: Abort<ImportError>) -> Self {
        Self::new(abort, false)
    }
}
