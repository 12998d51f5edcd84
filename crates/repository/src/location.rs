//! Locations.

use diesel::prelude::*;
use patrol_domain::{EditError, Timestamp, Versioned, ids::LocationId, location::Location};
use patrol_record::Recorded as _;

use crate::{
    Creatable, Dialect, Editable, Entity, Findable, Removable,
    stored::{
        Abort,
        location::{LocationRow, all_columns, versioned},
        schema::locations,
        sql::id,
        statement::{Lock, update},
    },
};

impl Entity for Location {}

impl Findable for Location {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        location: LocationId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        if lock != Lock::None {
            // A statement of its own, so that the next one sees the plans that were committed while this
            // one waited.
            let is_locked = conn.lock_row(Self::RESOURCE, location.0, lock).await?;
            if !is_locked {
                return Ok(None);
            }
        }
        let query = locations::table.filter(locations::id.eq(id(location))).select(all_columns());
        Ok(conn.first(query).await?.map(versioned).transpose()?)
    }
}

impl Creatable for Location {
    async fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let rows = new.iter().map(|new| {
            let version = locations::version.eq(at.millis());
            diesel::insert_into(locations::table).values((LocationRow::of(new), version))
        });
        conn.execute_all(rows.collect()).await?;
        for new in new {
            conn.link(None, Some(*new)).await?;
        }
        Ok(())
    }
}

impl Editable for Location {
    async fn replace<C: Dialect>(
        conn: &C,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let columns = (LocationRow::of(new), locations::version.eq(old.version.next().0));
        conn.execute(update(locations::table, locations::id.eq(id(new.id)), columns)).await?;
        Ok(conn.link(Some(&old.record), Some(new)).await?)
    }
}

impl Removable for Location {
    async fn remove<C: Dialect>(conn: &C, old: &Self) -> QueryResult<Option<i64>> {
        conn.link(Some(old), None).await?;
        conn.execute(diesel::delete(locations::table.filter(locations::id.eq(id(old.id))))).await?;
        Ok(None)
    }
}
