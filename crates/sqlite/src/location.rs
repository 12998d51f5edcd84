//! Locations and their graphic plans.

use diesel::prelude::*;
use patrol_domain::{StoreError, location::Location};
use patrol_stored::{
    location::{Read, Written},
    schema::{location_tags, locations},
};

use crate::{
    data_set::{Failure, Import, Kind, page},
    engine::Abort,
    statement::last_insert_rowid,
};

impl Kind for Location {
    fn store(&self, conn: &mut SqliteConnection, _: &mut Import<'_>) -> Result<(), Failure> {
        Ok(insert(conn, self)?)
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, locations, Read, |_, read: Read| read.location())
    }
}

fn insert<E>(conn: &mut SqliteConnection, location: &Location) -> Result<(), Abort<E>> {
    diesel::insert_into(locations::table).values(Written::of(location)).execute(conn)?;
    let row: i64 = diesel::select(last_insert_rowid()).get_result(conn)?;
    for tag in &location.tags {
        diesel::insert_into(location_tags::table)
            .values((location_tags::value.eq(tag), location_tags::row.eq(row)))
            .execute(conn)?;
    }
    Ok(())
}
