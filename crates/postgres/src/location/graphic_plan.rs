//! Graphic plans of locations.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{ids::Uuid, location::GraphicPlan};

use crate::{engine::Connection, schema::graphic_plans};

/// Stores new graphic plans.
pub(crate) async fn insert(mut conn: &Connection, plans: &[&GraphicPlan]) -> QueryResult<()> {
    let written: Vec<_> = plans
        .iter()
        .map(|plan| {
            let GraphicPlan { id, location_id, name } = plan;
            (
                graphic_plans::id.eq(id.0),
                graphic_plans::location_id.eq(location_id.0),
                graphic_plans::name.eq(name),
            )
        })
        .collect();
    diesel::insert_into(graphic_plans::table).values(written).execute(&mut conn).await?;
    Ok(())
}

/// At most `limit` graphic plans by id, those after `after`.
pub(crate) async fn page(
    mut conn: &Connection,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<GraphicPlan>> {
    let mut page = graphic_plans::table.order(graphic_plans::id).limit(limit).into_boxed();
    if let Some(after) = after {
        page = page.filter(graphic_plans::id.gt(after));
    }
    let found: Vec<(Uuid, Uuid, String)> = page.load(&mut conn).await?;
    let plans = found.into_iter().map(|(id, location, name)| GraphicPlan {
        id: id.into(),
        location_id: location.into(),
        name,
    });
    Ok(plans.collect())
}
