//! Issues, lists and revokes tokens.

use std::sync::Arc;

use patrol_domain::{
    Clock, EditError, Fault, Ids, Path, Refusal, Rule, Rules, StoreError, Timestamp,
    access::{Mint, NewToken, Secret, Token, TokenFilter, TokenList, Tokens},
    ids::{TokenId, UserId},
    list::{Condition, Listing, Membership, Query, Test},
    user::{Identity, User, UserStatus, Users, identify},
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, Operator, permit, permit_tokens},
};

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

    /// Issues a token to the caller, or to another user if the caller is an administrator or the
    /// operator.
    ///
    /// # Errors
    /// `Denied`; `Refused` with the faults of the draft, for example a user that does not exist or
    /// is not ACTIVE, or with the state when the user has the maximum number of tokens; `Store`.
    pub async fn issue(&self, actor: Actor, draft: TokenDraft) -> Result<Issued, Failure> {
        permit(actor, Operation::ManageTokens)?;
        let Some(user) = draft.user_id.or(own(actor)) else {
            return Err(Failure::fault(&Path::Root.field("userId"), Rule::NotNull));
        };
        permit_tokens(actor, Some(user))?;
        let (id, now) = (TokenId(self.ids.next()), self.clock.now());
        let name = draft.name.as_deref();
        let token = match Token::issue(id, user, name, draft.expires_at, now, &self.rules) {
            Ok(token) => token,
            Err(Refusal::Invalid(faults)) if draft.user_id.is_some() => {
                return Err(self.with_fault_of_user(faults, user).await?);
            }
            Err(refusal) => return Err(refusal.into()),
        };
        let (secret, digest) = self.mint.mint()?;
        let most = self.rules.limits.tokens;
        let new = NewToken { token: token.clone(), digest, most };
        match self.tokens.create(new, actor.at(now)).await {
            Ok(()) => Ok(Issued { token, secret }),
            Err(EditError::Missing) => {
                Err(Failure::fault(&Path::Root.field("userId"), Rule::Reference))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The faults of a draft, and that of a user who cannot have tokens, in the order of the
    /// members: name, userId, expiresAt.
    async fn with_fault_of_user(
        &self,
        mut faults: Vec<Fault>,
        user: UserId,
    ) -> Result<Failure, StoreError> {
        if !self.users.get(user).await?.is_some_and(|user| Self::takes_part(&user)) {
            let is_later = |fault: &Fault| fault.identifier == "expiresAt";
            let at = faults.iter().position(is_later).unwrap_or(faults.len());
            faults.insert(at, Fault { identifier: "userId".to_owned(), rule: Rule::Reference });
        }
        Ok(Refusal::Invalid(faults).into())
    }

    /// The tokens of `user`, or of the caller. Replaces the condition of the query.
    ///
    /// # Errors
    /// `Denied`.
    pub fn list(
        &self,
        actor: Actor,
        user: Option<UserId>,
        mut query: Query<TokenList>,
    ) -> Result<Listing<Token>, Failure> {
        permit(actor, Operation::ManageTokens)?;
        let user = user.or(own(actor));
        permit_tokens(actor, user)?;
        if let Some(user) = user {
            let own = Test::Ids(Membership::Any, vec![user.into()]);
            query.condition = Condition::Is(TokenFilter::User, own);
        }
        Ok(self.tokens.list(query))
    }

    /// All tokens that match the query.
    #[must_use]
    pub fn list_all(&self, _: Operator, query: Query<TokenList>) -> Listing<Token> {
        self.tokens.list(query)
    }

    /// Revokes a token of the caller, or any token if the caller is an administrator or the
    /// operator.
    ///
    /// # Errors
    /// `NotFound`, `Denied`, `Store`.
    pub async fn revoke(&self, actor: Actor, id: TokenId) -> Result<(), Failure> {
        permit(actor, Operation::ManageTokens)?;
        let token = self.tokens.get(id).await?.ok_or(Failure::NotFound)?;
        permit_tokens(actor, Some(token.user_id))?;
        Ok(self.tokens.revoke(id, actor.at(self.clock.now())).await?)
    }

    /// Finds a user by id, employee number or email address.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn user(&self, _: Operator, named: &str) -> Result<Identity, StoreError> {
        identify(self.users.as_ref(), named).await
    }

    /// Whether a token can be issued to the user: only to ACTIVE ones.
    #[must_use]
    pub fn takes_part(user: &User) -> bool {
        user.status == UserStatus::Active
    }
}

/// The caller's user id; `None` for the operator.
const fn own(actor: Actor) -> Option<UserId> {
    match actor {
        Actor::User { caller, .. } => Some(caller.user),
        Actor::Operator(_) => None,
    }
}
