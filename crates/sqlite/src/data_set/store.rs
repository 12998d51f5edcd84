//! Stores the records of an import.

use diesel::{
    SqliteConnection,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{
    Timestamp,
    data_set::{ImportError, Record},
};
use patrol_repository::data_set;

use super::executions::Executions;
use crate::{
    engine::{Abort, JobConnection, finish},
    task_execution::New,
};

/// Why a record was not stored.
pub(super) enum Failure {
    /// It violates a constraint; its own row `is_stored` if only its other rows violate one.
    Refused {
        is_stored: bool,
    },
    Other(Abort<ImportError>),
}

impl Failure {
    /// The failure to store another row than its own.
    pub(super) fn beside(abort: Abort<ImportError>) -> Self {
        Self::new(abort, true)
    }

    fn new(abort: Abort<ImportError>, is_stored: bool) -> Self {
        match abort {
            Abort::Database(Error::DatabaseError(
                DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::ForeignKeyViolation,
                _,
            )) => Self::Refused { is_stored },
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

/// Stores a new record. References are not checked beforehand: the record may violate a constraint of a
/// table. `prepared` are the columns and documents of an execution, serialised ahead of the writer.
pub(super) fn store(
    conn: &mut SqliteConnection,
    record: &Record,
    prepared: Option<&New>,
    executions: &mut Executions,
    at: Timestamp,
) -> Result<(), Failure> {
    if let Record::TaskExecution(new) = record {
        return executions.store(conn, new, prepared, at);
    }
    let job = JobConnection::of(conn);
    if finish(data_set::breaks_rule(&job, record))? {
        return Err(Failure::Refused { is_stored: false });
    }
    let Err(abort) = finish(data_set::store(&job, &[record], at)) else { return Ok(()) };
    // The own row of a record is stored first.
    Err(Failure::new(abort, job.has_executed()))
}
