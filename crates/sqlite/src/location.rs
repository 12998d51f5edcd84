//! Locations and their graphic plans.

use diesel::prelude::*;
use patrol_domain::{
    list::Listing,
    location::{GraphicPlan, Location, LocationItem, LocationQuery, Locations},
};
use patrol_stored::{
    location::{PlanWritten, Written},
    schema::{graphic_plans, location_tags, locations},
};

use crate::{Store, engine::Abort, statement::last_insert_rowid};

impl Locations for Store {
    fn list(&self, query: LocationQuery) -> Listing<LocationItem> {
        self.listing(query)
    }
}

pub(crate) fn insert<E>(conn: &mut SqliteConnection, location: &Location) -> Result<(), Abort<E>> {
    diesel::insert_into(locations::table).values(Written::of(location)).execute(conn)?;
    let row: i64 = diesel::select(last_insert_rowid()).get_result(conn)?;
    for tag in &location.tags {
        diesel::insert_into(location_tags::table)
            .values((location_tags::value.eq(tag), location_tags::row.eq(row)))
            .execute(conn)?;
    }
    Ok(())
}

pub(crate) fn insert_graphic_plan<E>(
    conn: &mut SqliteConnection,
    plan: &GraphicPlan,
) -> Result<(), Abort<E>> {
    diesel::insert_into(graphic_plans::table).values(PlanWritten::of(plan)).execute(conn)?;
    Ok(())
}
