//! Graphic plans.

use diesel::prelude::*;
use patrol_domain::{
    EditError, StoreError, Timestamp, Version, Versioned, event::Origin, graphic_plan::GraphicPlan,
    ids::GraphicPlanId, location::Location, shared::text::fold,
};

use crate::{
    Creatable, Dialect, Entity, Findable, Removable,
    change::record_changes,
    photo::attach,
    stored::{
        Abort,
        event::RecordChange,
        graphic_plan::GraphicPlanRow,
        photo,
        schema::graphic_plans,
        sql::{columns, id},
        statement::{Lock, with_lock},
    },
};

impl Entity for GraphicPlan {
    /// The location has other plans. A trigger has counted this in its version.
    async fn record_others<C: Dialect>(
        conn: &C,
        changes: &[RecordChange<'_, Self>],
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        let without_key = by.without_key();
        for change in changes {
            let plan = change.record();
            let found = Location::find(conn, plan.location_id, Lock::None).await?;
            let Some(Versioned { record: after, .. }) = found else { continue };
            let mut before = after.clone();
            before.graphic_plan_ids.retain(|other| *other != plan.id);
            if let RecordChange::Delete(..) = change {
                before.graphic_plan_ids.push(plan.id);
                before.graphic_plan_ids.sort_unstable_by_key(|plan| plan.0);
            }
            record_changes(conn, &[RecordChange::Update(&before, &after)], &without_key).await?;
        }
        Ok(())
    }
}

fn versioned((read, version): (GraphicPlanRow, i64)) -> Result<Versioned<GraphicPlan>, StoreError> {
    Ok(Versioned { record: read.plan()?, version: Version(version) })
}

impl Findable for GraphicPlan {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        plan: GraphicPlanId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = graphic_plans::table
            .filter(graphic_plans::id.eq(id(plan)))
            .select((columns::<GraphicPlanRow>(), graphic_plans::version));
        Ok(conn.first(with_lock(query, lock)).await?.map(versioned).transpose()?)
    }
}

impl Creatable for GraphicPlan {
    /// Ends the announcements of the pictures.
    async fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        for picture in new.iter().filter_map(|plan| plan.picture) {
            attach(conn, picture.image).await?;
        }
        let rows = new.iter().map(|new| {
            let folded = graphic_plans::name_folded.eq(fold(&new.name));
            let version = graphic_plans::version.eq(at.millis());
            diesel::insert_into(graphic_plans::table).values((
                GraphicPlanRow::of(new),
                folded,
                version,
            ))
        });
        conn.execute_all(rows.collect()).await?;
        Ok(())
    }
}

impl Removable for GraphicPlan {
    /// Announces the picture and marks it for removal.
    async fn remove_with<C: Dialect>(
        conn: &C,
        old: &Self,
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        if let Some(picture) = old.picture {
            conn.execute(photo::announce_for_removal(picture.image, by.at)).await?;
        }
        Ok(())
    }

    async fn remove<C: Dialect>(conn: &C, old: &Self) -> QueryResult<Option<i64>> {
        let same = graphic_plans::table.filter(graphic_plans::id.eq(id(old.id)));
        conn.execute(diesel::delete(same)).await?;
        Ok(None)
    }
}
