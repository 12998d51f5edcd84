//! Opaque access tokens. `docs/api/authentication.md` describes them.

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

/// An issued token without its secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Identifies the token when it is listed or revoked.
    pub id: TokenId,
    /// The owner, whose role the token has.
    pub user_id: UserId,
    /// A label that the owner chose: 1 to 255 characters by default.
    pub name: String,
    /// The time of issue.
    pub created_at: Timestamp,
    /// The token is valid before this time; without one it does not expire.
    pub expires_at: Option<Timestamp>,
    /// The last use, to the minute, because each request would cause a write otherwise.
    pub last_used_at: Option<Timestamp>,
}

/// A token to be issued.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewToken {
    /// The record to store.
    pub token: Token,
    /// The key under which the store finds the token.
    pub digest: Digest,
    /// The most tokens that the user may have, this one included; 1,000 by default.
    pub most: usize,
}

impl NewToken {
    /// Checks that a user with `held` tokens may get this one too. Expired tokens count, because
    /// they are kept until they are revoked.
    ///
    /// # Errors
    /// `State`, naming the user, when the limit is exceeded.
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

/// The owner of a token, and what decides whether the token is valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    /// The token that was presented.
    pub token: TokenId,
    /// The owner, whose id requests with the token have.
    pub user: UserId,
    /// The owner's role as it is stored now.
    pub role: Role,
    /// The owner's status; only ACTIVE users are let in.
    pub status: UserStatus,
    /// The token is valid before this time; without one it does not expire.
    pub expires_at: Option<Timestamp>,
}

impl Holder {
    /// The caller, if the token is valid at `now`.
    ///
    /// # Errors
    /// When the owner is not ACTIVE or the token has expired.
    pub fn check(&self, now: Timestamp) -> Result<Caller, Rejection> {
        if self.status != UserStatus::Active {
            return Err(Rejection::InactiveUser(self.user));
        }
        if self.expires_at.is_some_and(|expiry| expiry <= now) {
            return Err(Rejection::ExpiredToken(self.token));
        }
        Ok(Caller { user: self.user, role: self.role, token: Some(self.token) })
    }
}
