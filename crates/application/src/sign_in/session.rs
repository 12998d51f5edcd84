//! The sessions of the caller.

use patrol_domain::{
    StoreError,
    ids::SessionId,
    sign_in::{Session, SignInEvent},
    user::UserStatus,
};

use super::{ActiveSession, SignInService};
use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

impl SignInService {
    /// The valid session with this secret, and its user. Also notes that the session was seen.
    ///
    /// # Errors
    /// When the store fails.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.session", skip_all)]
    pub async fn session(&self, secret: &str) -> Result<Option<ActiveSession>, StoreError> {
        let ports = &self.ports;
        let Some(mut session) = ports.sessions.find(ports.secrets.digest(secret)).await? else {
            return Ok(None);
        };
        let now = ports.clock.now();
        if !self.limits.allow(&session, now) {
            return Ok(None);
        }
        let user = ports.users.get(session.user).await?.map(|found| found.record);
        let Some(user) = user.filter(|user| user.status == UserStatus::Active) else {
            return Ok(None);
        };
        if self.limits.is_touch_due(&session, now) {
            ports.sessions.touch(session.id, now).await?;
            session.last_seen_at = now;
        }
        let ends_at = self.limits.end(&session);
        Ok(Some(ActiveSession { session, user, ends_at }))
    }

    /// Ends the session with this secret, if there is one.
    ///
    /// # Errors
    /// When the store fails.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.sign_out", skip_all)]
    pub async fn sign_out(&self, secret: &str) -> Result<(), StoreError> {
        let ports = &self.ports;
        if let Some(session) = ports.sessions.find(ports.secrets.digest(secret)).await?
            && ports.sessions.end(session.user, session.id).await?
        {
            ports.log.note(SignInEvent::SignedOut, Some(session.user), None);
        }
        Ok(())
    }

    /// The valid sessions of the caller, newest first. A command has none.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.sessions", skip_all)]
    pub async fn sessions(&self, actor: Actor) -> Result<Vec<Session>, Failure> {
        permit(actor, Operation::ManageSessions)?;
        let Some(user) = actor.user() else { return Ok(Vec::new()) };
        let mut sessions = self.ports.sessions.of_user(user).await?;
        let now = self.ports.clock.now();
        sessions.retain(|session| self.limits.allow(session, now));
        Ok(sessions)
    }

    /// Ends a session of the caller.
    ///
    /// # Errors
    /// `Denied`, `NotFound` when the caller has no such session, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.end_session", skip_all)]
    pub async fn end_session(&self, actor: Actor, id: SessionId) -> Result<(), Failure> {
        permit(actor, Operation::ManageSessions)?;
        let user = actor.user().ok_or(Failure::NotFound)?;
        if !self.ports.sessions.end(user, id).await? {
            return Err(Failure::NotFound);
        }
        self.ports.log.note(SignInEvent::EndedSessions, Some(user), None);
        Ok(())
    }

    /// Ends all sessions of the caller except `keep`, and returns their number.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.end_other_sessions", skip_all)]
    pub async fn end_other_sessions(
        &self,
        actor: Actor,
        keep: SessionId,
    ) -> Result<usize, Failure> {
        permit(actor, Operation::ManageSessions)?;
        let Some(user) = actor.user() else { return Ok(0) };
        let ended = self.ports.sessions.end_all(user, Some(keep)).await?;
        self.ports.log.note(SignInEvent::EndedSessions, Some(user), None);
        Ok(ended)
    }
}
