//! A user with the hash of its password.

use std::fmt;

use super::{session::NewSession, throttle::Attempt};
use crate::{
    shared::ids::{SessionId, UserId},
    user::{User, UserStatus},
};

/// A user with the hash of its password.
#[derive(Clone, PartialEq)]
pub struct Account {
    /// The user.
    pub user: User,
    /// The hash in the PHC string format; `None` for a user who cannot sign in.
    pub hash: Option<String>,
}

impl Account {
    /// Whether the user may sign in with a password that was verified against the hash `verified`:
    /// false when the user has become inactive or has got another password since.
    #[must_use]
    pub fn accepts(&self, verified: &str) -> bool {
        self.user.status == UserStatus::Active && self.hash.as_deref() == Some(verified)
    }

    /// The account after its password was replaced or removed.
    #[must_use]
    pub fn with_hash(&self, hash: Option<String>) -> Self {
        Self { user: User { linked: hash.is_some(), ..self.user.clone() }, hash }
    }
}

/// Prints the id only, so that neither the PIN nor the hash can reach a log.
impl fmt::Debug for Account {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Account({})", self.user.id)
    }
}

/// A change of a user's own password.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordChange {
    /// The user.
    pub user: UserId,
    /// The session in which the password is changed.
    pub session: SessionId,
    /// The session that takes its place. All others end.
    pub next: NewSession,
    /// The hash of the current password, which was verified.
    pub verified: String,
    /// The hash of the new password.
    pub hash: String,
    /// The attempt to give the current password.
    pub attempt: Attempt,
}

/// Prints the ids only, so that no hash can reach a log.
impl fmt::Debug for PasswordChange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PasswordChange({}, {})", self.user, self.session)
    }
}
