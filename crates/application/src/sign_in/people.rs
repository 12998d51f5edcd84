//! What administrators do with the sign-ins of others.

use patrol_domain::{
    StoreError, Timestamp,
    access::Secret,
    ids::UserId,
    sign_in::{HashingError, SignInEvent},
};

use super::SignInService;
use crate::{
    failure::Failure,
    permission::{Actor, Operation, Operator, permit},
};

/// The number of characters of a password that the program makes: 119 random bits.
const MADE_PASSWORD: usize = 20;

impl SignInService {
    /// Ends all sessions of a user, and returns their number.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `CallerInvalid`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.sign_out_user", skip_all)]
    pub async fn sign_out_user(&self, actor: Actor, user: UserId) -> Result<usize, Failure> {
        permit(actor, Operation::ManageSignIns)?;
        self.ports.users.get(user).await?.ok_or_else(|| actor.missing(user))?;
        let ended = self.ports.sessions.end_all(user, None).await?;
        self.ports.log.note(SignInEvent::SignedOutByOther, Some(user), None);
        Ok(ended)
    }

    /// Removes the password of a user, ends all its sessions, and makes its invitations void.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `CallerInvalid`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.remove_sign_in", skip_all)]
    pub async fn remove_sign_in(&self, actor: Actor, user: UserId) -> Result<(), Failure> {
        permit(actor, Operation::ManageSignIns)?;
        let by = actor.origin_at(self.ports.clock.now());
        let removed = self.ports.passwords.remove(user, by).await;
        removed.map_err(|error| actor.failure_of(user, error))?;
        self.ports.log.note(SignInEvent::RemovedSignIn, Some(user), None);
        Ok(())
    }

    /// The last sign-ins of these users, in their order; `None` for a user who has never signed in.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.last_sign_ins", skip_all)]
    pub async fn last_sign_ins(
        &self,
        actor: Actor,
        users: &[UserId],
    ) -> Result<Vec<Option<Timestamp>>, Failure> {
        permit(actor, Operation::Plan)?;
        Ok(self.ports.passwords.last_sign_ins(users.to_vec()).await?)
    }

    /// Gives a user a new random password, ends all its sessions, and returns the password.
    ///
    /// # Errors
    /// `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.reset_password", skip_all)]
    pub async fn reset_password(
        &self,
        operator: Operator,
        user: UserId,
    ) -> Result<Secret, Failure> {
        let (Secret(random), _) = self.ports.secrets.generate()?;
        let password: String = random.chars().take(MADE_PASSWORD).collect();
        let hash = self.ports.hashing.hash(password.clone()).await.map_err(|error| {
            Failure::Store(match error {
                HashingError::Busy => StoreError::Unavailable(error.to_string()),
                HashingError::Failed(cause) => StoreError::Internal(cause),
            })
        })?;
        let by = Actor::from(operator).origin_at(self.ports.clock.now());
        self.ports.passwords.set(user, hash, by).await?;
        self.ports.log.note(SignInEvent::ResetPassword, Some(user), None);
        Ok(Secret(password))
    }
}
