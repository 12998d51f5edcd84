//! Access tokens (decisions 3).

use std::fmt;

use super::{Caller, Rejection, Role};
use crate::shared::{
    check,
    fault::{Faults, Path, Refusal, Rule},
    ids::{TokenId, UserId},
    rules::Rules,
    timestamp::Timestamp,
};
use crate::user::UserStatus;

/// The SHA-256 of a token. The token itself is never stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Digest(pub [u8; 32]);

/// A token as its owner keeps it. Shown once; never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

/// What is known of a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its id, by which it is revoked.
    pub id: TokenId,
    /// Whom it speaks for.
    pub user_id: UserId,
    /// What its owner calls it.
    pub name: String,
    /// When it was issued.
    pub created_at: Timestamp,
    /// From when on it is no longer valid, if ever.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
}

/// A token to be issued.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewToken {
    /// The record.
    pub token: Token,
    /// What it will be found by.
    pub digest: Digest,
    /// How many tokens its user may have, this one included.
    pub most: usize,
}

impl NewToken {
    /// Whether its user, who has `held` tokens, may have this one too. Expired tokens count, since
    /// they are kept until they are revoked.
    ///
    /// # Errors
    /// `State`, naming the user, when that would be too many.
    pub fn admit(&self, held: usize) -> Result<(), Refusal> {
        if held < self.most { Ok(()) } else { Err(Refusal::State("userId".to_owned())) }
    }
}

impl Token {
    /// A token that has never been used.
    ///
    /// # Errors
    /// `Invalid` when the name is missing, empty or too long, or the expiry is not in the future.
    pub fn issue(
        id: TokenId,
        user_id: UserId,
        name: Option<&str>,
        expires_at: Option<Timestamp>,
        now: Timestamp,
        rules: &Rules,
    ) -> Result<Self, Refusal> {
        let mut faults = Faults::new();
        let name = check::name(&mut faults, &Path::Root.field("name"), name, &rules.limits);
        if expires_at.is_some_and(|expiry| expiry <= now) {
            faults.push(&Path::Root.field("expiresAt"), Rule::Period);
        }
        let name = faults.or(name.unwrap_or_default())?;
        Ok(Self { id, user_id, name, created_at: now, expires_at, last_used_at: None })
    }
}

/// Whom a token belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    /// The token.
    pub token: TokenId,
    /// The user.
    pub user: UserId,
    /// The user's role.
    pub role: Role,
    /// The user's status.
    pub status: UserStatus,
    /// From when on the token is no longer valid.
    pub expires_at: Option<Timestamp>,
}

impl Holder {
    /// Whom the token speaks for at this moment.
    ///
    /// # Errors
    /// When its user is not ACTIVE or it has expired.
    pub fn check(&self, now: Timestamp) -> Result<Caller, Rejection> {
        if self.status != UserStatus::Active {
            return Err(Rejection::InactiveUser(self.user));
        }
        if self.expires_at.is_some_and(|expiry| expiry <= now) {
            return Err(Rejection::ExpiredToken(self.token));
        }
        Ok(Caller { user: self.user, role: self.role })
    }
}
