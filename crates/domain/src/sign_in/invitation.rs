//! Invitations: links with which a user sets a password.

use std::{fmt, time::Duration};

use super::session::NewSession;
use crate::{
    access::Digest,
    shared::{fault::Refusal, ids::UserId, timestamp::Timestamp},
    user::{User, UserStatus},
};

/// How long an invitation is valid.
pub const INVITATION_VALID: Duration = Duration::from_secs(24 * 3600);

/// How long an ended invitation is stored. Until then its link is void, later it is unknown.
pub const INVITATION_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// A stored invitation without its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Invitation {
    /// The user who may set a password.
    pub user: UserId,
    /// The time of the invitation.
    pub created_at: Timestamp,
    /// The invitation is valid before this time.
    pub expires_at: Timestamp,
    /// When the invitation was used, was replaced by the next one, or became void because the
    /// password of the user was set, changed or removed.
    pub ended_at: Option<Timestamp>,
}

impl Invitation {
    /// A new invitation.
    #[must_use]
    pub fn new(user: UserId, now: Timestamp) -> Self {
        let valid = i64::try_from(INVITATION_VALID.as_millis()).unwrap_or(i64::MAX);
        let expires_at = now.shifted(valid).unwrap_or(Timestamp::LAST);
        Self { user, created_at: now, expires_at, ended_at: None }
    }

    /// Whether the invited `user` may set a password at `now`.
    #[must_use]
    pub fn is_open(&self, user: &User, now: Timestamp) -> bool {
        self.ended_at.is_none() && now < self.expires_at && user.status == UserStatus::Active
    }

    /// Checks that `user` can be invited.
    ///
    /// # Errors
    /// `State` with the member `status` when the user is not ACTIVE.
    pub fn check_user(user: &User) -> Result<(), Refusal> {
        match user.status {
            UserStatus::Active => Ok(()),
            UserStatus::Inactive => Err(Refusal::State("status".to_owned())),
        }
    }
}

/// The state of the invitation with a code.
#[derive(Clone, PartialEq, Debug)]
pub enum InvitationState {
    /// No stored invitation has the code: it is wrong, or ended more than [`INVITATION_KEPT`] ago.
    Unknown,
    /// The invitation was used, replaced, ended or has expired, or its user is not ACTIVE.
    Void,
    /// The user may set a password.
    Open(Box<User>),
}

/// An invitation to be stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewInvitation {
    /// The record to store.
    pub invitation: Invitation,
    /// The key under which the store finds the invitation.
    pub digest: Digest,
    /// The key of the user's failed sign-ins, which are forgotten.
    pub failures: Digest,
}

/// The use of an invitation.
#[derive(Clone, PartialEq, Eq)]
pub struct AcceptedInvitation {
    /// The key under which the store finds the invitation.
    pub digest: Digest,
    /// The hash of the new password.
    pub hash: String,
    /// The session that begins.
    pub session: NewSession,
    /// The key of the user's failed sign-ins, which are forgotten.
    pub failures: Digest,
}

/// Prints the ids only, so that the hash cannot reach a log.
impl fmt::Debug for AcceptedInvitation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let session = &self.session.session;
        write!(out, "AcceptedInvitation({}, {})", session.user, session.id)
    }
}
