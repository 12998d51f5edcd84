//! Ports of access control: token store, password hasher, secret generator, authentication.

use async_trait::async_trait;

use super::{Caller, Digest, NewToken, Rejection, Secret, Token, TokenOwner};
use crate::{
    event::Origin,
    list::{Listed, sort_properties},
    shared::{
        error::{EditError, StoreError},
        identified::Identified,
        ids::TokenId,
        records::{Delete, Get, List},
        timestamp::Timestamp,
    },
};

/// The list of tokens.
#[derive(Debug, Clone, Copy)]
pub struct TokenList;

/// Properties by which tokens can be filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenFilter {
    /// The owner: [`crate::list::Test::Ids`].
    User,
}

sort_properties! {
    /// Properties by which tokens can be sorted.
    TokenSort {
        Id = "id";
        UserId = "userId";
        Name = "name";
        CreatedAt = "createdAt";
        ExpiresAt = "expiresAt";
        LastUsedAt = "lastUsedAt";
    }
}

impl Listed for TokenList {
    type Filter = TokenFilter;
    type Sort = TokenSort;
    type Item = Token;

    fn bytes(item: &Token) -> usize {
        size_of_val(item) + item.name.len()
    }
}

impl Identified for Token {
    type Id = TokenId;
}

/// A store of tokens. Every method is one transaction. To revoke a token is to delete it, so the list
/// does not contain revoked tokens.
#[async_trait]
pub trait Tokens: Get<Token> + Delete<Token> + List<TokenList> {
    /// Stores a token, if [`NewToken::check_limit`] allows another token for its user. The count of
    /// the user's tokens MUST include tokens that are created at the same time, on any node.
    ///
    /// # Errors
    /// `Missing` when the user does not exist or is not ACTIVE, `Refused` with the refusal of
    /// `check_limit`.
    async fn create(&self, token: NewToken, by: Origin) -> Result<(), EditError>;

    /// The owner of the token with this digest, or `None` for an unknown digest. Also returns the
    /// owners of expired tokens and inactive owners; [`TokenOwner::check`] rejects them.
    async fn owner(&self, digest: Digest) -> Result<Option<TokenOwner>, StoreError>;

    /// Stores the times at which tokens were last used. Writes no event. Ignores the ids of deleted
    /// tokens.
    async fn touch(&self, uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError>;
}

/// Hashes passwords.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait PasswordHasher: Send + Sync {
    /// The salted hash of a password in the PHC string format, for example `$argon2id$v=19$...`.
    /// Takes tens of milliseconds, to slow down attackers who guess passwords.
    ///
    /// # Errors
    /// When the operating system provides no random salt; a sentence for the operator.
    fn hash(&self, password: &str) -> Result<String, String>;

    /// Whether this is the password with this hash. Takes as long as [`Self::hash`].
    ///
    /// # Errors
    /// When the hash has another form or an unknown algorithm; a sentence for the operator.
    fn verify(&self, password: &str, hash: &str) -> Result<bool, String>;
}

/// Generates the secrets of tokens.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait SecretGenerator: Send + Sync {
    /// A new secret of 256 random bits, and the digest under which it is stored.
    ///
    /// # Errors
    /// When the operating system provides no random bytes.
    fn generate(&self) -> Result<(Secret, Digest), StoreError>;
}

/// Authenticates requests.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Authentication: Send + Sync {
    /// The user of the credential. Rejects a credential that is malformed, unknown, expired or
    /// revoked, or whose user is not ACTIVE. A revocation, a new status and a new role MUST take
    /// effect within 5 s.
    async fn authenticate(&self, credential: &str)
    -> Result<Result<Caller, Rejection>, StoreError>;
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    Tokens: Get<Token> Delete<Token> List<TokenList> {
        async fn create(token: NewToken, by: Origin) -> [Result<(), EditError>];
        async fn owner(digest: Digest) -> [Result<Option<TokenOwner>, StoreError>];
        async fn touch(uses: Vec<(TokenId, Timestamp)>) -> [Result<(), StoreError>];
    }
}
