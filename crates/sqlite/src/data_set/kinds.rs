//! Imports and exports the kinds of records that the ports of `patrol-repository` create.

use diesel::{
    prelude::*,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{
    Reference, Resource, StoreError, Timestamp, UniqueValue,
    check_list::CheckList,
    data_set::{ImportError, NewTask, NewUser},
    event::Origin,
    graphic_plan::GraphicPlan,
    ids::Uuid,
    location::Location,
    point::Point,
    scheduled_task::ScheduledTask,
    shared::text::fold,
    user::User,
};
use patrol_repository::{Creatable, Dialect as _, Entity as _, read_check_lists};
use patrol_stored::{
    check_list::ListRead,
    event::Change,
    graphic_plan, location, point,
    scheduled_task::{self, rounds::Begun},
    schema::{check_lists, scheduled_tasks, users},
    sql::{StoredPlan, id},
    statement::update,
    user,
};

use super::{Failure, Import, Kind, kind::page, occurrences};
use crate::{
    engine::{Abort, JobConnection, finish},
    reference,
    row::{changed_rows, row_of},
};

impl Kind for Location {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        Ok(insert(conn, self, import.at)?)
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, locations, location::Read, |_, read: location::Read| read.location())
    }
}

impl Kind for GraphicPlan {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        Ok(insert(conn, self, import.at)?)
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, graphic_plans, graphic_plan::Read, |_, read: graphic_plan::Read| {
            read.plan()
        })
    }
}

impl Kind for Point {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        check_plans(conn, self)?;
        insert(conn, self, import.at)?;
        let (conn, by) = (JobConnection::of(conn), Origin::of_program(import.at));
        let record = async { Ok(Self::record(&conn, &[Change::Create(self)], &by).await?) };
        Ok(finish(record)?)
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, points, point::Read, |_, read: point::Read| read.point())
    }
}

impl Kind for NewUser {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        let Self { user, password_hash } = self;
        check_names(conn, user)?;
        with_own_row(conn, (Resource::User, user.id.0), |conn| {
            insert(conn, user, import.at)?;
            let Some(hash) = password_hash else { return Ok(()) };
            let conn = JobConnection::of(conn);
            finish(async { Ok(conn.insert_password(user.id, hash).await?) })
        })
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        let rows: Vec<(i64, user::Stored)> = users::table
            .filter(users::row.gt(after))
            .order(users::row)
            .limit(patrol_stored::data_set::BATCH)
            .select((users::row, user::all_columns()))
            .load(conn)?;
        let new = |(row, stored)| Ok((row, Self::from(user::versioned(stored)?.record)));
        rows.into_iter().map(new).collect()
    }
}

impl Kind for CheckList {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        let record = (Resource::CheckList, self.id.0);
        with_own_row(conn, record, |conn| insert(conn, self, import.at))
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        let rows: Vec<(i64, ListRead)> = check_lists::table
            .filter(check_lists::row.gt(after))
            .order(check_lists::row)
            .limit(patrol_stored::data_set::BATCH)
            .select((check_lists::row, ListRead::as_select()))
            .load(conn)?;
        let (rows, lists): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let lists = finish(read_check_lists(&JobConnection::of(conn), lists))?;
        Ok(rows.into_iter().zip(lists).collect())
    }
}

impl Kind for NewTask {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        let Self { task, left_out: _ } = self;
        with_own_row(conn, (Resource::ScheduledTask, task.id.0), |conn| {
            insert(conn, task, import.at)?;
            if task.schedule.is_some() {
                let same = scheduled_tasks::id.eq(id(task.id));
                let begun = Begun::of_import(task, import.at);
                update(scheduled_tasks::table, same, begun).execute(conn)?;
            }
            Ok(occurrences::leave_out(conn, self)?)
        })
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        let rows: Vec<(i64, scheduled_task::Read, Option<StoredPlan>)> = scheduled_tasks::table
            .filter(scheduled_tasks::row.gt(after))
            .order(scheduled_tasks::row)
            .limit(patrol_stored::data_set::BATCH)
            .select((
                scheduled_tasks::row,
                scheduled_task::Read::as_select(),
                scheduled_tasks::steps,
            ))
            .load(conn)?;
        let Some((last, ..)) = rows.last() else { return Ok(Vec::new()) };
        let mut left_out = occurrences::left_out(conn, after, *last)?;
        let new = |(row, read, steps): (i64, scheduled_task::Read, _)| {
            let task: ScheduledTask = read.task(steps)?;
            let left_out = left_out.remove(&task.id).unwrap_or_default();
            Ok((row, Self { task, left_out }))
        };
        rows.into_iter().map(new).collect()
    }
}

/// Stores a new record.
fn insert<T: Creatable>(
    conn: &mut SqliteConnection,
    record: &T,
    at: Timestamp,
) -> Result<(), Abort<ImportError>> {
    finish(T::insert(&JobConnection::of(conn), &[record], at))
}

/// Stores the rows of a record with `store`, its own row first.
fn with_own_row(
    conn: &mut SqliteConnection,
    (kind, id): (Resource, Uuid),
    store: impl FnOnce(&mut SqliteConnection) -> Result<(), Abort<ImportError>>,
) -> Result<(), Failure> {
    let before = changed_rows(conn).map_err(Abort::from)?;
    let Err(abort) = store(conn) else { return Ok(()) };
    let has_own_row = changed_rows(conn).map_err(Abort::from)? > before;
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
