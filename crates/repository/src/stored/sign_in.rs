//! The rows of sessions, invitations and failed sign-ins, and the statements that both stores run.

use diesel::{
    dsl::{self, AsExprOf},
    pg::Pg,
    prelude::*,
    sqlite::Sqlite,
};
use patrol_domain::{
    StoreError, Timestamp,
    access::Digest,
    ids::{SessionId, UserId, Uuid},
    sign_in::{FailureTimes, Invitation, Session},
};

use crate::stored::{
    computed_text,
    row::Row,
    schema::{invitations, sessions, sign_in_failures},
    sql::{Id, Time, id, time, types},
    statement::{Computed, Statement, computed, computed_with},
};

/// The maximum number of rows to delete at once.
const DELETED_AT_ONCE: i64 = 1_000;

computed_text!(
    IsPasswordOf: types::Bool,
    sqlite: "passwords.user_row = (SELECT users.row FROM users WHERE users.id = {})",
    postgres: "passwords.user_id = {}"
);
computed_text!(
    IsPasswordOfRow: types::Bool,
    sqlite: "passwords.user_row = users.row",
    postgres: "passwords.user_id = users.id"
);

/// Whether a password belongs to this user.
pub fn password_of(user: UserId) -> Computed<IsPasswordOf, AsExprOf<Id, types::Id>> {
    computed_with(id(user).into_sql::<types::Id>())
}

/// Whether a password belongs to the user of the joined row.
#[must_use]
pub const fn is_password_of_row() -> Computed<IsPasswordOfRow> {
    computed()
}

/// The columns of a session, without the digest.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = sessions, check_for_backend(Sqlite, Pg))]
pub struct SessionRow {
    id: Id,
    user_id: Id,
    created_at: Time,
    last_seen_at: Time,
    address: String,
    browser: String,
}

impl SessionRow {
    /// The columns of `session`.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let Session { id: session_id, user, created_at, last_seen_at, address, browser } = session;
        Self {
            id: id(*session_id),
            user_id: id(*user),
            created_at: time(*created_at),
            last_seen_at: time(*last_seen_at),
            address: address.clone(),
            browser: browser.clone(),
        }
    }

    /// Decodes the session.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn session(self) -> Result<Session, StoreError> {
        let Self { id, user_id, created_at, last_seen_at, address, browser } = self;
        let at = Row::new("sessions", id);
        Ok(Session {
            id: at.id("id", id)?,
            user: at.id("user_id", user_id)?,
            created_at: at.time("created_at", created_at)?,
            last_seen_at: at.time("last_seen_at", last_seen_at)?,
            address,
            browser,
        })
    }
}

/// The session with this digest.
#[dsl::auto_type(no_type_alias)]
pub fn session<'a>(digest: &'a [u8]) -> _ {
    sessions::table.filter(sessions::digest.eq(digest))
}

/// The sessions of a user, newest first.
#[dsl::auto_type(no_type_alias)]
pub fn sessions_of(user: Id) -> _ {
    sessions::table
        .filter(sessions::user_id.eq(user))
        .order((sessions::created_at.desc(), sessions::id.desc()))
}

/// The session of this user with this id.
#[dsl::auto_type(no_type_alias)]
pub fn session_of(user: Id, session: Id) -> _ {
    sessions::table.filter(sessions::id.eq(session)).filter(sessions::user_id.eq(user))
}

/// Stores when the session was last seen, unless a later time is stored.
pub fn touch(session: SessionId, at: Timestamp) -> impl Statement {
    let earlier = sessions::table
        .filter(sessions::id.eq(id(session)))
        .filter(sessions::last_seen_at.lt(time(at)));
    diesel::update(earlier).set(sessions::last_seen_at.eq(time(at)))
}

/// Ends one session of a user.
pub fn end_session(user: UserId, session: SessionId) -> impl Statement {
    diesel::delete(session_of(id(user), id(session)))
}

/// Ends all sessions of a user except `keep`.
pub fn end_sessions(user: UserId, keep: Option<SessionId>) -> impl Statement {
    let keep = id(keep.unwrap_or(SessionId(Uuid::nil())));
    diesel::delete(
        sessions::table.filter(sessions::user_id.eq(id(user))).filter(sessions::id.ne(keep)),
    )
}

/// Ends the oldest sessions of a user, so that not more than `most` are left.
pub fn end_oldest(user: UserId, most: usize) -> impl Statement + use<> {
    diesel::sql_query(
        "DELETE FROM sessions WHERE user_id = $1 AND id NOT IN (SELECT id FROM sessions \
         WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2)",
    )
    .bind::<types::Id, _>(id(user))
    .bind::<types::BigInt, _>(i64::try_from(most).unwrap_or(i64::MAX))
}

/// Deletes some of the sessions that began at `begin` or before, or were last seen at `seen` or before.
pub fn delete_sessions(begin: Timestamp, seen: Timestamp) -> impl Statement + use<> {
    let statement = format!(
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions \
         WHERE created_at <= $1 OR last_seen_at <= $2 LIMIT {DELETED_AT_ONCE})"
    );
    diesel::sql_query(statement)
        .bind::<types::Instant, _>(time(begin))
        .bind::<types::Instant, _>(time(seen))
}

/// The columns of an invitation, without the digest.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = invitations, check_for_backend(Sqlite, Pg))]
#[diesel(treat_none_as_default_value = false)]
pub struct InvitationRow {
    user_id: Id,
    created_at: Time,
    expires_at: Time,
    ended_at: Option<Time>,
}

impl InvitationRow {
    /// The columns of `invitation`.
    #[must_use]
    pub fn of(invitation: &Invitation) -> Self {
        let Invitation { user, created_at, expires_at, ended_at } = invitation;
        Self {
            user_id: id(*user),
            created_at: time(*created_at),
            expires_at: time(*expires_at),
            ended_at: ended_at.map(time),
        }
    }

    /// Decodes the invitation.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn invitation(self) -> Result<Invitation, StoreError> {
        let Self { user_id, created_at, expires_at, ended_at } = self;
        let at = Row::new("invitations", user_id);
        Ok(Invitation {
            user: at.id("user_id", user_id)?,
            created_at: at.time("created_at", created_at)?,
            expires_at: at.time("expires_at", expires_at)?,
            ended_at: ended_at.map(|time| at.time("ended_at", time)).transpose()?,
        })
    }
}

/// The invitation with this digest.
#[dsl::auto_type(no_type_alias)]
pub fn invitation<'a>(digest: &'a [u8]) -> _ {
    invitations::table.filter(invitations::digest.eq(digest))
}

/// Makes the invitations of a user void that are not yet.
pub fn end_invitations(user: UserId, at: Timestamp) -> impl Statement {
    let open = invitations::table
        .filter(invitations::user_id.eq(id(user)))
        .filter(invitations::ended_at.is_null());
    diesel::update(open).set(invitations::ended_at.eq(time(at)))
}

/// Deletes some of the invitations that ended or expired at `until` or before.
pub fn delete_invitations(until: Timestamp) -> impl Statement + use<> {
    let statement = format!(
        "DELETE FROM invitations WHERE digest IN (SELECT digest FROM invitations \
         WHERE ended_at <= $1 OR expires_at <= $1 LIMIT {DELETED_AT_ONCE})"
    );
    diesel::sql_query(statement).bind::<types::Instant, _>(time(until))
}

/// The failures of a name or an address: the column [`sign_in_failures::times`].
#[dsl::auto_type(no_type_alias)]
pub fn failures<'a>(counter: &'a [u8]) -> _ {
    sign_in_failures::table
        .filter(sign_in_failures::counter.eq(counter))
        .select(sign_in_failures::times)
}

/// Stores the failures of a name or an address.
pub fn store_failures(
    counter: Digest,
    failures: &FailureTimes,
    now: Timestamp,
) -> impl Statement + use<> {
    let times = packed(failures);
    let expires_at = time(failures.expires_at().unwrap_or(now));
    diesel::insert_into(sign_in_failures::table)
        .values((
            sign_in_failures::counter.eq(counter.0.to_vec()),
            sign_in_failures::times.eq(times.clone()),
            sign_in_failures::expires_at.eq(expires_at),
        ))
        .on_conflict(sign_in_failures::counter)
        .do_update()
        .set((sign_in_failures::times.eq(times), sign_in_failures::expires_at.eq(expires_at)))
}

/// Forgets the failures of a name.
pub fn forget_failures(counter: Digest) -> impl Statement + use<> {
    diesel::delete(sign_in_failures::table.filter(sign_in_failures::counter.eq(counter.0.to_vec())))
}

/// Deletes some of the failures that no longer count.
pub fn delete_failures(now: Timestamp) -> impl Statement + use<> {
    let statement = format!(
        "DELETE FROM sign_in_failures WHERE counter IN (SELECT counter FROM sign_in_failures \
         WHERE expires_at <= $1 LIMIT {DELETED_AT_ONCE})"
    );
    diesel::sql_query(statement).bind::<types::Instant, _>(time(now))
}

/// The stored form of failures: milliseconds since 1970, 8 bytes each, big-endian.
fn packed(FailureTimes(times): &FailureTimes) -> Vec<u8> {
    times.iter().flat_map(|at| at.millis().to_be_bytes()).collect()
}

/// The failures in this stored form. What cannot be read is left out: it would count for 15 minutes
/// at most.
#[must_use]
pub fn read_failures(stored: Option<&[u8]>) -> FailureTimes {
    let (chunks, _) = stored.unwrap_or_default().as_chunks::<8>();
    let times = chunks.iter().map(|bytes| i64::from_be_bytes(*bytes));
    FailureTimes(times.filter_map(Timestamp::from_millis).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_come_back_as_they_were_stored() {
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let times = FailureTimes(vec![at(-1), at(0), at(1_800_000_000_123)]);
        let stored = packed(&times);
        assert_eq!(stored.len(), 24);
        assert_eq!(read_failures(Some(&stored)), times);
        assert_eq!(read_failures(None), FailureTimes::default());
        assert_eq!(read_failures(Some(&stored[..9])), FailureTimes(vec![at(-1)]));
    }
}
