//! Import: all records in one transaction. Records are stored without checking references first;
//! faults are searched only when the store refuses a record.

use std::collections::HashSet;

use diesel::{
    RunQueryDsl, SqliteConnection,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{
    Reference, Resource, StoreError, Timestamp, UniqueValue, Version,
    data_set::{ImportError, Imported, MAX_REFUSED_LINES, Record, RefusedLine, Source},
    event::Origin,
    point::Point,
    shared::text::fold,
    user::User,
};
use patrol_stored::{scheduled_task::Written, schema::scheduled_tasks};

use super::{
    executions::Executions,
    faults,
    ready::{Line, Lines},
};
use crate::{
    change::{Change, Creatable, Entity},
    check_list,
    engine::Abort,
    event, location, reference,
    revision::{self, Aggregate},
    user,
};

/// Stores all records of `source`.
pub(super) fn import(
    conn: &mut SqliteConnection,
    source: Source,
    by: &Origin,
) -> Result<Imported, Abort<ImportError>> {
    let lines = Lines::of(source).map_err(|error| {
        StoreError::Unavailable(format!("a thread for reading could not be started: {error}"))
    })?;
    let mut executions = Executions::new(conn)?;
    let mut imported = Imported::default();
    let mut refused = Vec::new();
    loop {
        let batch = match lines.next() {
            Ok(Some(batch)) => batch,
            Ok(None) => break,
            Err(ImportError::Source(text)) if !refused.is_empty() => {
                let unread = Some(text);
                return Err(Abort::Refused(ImportError::Refused { lines: refused, unread }));
            }
            Err(error) => return Err(Abort::Refused(error)),
        };
        for line in batch {
            match insert(conn, &mut executions, &line, by.at) {
                Ok(()) => {
                    imported.add(line.record.kind());
                }
                // Records from here on are stored only to find more refused lines, and are rolled
                // back.
                Err(Failure::Refused { row }) => {
                    refused.push(refusal(conn, &line, row)?);
                    if refused.len() == MAX_REFUSED_LINES {
                        return Err(all_refused(refused));
                    }
                }
                Err(Failure::Other(abort)) => return Err(abort),
            }
        }
    }
    if !refused.is_empty() {
        return Err(all_refused(refused));
    }
    executions.finish(conn)?;
    let changed = imported.kinds().filter(|(_, count)| *count > 0);
    let changed: HashSet<_> = changed.filter_map(|(kind, _)| aggregate(kind)).collect();
    for aggregate in changed {
        revision::raise(conn, aggregate)?;
    }
    event::append_import(conn, &imported, by)?;
    Ok(imported)
}

fn all_refused(lines: Vec<RefusedLine>) -> Abort<ImportError> {
    Abort::Refused(ImportError::Refused { lines, unread: None })
}

/// The aggregate of records of this kind; `None` for kinds that no import has.
const fn aggregate(kind: Resource) -> Option<Aggregate> {
    match kind {
        Resource::User => Some(Aggregate::User),
        Resource::Location | Resource::GraphicPlan => Some(Aggregate::Location),
        Resource::Point => Some(Aggregate::Point),
        Resource::CheckList => Some(Aggregate::CheckList),
        Resource::ScheduledTask => Some(Aggregate::ScheduledTask),
        Resource::TaskExecution => Some(Aggregate::TaskExecution),
        Resource::Token | Resource::Media | Resource::DataSet => None,
    }
}

/// Why a record was not stored.
enum Failure {
    /// It violates a constraint. `row` is its own row, if only its other rows violate one.
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

fn insert(
    conn: &mut SqliteConnection,
    executions: &mut Executions,
    line: &Line,
    at: Timestamp,
) -> Result<(), Failure> {
    let first = |abort| Failure::new(abort, None);
    match &line.record {
        Record::User { user, password_hash } => {
            let row = insert_user(conn, user).map_err(first)?;
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
        Record::ScheduledTask(task) => {
            let values = Written::of(task);
            let stored = diesel::insert_into(scheduled_tasks::table).values(values).execute(conn);
            stored.map_err(|error| first(error.into())).map(|_| ())
        }
        Record::TaskExecution(execution) => {
            let Some(new) = &line.execution else {
                let cause = "an execution that was not serialised".to_owned();
                return Err(first(StoreError::Internal(cause).into()));
            };
            // The id may have been used before. Its versions were lower than the current time in
            // milliseconds.
            let version = Version(at.millis());
            let row = executions.insert_row(conn, new, version).map_err(first)?;
            executions
                .insert_parts(conn, row, new, execution)
                .map_err(|abort| Failure::new(abort, Some(row)))
        }
    }
}

/// Checks explicitly that an employee number is not the email address of another user, which no
/// unique index can do.
fn insert_user(conn: &mut SqliteConnection, user: &User) -> Result<i64, Abort<ImportError>> {
    for name in [&user.employee_no, &user.email].into_iter().flatten() {
        if !reference::holders_of(conn, UniqueValue::UserName, &fold(name))?.is_empty() {
            let kind = DatabaseErrorKind::UniqueViolation;
            return Err(Error::DatabaseError(kind, Box::new(String::new())).into());
        }
    }
    user::insert_row(conn, user)
}

/// Checks explicitly that a plan belongs to the point's location, which no foreign key can do.
fn insert_point(
    conn: &mut SqliteConnection,
    point: &Point,
    at: Timestamp,
) -> Result<(), Abort<ImportError>> {
    for place in &point.graphic_plans {
        if !reference::exists(conn, Reference::to_plan(place.plan, point.location_id))? {
            let kind = DatabaseErrorKind::ForeignKeyViolation;
            return Err(Error::DatabaseError(kind, Box::new(String::new())).into());
        }
    }
    Point::insert(conn, point)?;
    Point::record(conn, &Change::Create(point), at)
}

/// The refusal of a record that violates a constraint.
fn refusal(
    conn: &mut SqliteConnection,
    line: &Line,
    row: Option<i64>,
) -> Result<RefusedLine, Abort<ImportError>> {
    let Line { number, record, .. } = line;
    let faults = faults::of(conn, record, row)?;
    if faults.is_empty() {
        let cause = format!("the record of line {number} breaks a constraint without a fault");
        return Err(StoreError::Internal(cause).into());
    }
    Ok(RefusedLine::new(*number, record, faults))
}
