//! Passwords, and the last sign-ins with them.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, StoreError, Timestamp,
    event::Origin,
    ids::UserId,
    sign_in::{AttemptOutcome, PasswordChange, Passwords},
};

use super::{
    account::{account, existing_account, hash, set_hash},
    failures::failures,
    sessions::insert_session,
};
use crate::{
    Connection, Dialect, Engine, Repository,
    stored::{
        Abort,
        row::Row,
        schema::{passwords, sessions, users},
        sign_in,
        sql::{Id, Time, id, ids},
    },
};

#[async_trait]
impl<S: Engine> Passwords for Repository<S> {
    async fn hash(&self, user: UserId) -> Result<Option<String>, StoreError> {
        self.0.read(user, |conn, user| async { Ok(hash(conn, *user).await?) }.boxed()).await
    }

    async fn change(
        &self,
        change: PasswordChange,
        by: Origin,
    ) -> Result<AttemptOutcome, EditError> {
        let user = change.user.0;
        self.0
            .write(Some(user), (change, by), |conn, (change, by)| {
                change_password(conn, change, by).boxed()
            })
            .await
    }

    async fn set(&self, user: UserId, hash: String, by: Origin) -> Result<(), EditError> {
        store_password(&self.0, user, Some(hash), by).await
    }

    async fn remove(&self, user: UserId, by: Origin) -> Result<(), EditError> {
        store_password(&self.0, user, None, by).await
    }

    async fn last_sign_ins(
        &self,
        users: Vec<UserId>,
    ) -> Result<Vec<Option<Timestamp>>, StoreError> {
        self.0.read(users, |conn, users| last_sign_ins(conn, users).boxed()).await
    }
}

async fn change_password(
    conn: &impl Dialect,
    change: &PasswordChange,
    by: &Origin,
) -> Result<AttemptOutcome, Abort<EditError>> {
    let PasswordChange { user, session, next, verified, hash, attempt } = change;
    let account = account(conn, *user).await?;
    if let Some(wait) = attempt.retry_after(&failures(conn, attempt).await?) {
        return Ok(AttemptOutcome::Throttled(wait));
    }
    // Read after the user is locked: every change of the password, the role or the status locks the
    // user before it ends sessions.
    let valid = sign_in::session_of(id(*user), id(*session)).select(sessions::id);
    let valid: Option<Id> = conn.first(valid).await?;
    let Some(account) = account.filter(|of| of.accepts(verified) && valid.is_some()) else {
        return Ok(AttemptOutcome::Outdated);
    };
    set_hash(conn, &account, Some(hash.clone()), by).await?;
    conn.execute(sign_in::end_sessions(*user, None)).await?;
    insert_session(conn, next).await?;
    conn.execute(sign_in::forget_failures(attempt.name)).await?;
    Ok(AttemptOutcome::Done)
}

/// Gives the user this password, or none.
async fn store_password(
    store: &impl Engine,
    user: UserId,
    hash: Option<String>,
    by: Origin,
) -> Result<(), EditError> {
    let arguments = (user, hash, by);
    store
        .write(Some(user.0), arguments, |conn, (user, hash, by)| {
            set_password(conn, *user, hash.clone(), by).boxed()
        })
        .await
}

async fn set_password(
    conn: &impl Dialect,
    user: UserId,
    hash: Option<String>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let account = existing_account(conn, user).await?;
    set_hash(conn, &account, hash, by).await?;
    conn.execute(sign_in::end_sessions(user, None)).await?;
    Ok(())
}

async fn last_sign_ins(
    conn: &impl Connection,
    users: &[UserId],
) -> Result<Vec<Option<Timestamp>>, Abort<StoreError>> {
    let mut known = HashMap::<UserId, Timestamp>::new();
    let query = users::table
        .inner_join(passwords::table.on(sign_in::is_password_of_row()))
        .filter(users::id.eq_any(ids(users)))
        .select((users::id, passwords::last_sign_in_at));
    let found: Vec<(Id, Option<Time>)> = conn.load(query).await?;
    for (user, at) in found {
        let row = Row::new("passwords", user);
        if let Some(at) = at {
            known.insert(row.id("user_id", user)?, row.time("last_sign_in_at", at)?);
        }
    }
    Ok(users.iter().map(|user| known.get(user).copied()).collect())
}
