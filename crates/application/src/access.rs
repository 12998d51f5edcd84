//! Issues, lists and revokes tokens.

use std::sync::Arc;

use patrol_domain::{
    EditError, Fault, Path, Refusal, Rule, StoreError, Target, Timestamp,
    access::{NewToken, Secret, SecretGenerator, Token, TokenFilter, TokenList, Tokens},
    ids::{TokenId, UserId},
    list::{Condition, Listing, Membership, Query, Test},
    user::{Identity, User, UserStatus, Users, identify},
};

use crate::{
    context::Context,
    failure::Failure,
    permission::{Actor, Operation, Operator, permit, permit_tokens},
};

/// The use cases of tokens.
#[derive(Clone)]
pub struct AccessService {
    tokens: Arc<dyn Tokens>,
    users: Arc<dyn Users>,
    secrets: Arc<dyn SecretGenerator>,
    context: Context,
}

/// The body of a new token: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenDraft {
    /// A label for the owner; required.
    pub name: Option<String>,
    /// The owner; the caller when absent.
    pub user_id: Option<UserId>,
    /// The token is valid before this time; `None` for a token that does not expire.
    pub expires_at: Option<Timestamp>,
}

/// A newly issued token with its secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IssuedToken {
    /// The stored record.
    pub token: Token,
    /// The secret that the client sends as its credential. Not stored, so it cannot be shown again.
    pub secret: Secret,
}

impl AccessService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        tokens: Arc<dyn Tokens>,
        users: Arc<dyn Users>,
        secrets: Arc<dyn SecretGenerator>,
        context: Context,
    ) -> Self {
        Self { tokens, users, secrets, context }
    }

    /// Issues a token for the caller. Administrators and the operator can issue tokens for other
    /// users.
    ///
    /// # Errors
    /// `Denied`; `Refused` with the faults of the draft, or with the state when the user has the
    /// maximum number of tokens; `CallerInvalid`; `Store`. Another user who does not exist or is not
    /// ACTIVE is a fault.
    #[tracing::instrument(target = "patrol::trace", name = "token.issue", skip_all)]
    pub async fn issue(&self, actor: Actor, draft: TokenDraft) -> Result<IssuedToken, Failure> {
        permit(actor, Operation::ManageTokens)?;
        let Some(user) = draft.user_id.or(actor.user()) else {
            return Err(Failure::fault(&Path::Root.field("userId"), Rule::NotNull));
        };
        permit_tokens(actor, Some(user))?;
        let (id, now) = (TokenId(self.context.new_id()), self.context.now());
        let name = draft.name.as_deref();
        let token = match Token::issue(id, user, name, draft.expires_at, now, &self.context.rules) {
            Ok(token) => token,
            Err(Refusal::Invalid(faults)) if draft.user_id.is_some() => {
                return Err(self.add_user_fault(actor, faults, user).await?);
            }
            Err(refusal) => return Err(refusal.into()),
        };
        let (secret, digest) = self.secrets.generate()?;
        let max_tokens = self.context.rules.limits.tokens;
        let new = NewToken { token: token.clone(), digest, max_tokens };
        match self.tokens.create(new, actor.origin_at(now)).await {
            Ok(()) => Ok(IssuedToken { token, secret }),
            Err(EditError::Missing) if actor.user() == Some(user) => Err(Failure::CallerInvalid),
            Err(EditError::Missing) => {
                Err(Failure::fault(&Path::Root.field("userId"), Rule::Reference))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Adds a fault of `userId` to the other faults of a draft if the user cannot have tokens. The
    /// order of faults is name, userId, expiresAt.
    async fn add_user_fault(
        &self,
        actor: Actor,
        mut faults: Vec<Fault>,
        user: UserId,
    ) -> Result<Failure, StoreError> {
        if !self.users.get(user).await?.is_some_and(|found| Self::can_have_tokens(&found.record)) {
            if actor.user() == Some(user) {
                return Ok(Failure::CallerInvalid);
            }
            let is_later = |fault: &Fault| fault.identifier == "expiresAt";
            let at = faults.iter().position(is_later).unwrap_or(faults.len());
            faults.insert(at, Fault { identifier: "userId".to_owned(), rule: Rule::Reference });
        }
        Ok(Refusal::Invalid(faults).into())
    }

    /// Checks that the caller still exists, before its tokens are listed.
    ///
    /// # Errors
    /// `Denied`, `CallerInvalid`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "token.check_caller", skip_all)]
    pub async fn check_caller(&self, actor: Actor) -> Result<(), Failure> {
        permit(actor, Operation::ManageTokens)?;
        let Some(user) = actor.user() else { return Ok(()) };
        self.users.get(user).await?.map(drop).ok_or(Failure::CallerInvalid)
    }

    /// The tokens of `user`; of the caller if `user` is `None`. Replaces the condition of the query.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "token.list", skip_all)]
    pub fn list(
        &self,
        actor: Actor,
        user: Option<UserId>,
        mut query: Query<TokenList>,
    ) -> Result<Listing<Token>, Failure> {
        permit(actor, Operation::ManageTokens)?;
        let user = user.or(actor.user());
        permit_tokens(actor, user)?;
        if let Some(user) = user {
            let of_user = Test::Ids(Membership::Any, vec![user.into()]);
            query.condition = Condition::Is(TokenFilter::User, of_user);
        }
        Ok(self.tokens.list(query))
    }

    /// The tokens of all users, for administrators and the operator.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "token.list_all", skip_all)]
    pub fn list_all(
        &self,
        actor: Actor,
        query: Query<TokenList>,
    ) -> Result<Listing<Token>, Failure> {
        permit(actor, Operation::ManageTokens)?;
        permit_tokens(actor, None)?;
        Ok(self.tokens.list(query))
    }

    /// A token. Administrators and the operator can read the tokens of other users.
    ///
    /// # Errors
    /// `NotFound`, `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "token.get", skip_all)]
    pub async fn get(&self, actor: Actor, id: TokenId) -> Result<Token, Failure> {
        permit(actor, Operation::ManageTokens)?;
        let token = self.tokens.get(id).await?.ok_or(Failure::NotFound)?.record;
        permit_tokens(actor, Some(token.user_id))?;
        Ok(token)
    }

    /// Revokes a token. Administrators and the operator can revoke the tokens of other users.
    ///
    /// # Errors
    /// `NotFound`, `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "token.revoke", skip_all)]
    pub async fn revoke(&self, actor: Actor, id: TokenId) -> Result<(), Failure> {
        self.get(actor, id).await?;
        let by = self.context.origin(actor);
        Ok(self.tokens.delete(Target::any_version(id), by).await?)
    }

    /// Finds a user by id, employee number or email address.
    ///
    /// # Errors
    /// When the store fails.
    #[tracing::instrument(target = "patrol::trace", name = "token.find_user", skip_all)]
    pub async fn find_user(&self, _: Operator, text: &str) -> Result<Identity, StoreError> {
        identify(self.users.as_ref(), text).await
    }

    /// Whether tokens can be issued for the user: only ACTIVE users can have tokens.
    #[must_use]
    pub fn can_have_tokens(user: &User) -> bool {
        user.status == UserStatus::Active
    }
}
