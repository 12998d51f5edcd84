//! Errors of SQLite, and how they are reported.

use std::path::PathBuf;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use patrol_domain::StoreError;
use patrol_repository::counters::CountsBy;
pub(super) use patrol_repository::parts::lost;
pub(crate) use patrol_repository::stored::Abort;
use thiserror::Error;

/// The error for the caller of a failed job.
pub(super) fn caller_error<E: From<StoreError>>(abort: Abort<E>) -> E {
    abort.into_error(store_error)
}

/// Why a database cannot be opened.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpenError {
    /// The file or its folder cannot be created, read or written.
    #[error("cannot open {}: {reason}", path.display())]
    Inaccessible {
        /// The path of the database.
        path: PathBuf,
        /// The message of the operating system or SQLite.
        reason: String,
    },
    /// The file is not a database, or is damaged.
    #[error("{} is not a database, or is damaged: {reason}", path.display())]
    Damaged {
        /// The path of the database.
        path: PathBuf,
        /// The message of SQLite.
        reason: String,
    },
    /// Another process holds the lock for too long.
    #[error("{} is locked by another process", path.display())]
    Busy {
        /// The path of the database.
        path: PathBuf,
    },
    /// The file does not exist, and the caller does not create it.
    #[error("there is no store at {}", path.display())]
    Missing {
        /// The path of the database.
        path: PathBuf,
    },
    /// The database belongs to another program.
    #[error("{} is a database of another program, not a store of Patrol", path.display())]
    Foreign {
        /// The path of the database.
        path: PathBuf,
    },
    /// The schema is older than the program, and the caller does not migrate it.
    #[error("the schema of {} is older than this program", path.display())]
    Outdated {
        /// The path of the database.
        path: PathBuf,
    },
    /// The migration of the schema failed.
    #[error("cannot bring the schema of {} up to date: {reason}", path.display())]
    Schema {
        /// The path of the database.
        path: PathBuf,
        /// The message of SQLite.
        reason: String,
    },
}

/// The kind of an SQLite error. Diesel passes on only the codes of constraints; other errors are
/// recognised by their messages, which are fixed and never translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// A constraint is violated: only the statement was rolled back.
    Constraint,
    /// Another connection holds a lock.
    Busy,
    /// The file is not a database, or is damaged.
    Damaged,
    /// An error of the machine: the disk is full, broken or read-only.
    Machine,
    /// The list was cancelled ([`super::watch`]).
    Interrupted,
    /// ROLLBACK after SQLite has ended the transaction itself.
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

/// The error for the caller. SQLite's messages contain names of tables and columns but no values,
/// because values are bound. Messages of Diesel about unreadable values may quote these values, so
/// a fixed text replaces them.
pub(super) fn store_error(error: &DieselError) -> StoreError {
    let cause = cause(error);
    count(cause, error);
    match (cause, error) {
        (Cause::Busy, _) => {
            StoreError::Unavailable("the database is locked by another process".to_owned())
        }
        (Cause::Interrupted, _) => StoreError::Unavailable("the query was cancelled".to_owned()),
        (Cause::Machine, DieselError::DatabaseError(_, information)) => {
            StoreError::Unavailable(information.message().to_owned())
        }
        (_, DieselError::DatabaseError(_, information)) => {
            StoreError::Internal(information.message().to_owned())
        }
        (_, DieselError::DeserializationError(_)) => {
            StoreError::Internal("a stored value cannot be read".to_owned())
        }
        (_, DieselError::NotFound) => StoreError::Internal("a required row is missing".to_owned()),
        _ => StoreError::Internal("a statement cannot be made".to_owned()),
    }
}

/// The errors of all stores of the process, counted where they are converted for a caller.
pub(super) static ERRORS: CountsBy<5> =
    CountsBy::errors(["full", "locked", "machine", "damaged", "other"]);

fn count(cause: Cause, error: &DieselError) {
    let is_full = matches!(error, DieselError::DatabaseError(_, information)
        if information.message() == "database or disk is full");
    ERRORS.increment(match cause {
        // A disconnected client or a value that is already used is not an error of the store.
        Cause::Constraint | Cause::Interrupted | Cause::NoTransaction => return,
        Cause::Machine if is_full => "full",
        Cause::Busy => "locked",
        Cause::Machine => "machine",
        Cause::Damaged => "damaged",
        Cause::Other => "other",
    });
}
