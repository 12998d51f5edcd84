//! Locations and their graphic plans.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    list::Listing,
    location::{GraphicPlan, Location, LocationItem, LocationQuery, Locations},
};
use patrol_stored::{
    location::{PlanWritten, Written},
    schema::{graphic_plans, locations},
};

use crate::{Store, engine::Connection};

impl Locations for Store {
    fn list(&self, query: LocationQuery) -> Listing<LocationItem> {
        self.listing(query)
    }
}

pub(crate) async fn insert(mut conn: &Connection, locations: &[&Location]) -> QueryResult<()> {
    let written: Vec<_> = locations.iter().map(|location| Written::of(location)).collect();
    diesel::insert_into(locations::table).values(written).execute(&mut conn).await?;
    Ok(())
}

pub(crate) async fn insert_graphic_plans(
    mut conn: &Connection,
    plans: &[&GraphicPlan],
) -> QueryResult<()> {
    let written: Vec<_> = plans.iter().map(|plan| PlanWritten::of(plan)).collect();
    diesel::insert_into(graphic_plans::table).values(written).execute(&mut conn).await?;
    Ok(())
}
