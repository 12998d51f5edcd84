//! Graphic plans.

use diesel::prelude::*;
use patrol_domain::{
    EditError, StoreError, Timestamp, Version, Versioned, event::Origin, graphic_plan::GraphicPlan,
    ids::GraphicPlanId,
};
use patrol_stored::{
    graphic_plan::{Read, Written},
    photo,
    schema::graphic_plans,
    sql::id,
};

use crate::{
    change::{Creatable, Entity, Findable, Found, Removable},
    data_set::{Failure, Import, Kind, page},
    engine::Abort,
    revision::Aggregate,
};

impl Entity for GraphicPlan {
    const AGGREGATE: Aggregate = Aggregate::Location;
}

impl Findable for GraphicPlan {
    fn find<E>(
        conn: &mut SqliteConnection,
        plan: GraphicPlanId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        let found: Option<(i64, i64, Read)> = graphic_plans::table
            .filter(graphic_plans::id.eq(id(plan)))
            .select((graphic_plans::row, graphic_plans::version, Read::as_select()))
            .first(conn)
            .optional()?;
        let Some((row, version, read)) = found else { return Ok(None) };
        let versioned = Versioned { record: read.plan()?, version: Version(version) };
        Ok(Some(Found { row, versioned }))
    }
}

impl Creatable for GraphicPlan {
    /// Ends the announcement of the picture.
    fn insert<E>(conn: &mut SqliteConnection, new: &Self, at: Timestamp) -> Result<(), Abort<E>> {
        if let Some(picture) = new.picture
            && diesel::delete(photo::open_announcement(id(picture.image))).execute(conn)? == 0
        {
            return Err(photo::not_announced().into());
        }
        diesel::insert_into(graphic_plans::table).values(Written::of(new, at)).execute(conn)?;
        Ok(())
    }
}

impl Removable for GraphicPlan {
    /// Announces the picture and marks it for removal.
    fn remove_with(
        conn: &mut SqliteConnection,
        old: &Self,
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        if let Some(picture) = old.picture {
            photo::announce_for_removal(picture.image, by.at).execute(conn)?;
        }
        Ok(())
    }

    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>> {
        diesel::delete(graphic_plans::table.filter(graphic_plans::row.eq(old.row)))
            .execute(conn)?;
        Ok(())
    }
}

impl Kind for GraphicPlan {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        Ok(Self::insert(conn, self, import.at)?)
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, graphic_plans, Read, |_, read: Read| read.plan())
    }
}
