//! Errors of PostgreSQL, and how they are reported.

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use patrol_domain::StoreError;
pub(super) use patrol_repository::parts::lost;
pub(crate) use patrol_repository::stored::Abort;
use thiserror::Error;
use tokio_postgres::error::{Error as PostgresError, SqlState};

/// The error for the caller of a failed job.
pub(super) fn caller_error<E: From<StoreError>>(abort: Abort<E>) -> E {
    abort.into_error(store_error)
}

/// Why a database cannot be opened. Messages contain no address and no password.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpenError {
    /// It does not answer, or not yet. A later attempt may succeed.
    #[error("cannot reach the database: {0}")]
    Unreachable(String),
    /// It refuses the connection: wrong user, wrong password, no such database, or a certificate
    /// that cannot be verified.
    #[error("the database refuses the connection: {0}")]
    Refused(String),
    /// The database is not a store, and the caller does not create one.
    #[error("the database holds no store")]
    Missing,
    /// The schema is older than the program, and the caller does not migrate it.
    #[error("the schema of the database is older than this program")]
    Outdated,
    /// The migration of the schema failed.
    #[error("cannot bring the schema up to date: {0}")]
    Schema(String),
    /// Patrol itself cannot start, for example a thread.
    #[error("cannot start: {0}")]
    Machine(String),
}

/// The kind of an error of PostgreSQL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// A conflict with another transaction: a retry may succeed.
    Conflict,
    /// A constraint is violated.
    Constraint,
    /// The connection is lost or about to be.
    Lost,
    /// The session cannot write: the server has become a standby.
    ReadOnly,
    /// The server has no time, memory, disk space or lock for this.
    Busy,
    /// A defect.
    Other,
}

impl Cause {
    /// Whether the connection cannot be used any more.
    pub(super) const fn ends_connection(self) -> bool {
        matches!(self, Self::Lost | Self::ReadOnly)
    }
}

pub(super) fn cause(error: &DieselError) -> Cause {
    let DieselError::DatabaseError(kind, information) = error else {
        return Cause::Other;
    };
    match kind {
        DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection => Cause::Lost,
        DatabaseErrorKind::SerializationFailure => Cause::Conflict,
        DatabaseErrorKind::ReadOnlyTransaction => Cause::ReadOnly,
        DatabaseErrorKind::UniqueViolation
        | DatabaseErrorKind::ForeignKeyViolation
        | DatabaseErrorKind::NotNullViolation
        | DatabaseErrorKind::RestrictViolation
        | DatabaseErrorKind::ExclusionViolation
        | DatabaseErrorKind::CheckViolation => Cause::Constraint,
        _ => of_state(state(information.message())),
    }
}

/// The kind of a SQLSTATE (PostgreSQL documentation, appendix A).
fn of_state(state: &str) -> Cause {
    match state {
        "40001" | "40P01" => Cause::Conflict,
        "25006" => Cause::ReadOnly,
        // Shutdown, crash, starting up, dropped database, idle for too long; idle in a transaction
        // for too long; outcome unknown.
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" | "25P04" | "40003" => {
            Cause::Lost
        }
        // Cancelled or too slow; lock not available; I/O error.
        "57014" | "55P03" | "55006" | "58030" => Cause::Busy,
        // Connection exceptions; disk full, out of memory, too many connections.
        _ if state.starts_with("08") => Cause::Lost,
        _ if state.starts_with("53") => Cause::Busy,
        _ if state.starts_with("23") => Cause::Constraint,
        _ => Cause::Other,
    }
}

/// The error for the caller. PostgreSQL's messages contain names of tables and columns. Only
/// messages about invalid data (class 22) quote values; they are left out, like Diesel's messages
/// about such data.
pub(super) fn store_error(error: &DieselError) -> StoreError {
    match (cause(error), error) {
        (Cause::Conflict, _) => {
            StoreError::Unavailable("too many changes at once to the same records".to_owned())
        }
        (Cause::ReadOnly, _) => {
            StoreError::Unavailable("the database does not allow writes".to_owned())
        }
        (Cause::Lost | Cause::Busy, DieselError::DatabaseError(_, information)) => {
            StoreError::Unavailable(information.message().to_owned())
        }
        (_, DieselError::DatabaseError(_, information)) => {
            let message = information.message();
            let state = state(message);
            let is_quoting = state.starts_with("22");
            StoreError::Internal(if is_quoting { state } else { message }.to_owned())
        }
        (_, DieselError::DeserializationError(_)) => {
            StoreError::Internal("a stored value cannot be read".to_owned())
        }
        (_, DieselError::NotFound) => StoreError::Internal("a required row is missing".to_owned()),
        _ => StoreError::Internal("a statement cannot be made".to_owned()),
    }
}

/// An error of the connection itself.
pub(super) fn connection_lost(reason: impl Into<String>) -> DieselError {
    DieselError::DatabaseError(DatabaseErrorKind::UnableToSendCommand, Box::new(reason.into()))
}

/// The error in Diesel's form. Diesel has no field for the SQLSTATE, and messages are in the
/// server's language, so the message starts with it: `40P01 deadlock detected`.
pub(super) fn database_error(error: &PostgresError) -> DieselError {
    let Some(error) = error.as_db_error() else {
        return connection_lost(text(error));
    };
    let kind = match *error.code() {
        SqlState::UNIQUE_VIOLATION => DatabaseErrorKind::UniqueViolation,
        SqlState::FOREIGN_KEY_VIOLATION => DatabaseErrorKind::ForeignKeyViolation,
        SqlState::RESTRICT_VIOLATION => DatabaseErrorKind::RestrictViolation,
        SqlState::EXCLUSION_VIOLATION => DatabaseErrorKind::ExclusionViolation,
        SqlState::NOT_NULL_VIOLATION => DatabaseErrorKind::NotNullViolation,
        SqlState::CHECK_VIOLATION => DatabaseErrorKind::CheckViolation,
        SqlState::T_R_SERIALIZATION_FAILURE => DatabaseErrorKind::SerializationFailure,
        SqlState::READ_ONLY_SQL_TRANSACTION => DatabaseErrorKind::ReadOnlyTransaction,
        _ => DatabaseErrorKind::Unknown,
    };
    // Without the details, because they quote values.
    let message = format!("{} {}", error.code().code(), error.message());
    DieselError::DatabaseError(kind, Box::new(message))
}

/// The message of the driver for an error that the server has not reported, with its causes.
pub(super) fn text(error: &PostgresError) -> String {
    match std::error::Error::source(error) {
        Some(reason) => format!("{error}: {reason}"),
        None => error.to_string(),
    }
}

/// Whether the statement failed only because another one of its transaction had failed before it.
pub(super) fn is_consequence(error: &DieselError) -> bool {
    state_of(error) == "25P02"
}

/// The SQLSTATE of an error of the server, or "".
pub(super) fn state_of(error: &DieselError) -> &str {
    match error {
        DieselError::DatabaseError(_, information) => state(information.message()),
        _ => "",
    }
}

/// The SQLSTATE at the start of a message of [`database_error`], or "".
fn state(message: &str) -> &str {
    message.split_once(' ').map_or("", |(state, _)| state)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(message: &str) -> DieselError {
        DieselError::DatabaseError(DatabaseErrorKind::Unknown, Box::new(message.to_owned()))
    }

    #[test]
    fn what_the_server_reports_is_told_by_its_state_in_any_language() {
        for (message, meant) in [
            ("40P01 Verklemmung entdeckt", Cause::Conflict),
            ("57P01 breche Verbindung ab", Cause::Lost),
            ("57P03 the database system is starting up", Cause::Lost),
            ("08006 connection failure", Cause::Lost),
            ("25P03 terminating connection", Cause::Lost),
            ("25006 cannot execute UPDATE", Cause::ReadOnly),
            ("57014 canceling statement", Cause::Busy),
            ("53100 could not extend file", Cause::Busy),
            ("55P03 lock not available", Cause::Busy),
            ("23514 a check", Cause::Constraint),
            ("42P01 relation does not exist", Cause::Other),
            ("", Cause::Other),
        ] {
            assert_eq!(cause(&reported(message)), meant, "{message}");
        }
    }

    #[test]
    fn only_a_defect_is_an_internal_error() {
        let is_unavailable =
            |message| matches!(store_error(&reported(message)), StoreError::Unavailable(_));
        for message in ["40P01 a", "57P01 a", "25006 a", "53100 a"] {
            assert!(is_unavailable(message), "{message}");
        }
        assert!(!is_unavailable("42P01 a") && !is_unavailable("23505 a"));
    }
}
