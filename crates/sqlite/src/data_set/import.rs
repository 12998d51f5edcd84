//! Import: all records in one transaction. Records are stored without checking references first;
//! faults are searched only when the store refuses a record.

use std::collections::HashMap;

use diesel::{RunQueryDsl, SqliteConnection};
use patrol_domain::{
    StoreError, Timestamp,
    data_set::{ImportError, Imported, Record, RefusedLine, RefusedLines, Source},
    event::Origin,
};
use patrol_repository::{
    data_set::{self, ReportedRounds, faults},
    stored::{event::EventColumns, schema::events, tables},
};

use super::{
    executions::Executions,
    failure::Failure,
    prepare::{Line, lines},
};
use crate::{
    engine::{Abort, JobConnection, poll_once},
    revision,
    task_execution::PreparedExecution,
};

/// Stores all records of `source`.
pub(super) fn import(
    conn: &mut SqliteConnection,
    source: Source,
    by: &Origin,
) -> Result<Imported, Abort<ImportError>> {
    let lines = lines(source).map_err(|error| {
        StoreError::Unavailable(format!("a thread for reading could not be started: {error}"))
    })?;
    let mut executions = Executions::new(conn)?;
    let mut rounds = ReportedRounds::default();
    let mut imported = Imported::default();
    let mut refused = RefusedLines::default();
    'lines: loop {
        let batch = match lines.recv() {
            Ok(Ok(Some(batch))) => batch,
            Ok(Ok(None)) => break,
            Ok(Err(ImportError::Source(line))) => return Err(refused.with_unreadable(line).into()),
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => return Err(data_set::broken_off().into()),
        };
        for line in batch {
            let prepared = line.prepared.as_deref();
            match store(conn, &line.record, prepared, &mut executions, by.at) {
                Ok(()) => {
                    imported.add(line.record.kind());
                    if rounds.add(&line.record) {
                        poll_once(rounds.derive(&JobConnection::of(conn)))?;
                    }
                }
                // Records from here on are stored only to find more refused lines, and are rolled
                // back.
                Err(Failure::Refused { own_row_is_stored }) => {
                    refused.push(refusal(conn, &line, own_row_is_stored)?);
                    if refused.is_full() {
                        break 'lines;
                    }
                }
                Err(Failure::Other(abort)) => return Err(abort),
            }
        }
    }
    refused.finish()?;
    poll_once(rounds.derive(&JobConnection::of(conn)))?;
    executions.finish(conn)?;
    let changed = imported.kinds().filter(|(_, count)| *count > 0);
    // Several kinds may have the same revision.
    let changed: HashMap<_, _> = changed.map(|(kind, _)| (tables::revision(kind), kind)).collect();
    for kind in changed.into_values() {
        revision::raise(conn, kind)?;
    }
    if let Some(event) = EventColumns::of_import(&imported, by) {
        diesel::insert_into(events::table).values(event).execute(conn)?;
    }
    Ok(imported)
}

/// Stores a new record. References are not checked beforehand: the record may violate a constraint of a
/// table. `prepared` are the columns and documents of an execution, serialised ahead of the writer.
fn store(
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

/// The refusal of a record that violates a constraint.
fn refusal(
    conn: &mut SqliteConnection,
    line: &Line,
    own_row_is_stored: bool,
) -> Result<RefusedLine, Abort<ImportError>> {
    let Line { number, record, .. } = line;
    let faults = poll_once(faults(&JobConnection::of(conn), record, own_row_is_stored))?;
    if faults.is_empty() {
        let cause =
            format!("the store refuses the record of line {number}, but no fault of it is found");
        return Err(StoreError::Internal(cause).into());
    }
    Ok(RefusedLine::new(*number, record, faults))
}
