//! Passwords, sessions, invitations and failed sign-ins.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use diesel::{prelude::*, upsert::excluded};
use diesel_async::RunQueryDsl;
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
    row::Row,
    schema::{invitations, passwords, sessions, sign_in_failures, users},
    sign_in::{self, InvitationRead, InvitationWritten, SessionRead, SessionWritten},
    sql::{StoredId, Time, id, ids, time},
};

use crate::{
    Store,
    change::{self, Change, Entity, Findable as _},
    engine::{Abort, Connection},
};

#[async_trait]
impl Passwords for Store {
    async fn hash(&self, user: UserId) -> Result<Option<String>, StoreError> {
        self.read(async |conn| Ok(hash(&conn, user).await?)).await
    }

    async fn change(
        &self,
        change: PasswordChange,
        by: Origin,
    ) -> Result<AttemptOutcome, EditError> {
        let PasswordChange { user, session, verified, hash, attempt } = change;
        self.transaction_on(user.0, async |conn| {
            let account = account(&conn, user).await?;
            if let Some(wait) = attempt.retry_after(&failures(&conn, &attempt).await?) {
                return Ok(AttemptOutcome::Throttled(wait));
            }
            // After the lock of the user: what ends its sessions has locked it too.
            let valid = sign_in::session_of(id(user), id(session)).select(sessions::id);
            let valid: Option<StoredId> = valid.first(&mut conn.as_ref()).await.optional()?;
            let Some(account) = account.filter(|of| of.accepts(&verified) && valid.is_some())
            else {
                return Ok(AttemptOutcome::Outdated);
            };
            set_hash(&conn, &account, Some(hash.clone()), &by).await?;
            sign_in::end_sessions(user, Some(session)).execute(&mut conn.as_ref()).await?;
            sign_in::forget_failures(attempt.name).execute(&mut conn.as_ref()).await?;
            Ok(AttemptOutcome::Done)
        })
        .await
    }

    async fn set(&self, user: UserId, hash: String, by: Origin) -> Result<(), EditError> {
        self.transaction_on(user.0, async |conn| {
            let account = load(&conn, user).await?;
            set_hash(&conn, &account, Some(hash.clone()), &by).await?;
            sign_in::end_sessions(user, None).execute(&mut conn.as_ref()).await?;
            Ok(())
        })
        .await
    }

    async fn remove(&self, user: UserId, by: Origin) -> Result<(), EditError> {
        self.transaction_on(user.0, async |conn| {
            let account = load(&conn, user).await?;
            set_hash(&conn, &account, None, &by).await?;
            sign_in::end_sessions(user, None).execute(&mut conn.as_ref()).await?;
            sign_in::end_invitations(user, by.at).execute(&mut conn.as_ref()).await?;
            Ok(())
        })
        .await
    }

    async fn last_sign_ins(
        &self,
        users: Vec<UserId>,
    ) -> Result<Vec<Option<Timestamp>>, StoreError> {
        let find = async |conn: Arc<Connection>| {
            let found = passwords::table
                .filter(passwords::user_id.eq_any(ids(&users)))
                .select((passwords::user_id, passwords::last_sign_in_at));
            Ok(found.load::<(StoredId, Option<Time>)>(&mut conn.as_ref()).await?)
        };
        let mut known = HashMap::<UserId, Timestamp>::new();
        for (user, at) in self.read(find).await? {
            let row = Row::new("passwords", user);
            if let Some(at) = at {
                known.insert(row.id("user_id", user)?, row.time("last_sign_in_at", at)?);
            }
        }
        Ok(users.iter().map(|user| known.get(user).copied()).collect())
    }
}

#[async_trait]
impl Sessions for Store {
    async fn open(
        &self,
        new: NewSession,
        verified: String,
        attempt: Attempt,
    ) -> Result<AttemptOutcome, StoreError> {
        let user = new.session.user;
        self.transaction_on(user.0, async |conn| {
            let account = account(&conn, user).await?;
            if let Some(wait) = attempt.retry_after(&failures(&conn, &attempt).await?) {
                return Ok(AttemptOutcome::Throttled(wait));
            }
            if !account.is_some_and(|account| account.accepts(&verified)) {
                return Ok(AttemptOutcome::Outdated);
            }
            insert_session(&conn, &new).await?;
            sign_in::forget_failures(attempt.name).execute(&mut conn.as_ref()).await?;
            Ok(AttemptOutcome::Done)
        })
        .await
    }

    async fn find(&self, digest: Digest) -> Result<Option<Session>, StoreError> {
        let find = async |conn: Arc<Connection>| {
            let found = sign_in::session(&digest.0).select(SessionRead::as_select());
            Ok(found.first(&mut conn.as_ref()).await.optional()?)
        };
        self.read(find).await?.map(SessionRead::session).transpose()
    }

    async fn of_user(&self, user: UserId) -> Result<Vec<Session>, StoreError> {
        let find = async |conn: Arc<Connection>| {
            let found = sign_in::sessions_of(id(user)).select(SessionRead::as_select());
            Ok(found.load(&mut conn.as_ref()).await?)
        };
        self.read(find).await?.into_iter().map(SessionRead::session).collect()
    }

    async fn touch(&self, session: SessionId, at: Timestamp) -> Result<(), StoreError> {
        self.transaction(async |conn| {
            Ok(sign_in::touch(session, at).execute(&mut conn.as_ref()).await.map(drop)?)
        })
        .await
    }

    async fn end(&self, user: UserId, session: SessionId) -> Result<bool, StoreError> {
        self.transaction(async |conn| {
            Ok(sign_in::end_session(user, session).execute(&mut conn.as_ref()).await? > 0)
        })
        .await
    }

    async fn end_all(&self, user: UserId, keep: Option<SessionId>) -> Result<usize, StoreError> {
        self.transaction(async |conn| {
            Ok(sign_in::end_sessions(user, keep).execute(&mut conn.as_ref()).await?)
        })
        .await
    }

    async fn delete_expired(&self, begin: Timestamp, seen: Timestamp) -> Result<usize, StoreError> {
        self.transaction(async |conn| {
            Ok(sign_in::delete_sessions(begin, seen).execute(&mut conn.as_ref()).await?)
        })
        .await
    }
}

#[async_trait]
impl Invitations for Store {
    async fn create(&self, new: NewInvitation) -> Result<(), EditError> {
        let NewInvitation { invitation: Invitation { user, created_at, .. }, failures, .. } = new;
        self.transaction_on(user.0, async |conn| {
            Invitation::check_user(&load(&conn, user).await?.user)?;
            sign_in::end_invitations(user, created_at).execute(&mut conn.as_ref()).await?;
            let written = InvitationWritten::of(&new);
            let stored = diesel::insert_into(invitations::table).values(written);
            stored.execute(&mut conn.as_ref()).await?;
            sign_in::forget_failures(failures).execute(&mut conn.as_ref()).await?;
            Ok(())
        })
        .await
    }

    async fn find(&self, digest: Digest) -> Result<Option<Invitation>, StoreError> {
        self.read(async |conn| invitation(&conn, digest).await).await
    }

    async fn accept(&self, accepted: AcceptedInvitation, by: Origin) -> Result<(), EditError> {
        let AcceptedInvitation { digest, hash, session: new, failures } = accepted;
        let Session { user, created_at: now, .. } = new.session;
        self.transaction_on(user.0, async |conn| {
            let account = load(&conn, user).await?;
            // After the lock of the user: what ends its invitations has locked it too.
            let found = invitation(&conn, digest).await?.filter(|found| found.user == user);
            if !found.is_some_and(|found| found.is_open(&account.user, now)) {
                return Err(EditError::Missing.into());
            }
            set_hash(&conn, &account, Some(hash.clone()), &by).await?;
            sign_in::end_invitations(user, now).execute(&mut conn.as_ref()).await?;
            sign_in::end_sessions(user, None).execute(&mut conn.as_ref()).await?;
            insert_session(&conn, &new).await?;
            sign_in::forget_failures(failures).execute(&mut conn.as_ref()).await?;
            Ok(())
        })
        .await
    }

    async fn delete_ended(&self, until: Timestamp) -> Result<usize, StoreError> {
        self.transaction(async |conn| {
            Ok(sign_in::delete_invitations(until).execute(&mut conn.as_ref()).await?)
        })
        .await
    }
}

#[async_trait]
impl SignInFailures for Store {
    async fn retry_after(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError> {
        self.read(async |conn| Ok(attempt.retry_after(&failures(&conn, &attempt).await?))).await
    }

    async fn add(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError> {
        self.transaction(async |conn| {
            lock(&conn, &attempt).await?;
            let before = failures(&conn, &attempt).await?;
            if let Some(wait) = attempt.retry_after(&before) {
                return Ok(Some(wait));
            }
            let Failures { name, address } = attempt.failed(&before);
            for (counter, times) in [(attempt.name, name), (attempt.address, address)] {
                let stored = sign_in::store_failures(counter, &times, attempt.at);
                stored.execute(&mut conn.as_ref()).await?;
            }
            Ok(None)
        })
        .await
    }

    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.transaction(async |conn| {
            Ok(sign_in::delete_failures(now).execute(&mut conn.as_ref()).await?)
        })
        .await
    }
}

impl Entity for Account {}

async fn hash(mut conn: &Connection, user: UserId) -> QueryResult<Option<String>> {
    let hash = passwords::table.filter(passwords::user_id.eq(id(user))).select(passwords::hash);
    hash.first(&mut conn).await.optional()
}

/// The user with the hash of its password, locked until the end of the transaction. Records that refer
/// to the user need not wait.
async fn account<E: Send>(
    mut conn: &Connection,
    user: UserId,
) -> Result<Option<Account>, Abort<E>> {
    let locked = users::table.filter(users::id.eq(id(user))).select(users::id).for_no_key_update();
    let locked: Option<StoredId> = locked.first(&mut conn).await.optional()?;
    if locked.is_none() {
        return Ok(None);
    }
    let Some(found) = User::find(conn, user).await? else { return Ok(None) };
    Ok(Some(Account { user: found.record, hash: hash(conn, user).await? }))
}

/// The same; `Missing` when the user does not exist.
async fn load(conn: &Connection, user: UserId) -> Result<Account, Abort<EditError>> {
    Ok(account(conn, user).await?.ok_or(EditError::Missing)?)
}

/// Replaces or removes the password of a locked account.
async fn set_hash(
    mut conn: &Connection,
    old: &Account,
    hash: Option<String>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let (new, user) = (old.with_hash(hash), id(old.user.id));
    match &new.hash {
        Some(hash) => {
            diesel::insert_into(passwords::table)
                .values((passwords::user_id.eq(user), passwords::hash.eq(hash)))
                .on_conflict(passwords::user_id)
                .do_update()
                .set(passwords::hash.eq(hash))
                .execute(&mut conn)
                .await?;
        }
        None => {
            let removed = diesel::delete(passwords::table.filter(passwords::user_id.eq(user)));
            removed.execute(&mut conn).await?;
        }
    }
    if old.user.linked != new.user.linked {
        diesel::update(users::table.find(user))
            .set((users::linked.eq(new.user.linked), users::version.eq(users::version + 1)))
            .execute(&mut conn)
            .await?;
    }
    change::record_changes(conn, &[Change::Update(old, &new)], by).await
}

/// Stores a session as the last sign-in of its user, who is locked.
async fn insert_session(mut conn: &Connection, new: &NewSession) -> QueryResult<()> {
    let NewSession { session, max_sessions, .. } = new;
    let stored = diesel::insert_into(sessions::table).values(SessionWritten::of(new));
    stored.execute(&mut conn).await?;
    sign_in::end_oldest(session.user, *max_sessions).execute(&mut conn).await?;
    diesel::update(passwords::table.filter(passwords::user_id.eq(id(session.user))))
        .set(passwords::last_sign_in_at.eq(time(session.created_at)))
        .execute(&mut conn)
        .await?;
    Ok(())
}

async fn invitation<E>(
    mut conn: &Connection,
    digest: Digest,
) -> Result<Option<Invitation>, Abort<E>> {
    let found = sign_in::invitation(&digest.0).select(InvitationRead::as_select());
    let found = found.first(&mut conn).await.optional()?;
    Ok(found.map(InvitationRead::invitation).transpose()?)
}

/// The failures that are stored for an attempt.
async fn failures<E>(mut conn: &Connection, attempt: &Attempt) -> Result<Failures, Abort<E>> {
    let mut failures = Failures::default();
    for (counter, times) in
        [(attempt.name, &mut failures.name), (attempt.address, &mut failures.address)]
    {
        let stored = sign_in::failures(&counter.0);
        let stored: Option<Vec<u8>> = stored.first(&mut conn).await.optional()?;
        *times = sign_in::read_failures(stored.as_deref());
    }
    Ok(failures)
}

/// Locks the failures of the name and of the address, in the order of their keys, until the end of the
/// transaction. The next failure then sees this one.
async fn lock(mut conn: &Connection, attempt: &Attempt) -> QueryResult<()> {
    let mut counters = [attempt.name.0, attempt.address.0];
    counters.sort_unstable();
    let rows = counters.map(|counter| {
        (
            sign_in_failures::counter.eq(counter.to_vec()),
            sign_in_failures::times.eq(Vec::new()),
            sign_in_failures::expires_at.eq(time(attempt.at)),
        )
    });
    diesel::insert_into(sign_in_failures::table)
        .values(Vec::from(rows))
        .on_conflict(sign_in_failures::counter)
        .do_update()
        .set(sign_in_failures::counter.eq(excluded(sign_in_failures::counter)))
        .execute(&mut conn)
        .await?;
    Ok(())
}
