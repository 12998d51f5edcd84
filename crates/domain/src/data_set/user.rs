//! Users with their passwords.

use std::fmt;

use crate::user::User;

/// A user with its password. The data set contains the id of the photo, but not the photo.
#[derive(Clone, PartialEq)]
pub struct NewUser {
    /// The user.
    pub user: User,
    /// The hash of the password in an import. An export has no passwords.
    pub password_hash: Option<String>,
}

/// Prints no password hash, so that it cannot reach a log.
impl fmt::Debug for NewUser {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.user.fmt(out)
    }
}

impl From<User> for NewUser {
    /// The user without a password.
    fn from(user: User) -> Self {
        Self { user, password_hash: None }
    }
}
