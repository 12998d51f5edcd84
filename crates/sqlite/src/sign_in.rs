//! Passwords, sessions, invitations and failed sign-ins.

use std::time::Duration;

use async_trait::async_trait;
use diesel::prelude::*;
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
    schema::{invitations, passwords, sessions, users},
    sign_in::{self, InvitationRead, InvitationWritten, SessionRead, SessionWritten},
    sql::{StoredId, Time, id, time},
};

use crate::{
    Store,
    change::{self, Change, Entity, Findable as _, Found},
    engine::{Abort, snapshot},
    revision::Aggregate,
    statement,
};

#[async_trait]
impl Passwords for Store {
    async fn hash(&self, user: UserId) -> Result<Option<String>, StoreError> {
        let find = move |conn: &mut SqliteConnection| {
            let found = users::table
                .inner_join(passwords::table.on(passwords::user_row.eq(users::row)))
                .filter(users::id.eq(id(user)))
                .select(passwords::hash);
            Ok(found.first(conn).optional()?)
        };
        self.read(find).await
    }

    async fn change(
        &self,
        change: PasswordChange,
        by: Origin,
    ) -> Result<AttemptOutcome, EditError> {
        self.write(move |conn| {
            let PasswordChange { user, session, verified, hash, attempt } = &change;
            if let Some(wait) = attempt.retry_after(&failures(conn, attempt)?) {
                return Ok(AttemptOutcome::Throttled(wait));
            }
            let session_row = sign_in::session_of(id(*user), id(*session)).select(sessions::id);
            let is_valid = session_row.first::<StoredId>(conn).optional()?.is_some();
            let Some((row, account)) = account(conn, *user)?.filter(|_| is_valid) else {
                return Ok(AttemptOutcome::Outdated);
            };
            if !account.accepts(verified) {
                return Ok(AttemptOutcome::Outdated);
            }
            set_hash(conn, row, &account, Some(hash.clone()), &by)?;
            sign_in::end_sessions(*user, Some(*session)).execute(conn)?;
            sign_in::forget_failures(attempt.name).execute(conn)?;
            Ok(AttemptOutcome::Done)
        })
        .await
    }

    async fn set(&self, user: UserId, hash: String, by: Origin) -> Result<(), EditError> {
        self.write(move |conn| {
            let (row, account) = load(conn, user)?;
            set_hash(conn, row, &account, Some(hash.clone()), &by)?;
            sign_in::end_sessions(user, None).execute(conn)?;
            Ok(())
        })
        .await
    }

    async fn remove(&self, user: UserId, by: Origin) -> Result<(), EditError> {
        self.write(move |conn| {
            let (row, account) = load(conn, user)?;
            set_hash(conn, row, &account, None, &by)?;
            sign_in::end_sessions(user, None).execute(conn)?;
            sign_in::end_invitations(user, by.at).execute(conn)?;
            Ok(())
        })
        .await
    }

    async fn last_sign_ins(
        &self,
        users: Vec<UserId>,
    ) -> Result<Vec<Option<Timestamp>>, StoreError> {
        let find = move |conn: &mut SqliteConnection| {
            snapshot(conn, |conn| users.iter().map(|user| last_sign_in(conn, *user)).collect())
        };
        self.read(find).await
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
        self.write(move |conn| {
            if let Some(wait) = attempt.retry_after(&failures(conn, &attempt)?) {
                return Ok(AttemptOutcome::Throttled(wait));
            }
            match account(conn, new.session.user)? {
                Some((row, account)) if account.accepts(&verified) => {
                    insert_session(conn, row, &new)?;
                    sign_in::forget_failures(attempt.name).execute(conn)?;
                    Ok(AttemptOutcome::Done)
                }
                _ => Ok(AttemptOutcome::Outdated),
            }
        })
        .await
    }

    async fn find(&self, digest: Digest) -> Result<Option<Session>, StoreError> {
        let find = move |conn: &mut SqliteConnection| {
            let found = sign_in::session(&digest.0).select(SessionRead::as_select());
            Ok(found.first(conn).optional()?)
        };
        self.read(find).await?.map(SessionRead::session).transpose()
    }

    async fn of_user(&self, user: UserId) -> Result<Vec<Session>, StoreError> {
        let find = move |conn: &mut SqliteConnection| {
            Ok(sign_in::sessions_of(id(user)).select(SessionRead::as_select()).load(conn)?)
        };
        self.read(find).await?.into_iter().map(SessionRead::session).collect()
    }

    async fn touch(&self, session: SessionId, at: Timestamp) -> Result<(), StoreError> {
        self.write(move |conn| Ok(sign_in::touch(session, at).execute(conn).map(drop)?)).await
    }

    async fn end(&self, user: UserId, session: SessionId) -> Result<bool, StoreError> {
        self.write(move |conn| Ok(sign_in::end_session(user, session).execute(conn)? > 0)).await
    }

    async fn end_all(&self, user: UserId, keep: Option<SessionId>) -> Result<usize, StoreError> {
        self.write(move |conn| Ok(sign_in::end_sessions(user, keep).execute(conn)?)).await
    }

    async fn delete_expired(&self, begin: Timestamp, seen: Timestamp) -> Result<usize, StoreError> {
        self.write(move |conn| Ok(sign_in::delete_sessions(begin, seen).execute(conn)?)).await
    }
}

#[async_trait]
impl Invitations for Store {
    async fn create(&self, new: NewInvitation) -> Result<(), EditError> {
        self.write(move |conn| {
            let NewInvitation { invitation, failures, .. } = &new;
            let (_, account) = load(conn, invitation.user)?;
            Invitation::check_user(&account.user)?;
            sign_in::end_invitations(invitation.user, invitation.created_at).execute(conn)?;
            let written = InvitationWritten::of(&new);
            diesel::insert_into(invitations::table).values(written).execute(conn)?;
            sign_in::forget_failures(*failures).execute(conn)?;
            Ok(())
        })
        .await
    }

    async fn find(&self, digest: Digest) -> Result<Option<Invitation>, StoreError> {
        self.read(move |conn| invitation(conn, digest)).await
    }

    async fn accept(&self, accepted: AcceptedInvitation, by: Origin) -> Result<(), EditError> {
        self.write(move |conn| {
            let AcceptedInvitation { digest, hash, session: new, failures } = &accepted;
            let Session { user, created_at: now, .. } = new.session;
            let found = invitation(conn, *digest)?.filter(|found| found.user == user);
            let (row, account) = load(conn, user)?;
            if !found.is_some_and(|found| found.is_open(&account.user, now)) {
                return Err(EditError::Missing.into());
            }
            set_hash(conn, row, &account, Some(hash.clone()), &by)?;
            sign_in::end_invitations(user, now).execute(conn)?;
            sign_in::end_sessions(user, None).execute(conn)?;
            insert_session(conn, row, new)?;
            sign_in::forget_failures(*failures).execute(conn)?;
            Ok(())
        })
        .await
    }

    async fn delete_ended(&self, until: Timestamp) -> Result<usize, StoreError> {
        self.write(move |conn| Ok(sign_in::delete_invitations(until).execute(conn)?)).await
    }
}

#[async_trait]
impl SignInFailures for Store {
    async fn retry_after(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError> {
        let find = move |conn: &mut SqliteConnection| {
            snapshot(conn, |conn| Ok(attempt.retry_after(&failures(conn, &attempt)?)))
        };
        self.read(find).await
    }

    async fn add(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError> {
        self.write(move |conn| {
            let before = failures(conn, &attempt)?;
            if let Some(wait) = attempt.retry_after(&before) {
                return Ok(Some(wait));
            }
            let Failures { name, address } = attempt.failed(&before);
            sign_in::store_failures(attempt.name, &name, attempt.at).execute(conn)?;
            sign_in::store_failures(attempt.address, &address, attempt.at).execute(conn)?;
            Ok(None)
        })
        .await
    }

    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.write(move |conn| Ok(sign_in::delete_failures(now).execute(conn)?)).await
    }
}

impl Entity for Account {
    const AGGREGATE: Aggregate = Aggregate::User;
}

/// The user with the hash of its password, and the key of its row.
fn account<E>(
    conn: &mut SqliteConnection,
    user: UserId,
) -> Result<Option<(i64, Account)>, Abort<E>> {
    let Some(Found { row, versioned }) = User::find(conn, user)? else { return Ok(None) };
    let hash = passwords::table.filter(passwords::user_row.eq(row)).select(passwords::hash);
    let hash = hash.first(conn).optional()?;
    Ok(Some((row, Account { user: versioned.record, hash })))
}

/// The same; `Missing` when the user does not exist.
fn load(conn: &mut SqliteConnection, user: UserId) -> Result<(i64, Account), Abort<EditError>> {
    Ok(account(conn, user)?.ok_or(EditError::Missing)?)
}

/// Replaces or removes the password of an account.
fn set_hash(
    conn: &mut SqliteConnection,
    row: i64,
    old: &Account,
    hash: Option<String>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let new = old.with_hash(hash);
    match &new.hash {
        Some(hash) => {
            diesel::insert_into(passwords::table)
                .values((passwords::user_row.eq(row), passwords::hash.eq(hash)))
                .on_conflict(passwords::user_row)
                .do_update()
                .set(passwords::hash.eq(hash))
                .execute(conn)?;
        }
        None => {
            diesel::delete(passwords::table.filter(passwords::user_row.eq(row))).execute(conn)?;
        }
    }
    if old.user.linked != new.user.linked {
        let linked = users::linked.eq(new.user.linked);
        let next = (linked, users::version.eq(users::version + 1));
        statement::update(users::table, users::row.eq(row), next).execute(conn)?;
    }
    change::record_changes(conn, &[Change::Update(old, &new)], by)
}

/// Stores a session as the last sign-in of its user.
fn insert_session<E>(
    conn: &mut SqliteConnection,
    row: i64,
    new: &NewSession,
) -> Result<(), Abort<E>> {
    let NewSession { session, max_sessions, .. } = new;
    diesel::insert_into(sessions::table).values(SessionWritten::of(new)).execute(conn)?;
    sign_in::end_oldest(session.user, *max_sessions).execute(conn)?;
    let signed_in = passwords::last_sign_in_at.eq(time(session.created_at));
    statement::update(passwords::table, passwords::user_row.eq(row), signed_in).execute(conn)?;
    Ok(())
}

fn invitation<E>(
    conn: &mut SqliteConnection,
    digest: Digest,
) -> Result<Option<Invitation>, Abort<E>> {
    let found = sign_in::invitation(&digest.0).select(InvitationRead::as_select());
    let found = found.first(conn).optional()?;
    Ok(found.map(InvitationRead::invitation).transpose()?)
}

/// The failures that are stored for an attempt.
fn failures<E>(conn: &mut SqliteConnection, attempt: &Attempt) -> Result<Failures, Abort<E>> {
    let mut of = |counter: Digest| -> QueryResult<_> {
        let stored: Option<Vec<u8>> = sign_in::failures(&counter.0).first(conn).optional()?;
        Ok(sign_in::read_failures(stored.as_deref()))
    };
    Ok(Failures { name: of(attempt.name)?, address: of(attempt.address)? })
}

fn last_sign_in(
    conn: &mut SqliteConnection,
    user: UserId,
) -> Result<Option<Timestamp>, Abort<StoreError>> {
    let found = users::table
        .inner_join(passwords::table.on(passwords::user_row.eq(users::row)))
        .filter(users::id.eq(id(user)))
        .select((users::id, passwords::last_sign_in_at));
    let found: Option<(StoredId, Option<Time>)> = found.first(conn).optional()?;
    let Some((user, Some(at))) = found else { return Ok(None) };
    Ok(Some(Row::new("passwords", user).time("last_sign_in_at", at)?))
}
