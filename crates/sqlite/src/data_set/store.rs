//! Stores the records of an import.

use diesel::{
    SqliteConnection,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{
    Reference, Timestamp, UniqueValue,
    data_set::{ImportError, Record},
    point::Point,
    shared::text::fold,
    user::User,
};
use patrol_repository::data_set;

use super::executions::Executions;
use crate::{
    engine::{Abort, JobConnection, finish},
    reference,
    row::row_of,
    task_execution::New,
};

/// Why a record was not stored.
pub(super) enum Failure {
    /// It violates a constraint. `row` is its own row, if only its other rows violate one.
    Refused {
        row: Option<i64>,
    },
    Other(Abort<ImportError>),
}

impl Failure {
    /// The failure to store the other rows of a record with the key `row`.
    pub(super) fn beside(row: i64) -> impl Fn(Abort<ImportError>) -> Self {
        move |abort| Self::new(abort, Some(row))
    }

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

impl From<Abort<ImportError>> for Failure {
    /// The failure to store the row of a record.
    fn from(abort: Abort<ImportError>) -> Self {
        Self::new(abort, None)
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
    match record {
        Record::TaskExecution(new) => return executions.store(conn, new, prepared, at),
        Record::Point(point) => check_plans(conn, point)?,
        Record::User(new) => check_names(conn, &new.user)?,
        _ => {}
    }
    let job = JobConnection::of(conn);
    let Err(abort) = finish(data_set::store(&job, &[record], at)) else { return Ok(()) };
    // The own row of a record is stored first.
    let has_own_row = job.has_executed();
    let Reference { kind, id, .. } = record.reference();
    let row = if has_own_row { row_of(conn, kind, id).map_err(Abort::from)? } else { None };
    Err(Failure::new(abort, row))
}

/// Refuses a new point on a graphic plan of another location, which no foreign key can do.
fn check_plans<E>(conn: &mut SqliteConnection, point: &Point) -> Result<(), Abort<E>> {
    for place in &point.graphic_plans {
        if !reference::exists(conn, Reference::to_plan(place.plan, point.location_id))? {
            let kind = DatabaseErrorKind::ForeignKeyViolation;
            return Err(Error::DatabaseError(kind, Box::new(String::new())).into());
        }
    }
    Ok(())
}

/// Refuses a new user whose employee number is the email address of another user, or the other way
/// round, which no unique index can do.
fn check_names<E>(conn: &mut SqliteConnection, user: &User) -> Result<(), Abort<E>> {
    for name in [&user.employee_no, &user.email].into_iter().flatten() {
        if !reference::owners_of(conn, UniqueValue::UserName, &fold(name))?.is_empty() {
            let kind = DatabaseErrorKind::UniqueViolation;
            return Err(Error::DatabaseError(kind, Box::new(String::new())).into());
        }
    }
    Ok(())
}
