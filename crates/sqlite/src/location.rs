//! Locations: a row, and one row for each of their tags.

use diesel::prelude::*;
use patrol_domain::{
    StoreError, Timestamp, Version, Versioned,
    ids::{GraphicPlanId, LocationId},
    location::Location,
};
use patrol_stored::{
    location::{Read, Written},
    row::Row,
    schema::{graphic_plans, location_tags, locations},
    sql::{StoredId, id},
};

use crate::{
    change::{Creatable, Editable, Entity, Findable, Found, Removable},
    data_set::{Failure, Import, Kind, page},
    engine::{Abort, snapshot},
    revision::Aggregate,
    statement::{self, last_insert_rowid},
};

impl Entity for Location {
    const AGGREGATE: Aggregate = Aggregate::Location;
}

impl Findable for Location {
    fn find<E>(
        conn: &mut SqliteConnection,
        location: LocationId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        let found: Option<(i64, i64, Read)> = locations::table
            .filter(locations::id.eq(id(location)))
            .select((locations::row, locations::version, Read::as_select()))
            .first(conn)
            .optional()?;
        let Some((row, version, read)) = found else { return Ok(None) };
        let record = Self { graphic_plan_ids: plans(conn, location)?, ..read.location()? };
        Ok(Some(Found { row, versioned: Versioned { record, version: Version(version) } }))
    }

    fn get<E>(
        conn: &mut SqliteConnection,
        location: LocationId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        snapshot(conn, |conn| Self::find(conn, location))
    }
}

impl Creatable for Location {
    /// The id may have been used before; its versions were lower than the current time in milliseconds.
    fn insert<E>(conn: &mut SqliteConnection, new: &Self, at: Timestamp) -> Result<(), Abort<E>> {
        let columns = (Written::of(new), locations::version.eq(at.millis()));
        diesel::insert_into(locations::table).values(columns).execute(conn)?;
        let row: i64 = diesel::select(last_insert_rowid()).get_result(conn)?;
        insert_tags(conn, row, new)
    }
}

impl Editable for Location {
    fn replace<E>(
        conn: &mut SqliteConnection,
        old: &Found<Self>,
        new: &Self,
    ) -> Result<(), Abort<E>> {
        let row = old.row;
        let version = locations::version.eq(old.versioned.version.next().0);
        statement::update(locations::table, locations::row.eq(row), (Written::of(new), version))
            .execute(conn)?;
        if old.versioned.record.tags != new.tags {
            remove_tags(conn, old)?;
            insert_tags(conn, row, new)?;
        }
        Ok(())
    }
}

impl Removable for Location {
    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>> {
        remove_tags(conn, old)?;
        diesel::delete(locations::table.filter(locations::row.eq(old.row))).execute(conn)?;
        Ok(())
    }
}

impl Kind for Location {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        Ok(Self::insert(conn, self, import.at)?)
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, locations, Read, |_, read: Read| read.location())
    }
}

/// The ids of the graphic plans of a location, ascending.
fn plans<E>(
    conn: &mut SqliteConnection,
    location: LocationId,
) -> Result<Vec<GraphicPlanId>, Abort<E>> {
    let plans: Vec<StoredId> = graphic_plans::table
        .filter(graphic_plans::location_id.eq(id(location)))
        .order(graphic_plans::id)
        .select(graphic_plans::id)
        .load(conn)?;
    let of_plan = |plan| Row::new("graphic_plans", plan).id("id", plan);
    let ids: Result<_, StoreError> = plans.into_iter().map(of_plan).collect();
    Ok(ids?)
}

fn insert_tags<E>(
    conn: &mut SqliteConnection,
    row: i64,
    location: &Location,
) -> Result<(), Abort<E>> {
    for tag in &location.tags {
        diesel::insert_into(location_tags::table)
            .values((location_tags::value.eq(tag), location_tags::row.eq(row)))
            .execute(conn)?;
    }
    Ok(())
}

fn remove_tags<E>(conn: &mut SqliteConnection, old: &Found<Location>) -> Result<(), Abort<E>> {
    for tag in &old.versioned.record.tags {
        diesel::delete(location_tags::table.find((tag, old.row))).execute(conn)?;
    }
    Ok(())
}
