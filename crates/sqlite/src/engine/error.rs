//! What goes wrong in SQLite, and what it means to a caller.

use std::path::PathBuf;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use patrol_domain::StoreError;
use thiserror::Error;

/// How a job ends that does not succeed.
#[derive(Debug)]
pub(crate) enum Abort<E> {
    /// The caller's own refusal: what the job has written is taken back, the group goes on.
    Refused(E),
    /// A constraint violation ends only this job, anything else rolls back the group.
    Database(DieselError),
    /// A failure that concerns only this job, such as a corrupt record.
    Store(StoreError),
}

impl<E> From<DieselError> for Abort<E> {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

impl<E> From<StoreError> for Abort<E> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl<E> Abort<E> {
    /// The same with another refusal.
    pub(crate) fn map<F>(self, refusal: impl FnOnce(E) -> F) -> Abort<F> {
        match self {
            Self::Refused(error) => Abort::Refused(refusal(error)),
            Self::Database(error) => Abort::Database(error),
            Self::Store(error) => Abort::Store(error),
        }
    }
}

impl<E: From<StoreError>> Abort<E> {
    /// What the caller is told.
    pub(super) fn into_error(self) -> E {
        match self {
            Self::Refused(refusal) => refusal,
            Self::Database(error) => E::from(store_error(&error)),
            Self::Store(error) => E::from(error),
        }
    }
}

/// Why a database cannot be opened.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpenError {
    /// The file or its folder cannot be created, read or written.
    #[error("cannot open {}: {reason}", path.display())]
    Inaccessible {
        /// The file.
        path: PathBuf,
        /// What the operating system or SQLite says.
        reason: String,
    },
    /// The file is there, but it is no database, or a damaged one.
    #[error("{} is not a database, or is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// Another process holds the lock for longer than this one waits.
    #[error("{} is locked by another process", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// No file is there, and the caller does not make one.
    #[error("there is no store at {}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The database belongs to another program.
    #[error("{} is a database of another program, not a store of Patrol", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The schema is older than the program, and the caller does not change it.
    #[error("the schema of {} is older than this program", path.display())]
    Outdated {
        /// The file.
        path: PathBuf,
    },
    /// The schema cannot be brought up to date.
    #[error("cannot bring the schema of {} up to date: {reason}", path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
}

/// What SQLite means. Diesel passes on the code of a constraint only; the others are told apart by
/// their texts, which SQLite gives for the code and never translates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// A constraint does not hold: only the statement was taken back.
    Constraint,
    /// Another connection holds a lock.
    Busy,
    /// The file is no database, or a damaged one.
    Damaged,
    /// The machine does not do what SQLite asks of it: it is full, or broken, or may not be written.
    Machine,
    /// The list has to end ([`super::watch`]).
    Interrupted,
    /// ROLLBACK after SQLite has ended the transaction by itself.
    NoTransaction,
    /// A defect.
    Other,
}

pub(super) fn cause(error: &DieselError) -> Cause {
    let DieselError::DatabaseError(kind, information) = error else {
        return Cause::Other;
    };
    match kind {
        DatabaseErrorKind::UniqueViolation
        | DatabaseErrorKind::ForeignKeyViolation
        | DatabaseErrorKind::NotNullViolation
        | DatabaseErrorKind::CheckViolation => Cause::Constraint,
        _ => match information.message() {
            "database is locked" | "database table is locked" | "locking protocol" => Cause::Busy,
            "file is not a database" | "database disk image is malformed" => Cause::Damaged,
            "database or disk is full"
            | "disk I/O error"
            | "unable to open database file"
            | "attempt to write a readonly database"
            | "access permission denied"
            | "out of memory" => Cause::Machine,
            "interrupted" => Cause::Interrupted,
            "cannot rollback - no transaction is active" => Cause::NoTransaction,
            _ => Cause::Other,
        },
    }
}

/// What a caller is told. SQLite's own messages name tables and columns but no values, since values
/// are bound; what Diesel says of a value that it cannot read may quote it, and is left out.
pub(super) fn store_error(error: &DieselError) -> StoreError {
    match (cause(error), error) {
        (Cause::Busy, _) => {
            StoreError::Unavailable("the database is locked by another process".to_owned())
        }
        (Cause::Interrupted, _) => {
            StoreError::Unavailable("nobody waits for the answer any more".to_owned())
        }
        (Cause::Machine, DieselError::DatabaseError(_, information)) => {
            StoreError::Unavailable(information.message().to_owned())
        }
        (_, DieselError::DatabaseError(_, information)) => {
            StoreError::Internal(information.message().to_owned())
        }
        (_, DieselError::DeserializationError(_)) => {
            StoreError::Internal("a stored value cannot be read".to_owned())
        }
        (_, DieselError::NotFound) => {
            StoreError::Internal("a row that has to be there is not".to_owned())
        }
        _ => StoreError::Internal("a statement cannot be made".to_owned()),
    }
}

/// What a caller is told whose job was given up: it has panicked, or the store is closed.
pub(super) fn lost() -> StoreError {
    StoreError::Internal("the request was given up".to_owned())
}
