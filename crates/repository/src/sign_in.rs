//! Passwords, sessions, invitations and failed sign-ins.

use std::{collections::HashMap, time::Duration};

use async_trait::async_trait;
use diesel::{prelude::*, sql_types::BigInt};
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, StoreError, Timestamp,
    access::Digest,
    event::Origin,
    ids::{SessionId, UserId},
    sign_in::{
        AcceptedInvitation, Account, Attempt, AttemptOutcome, Failures, Invitation, Invitations,
        NewInvitation, NewSession, PasswordChange, Passwords, Session, Sessions, SignInFailures,
    },
    user::User,
};
use patrol_stored::{
    Abort,
    event::Change,
    list::{Bind, BuiltStatement, Sql, Text},
    row::Row,
    schema::{invitations, passwords, sessions, users},
    sign_in::{self, InvitationRead, InvitationWritten, SessionRead, SessionWritten},
    sql::{StoredId, Time, columns, id, ids, time},
    statement::{Lock, Statement, update},
};

use crate::{Connection, Dialect, Engine, Findable as _, Repository, change::record_changes};

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
        let arguments = (user, hash, by);
        self.0
            .write(Some(user.0), arguments, |conn, (user, hash, by)| {
                set_password(conn, *user, hash, by).boxed()
            })
            .await
    }

    async fn remove(&self, user: UserId, by: Origin) -> Result<(), EditError> {
        let arguments = (user, by);
        self.0
            .write(Some(user.0), arguments, |conn, (user, by)| {
                remove_password(conn, *user, by).boxed()
            })
            .await
    }

    async fn last_sign_ins(
        &self,
        users: Vec<UserId>,
    ) -> Result<Vec<Option<Timestamp>>, StoreError> {
        self.0.read(users, |conn, users| last_sign_ins(conn, users).boxed()).await
    }
}

#[async_trait]
impl<S: Engine> Sessions for Repository<S> {
    async fn open(
        &self,
        new: NewSession,
        verified: String,
        attempt: Attempt,
    ) -> Result<AttemptOutcome, StoreError> {
        let user = new.session.user.0;
        let arguments = (new, verified, attempt);
        self.0
            .write(Some(user), arguments, |conn, (new, verified, attempt)| {
                open_session(conn, new, verified, attempt).boxed()
            })
            .await
    }

    async fn find(&self, digest: Digest) -> Result<Option<Session>, StoreError> {
        self.0.read(digest, |conn, digest| session(conn, digest).boxed()).await
    }

    async fn of_user(&self, user: UserId) -> Result<Vec<Session>, StoreError> {
        self.0.read(user, |conn, user| sessions_of(conn, *user).boxed()).await
    }

    async fn touch(&self, session: SessionId, at: Timestamp) -> Result<(), StoreError> {
        let touched = self.0.write(None, (session, at), |conn, (session, at)| {
            changed(conn, sign_in::touch(*session, *at)).boxed()
        });
        touched.await.map(drop)
    }

    async fn end(&self, user: UserId, session: SessionId) -> Result<bool, StoreError> {
        let ended = self.0.write(None, (user, session), |conn, (user, session)| {
            changed(conn, sign_in::end_session(*user, *session)).boxed()
        });
        Ok(ended.await? > 0)
    }

    async fn end_all(&self, user: UserId, keep: Option<SessionId>) -> Result<usize, StoreError> {
        let ended = self.0.write(None, (user, keep), |conn, (user, keep)| {
            changed(conn, sign_in::end_sessions(*user, *keep)).boxed()
        });
        ended.await
    }

    async fn delete_expired(&self, begin: Timestamp, seen: Timestamp) -> Result<usize, StoreError> {
        let deleted = self.0.write(None, (begin, seen), |conn, (begin, seen)| {
            changed(conn, sign_in::delete_sessions(*begin, *seen)).boxed()
        });
        deleted.await
    }
}

#[async_trait]
impl<S: Engine> Invitations for Repository<S> {
    async fn create(&self, new: NewInvitation) -> Result<(), EditError> {
        let user = new.invitation.user.0;
        self.0.write(Some(user), new, |conn, new| invite(conn, new).boxed()).await
    }

    async fn find(&self, digest: Digest) -> Result<Option<Invitation>, StoreError> {
        self.0.read(digest, |conn, digest| invitation(conn, digest).boxed()).await
    }

    async fn accept(&self, accepted: AcceptedInvitation, by: Origin) -> Result<(), EditError> {
        let user = accepted.session.session.user.0;
        self.0
            .write(Some(user), (accepted, by), |conn, (accepted, by)| {
                accept(conn, accepted, by).boxed()
            })
            .await
    }

    async fn delete_ended(&self, until: Timestamp) -> Result<usize, StoreError> {
        let deleted = self.0.write(None, until, |conn, until| {
            changed(conn, sign_in::delete_invitations(*until)).boxed()
        });
        deleted.await
    }
}

#[async_trait]
impl<S: Engine> SignInFailures for Repository<S> {
    async fn retry_after(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError> {
        self.0.read(attempt, |conn, attempt| retry_after(conn, attempt).boxed()).await
    }

    async fn add(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError> {
        self.0.write(None, attempt, |conn, attempt| add_failure(conn, attempt).boxed()).await
    }

    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError> {
        let deleted = self
            .0
            .write(None, now, |conn, now| changed(conn, sign_in::delete_failures(*now)).boxed());
        deleted.await
    }
}

/// Runs the statement, and returns the number of changed rows.
async fn changed<E>(conn: &impl Connection, statement: impl Statement) -> Result<usize, Abort<E>> {
    Ok(conn.execute(statement).await?)
}

async fn change_password(
    conn: &impl Dialect,
    change: &PasswordChange,
    by: &Origin,
) -> Result<AttemptOutcome, Abort<EditError>> {
    let PasswordChange { user, session, verified, hash, attempt } = change;
    let account = account(conn, *user).await?;
    if let Some(wait) = attempt.retry_after(&failures(conn, attempt).await?) {
        return Ok(AttemptOutcome::Throttled(wait));
    }
    // After the lock of the user: what ends its sessions has locked it too.
    let valid = sign_in::session_of(id(*user), id(*session)).select(sessions::id);
    let valid: Option<StoredId> = conn.first(valid).await?;
    let Some(account) = account.filter(|of| of.accepts(verified) && valid.is_some()) else {
        return Ok(AttemptOutcome::Outdated);
    };
    set_hash(conn, &account, Some(hash.clone()), by).await?;
    conn.execute(sign_in::end_sessions(*user, Some(*session))).await?;
    conn.execute(sign_in::forget_failures(attempt.name)).await?;
    Ok(AttemptOutcome::Done)
}

async fn set_password(
    conn: &impl Dialect,
    user: UserId,
    hash: &str,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let account = existing_account(conn, user).await?;
    set_hash(conn, &account, Some(hash.to_owned()), by).await?;
    conn.execute(sign_in::end_sessions(user, None)).await?;
    Ok(())
}

async fn remove_password(
    conn: &impl Dialect,
    user: UserId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let account = existing_account(conn, user).await?;
    set_hash(conn, &account, None, by).await?;
    conn.execute(sign_in::end_sessions(user, None)).await?;
    conn.execute(sign_in::end_invitations(user, by.at)).await?;
    Ok(())
}

async fn last_sign_ins(
    conn: &impl Connection,
    of: &[UserId],
) -> Result<Vec<Option<Timestamp>>, Abort<StoreError>> {
    let mut known = HashMap::<UserId, Timestamp>::new();
    let query = users::table
        .inner_join(passwords::table.on(sign_in::is_password_of_row()))
        .filter(users::id.eq_any(ids(of)))
        .select((users::id, passwords::last_sign_in_at));
    let found: Vec<(StoredId, Option<Time>)> = conn.load(query).await?;
    for (user, at) in found {
        let row = Row::new("passwords", user);
        if let Some(at) = at {
            known.insert(row.id("user_id", user)?, row.time("last_sign_in_at", at)?);
        }
    }
    Ok(of.iter().map(|user| known.get(user).copied()).collect())
}

async fn open_session(
    conn: &impl Dialect,
    new: &NewSession,
    verified: &str,
    attempt: &Attempt,
) -> Result<AttemptOutcome, Abort<StoreError>> {
    let account = account(conn, new.session.user).await?;
    if let Some(wait) = attempt.retry_after(&failures(conn, attempt).await?) {
        return Ok(AttemptOutcome::Throttled(wait));
    }
    if !account.is_some_and(|account| account.accepts(verified)) {
        return Ok(AttemptOutcome::Outdated);
    }
    insert_session(conn, new).await?;
    conn.execute(sign_in::forget_failures(attempt.name)).await?;
    Ok(AttemptOutcome::Done)
}

async fn session(
    conn: &impl Connection,
    digest: &Digest,
) -> Result<Option<Session>, Abort<StoreError>> {
    let found = sign_in::session(&digest.0).select(columns::<SessionRead>());
    Ok(conn.first(found).await?.map(SessionRead::session).transpose()?)
}

async fn sessions_of(
    conn: &impl Connection,
    user: UserId,
) -> Result<Vec<Session>, Abort<StoreError>> {
    let found = sign_in::sessions_of(id(user)).select(columns::<SessionRead>());
    let found: Vec<SessionRead> = conn.load(found).await?;
    Ok(found.into_iter().map(SessionRead::session).collect::<Result<_, _>>()?)
}

async fn invite(conn: &impl Dialect, new: &NewInvitation) -> Result<(), Abort<EditError>> {
    let NewInvitation { invitation, failures, .. } = new;
    Invitation::check_user(&existing_account(conn, invitation.user).await?.user)?;
    conn.execute(sign_in::end_invitations(invitation.user, invitation.created_at)).await?;
    let written = InvitationWritten::of(new);
    conn.execute(diesel::insert_into(invitations::table).values(written)).await?;
    conn.execute(sign_in::forget_failures(*failures)).await?;
    Ok(())
}

async fn accept(
    conn: &impl Dialect,
    accepted: &AcceptedInvitation,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let AcceptedInvitation { digest, hash, session: new, failures } = accepted;
    let Session { user, created_at: now, .. } = new.session;
    let account = existing_account(conn, user).await?;
    // After the lock of the user: what ends its invitations has locked it too.
    let found = invitation(conn, digest).await?.filter(|found| found.user == user);
    if !found.is_some_and(|found| found.is_open(&account.user, now)) {
        return Err(EditError::Missing.into());
    }
    set_hash(conn, &account, Some(hash.clone()), by).await?;
    conn.execute(sign_in::end_invitations(user, now)).await?;
    conn.execute(sign_in::end_sessions(user, None)).await?;
    insert_session(conn, new).await?;
    conn.execute(sign_in::forget_failures(*failures)).await?;
    Ok(())
}

async fn retry_after(
    conn: &impl Connection,
    attempt: &Attempt,
) -> Result<Option<Duration>, Abort<StoreError>> {
    conn.together(async { Ok(attempt.retry_after(&failures(conn, attempt).await?)) }).await
}

async fn add_failure(
    conn: &impl Dialect,
    attempt: &Attempt,
) -> Result<Option<Duration>, Abort<StoreError>> {
    conn.lock_failures(attempt).await?;
    let before = failures(conn, attempt).await?;
    if let Some(wait) = attempt.retry_after(&before) {
        return Ok(Some(wait));
    }
    let Failures { name, address } = attempt.failed(&before);
    for (counter, times) in [(attempt.name, name), (attempt.address, address)] {
        conn.execute(sign_in::store_failures(counter, &times, attempt.at)).await?;
    }
    Ok(None)
}

/// The user with the hash of its password, locked until the end of the transaction.
async fn account<E: Send>(conn: &impl Dialect, user: UserId) -> Result<Option<Account>, Abort<E>> {
    let Some(found) = User::find(conn, user, Lock::Change).await? else { return Ok(None) };
    Ok(Some(Account { user: found.record, hash: hash(conn, user).await? }))
}

/// The hash of a user's password, if the user has one.
async fn hash(conn: &impl Connection, user: UserId) -> QueryResult<Option<String>> {
    let of_user = passwords::table.filter(sign_in::password_of(user));
    conn.first(of_user.select(passwords::hash)).await
}

/// Like [`account`], but `Missing` when the user does not exist.
async fn existing_account(conn: &impl Dialect, user: UserId) -> Result<Account, Abort<EditError>> {
    Ok(account(conn, user).await?.ok_or(EditError::Missing)?)
}

/// Replaces or removes the password of a locked account.
async fn set_hash(
    conn: &impl Dialect,
    old: &Account,
    hash: Option<String>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let (new, user) = (old.with_hash(hash), old.user.id);
    store_hash(conn, user, new.hash.as_deref()).await?;
    if old.user.linked != new.user.linked {
        let next = (users::linked.eq(new.user.linked), users::version.eq(users::version + 1));
        conn.execute(diesel::update(users::table.find(id(user))).set(next)).await?;
    }
    record_changes(conn, &[Change::Update(old, &new)], by).await
}

/// Stores the password of a user who has none.
pub(crate) fn insert_hash<C: Dialect>(user: UserId, hash: &str) -> BuiltStatement<BigInt> {
    const INSERT: Text = Text {
        sqlite: "INSERT INTO passwords (user_row, hash) SELECT row, ",
        postgres: "INSERT INTO passwords (user_id, hash) SELECT id, ",
    };
    let mut sql = Sql::of(&[C::text(INSERT)]);
    sql.bind(Bind::Text(hash.to_owned()));
    sql.text(" FROM users WHERE id = ");
    sql.bind(Bind::id(user));
    sql.into()
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

/// Stores a session as the last sign-in of its user, who is locked.
async fn insert_session(conn: &impl Dialect, new: &NewSession) -> QueryResult<()> {
    let NewSession { session, max_sessions, .. } = new;
    let written = SessionWritten::of(new);
    conn.execute(diesel::insert_into(sessions::table).values(written)).await?;
    conn.execute(sign_in::end_oldest(session.user, *max_sessions)).await?;
    let signed_in = passwords::last_sign_in_at.eq(time(session.created_at));
    let of_user = sign_in::password_of(session.user);
    conn.execute(update(passwords::table, of_user, signed_in)).await.map(drop)
}

async fn invitation<E>(
    conn: &impl Connection,
    digest: &Digest,
) -> Result<Option<Invitation>, Abort<E>> {
    let found = sign_in::invitation(&digest.0).select(columns::<InvitationRead>());
    Ok(conn.first(found).await?.map(InvitationRead::invitation).transpose()?)
}

/// The failures that are stored for an attempt.
async fn failures<E>(conn: &impl Connection, attempt: &Attempt) -> Result<Failures, Abort<E>> {
    let mut failures = Failures::default();
    for (counter, times) in
        [(attempt.name, &mut failures.name), (attempt.address, &mut failures.address)]
    {
        let stored: Option<Vec<u8>> = conn.first(sign_in::failures(&counter.0)).await?;
        *times = sign_in::read_failures(stored.as_deref());
    }
    Ok(failures)
}
