//! Ports of access control: token store, password hash, token generator, authentication.

use async_trait::async_trait;

use super::{Caller, Digest, Holder, NewToken, Rejection, Secret, Token};
use crate::{
    event::Origin,
    list::{Listed, Listing, Query},
    shared::{
        error::{EditError, StoreError},
        ids::TokenId,
        timestamp::Timestamp,
    },
};

/// Marks the types of the list of tokens.
#[derive(Debug, Clone, Copy)]
pub struct TokenList;

/// Properties by which tokens can be filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenFilter {
    /// The owner: [`crate::list::Test::Ids`].
    User,
}

/// Properties by which tokens can be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // named like the fields of the record
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
    async fn create(&self, token: NewToken, by: Origin) -> Result<(), EditError>;

    /// The owner of the token with this digest, or `None` for an unknown digest. Expired tokens and
    /// tokens of inactive users are returned as well: the caller decides with [`Holder::check`].
    async fn holder(&self, digest: Digest) -> Result<Option<Holder>, StoreError>;

    /// The tokens that match the query. Revoked tokens are deleted and so never listed.
    fn list(&self, query: Query<TokenList>) -> Listing<Token>;

    /// The token, or `None` for an unknown or revoked id.
    async fn get(&self, id: TokenId) -> Result<Option<Token>, StoreError>;

    /// Revokes the token by deleting it.
    ///
    /// # Errors
    /// `Missing` when there is no such token.
    async fn revoke(&self, id: TokenId, by: Origin) -> Result<(), EditError>;

    /// Stores when tokens were last used, which is no event. Ids of deleted tokens are ignored.
    async fn touch(&self, uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError>;
}

/// Hashes passwords.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Passwords: Send + Sync {
    /// A salted one-way hash in PHC string form, for example `$argon2id$v=19$...`. Takes tens of
    /// milliseconds by design.
    ///
    /// # Errors
    /// When the system gives no random salt.
    fn hash(&self, password: &str) -> Result<String, String>;
}

/// Generates the secrets of tokens.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Mint: Send + Sync {
    /// A new secret of 256 random bits, and the digest under which it is stored.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    fn mint(&self) -> Result<(Secret, Digest), StoreError>;
}

/// Finds the user of a credential.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Authentication: Send + Sync {
    /// The user of the credential. It is rejected when it is malformed, unknown, expired or
    /// revoked, or when its user is not ACTIVE. A revocation or a change of role MUST take effect
    /// within 5 s.
    async fn authenticate(&self, credential: &str)
    -> Result<Result<Caller, Rejection>, StoreError>;
}
