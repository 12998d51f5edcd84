//! Invitations.

use patrol_domain::{
    EditError, StoreError,
    access::Secret,
    ids::UserId,
    sign_in::{
        AcceptedInvitation, Invitation, InvitationState, NewInvitation, Password, SignInEvent,
    },
};

use super::{NewPasswordError, OpenedSession, SignInService, Visitor, by_user, store_error};
use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

impl SignInService {
    /// Invites a user to set a password: returns the code of the link, which is valid for 24 hours.
    /// Earlier invitations of the user become void, and its failed sign-ins are forgotten.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `CallerInvalid`, `Store`; `Refused` with the state `status` when the user is not ACTIVE.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.invite", skip_all)]
    pub async fn invite(&self, actor: Actor, user: UserId) -> Result<Secret, Failure> {
        permit(actor, Operation::ManageSignIns)?;
        let (code, digest) = self.ports.secrets.generate()?;
        let invitation = Invitation::new(user, self.ports.clock.now());
        let new = NewInvitation { invitation, digest, failures: self.failures_of(user) };
        let created = self.ports.invitations.create(new).await;
        created.map_err(|error| actor.failure_of(user, error))?;
        self.ports.log.note(SignInEvent::Invited, Some(user), None);
        Ok(code)
    }

    /// What the code of an invitation allows.
    ///
    /// # Errors
    /// When the store fails.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.invitation", skip_all)]
    pub async fn invitation(&self, code: &str) -> Result<InvitationState, StoreError> {
        let ports = &self.ports;
        let Some(found) = ports.invitations.find(ports.secrets.digest(code)).await? else {
            return Ok(InvitationState::Unknown);
        };
        let user = ports.users.get(found.user).await?.map(|found| found.record);
        let now = ports.clock.now();
        Ok(match user.filter(|user| found.is_open(user, now)) {
            Some(user) => InvitationState::Open(Box::new(user)),
            None => InvitationState::Void,
        })
    }

    /// Sets the password of the invited user and opens a session. All other sessions of the user end,
    /// and its invitations are void.
    ///
    /// # Errors
    /// `Password`, `Busy`, `Void`, `Unknown`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.accept_invitation", skip_all)]
    pub async fn accept_invitation(
        &self,
        code: &str,
        password: &str,
        visitor: Visitor,
    ) -> Result<OpenedSession, NewPasswordError> {
        let ports = &self.ports;
        let user = match self.invitation(code).await? {
            InvitationState::Open(user) => user,
            InvitationState::Void => return Err(NewPasswordError::Void),
            InvitationState::Unknown => return Err(NewPasswordError::Unknown),
        };
        let password = Password::parse(password, &user).map_err(NewPasswordError::Password)?;
        let hash = ports.hashing.hash(password.as_str().to_owned()).await?;
        let now = ports.clock.now();
        let address = visitor.address.to_canonical().to_string();
        let (session, opened) = self.new_session(&user, visitor, now)?;
        let digest = ports.secrets.digest(code);
        let failures = self.failures_of(user.id);
        let accepted = AcceptedInvitation { digest, hash, session, failures };
        match ports.invitations.accept(accepted, by_user(user.id, now)).await {
            Ok(()) => {
                ports.log.note(SignInEvent::AcceptedInvitation, Some(user.id), Some(address));
                Ok(opened)
            }
            Err(EditError::Missing) => Err(NewPasswordError::Void),
            Err(error) => Err(store_error(error).into()),
        }
    }
}
