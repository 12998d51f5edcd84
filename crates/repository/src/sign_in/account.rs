//! A user with the hash of its password.

use diesel::{prelude::*, sql_types::BigInt};
use patrol_domain::{EditError, event::Origin, ids::UserId, sign_in::Account, user::User};

use crate::{
    Connection, Dialect, Findable as _,
    change::record_changes,
    stored::{
        Abort,
        event::RecordChange,
        list::{Bind, BuiltStatement, Sql, Text},
        schema::{passwords, users},
        sign_in,
        sql::id,
        statement::{Lock, update},
    },
};

/// The user with the hash of its password, locked until the end of the transaction.
pub(super) async fn account<E: Send>(
    conn: &impl Dialect,
    user: UserId,
) -> Result<Option<Account>, Abort<E>> {
    let Some(found) = User::find(conn, user, Lock::Change).await? else { return Ok(None) };
    Ok(Some(Account { user: found.record, hash: hash(conn, user).await? }))
}

/// The hash of a user's password, if the user has one.
pub(super) async fn hash(conn: &impl Connection, user: UserId) -> QueryResult<Option<String>> {
    let of_user = passwords::table.filter(sign_in::password_of(user));
    conn.first(of_user.select(passwords::hash)).await
}

/// Like [`account`], but `Missing` when the user does not exist.
pub(super) async fn existing_account(
    conn: &impl Dialect,
    user: UserId,
) -> Result<Account, Abort<EditError>> {
    Ok(account(conn, user).await?.ok_or(EditError::Missing)?)
}

/// Replaces or removes the password of a locked account, and makes the invitations of the user void.
pub(super) async fn set_hash(
    conn: &impl Dialect,
    old: &Account,
    hash: Option<String>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let (new, user) = (old.with_hash(hash), old.user.id);
    store_hash(conn, user, new.hash.as_deref()).await?;
    conn.execute(sign_in::end_invitations(user, by.at)).await?;
    if old.user.linked != new.user.linked {
        let next = (users::linked.eq(new.user.linked), users::version.eq(users::version + 1));
        conn.execute(diesel::update(users::table.find(id(user))).set(next)).await?;
    }
    record_changes(conn, &[RecordChange::Update(old, &new)], by).await
}

/// Stores the password of a user who has none.
pub(crate) fn insert_hash<C: Dialect>(user: UserId, hash: &str) -> BuiltStatement<BigInt> {
    const INSERT: Text = Text {
        sqlite: "INSERT INTO passwords (user_row, hash) SELECT row, ? FROM users WHERE id = ?",
        postgres: "INSERT INTO passwords (user_id, hash) SELECT id, ? FROM users WHERE id = ?",
    };
    Sql::filled(C::text(INSERT), [Bind::Text(hash.to_owned()), Bind::id(user)]).into()
}

/// Stores or removes the password of a locked user.
async fn store_hash<C: Dialect>(conn: &C, user: UserId, hash: Option<&str>) -> QueryResult<()> {
    let of_user = sign_in::password_of(user);
    let Some(hash) = hash else {
        return conn.execute(diesel::delete(passwords::table.filter(of_user))).await.map(drop);
    };
    match conn.execute(update(passwords::table, of_user, passwords::hash.eq(hash))).await? {
        0 => conn.execute(insert_hash::<C>(user, hash)).await.map(drop),
        _ => Ok(()),
    }
}
