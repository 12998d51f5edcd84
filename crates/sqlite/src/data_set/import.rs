//! Import: all records in one transaction. A record is stored without a look at what it refers to;
//! only when the store refuses it are its faults looked for.

use std::collections::HashSet;

use diesel::{
    SqliteConnection,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{
    StoreError, Timestamp, Version,
    data_set::{ImportError, Imported, Record, Source},
    point::{Operation, Point},
};

use super::{faults, scheduled_task};
use crate::{
    check_list,
    engine::Abort,
    location, point, reference,
    revision::{self, Aggregate},
    task_execution, user,
};

/// Stores all records of `source`.
pub(super) fn import(
    conn: &mut SqliteConnection,
    source: Source,
    at: Timestamp,
) -> Result<Imported, Abort<ImportError>> {
    let mut imported = Imported::default();
    let mut changed = HashSet::new();
    for read in source {
        let (line, record) = read.map_err(|error| Abort::Refused(ImportError::Source(error)))?;
        match insert(conn, &record, at) {
            Ok(()) => {}
            Err(Failure::Refused { row }) => return Err(refusal(conn, line, &record, row)?),
            Err(Failure::Other(abort)) => return Err(abort),
        }
        imported.records += 1;
        changed.insert(aggregate(&record));
    }
    for aggregate in changed {
        revision::raise(conn, aggregate)?;
    }
    Ok(imported)
}

fn aggregate(record: &Record) -> Aggregate {
    match record {
        Record::User { .. } => Aggregate::User,
        Record::Location(_) | Record::GraphicPlan(_) => Aggregate::Location,
        Record::Point(_) => Aggregate::Point,
        Record::CheckList(_) => Aggregate::CheckList,
        Record::ScheduledTask(_) => Aggregate::ScheduledTask,
        Record::TaskExecution(_) => Aggregate::TaskExecution,
    }
}

/// Why a record was not stored.
enum Failure {
    /// It breaks a constraint; its own row is there already when only what belongs to it does.
    Refused {
        row: Option<i64>,
    },
    Other(Abort<ImportError>),
}

impl Failure {
    fn new(abort: Abort<ImportError>, row: Option<i64>) -> Self {
        match abort {
            Abort::Database(Error::DatabaseError(
                DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::ForeignKeyViolation,
                _,
            )) => Self::Refused { row },
            other => Self::Other(other),
        }
    }
}

fn insert(conn: &mut SqliteConnection, record: &Record, at: Timestamp) -> Result<(), Failure> {
    let first = |abort| Failure::new(abort, None);
    match record {
        Record::User { user, password_hash } => {
            let row = user::insert_row(conn, user).map_err(first)?;
            let then = |abort| Failure::new(abort, Some(row));
            user::insert_locations(conn, row, user).map_err(then)?;
            if let Some(hash) = password_hash {
                user::insert_password(conn, row, hash).map_err(then)?;
            }
            Ok(())
        }
        Record::Location(location) => location::insert(conn, location).map_err(first),
        Record::GraphicPlan(plan) => location::insert_graphic_plan(conn, plan).map_err(first),
        Record::Point(point) => insert_point(conn, point, at).map_err(first),
        Record::CheckList(list) => {
            let row = check_list::insert_row(conn, list).map_err(first)?;
            check_list::insert_actions(conn, row, list)
                .map_err(|abort| Failure::new(abort, Some(row)))
        }
        Record::ScheduledTask(task) => scheduled_task::insert(conn, task).map_err(first),
        Record::TaskExecution(execution) => {
            // The id may have been used before: its versions were below the time in milliseconds.
            let version = Version(at.millis());
            let row = task_execution::insert_row(conn, execution, version).map_err(first)?;
            task_execution::insert_parts(conn, row, execution)
                .map_err(|abort| Failure::new(abort, Some(row)))
        }
    }
}

/// No foreign key can tell that a plan is one of the point's own location.
fn insert_point(
    conn: &mut SqliteConnection,
    point: &Point,
    at: Timestamp,
) -> Result<(), Abort<ImportError>> {
    for place in &point.graphic_plans {
        if !reference::has_graphic_plan(conn, place.plan, point.location_id)? {
            let kind = DatabaseErrorKind::ForeignKeyViolation;
            return Err(Error::DatabaseError(kind, Box::new(String::new())).into());
        }
    }
    point::insert(conn, point)?;
    point::record(conn, point, Operation::Create, at)
}

/// The refusal of a record that breaks a constraint.
fn refusal(
    conn: &mut SqliteConnection,
    line: u64,
    record: &Record,
    row: Option<i64>,
) -> Result<Abort<ImportError>, Abort<ImportError>> {
    let faults = faults::of(conn, record, row)?;
    if faults.is_empty() {
        let cause = format!("the record of line {line} breaks a constraint without a fault");
        return Err(StoreError::Internal(cause).into());
    }
    Ok(Abort::Refused(ImportError::Refused { line, faults }))
}
