//! Graphic plans of locations.

use diesel::{prelude::*, sqlite::Sqlite};
use patrol_domain::{StoreError, location::GraphicPlan};

use crate::{
    engine::Abort,
    schema::graphic_plans,
    value::{Row, StoredId, id},
};

/// Stores a new graphic plan.
pub(crate) fn insert<E>(conn: &mut SqliteConnection, plan: &GraphicPlan) -> Result<(), Abort<E>> {
    let GraphicPlan { id: plan_id, location_id, name } = plan;
    diesel::insert_into(graphic_plans::table)
        .values((
            graphic_plans::id.eq(id(*plan_id)),
            graphic_plans::location_id.eq(id(*location_id)),
            graphic_plans::name.eq(name),
        ))
        .execute(conn)?;
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = graphic_plans, check_for_backend(Sqlite))]
struct Read {
    row: i64,
    id: StoredId,
    location_id: StoredId,
    name: String,
}

/// At most `limit` graphic plans of a row after `after`, by row, each with its row.
pub(crate) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, GraphicPlan)>, Abort<E>> {
    let found: Vec<Read> = graphic_plans::table
        .filter(graphic_plans::row.gt(after))
        .order(graphic_plans::row)
        .limit(limit)
        .select(Read::as_select())
        .load(conn)?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

fn read(read: Read) -> Result<(i64, GraphicPlan), StoreError> {
    let Read { row, id, location_id, name } = read;
    let at = Row::new("graphic_plans", id);
    let plan =
        GraphicPlan { id: at.id("id", id)?, location_id: at.id("location_id", location_id)?, name };
    Ok((row, plan))
}
