//! Graphic plans.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError, Timestamp, Version, Versioned,
    data_set::ImportError,
    event::Origin,
    graphic_plan::GraphicPlan,
    ids::{GraphicPlanId, Uuid},
};
use patrol_stored::{
    graphic_plan::{Read, Written},
    photo,
    schema::graphic_plans,
    sql::id,
};

use crate::{
    change::{Creatable, Entity, Findable, Removable},
    data_set::{Kind, page},
    engine::{Abort, Connection},
};

impl Entity for GraphicPlan {}

fn versioned((read, version): (Read, i64)) -> Result<Versioned<GraphicPlan>, StoreError> {
    Ok(Versioned { record: read.plan()?, version: Version(version) })
}

impl Findable for GraphicPlan {
    async fn find<E: Send>(
        mut conn: &Connection,
        plan: GraphicPlanId,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let columns = (Read::as_select(), graphic_plans::version);
        let query = graphic_plans::table.find(id(plan)).select(columns);
        Ok(query.first(&mut conn).await.optional()?.map(versioned).transpose()?)
    }

    async fn lock(
        mut conn: &Connection,
        plan: GraphicPlanId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let columns = (Read::as_select(), graphic_plans::version);
        let query = graphic_plans::table.find(id(plan)).select(columns).for_update();
        Ok(query.first(&mut conn).await.optional()?.map(versioned).transpose()?)
    }
}

impl Creatable for GraphicPlan {
    /// Ends the announcements of the pictures.
    async fn insert<E: Send>(
        mut conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        for picture in new.iter().filter_map(|plan| plan.picture) {
            let open = photo::open_announcement(id(picture.image));
            if diesel::delete(open).execute(&mut conn).await? == 0 {
                return Err(photo::not_announced().into());
            }
        }
        let written: Vec<_> = new.iter().map(|plan| Written::of(plan, at)).collect();
        diesel::insert_into(graphic_plans::table).values(written).execute(&mut conn).await?;
        Ok(())
    }
}

impl Removable for GraphicPlan {
    /// Announces the picture and marks it for removal.
    async fn remove_with(
        mut conn: &Connection,
        old: &Self,
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        if let Some(picture) = old.picture {
            photo::announce_for_removal(picture.image, by.at).execute(&mut conn).await?;
        }
        Ok(())
    }

    async fn remove(
        mut conn: &Connection,
        plan: GraphicPlanId,
    ) -> Result<Option<i64>, Abort<EditError>> {
        diesel::delete(graphic_plans::table.find(id(plan))).execute(&mut conn).await?;
        Ok(None)
    }
}

impl Kind for GraphicPlan {
    async fn store(
        conn: &Connection,
        plans: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(conn, plans, at).await
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = graphic_plans::table.select(Read::as_select());
        let rows: Vec<Read> = page!(conn, after, graphic_plans, query);
        Ok(rows.into_iter().map(Read::plan).collect::<Result<_, _>>()?)
    }
}
