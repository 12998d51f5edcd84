//! Import: all records in one transaction, in batches. Only when the store refuses a batch are its
//! records stored one by one, to find the record at fault.

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use patrol_domain::{
    Timestamp, Version,
    data_set::{ImportError, Imported, MAX_REFUSED_LINES, Record, RefusedLine, Source},
    event::Origin,
    point::Point,
};
use patrol_stored::{scheduled_task::Written, schema::scheduled_tasks};

use super::{
    batch::{Line, batches},
    faults,
    known::Known,
};
use crate::{
    change::{Change, Creatable, Entity},
    check_list,
    engine::{Abort, Connection},
    event, location, task_execution, user,
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
    let mut imported = Imported::default();
    let mut known = Known::default();
    let mut refused = Vec::new();
    let mut batches = batches(source);
    while let Some(batch) = batches.recv().await {
        let lines = match batch {
            Ok(lines) => lines,
            Err(text) if refused.is_empty() => {
                return Err(Abort::Refused(ImportError::Source(text)));
            }
            Err(text) => {
                let unread = Some(text);
                return Err(Abort::Refused(ImportError::Refused { lines: refused, unread }));
            }
        };
        known.look_up(conn, &lines).await?;
        store(conn, &lines, &known, by.at, &mut refused).await?;
        if refused.len() >= MAX_REFUSED_LINES {
            break;
        }
        for (_, record) in &lines {
            imported.add(record.kind());
        }
    }
    if !refused.is_empty() {
        return Err(Abort::Refused(ImportError::Refused { lines: refused, unread: None }));
    }
    if imported.records() >= MANY {
        conn.batch_execute(
            "ANALYZE locations, graphic_plans, users, points, point_history, check_lists, \
             check_list_actions, scheduled_tasks, task_executions",
        )
        .await?;
    }
    event::append_import(conn, &imported, by).await?;
    Ok(imported)
}

/// Stores the records of `lines`. Those that cannot be stored are added to `refused`. Records after
/// the first refused one are stored only to find more of them, and are rolled back.
async fn store(
    conn: &Connection,
    lines: &[Line],
    known: &Known,
    at: Timestamp,
    refused: &mut Vec<RefusedLine>,
) -> Result<(), Abort<ImportError>> {
    let users = lines.iter().filter_map(|(_, record)| match record {
        Record::User { user, .. } => Some(&**user),
        _ => None,
    });
    let clash = user::lock_and_find_clash(conn, &users.collect::<Vec<_>>()).await?;
    if !clash && lines.iter().all(|(_, record)| known.hold_all(record)) {
        let records: Vec<_> = lines.iter().map(|(_, record)| record).collect();
        match conn.savepoint(insert(conn, &records, at)).await {
            Err(Abort::Database(DieselError::DatabaseError(
                DatabaseErrorKind::UniqueViolation,
                _,
            ))) => {}
            result => return result,
        }
    }
    for (line, record) in lines {
        let faults = faults::of(conn, record, |reference| known.holds(reference)).await?;
        if faults.is_empty() {
            insert(conn, &[record], at).await?;
            continue;
        }
        refused.push(RefusedLine::new(*line, record, faults));
        if refused.len() == MAX_REFUSED_LINES {
            break;
        }
    }
    Ok(())
}

/// Stores records of one kind.
async fn insert(
    mut conn: &Connection,
    records: &[&Record],
    at: Timestamp,
) -> Result<(), Abort<ImportError>> {
    macro_rules! all {
        ($record:pat => $value:expr) => {{
            let all = records.iter().filter_map(|record| match record {
                $record => Some($value),
                _ => None,
            });
            all.collect::<Vec<_>>()
        }};
    }
    match records.first() {
        None => {}
        Some(Record::User { .. }) => {
            user::insert(conn, &all!(Record::User { user, .. } => &**user)).await?;
            let hashes = all!(
                Record::User { user, password_hash: Some(hash) } => (user.id, hash.as_str())
            );
            user::insert_passwords(conn, &hashes).await?;
        }
        Some(Record::Location(_)) => {
            location::insert(conn, &all!(Record::Location(location) => location)).await?;
        }
        Some(Record::GraphicPlan(_)) => {
            location::insert_graphic_plans(conn, &all!(Record::GraphicPlan(plan) => plan)).await?;
        }
        Some(Record::Point(_)) => {
            let points = all!(Record::Point(point) => &**point);
            Point::insert(conn, &points).await?;
            let changes: Vec<_> = points.into_iter().map(Change::Create).collect();
            Point::record(conn, &changes, at).await?;
        }
        Some(Record::CheckList(_)) => {
            check_list::insert(conn, &all!(Record::CheckList(list) => list)).await?;
        }
        Some(Record::ScheduledTask(_)) => {
            let tasks = all!(Record::ScheduledTask(task) => Written::of(task));
            diesel::insert_into(scheduled_tasks::table).values(tasks).execute(&mut conn).await?;
        }
        Some(Record::TaskExecution(_)) => {
            let executions = all!(Record::TaskExecution(execution) => &**execution);
            // An id may have been used before. Its versions were lower than the current time in
            // milliseconds.
            task_execution::insert(conn, &executions, Version(at.millis())).await?;
        }
    }
    Ok(())
}
