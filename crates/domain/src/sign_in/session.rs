//! Sessions of the site.

use std::time::Duration;

use crate::{
    access::Digest,
    shared::{
        ids::{SessionId, UserId},
        timestamp::Timestamp,
    },
};

/// A browser that is signed in. The secret in its cookie is not stored, only the digest of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// Identifies the session when it is listed or ended.
    pub id: SessionId,
    /// The user who has signed in.
    pub user: UserId,
    /// The time of the sign-in.
    pub created_at: Timestamp,
    /// The last request, not more precise than a tenth of [`SessionLimits::idle`].
    pub last_seen_at: Timestamp,
    /// The address of the client at the sign-in.
    pub address: String,
    /// The `User-Agent` of the client at the sign-in; at most 255 characters, may be empty.
    pub browser: String,
}

/// A session to be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewSession {
    /// The record to store.
    pub session: Session,
    /// The key under which the store finds the session.
    pub digest: Digest,
    /// The maximum number of sessions of the user, including this one. The oldest ones are ended.
    pub max_sessions: usize,
}

/// How long a session is valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionLimits {
    /// The longest time between two requests; 12 hours by default.
    pub idle: Duration,
    /// The longest time since the sign-in; 7 days by default.
    pub max: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        const HOUR: Duration = Duration::from_secs(3600);
        Self { idle: HOUR * 12, max: HOUR * 24 * 7 }
    }
}

impl SessionLimits {
    /// Whether the session is valid at `now`.
    #[must_use]
    pub fn allow(&self, session: &Session, now: Timestamp) -> bool {
        now.since(session.last_seen_at) < millis(self.idle)
            && now.since(session.created_at) < millis(self.max)
    }

    /// When the session ends, unless there is another request.
    #[must_use]
    pub fn end(&self, session: &Session) -> Timestamp {
        let after = |time: Timestamp, limit| time.shifted(millis(limit)).unwrap_or(Timestamp::LAST);
        after(session.last_seen_at, self.idle).min(after(session.created_at, self.max))
    }

    /// Whether the time of a request at `now` is stored. Not every request is stored, so that
    /// reading pages causes few writes.
    #[must_use]
    pub fn is_touch_due(&self, session: &Session, now: Timestamp) -> bool {
        now.since(session.last_seen_at) >= (millis(self.idle) / 10).max(1)
    }

    /// Sessions last seen at this time or before have expired at `now`.
    #[must_use]
    pub fn last_idle(&self, now: Timestamp) -> Option<Timestamp> {
        now.shifted(-millis(self.idle))
    }

    /// Sessions that began at this time or before have expired at `now`.
    #[must_use]
    pub fn last_begin(&self, now: Timestamp) -> Option<Timestamp> {
        now.shifted(-millis(self.max))
    }
}

/// The milliseconds of a time. A time that is too long for an `i64` becomes `i64::MAX / 2`.
fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 2)
}
