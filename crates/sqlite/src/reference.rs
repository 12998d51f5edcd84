//! Which of the records that a change names exist.

use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, QueryResult, RunQueryDsl, SqliteConnection,
};
use patrol_domain::{
    Existing, References,
    ids::{GraphicPlanId, LocationId, PointId, ScheduledTaskId, UserId},
};

use crate::{
    schema::{graphic_plans, locations, points, scheduled_tasks, users},
    value::id,
};

/// Those of `names` that exist.
pub(crate) fn existing(conn: &mut SqliteConnection, names: &References) -> QueryResult<Existing> {
    let References { users, locations, points } = names;
    let mut existing = Existing::default();
    for user in users {
        if has_user(conn, *user)? {
            existing.users.insert(*user);
        }
    }
    for location in locations {
        if has_location(conn, *location)? {
            existing.locations.insert(*location);
        }
    }
    for point in points {
        if has_point(conn, *point)? {
            existing.points.insert(*point);
        }
    }
    Ok(existing)
}

// One at a time, since Diesel keeps no prepared statement for a list of any length.

pub(crate) fn has_user(conn: &mut SqliteConnection, user: UserId) -> QueryResult<bool> {
    let query = users::table.filter(users::id.eq(id(user))).select(users::row);
    Ok(query.first::<i64>(conn).optional()?.is_some())
}

pub(crate) fn has_location(conn: &mut SqliteConnection, location: LocationId) -> QueryResult<bool> {
    let query = locations::table.filter(locations::id.eq(id(location))).select(locations::row);
    Ok(query.first::<i64>(conn).optional()?.is_some())
}

pub(crate) fn has_point(conn: &mut SqliteConnection, point: PointId) -> QueryResult<bool> {
    let query = points::table.filter(points::id.eq(id(point))).select(points::row);
    Ok(query.first::<i64>(conn).optional()?.is_some())
}

/// Whether `plan` is a plan of `location`.
pub(crate) fn has_graphic_plan(
    conn: &mut SqliteConnection,
    plan: GraphicPlanId,
    location: LocationId,
) -> QueryResult<bool> {
    let query = graphic_plans::table
        .filter(graphic_plans::id.eq(id(plan)))
        .filter(graphic_plans::location_id.eq(id(location)))
        .select(graphic_plans::row);
    Ok(query.first::<i64>(conn).optional()?.is_some())
}

pub(crate) fn has_scheduled_task(
    conn: &mut SqliteConnection,
    task: ScheduledTaskId,
) -> QueryResult<bool> {
    let query = scheduled_tasks::table
        .filter(scheduled_tasks::id.eq(id(task)))
        .select(scheduled_tasks::row);
    Ok(query.first::<i64>(conn).optional()?.is_some())
}
