//! Locations and their graphic plans.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{StoreError, Timestamp, data_set::ImportError, ids::Uuid, location::Location};
use patrol_stored::{
    location::{Read, Written},
    schema::locations,
};

use crate::{
    data_set::{Kind, page},
    engine::{Abort, Connection},
};

impl Kind for Location {
    async fn store(
        mut conn: &Connection,
        locations: &[&Self],
        _: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        let written: Vec<_> = locations.iter().map(|location| Written::of(location)).collect();
        diesel::insert_into(locations::table).values(written).execute(&mut conn).await?;
        Ok(())
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = locations::table.select(Read::as_select());
        let rows: Vec<Read> = page!(conn, after, locations, query);
        Ok(rows.into_iter().map(Read::location).collect::<Result<_, _>>()?)
    }
}
