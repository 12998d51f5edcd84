//! Points, and their history.

pub(crate) mod texts;

use diesel::{
    prelude::*,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{
    Reference, StoreError, Timestamp, Version, Versioned, event::Origin, ids::PointId, point::Point,
};
use patrol_stored::{
    point::{HistoryWritten, Read, Written, operation_of},
    schema::{point_history, point_history_tags, points},
    sql::id,
};

use crate::{
    change::{Change, Creatable, Editable, Entity, Findable, Found, Removable},
    data_set::{Failure, Import, Kind, page},
    engine::Abort,
    reference,
    revision::Aggregate,
    statement::{self, last_insert_rowid},
};

impl Entity for Point {
    const AGGREGATE: Aggregate = Aggregate::Point;

    fn record<E>(
        conn: &mut SqliteConnection,
        change: &Change<'_, Self>,
        by: &Origin,
    ) -> Result<bool, Abort<E>> {
        let point = change.record();
        let recorded = HistoryWritten::of(point, operation_of(change), by.at);
        diesel::insert_into(point_history::table).values(recorded).execute(conn)?;
        let row: i64 = diesel::select(last_insert_rowid()).get_result(conn)?;
        for tag in &point.tags {
            diesel::insert_into(point_history_tags::table)
                .values((point_history_tags::value.eq(tag), point_history_tags::row.eq(row)))
                .execute(conn)?;
        }
        Ok(true)
    }
}

impl Findable for Point {
    fn find<E>(
        conn: &mut SqliteConnection,
        point: PointId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        let found: Option<(i64, i64, Read)> = points::table
            .filter(points::id.eq(id(point)))
            .select((points::row, points::version, Read::as_select()))
            .first(conn)
            .optional()?;
        let Some((row, version, read)) = found else { return Ok(None) };
        let versioned = Versioned { record: read.point()?, version: Version(version) };
        Ok(Some(Found { row, versioned }))
    }
}

impl Creatable for Point {
    /// The id may have been used before; its versions were lower than the current time in milliseconds.
    fn insert<E>(conn: &mut SqliteConnection, new: &Self, at: Timestamp) -> Result<(), Abort<E>> {
        let columns = (Written::of(new), points::version.eq(at.millis()));
        diesel::insert_into(points::table).values(columns).execute(conn)?;
        Ok(())
    }
}

impl Editable for Point {
    fn replace<E>(
        conn: &mut SqliteConnection,
        old: &Found<Self>,
        new: &Self,
    ) -> Result<(), Abort<E>> {
        let columns = (Written::of(new), points::version.eq(old.versioned.version.next().0));
        statement::update(points::table, points::row.eq(old.row), columns).execute(conn)?;
        Ok(())
    }
}

impl Removable for Point {
    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>> {
        diesel::delete(points::table.filter(points::row.eq(old.row))).execute(conn)?;
        Ok(())
    }
}

impl Kind for Point {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        check_plans(conn, self)?;
        Self::insert(conn, self, import.at)?;
        Self::record(conn, &Change::Create(self), &Origin::of_program(import.at))?;
        Ok(())
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, points, Read, |_, read: Read| read.point())
    }
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
