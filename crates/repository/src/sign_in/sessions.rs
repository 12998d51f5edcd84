//! Sessions of the site.

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    StoreError, Timestamp,
    access::Digest,
    ids::{SessionId, UserId},
    sign_in::{Attempt, AttemptOutcome, NewSession, Session, Sessions},
};

use super::{account::account, failures::failures};
use crate::{
    Connection, Dialect, Engine, Repository,
    stored::{
        Abort,
        schema::{passwords, sessions},
        sign_in::{self, SessionRow},
        sql::{columns, id, time},
        statement::update,
    },
};

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
        self.execute((session, at), |(session, at)| sign_in::touch(*session, *at)).await.map(drop)
    }

    async fn end(&self, user: UserId, session: SessionId) -> Result<bool, StoreError> {
        let end = |(user, session): &_| sign_in::end_session(*user, *session);
        Ok(self.execute((user, session), end).await? > 0)
    }

    async fn end_all(&self, user: UserId, keep: Option<SessionId>) -> Result<usize, StoreError> {
        self.execute((user, keep), |(user, keep)| sign_in::end_sessions(*user, *keep)).await
    }

    async fn delete_expired(&self, begin: Timestamp, seen: Timestamp) -> Result<usize, StoreError> {
        let delete = |(begin, seen): &_| sign_in::delete_sessions(*begin, *seen);
        self.execute((begin, seen), delete).await
    }
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
    let found = sign_in::session(&digest.0).select(columns::<SessionRow>());
    Ok(conn.first(found).await?.map(SessionRow::session).transpose()?)
}

async fn sessions_of(
    conn: &impl Connection,
    user: UserId,
) -> Result<Vec<Session>, Abort<StoreError>> {
    let found = sign_in::sessions_of(id(user)).select(columns::<SessionRow>());
    let found: Vec<SessionRow> = conn.load(found).await?;
    Ok(found.into_iter().map(SessionRow::session).collect::<Result<_, _>>()?)
}

/// Stores a session as the last sign-in of its user, who is locked.
pub(super) async fn insert_session(conn: &impl Dialect, new: &NewSession) -> QueryResult<()> {
    let NewSession { session, digest, max_sessions } = new;
    let written = (SessionRow::of(session), sessions::digest.eq(digest.0.as_slice()));
    conn.execute(diesel::insert_into(sessions::table).values(written)).await?;
    conn.execute(sign_in::end_oldest(session.user, *max_sessions)).await?;
    let signed_in = passwords::last_sign_in_at.eq(time(session.created_at));
    let of_user = sign_in::password_of(session.user);
    conn.execute(update(passwords::table, of_user, signed_in)).await.map(drop)
}
