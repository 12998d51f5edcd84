//! Import: all records in one transaction, in batches. Only when the store refuses a batch are its
//! records stored one by one, to find the record at fault.

use std::collections::BTreeSet;

use diesel::{
    QueryResult,
    result::{DatabaseErrorKind, Error as DieselError},
};
use diesel_async::{RunQueryDsl as _, SimpleAsyncConnection};
use patrol_domain::{
    Timestamp,
    data_set::{ImportError, Imported, Record, RefusedLine, RefusedLines, Source},
    event::Origin,
};
use patrol_repository::{
    data_set::{self, ReportedRounds},
    stored::{event::EventColumns, schema::events, tables},
};

use super::{
    batch::{Line, batches},
    known::Known,
    occurrences,
};
use crate::{
    engine::{Abort, Connection, JobConnection},
    task_execution, user_names,
};

/// From this number of records on, `ANALYZE` runs at the end: autovacuum would update the planner
/// statistics only after a minute or more.
const MANY: u64 = 10_000;

/// Stores all records of `source`.
pub(super) async fn import(
    mut conn: &Connection,
    source: Source,
    by: &Origin,
) -> Result<Imported, Abort<ImportError>> {
    let mut rounds = ReportedRounds::default();
    let mut imported = Imported::default();
    let mut known = Known::default();
    let mut refused = RefusedLines::default();
    let mut batches = batches(source);
    loop {
        let lines = match batches.recv().await {
            Some(Ok(Some(lines))) => lines,
            Some(Ok(None)) => break,
            Some(Err(line)) => return Err(refused.with_unreadable(line).into()),
            None => return Err(data_set::broken_off().into()),
        };
        known.look_up(conn, &lines).await?;
        store(conn, &lines, &known, by.at, &mut refused).await?;
        if refused.is_full() {
            break;
        }
        for (_, record) in &lines {
            imported.add(record.kind());
            if rounds.add(record) {
                rounds.derive(&JobConnection(conn)).await?;
            }
        }
    }
    refused.finish()?;
    rounds.derive(&JobConnection(conn)).await?;
    if imported.records() >= MANY {
        conn.batch_execute(&format!("ANALYZE {}", tables::names())).await?;
    }
    if let Some(event) = EventColumns::of_import(&imported, by) {
        diesel::insert_into(events::table).values(event).execute(&mut conn).await?;
    }
    Ok(imported)
}

/// Stores the records of `lines`. Those that cannot be stored are added to `refused`. Records after
/// the first refused one are stored only to find more of them, and are rolled back.
async fn store(
    conn: &Connection,
    lines: &[Line],
    known: &Known,
    at: Timestamp,
    refused: &mut RefusedLines,
) -> Result<(), Abort<ImportError>> {
    let records: Vec<_> = lines.iter().map(|(_, record)| record).collect();
    let clash = lock_and_find_clash(conn, &records).await?;
    if !clash && records.iter().all(|record| known.hold_all(record)) {
        match conn.savepoint(data_set::store(&JobConnection(conn), &records, at)).await {
            Err(Abort::Database(DieselError::DatabaseError(
                DatabaseErrorKind::UniqueViolation,
                _,
            ))) => {}
            result => return result,
        }
    }
    for (line, record) in lines {
        let faults = data_set::faults(&JobConnection(conn), record, false).await?;
        if faults.is_empty() {
            data_set::store(&JobConnection(conn), &[record], at).await?;
            continue;
        }
        refused.push(RefusedLine::new(*line, record, faults));
        if refused.is_full() {
            break;
        }
    }
    Ok(())
}

/// Takes the locks that new records of one kind need (the rounds of entries among them), and returns
/// whether a value is taken that no unique index protects.
async fn lock_and_find_clash(conn: &Connection, records: &[&Record]) -> QueryResult<bool> {
    let mut users = Vec::new();
    let mut executions = Vec::new();
    let mut rounds = BTreeSet::new();
    for record in records {
        match record {
            Record::User(new) => users.push(&new.user),
            Record::TaskExecution(new) => executions.push(&**new),
            Record::Report(report) => {
                rounds.insert(report.execution_id);
            }
            _ => {}
        }
    }
    task_execution::lock(conn, &rounds.into_iter().collect::<Vec<_>>()).await?;
    Ok(user_names::lock_and_find_clash(conn, &users).await?
        || occurrences::lock_and_find_clash(conn, &executions).await?)
}
