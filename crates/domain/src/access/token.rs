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

/// A SHA-256 digest of a secret, or of a name or an address whose failed sign-ins are counted. Of a
/// secret, stores contain only the digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Digest(pub [u8; 32]);

/// The secret that a client sends as its credential. Shown once, at the issue; never logged.
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
    /// The owner. Requests with the token have the owner's role.
    pub user_id: UserId,
    /// A label for the owner: 1 to 255 characters by default.
    pub name: String,
    /// The time of issue.
    pub created_at: Timestamp,
    /// The token is valid before this time; `None` for a token that does not expire.
    pub expires_at: Option<Timestamp>,
    /// The last use, to the minute, so that not every request causes a write.
    pub last_used_at: Option<Timestamp>,
}

/// A token to be issued.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewToken {
    /// The record to store.
    pub token: Token,
    /// The key under which the store finds the token.
    pub digest: Digest,
    /// The maximum number of tokens of the user, including this one; 1,000 by default.
    pub max_tokens: usize,
}

impl NewToken {
    /// Checks that a user with `count` tokens may get this one too. Expired tokens count, because
    /// they are stored until they are revoked.
    ///
    /// # Errors
    /// `State` with the member `userId` when the user already has the maximum number of tokens.
    pub fn check_limit(&self, count: usize) -> Result<(), Refusal> {
        if count < self.max_tokens { Ok(()) } else { Err(Refusal::State("userId".to_owned())) }
    }
}

impl Token {
    /// A new token, not used yet.
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
        let name = faults.into_result(name.unwrap_or_default())?;
        Ok(Self { id, user_id, name, created_at: now, expires_at, last_used_at: None })
    }
}

/// The owner of a token with all values that decide whether the token is valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenOwner {
    /// The token of the request.
    pub token: TokenId,
    /// The owner.
    pub user: UserId,
    /// The current role of the owner.
    pub role: Role,
    /// The current status of the owner.
    pub status: UserStatus,
    /// The token is valid before this time; `None` for a token that does not expire.
    pub expires_at: Option<Timestamp>,
}

impl TokenOwner {
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
