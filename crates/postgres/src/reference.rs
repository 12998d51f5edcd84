//! Looks up which of the named records exist, and which records have the named values.

use std::collections::HashSet;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Existing, Named, References,
    access::Role,
    ids::{GraphicPlanId, LocationId, ScheduledTaskId, UserId, Uuid},
    user::{MAX_BATCH_USERS, UserStatus},
};
use patrol_stored::{
    schema::{graphic_plans, locations, points, scheduled_tasks, users},
    sql::{StoredId, ids},
};

use crate::engine::Connection;

/// The lookup of `names`. Users, locations and graphic plans cannot be deleted, and a point that is
/// found stays until the end of the transaction. Another node may take a value before that: then
/// the unique index refuses this transaction, and the change runs again.
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
        users: of_users(conn, users).await?,
        locations: of_locations(conn, locations).await?,
        graphic_plans: of_plans(conn, graphic_plans).await?.into_iter().collect(),
        ..Existing::default()
    };
    if !points.is_empty() {
        let named = points::table.filter(points::id.eq_any(ids(points)));
        let found = named.select(points::id).order(points::id).for_key_share();
        existing.points = known(found.load(&mut conn).await?);
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
        for (holder, number, email) in taken {
            let Some(user) = holder.get() else { continue };
            for name in [number, email].into_iter().flatten() {
                if wanted.contains(name.as_str()) {
                    existing.user_names.entry(name).or_default().insert(user);
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

/// A record that has one or both of two values.
type Holder = (StoredId, Option<String>, Option<String>);

/// Those of `texts` that a column can store. A text with U+0000 has no owner, and PostgreSQL
/// refuses it as a parameter.
fn storable(texts: &[String]) -> Vec<&str> {
    texts.iter().filter(|text| !text.contains('\0')).map(String::as_str).collect()
}

/// The owners of the `wanted` values; a record may have one or both.
fn who_has<T: From<Uuid>, C: FromIterator<(String, T)>>(
    wanted: &[&str],
    holders: &[Holder],
    value: impl Fn(&Holder) -> &Option<String>,
) -> C {
    let wanted: HashSet<&str> = wanted.iter().copied().collect();
    let having = holders.iter().filter_map(|holder| {
        let value = value(holder).as_ref().filter(|value| wanted.contains(value.as_str()))?;
        Some((value.clone(), holder.0.get()?))
    });
    having.collect()
}

fn known<T: From<Uuid>, C: FromIterator<T>>(found: Vec<StoredId>) -> C {
    found.into_iter().filter_map(StoredId::get).collect()
}

/// Declares a function that finds the existing records of a table.
macro_rules! known {
    ($(#[$doc:meta])* $name:ident, $table:ident, $id:ty) => {
        $(#[$doc])*
        pub(crate) async fn $name(mut conn: &Connection, of: &[$id]) -> QueryResult<HashSet<$id>> {
            if of.is_empty() {
                return Ok(HashSet::new());
            }
            let found = $table::table.filter($table::id.eq_any(ids(of))).select($table::id);
            Ok(known(found.load(&mut conn).await?))
        }
    };
}

known! {
    /// Those of `of` that are users.
    of_users, users, UserId
}
known! {
    /// Those of `of` that are locations.
    of_locations, locations, LocationId
}
known! {
    /// Those of `of` that are scheduled tasks.
    of_scheduled_tasks, scheduled_tasks, ScheduledTaskId
}

/// Those of `plans` that exist, with their locations.
pub(crate) async fn of_plans(
    mut conn: &Connection,
    plans: &[GraphicPlanId],
) -> QueryResult<Vec<(GraphicPlanId, LocationId)>> {
    if plans.is_empty() {
        return Ok(Vec::new());
    }
    let found: Vec<(StoredId, StoredId)> = graphic_plans::table
        .filter(graphic_plans::id.eq_any(ids(plans)))
        .select((graphic_plans::id, graphic_plans::location_id))
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().filter_map(|(plan, of)| Some((plan.get()?, of.get()?))).collect())
}

/// The active administrators, at most one more than a change can name.
async fn active_admins(mut conn: &Connection) -> QueryResult<HashSet<UserId>> {
    let enough = i64::try_from(MAX_BATCH_USERS).unwrap_or(i64::MAX).saturating_add(1);
    let found = users::table
        .filter(users::role.eq(Role::Admin.code()))
        .filter(users::status.eq(UserStatus::Active.code()))
        .select(users::id)
        .limit(enough);
    Ok(known(found.load(&mut conn).await?))
}
