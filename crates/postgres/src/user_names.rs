//! Employee numbers and email addresses together are unique, which no unique index can ensure. So a
//! transaction that gives a user a name locks the name first. Two transactions with the same name,
//! on any nodes, then run one after the other, and the second one sees what the first has stored.

use std::collections::{BTreeSet, HashMap};

use diesel::{prelude::*, upsert::excluded};
use diesel_async::RunQueryDsl;
use patrol_domain::{shared::text::fold, user::User};
use patrol_repository::stored::{
    schema::{user_name_locks, users},
    sql::Id,
};

use crate::engine::Connection;

/// The number of locks. Two names may share one; then a transaction waits unnecessarily.
const BUCKETS: u32 = 1 << 20;

/// Locks these names until the end of the transaction, in order of the locks, so that two
/// transactions cannot deadlock.
pub(crate) async fn lock(
    mut conn: &Connection,
    names: impl Iterator<Item = &str>,
) -> QueryResult<()> {
    let buckets: BTreeSet<_> = names.map(bucket).collect();
    if buckets.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = buckets.into_iter().map(|at| user_name_locks::bucket.eq(at)).collect();
    diesel::insert_into(user_name_locks::table)
        .values(rows)
        .on_conflict(user_name_locks::bucket)
        .do_update()
        .set(user_name_locks::bucket.eq(excluded(user_name_locks::bucket)))
        .execute(&mut conn)
        .await?;
    Ok(())
}

/// Locks the names of new users, and returns whether one of these users clashes with a stored user
/// or with another new one.
pub(crate) async fn lock_and_find_clash(
    mut conn: &Connection,
    users: &[&User],
) -> QueryResult<bool> {
    let folded = |name: fn(&User) -> &Option<String>| -> Vec<String> {
        users.iter().filter_map(|user| name(user).as_deref().map(fold)).collect()
    };
    if users.is_empty() {
        return Ok(false);
    }
    let (numbers, emails) = (folded(|user| &user.employee_no), folded(|user| &user.email));
    lock(conn, numbers.iter().chain(&emails).map(String::as_str)).await?;
    let mut seen = HashMap::new();
    for user in users {
        for name in [&user.employee_no, &user.email].into_iter().flatten() {
            if seen.insert(fold(name), user.id).is_some_and(|other| other != user.id) {
                return Ok(true);
            }
        }
    }
    let clash = users::table
        .filter(users::employee_no_folded.eq_any(&emails).or(users::email_folded.eq_any(&numbers)))
        .select(users::id);
    let clash: Option<Id> = clash.first(&mut conn).await.optional()?;
    Ok(clash.is_some())
}

/// The lock of a folded name: FNV-1a, the same on every node and in every version.
fn bucket(folded: &str) -> i32 {
    let hash = folded
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    i32::try_from(hash % BUCKETS).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::bucket;

    #[test]
    fn a_name_has_the_same_lock_in_every_version() {
        assert_eq!(["", "a", "e2@example.org"].map(bucket), [826_821, 796_972, 277_636]);
    }
}
