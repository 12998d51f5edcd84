//! Looks up which of the named records exist, and which records have the named values.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

use diesel::{
    BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, QueryResult,
    RunQueryDsl, SqliteConnection, dsl::exists,
};
use patrol_domain::{
    Existing, Named, References, StoreError,
    access::Role,
    ids::{GraphicPlanId, LocationId, PointId, ScheduledTaskId, UserId, Uuid},
    shared::text::fold,
    user::{MAX_BATCH_USERS, UserStatus},
};
use patrol_stored::{
    row::Row,
    schema::{graphic_plans, locations, points, scheduled_tasks, users},
    sql::{StoredId, id},
};

use crate::engine::Abort;

/// The lookup of `names`. It runs in the transaction of the change, and there is one writer. So the
/// answer still holds when the change is written, and a change that respects it violates no
/// constraint.
pub(crate) fn existing<E>(
    conn: &mut SqliteConnection,
    names: &References,
) -> Result<Existing, Abort<E>> {
    let References {
        users,
        locations,
        points,
        graphic_plans,
        user_names,
        qr_codes,
        rfid_codes,
        active_admins: asks_for_admins,
    } = names;
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
    existing.graphic_plans = owners(graphic_plans, |plan| location_of(conn, *plan))?;
    for name in user_names {
        let holders = users_named(conn, name)?;
        if !holders.is_empty() {
            existing.user_names.insert(name.clone(), holders);
        }
    }
    existing.qr_codes = owners(qr_codes, |code| point_with_qr_code(conn, code))?;
    existing.rfid_codes = owners(rfid_codes, |code| point_with_rfid_code(conn, code))?;
    if *asks_for_admins {
        existing.active_admins = active_admins(conn)?.into_iter().collect();
    }
    Ok(existing)
}

/// Those of `named` that exist, with their owners.
fn owners<N: Clone + Eq + Hash, T, E>(
    named: &[N],
    mut owner: impl FnMut(&N) -> Result<Option<T>, Abort<E>>,
) -> Result<HashMap<N, T>, Abort<E>> {
    let mut owners = HashMap::new();
    for name in named {
        if let Some(owner) = owner(name)? {
            owners.insert(name.clone(), owner);
        }
    }
    Ok(owners)
}

// One at a time, because Diesel keeps no prepared statement for a list of variable length.

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

/// Whether `plan` belongs to `location`.
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

fn location_of<E>(
    conn: &mut SqliteConnection,
    plan: GraphicPlanId,
) -> Result<Option<LocationId>, Abort<E>> {
    let query = graphic_plans::table
        .filter(graphic_plans::id.eq(id(plan)))
        .select((graphic_plans::id, graphic_plans::location_id));
    let found: Option<(StoredId, StoredId)> = query.first(conn).optional()?;
    let location =
        found.map(|(plan, location)| Row::new("graphic_plans", plan).id("location_id", location));
    Ok(location.transpose()?)
}

/// The users with this employee number or email address in folded form.
fn users_named<E>(conn: &mut SqliteConnection, folded: &str) -> Result<HashSet<UserId>, Abort<E>> {
    let named = users::employee_no_folded.eq(folded).or(users::email_folded.eq(folded));
    let found: Vec<StoredId> = users::table.filter(named).select(users::id).load(conn)?;
    let ids: Result<_, StoreError> =
        found.into_iter().map(|found| Row::new("users", found).id("id", found)).collect();
    Ok(ids?)
}

/// Whether a user has this employee number or email address, in unfolded form.
pub(crate) fn has_user_named(conn: &mut SqliteConnection, name: &str) -> QueryResult<bool> {
    let folded = fold(name);
    let named = users::employee_no_folded.eq(&folded).or(users::email_folded.eq(&folded));
    diesel::select(exists(users::table.filter(named).select(users::row))).get_result(conn)
}

fn point_with_qr_code<E>(
    conn: &mut SqliteConnection,
    code: &str,
) -> Result<Option<PointId>, Abort<E>> {
    let query = points::table.filter(points::qr_code.eq(code)).select(points::id);
    found("points", query.first(conn).optional()?)
}

fn point_with_rfid_code<E>(
    conn: &mut SqliteConnection,
    code: &str,
) -> Result<Option<PointId>, Abort<E>> {
    let query = points::table.filter(points::rfid_code.eq(code)).select(points::id);
    found("points", query.first(conn).optional()?)
}

fn found<T: From<Uuid>, E>(
    table: &'static str,
    found: Option<StoredId>,
) -> Result<Option<T>, Abort<E>> {
    Ok(found.map(|found| Row::new(table, found).id("id", found)).transpose()?)
}

/// The active administrators, at most one more than a change can name.
fn active_admins<E>(conn: &mut SqliteConnection) -> Result<Vec<UserId>, Abort<E>> {
    let enough = i64::try_from(MAX_BATCH_USERS).unwrap_or(i64::MAX).saturating_add(1);
    let found: Vec<StoredId> = users::table
        .filter(users::role.eq(Role::Admin.code()))
        .filter(users::status.eq(UserStatus::Active.code()))
        .select(users::id)
        .limit(enough)
        .load(conn)?;
    let ids: Result<_, StoreError> =
        found.into_iter().map(|found| Row::new("users", found).id("id", found)).collect();
    Ok(ids?)
}
