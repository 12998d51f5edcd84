//! Which of the records that a change names exist, and who has the values that it names.

use std::collections::HashSet;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Existing, Named, References,
    access::Role,
    ids::{GraphicPlanId, LocationId, UserId, Uuid},
    user::{MOST_USERS, UserStatus},
};

use crate::{
    engine::Connection,
    schema::{graphic_plans, locations, points, scheduled_tasks, users},
    value::uuids,
};

/// Those of `names` that exist, and who has the named values. Users, locations and graphic plans
/// cannot be deleted, and a point that is found stays until the transaction ends. Another node may
/// take a value before this transaction ends: then the unique index refuses it, and the change is
/// run again.
pub(crate) async fn existing(mut conn: &Connection, names: &References) -> QueryResult<Existing> {
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
    let mut existing = Existing {
        users: of_users(conn, &uuids(users)).await?.into_iter().map(Into::into).collect(),
        locations: of_locations(conn, &uuids(locations))
            .await?
            .into_iter()
            .map(Into::into)
            .collect(),
        graphic_plans: of_plans(conn, &uuids(graphic_plans)).await?.into_iter().collect(),
        ..Existing::default()
    };
    if !points.is_empty() {
        let named = points::table.filter(points::id.eq_any(uuids(points)));
        let found = named.select(points::id).order(points::id).for_key_share();
        let found: Vec<Uuid> = found.load(&mut conn).await?;
        existing.points = found.into_iter().map(Into::into).collect();
    }
    let names = storable(user_names);
    if !names.is_empty() {
        // One statement, so that a user who gets two names at this moment is seen with both or with
        // neither.
        let taken = users::table
            .filter(users::employee_no_folded.eq_any(&names).or(users::email_folded.eq_any(&names)))
            .select((users::id, users::employee_no_folded, users::email_folded));
        let taken: Vec<Holder> = taken.load(&mut conn).await?;
        let wanted: HashSet<&str> = names.into_iter().collect();
        for (id, number, email) in taken {
            for name in [number, email].into_iter().flatten() {
                if wanted.contains(name.as_str()) {
                    existing.user_names.entry(name).or_default().insert(id.into());
                }
            }
        }
    }
    let (printed, radio) = (storable(qr_codes), storable(rfid_codes));
    if !(printed.is_empty() && radio.is_empty()) {
        let taken = points::table
            .filter(points::qr_code.eq_any(&printed).or(points::rfid_code.eq_any(&radio)))
            .select((points::id, points::qr_code, points::rfid_code));
        let taken: Vec<Holder> = taken.load(&mut conn).await?;
        existing.qr_codes = who_has(&printed, &taken, |(_, code, _)| code);
        existing.rfid_codes = who_has(&radio, &taken, |(_, _, code)| code);
    }
    if *asks_for_admins {
        existing.active_admins = active_admins(conn).await?;
    }
    Ok(existing)
}

/// Who has one of two values, or both.
type Holder = (Uuid, Option<String>, Option<String>);

/// Those of `texts` that a column can hold. What holds U+0000 is named before it is refused, and
/// nobody has it.
fn storable(texts: &[String]) -> Vec<&str> {
    texts.iter().filter(|text| !text.contains('\0')).map(String::as_str).collect()
}

/// The holders of the `wanted` values, of which each may have one.
fn who_has<T: From<Uuid>, C: FromIterator<(String, T)>>(
    wanted: &[&str],
    holders: &[Holder],
    value: impl Fn(&Holder) -> &Option<String>,
) -> C {
    let wanted: HashSet<&str> = wanted.iter().copied().collect();
    let having = holders.iter().filter_map(|holder| {
        let value = value(holder).as_ref().filter(|value| wanted.contains(value.as_str()))?;
        Some((value.clone(), holder.0.into()))
    });
    having.collect()
}

/// Those of `ids` that are users.
pub(crate) async fn of_users(mut conn: &Connection, ids: &[Uuid]) -> QueryResult<HashSet<Uuid>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let found = users::table.filter(users::id.eq_any(ids)).select(users::id);
    Ok(found.load(&mut conn).await?.into_iter().collect())
}

/// Those of `ids` that are locations.
pub(crate) async fn of_locations(
    mut conn: &Connection,
    ids: &[Uuid],
) -> QueryResult<HashSet<Uuid>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let found = locations::table.filter(locations::id.eq_any(ids)).select(locations::id);
    Ok(found.load(&mut conn).await?.into_iter().collect())
}

/// Those of `ids` that are scheduled tasks.
pub(crate) async fn of_scheduled_tasks(
    mut conn: &Connection,
    ids: &[Uuid],
) -> QueryResult<HashSet<Uuid>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let found = scheduled_tasks::table.filter(scheduled_tasks::id.eq_any(ids));
    Ok(found.select(scheduled_tasks::id).load(&mut conn).await?.into_iter().collect())
}

/// Those of `ids` that are graphic plans, each with its location.
pub(crate) async fn of_plans(
    mut conn: &Connection,
    ids: &[Uuid],
) -> QueryResult<Vec<(GraphicPlanId, LocationId)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let found: Vec<(Uuid, Uuid)> = graphic_plans::table
        .filter(graphic_plans::id.eq_any(ids))
        .select((graphic_plans::id, graphic_plans::location_id))
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().map(|(plan, location)| (plan.into(), location.into())).collect())
}

/// The active administrators: all, or one more than a change can name.
async fn active_admins(mut conn: &Connection) -> QueryResult<HashSet<UserId>> {
    let enough = i64::try_from(MOST_USERS).unwrap_or(i64::MAX).saturating_add(1);
    let found: Vec<Uuid> = users::table
        .filter(users::role.eq(Role::Admin.code()))
        .filter(users::status.eq(UserStatus::Active.code()))
        .select(users::id)
        .limit(enough)
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().map(UserId).collect())
}
