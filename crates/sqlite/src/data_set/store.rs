//! Stores the records of an import.

use diesel::SqliteConnection;
use patrol_domain::{Timestamp, data_set::Record};
use patrol_repository::data_set;

use super::{executions::Executions, failure::Failure};
use crate::{
    engine::{JobConnection, poll_once},
    task_execution::PreparedExecution,
};

/// Stores a new record. References are not checked beforehand: the record may violate a constraint of a
/// table. `prepared` are the columns and documents of an execution, serialised ahead of the writer.
pub(super) fn store(
    conn: &mut SqliteConnection,
    record: &Record,
    prepared: Option<&PreparedExecution>,
    executions: &mut Executions,
    at: Timestamp,
) -> Result<(), Failure> {
    if let Record::TaskExecution(new) = record {
        return executions.store(conn, new, prepared, at);
    }
    let job = JobConnection::of(conn);
    if poll_once(data_set::breaks_rule(&job, record))? {
        return Err(Failure::Refused { own_row_is_stored: false });
    }
    let Err(abort) = poll_once(data_set::store(&job, &[record], at)) else { return Ok(()) };
    // The own row of a record is stored first.
    Err(Failure::new(abort, job.has_executed()))
}
