//! Locations.

use diesel::{dsl::sql, prelude::*};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError, Timestamp, Version, Versioned,
    data_set::ImportError,
    ids::{LocationId, Uuid},
    location::Location,
};
use patrol_stored::{
    location::{Read, Written},
    schema::locations,
    sql::{StoredId, StoredIds, id, types},
};

use crate::{
    change::{Creatable, Editable, Entity, Findable, Removable},
    data_set::{Kind, page},
    engine::{Abort, Connection},
};

impl Entity for Location {}

impl Findable for Location {
    /// One statement, so that the version belongs to the graphic plans.
    async fn find<E: Send>(
        mut conn: &Connection,
        location: LocationId,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let plans = sql::<types::Ids>(
            "ARRAY(SELECT plan.id FROM graphic_plans AS plan \
            WHERE plan.location_id = locations.id ORDER BY plan.id)",
        );
        let query = locations::table.find(id(location)).select((
            locations::version,
            Read::as_select(),
            plans,
        ));
        let found: Option<(i64, Read, StoredIds)> = query.first(&mut conn).await.optional()?;
        let Some((version, read, plans)) = found else { return Ok(None) };
        Ok(Some(Versioned { record: read.with_plans(plans)?, version: Version(version) }))
    }

    /// Records that refer to the location need not wait.
    async fn lock(
        mut conn: &Connection,
        location: LocationId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let locked = locations::table.find(id(location)).select(locations::id).for_no_key_update();
        let locked: Option<StoredId> = locked.first(&mut conn).await.optional()?;
        if locked.is_none() {
            return Ok(None);
        }
        // Another statement, which sees the plans that were committed while this one waited.
        Self::find(conn, location).await
    }
}

impl Creatable for Location {
    /// An id may have been used before; its versions were lower than the current time in milliseconds.
    async fn insert<E: Send>(
        mut conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let version = locations::version.eq(at.millis());
        let written: Vec<_> = new.iter().map(|new| (Written::of(new), version)).collect();
        diesel::insert_into(locations::table).values(written).execute(&mut conn).await?;
        Ok(())
    }
}

impl Editable for Location {
    async fn replace(
        mut conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        diesel::update(locations::table.find(id(old.record.id)))
            .set((Written::of(new), locations::version.eq(old.version.next().0)))
            .execute(&mut conn)
            .await?;
        Ok(())
    }
}

impl Removable for Location {
    async fn remove(
        mut conn: &Connection,
        location: LocationId,
    ) -> Result<Option<i64>, Abort<EditError>> {
        diesel::delete(locations::table.find(id(location))).execute(&mut conn).await?;
        Ok(None)
    }
}

impl Kind for Location {
    async fn store(
        conn: &Connection,
        locations: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(conn, locations, at).await
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = locations::table.select(Read::as_select());
        let rows: Vec<Read> = page!(conn, after, locations, query);
        Ok(rows.into_iter().map(Read::location).collect::<Result<_, _>>()?)
    }
}
