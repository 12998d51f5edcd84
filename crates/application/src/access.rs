//! Issues, lists and revokes tokens.

use std::sync::Arc;

use patrol_domain::{
    Clock, EditError, Ids, Path, Refusal, Rule, Rules, StoreError, Timestamp,
    access::{Caller, Mint, NewToken, Secret, Token, TokenFilter, TokenList, Tokens},
    ids::{TokenId, UserId},
    list::{Condition, Listing, Membership, Query, Test},
    user::{Identity, User, UserStatus, Users, identify},
};

use crate::{failure::Failure, permission::may_keep_tokens};

/// The use cases of tokens.
#[derive(Clone)]
pub struct AccessService {
    tokens: Arc<dyn Tokens>,
    users: Arc<dyn Users>,
    mint: Arc<dyn Mint>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

/// The body of a new token: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenDraft {
    /// A label for the owner; required.
    pub name: Option<String>,
    /// The owner; the caller when absent.
    pub user_id: Option<UserId>,
    /// The token is valid before this time; without one it does not expire.
    pub expires_at: Option<Timestamp>,
}

/// A newly issued token; the only time that its secret is available.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issued {
    /// The record as it is stored, without the secret.
    pub token: Token,
    /// The token itself. It is not stored and cannot be shown again.
    pub secret: Secret,
}

impl AccessService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        tokens: Arc<dyn Tokens>,
        users: Arc<dyn Users>,
        mint: Arc<dyn Mint>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        rules: Rules,
    ) -> Self {
        Self { tokens, users, mint, clock, ids, rules }
    }

    /// Issues a token to the caller, or to another user if the caller is an administrator.
    ///
    /// # Errors
    /// `Denied`; `Refused` with the faults of the draft, for example a user that does not exist or
    /// is not ACTIVE, or with the state when the user has the maximum number of tokens; `Store`.
    pub async fn issue(&self, caller: Caller, draft: TokenDraft) -> Result<Issued, Failure> {
        let user = draft.user_id.unwrap_or(caller.user);
        allow(caller, user)?;
        self.issue_to(user, draft.name.as_deref(), draft.expires_at).await
    }

    /// Issues a token to `user`. For the operator, without a check of permissions.
    ///
    /// # Errors
    /// `Refused` with the faults of the name and the expiry, with `userId` when there is no such
    /// ACTIVE user, or with the state when the user has the maximum number of tokens; `Store`.
    pub async fn issue_to(
        &self,
        user: UserId,
        name: Option<&str>,
        expires_at: Option<Timestamp>,
    ) -> Result<Issued, Failure> {
        let (id, now) = (TokenId(self.ids.next()), self.clock.now());
        let token = Token::issue(id, user, name, expires_at, now, &self.rules)?;
        let (secret, digest) = self.mint.mint()?;
        let most = self.rules.limits.tokens;
        match self.tokens.create(NewToken { token: token.clone(), digest, most }).await {
            Ok(()) => Ok(Issued { token, secret }),
            Err(EditError::Missing) => {
                Err(Failure::fault(&Path::Root.field("userId"), Rule::Reference))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The tokens of the caller or of `user`. Only an administrator may list those of another user.
    /// Replaces the condition of the query.
    ///
    /// # Errors
    /// `Denied`.
    pub fn list(
        &self,
        caller: Caller,
        user: Option<UserId>,
        mut query: Query<TokenList>,
    ) -> Result<Listing<Token>, Failure> {
        let user = user.unwrap_or(caller.user);
        allow(caller, user)?;
        let own = Test::Ids(Membership::Any, vec![user.into()]);
        query.condition = Condition::Is(TokenFilter::User, own);
        Ok(self.tokens.list(query))
    }

    /// All tokens that match the query. For the operator, without a check of permissions.
    #[must_use]
    pub fn list_all(&self, query: Query<TokenList>) -> Listing<Token> {
        self.tokens.list(query)
    }

    /// Revokes a token of the caller, or any token if the caller is an administrator.
    ///
    /// # Errors
    /// `NotFound`, `Denied`, `Store`.
    pub async fn revoke(&self, caller: Caller, id: TokenId) -> Result<(), Failure> {
        let token = self.tokens.get(id).await?.ok_or(Failure::NotFound)?;
        allow(caller, token.user_id)?;
        self.revoke_any(id).await
    }

    /// Revokes any token. For the operator, without a check of permissions.
    ///
    /// # Errors
    /// `NotFound`, `Store`.
    pub async fn revoke_any(&self, id: TokenId) -> Result<(), Failure> {
        Ok(self.tokens.revoke(id).await?)
    }

    /// Finds a user by id, employee number or email address.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn user(&self, named: &str) -> Result<Identity, StoreError> {
        identify(self.users.as_ref(), named).await
    }

    /// Whether a token can be issued to the user: only to ACTIVE ones.
    #[must_use]
    pub fn takes_part(user: &User) -> bool {
        user.status == UserStatus::Active
    }
}

fn allow(caller: Caller, owner: UserId) -> Result<(), Failure> {
    if may_keep_tokens(caller, Some(owner)) { Ok(()) } else { Err(Refusal::Denied.into()) }
}
