//! What access asks of a store and of a hash function.

use async_trait::async_trait;

use super::{Caller, Digest, Holder, NewToken, Rejection, Secret, Token};
use crate::{
    list::{Listed, Listing, Query},
    shared::{
        error::{EditError, StoreError},
        ids::TokenId,
        timestamp::Timestamp,
    },
};

/// The list of tokens.
#[derive(Debug, Clone, Copy)]
pub struct TokenList;

/// What tokens can be filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenFilter {
    /// Whom they speak for: [`crate::list::Test::Ids`].
    User,
}

/// What tokens can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the record's
pub enum TokenSort {
    Id,
    UserId,
    Name,
    CreatedAt,
    ExpiresAt,
    LastUsedAt,
}

impl Listed for TokenList {
    type Filter = TokenFilter;
    type Sort = TokenSort;
    type Item = Token;

    fn bytes(item: &Token) -> usize {
        size_of_val(item) + item.name.len()
    }
}

/// A store of tokens. Every method is one transaction.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Tokens: Send + Sync {
    /// Stores a token, if [`NewToken::admit`] allows it with the number of tokens that its user has.
    /// Tokens of one user that are created at the same moment MUST each count the others, on any
    /// node.
    ///
    /// # Errors
    /// `Missing` when its user does not exist or is not ACTIVE, `Refused` with what `admit` says.
    async fn create(&self, token: NewToken) -> Result<(), EditError>;

    /// Whom the token with this digest belongs to, or none. Whether it has expired and whether its
    /// user is ACTIVE is the caller's to judge, by [`Holder::check`].
    async fn holder(&self, digest: Digest) -> Result<Option<Holder>, StoreError>;

    /// The tokens that meet the query, revoked ones no longer among them.
    fn list(&self, query: Query<TokenList>) -> Listing<Token>;

    /// The token, or none.
    async fn get(&self, id: TokenId) -> Result<Option<Token>, StoreError>;

    /// Revokes the token.
    ///
    /// # Errors
    /// `Missing` when there is no such token.
    async fn revoke(&self, id: TokenId) -> Result<(), EditError>;

    /// Notes when tokens were last used. Tokens that are gone are passed over.
    async fn touch(&self, uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError>;
}

/// Makes hashes of passwords.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Passwords: Send + Sync {
    /// A salted hash in PHC string form, from which the password cannot be had back. Takes tens of
    /// milliseconds by design.
    ///
    /// # Errors
    /// When no random salt can be had.
    fn hash(&self, password: &str) -> Result<String, String>;
}

/// Makes the secrets that tokens are.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Mint: Send + Sync {
    /// A new secret of 256 random bits, and what it will be found by.
    ///
    /// # Errors
    /// When the machine gives no randomness.
    fn mint(&self) -> Result<(Secret, Digest), StoreError>;
}

/// Tells whom a credential speaks for.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Authentication: Send + Sync {
    /// Whom the credential speaks for, or why for no user: it is malformed, unknown, expired or
    /// revoked, or its user is not ACTIVE. A revocation or a change of role MUST hold within 5 s.
    async fn authenticate(&self, credential: &str)
    -> Result<Result<Caller, Rejection>, StoreError>;
}
