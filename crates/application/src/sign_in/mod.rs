//! Signing in on the site.

mod expiry;
mod invitation;
mod people;
mod session;

use std::{net::IpAddr, sync::Arc, time::Duration};

use patrol_domain::{
    Clock, EditError, Ids, StoreError, Timestamp,
    access::{Digest, Role, Secret},
    event::Origin,
    ids::{SessionId, UserId},
    sign_in::{
        Attempt, AttemptOutcome, HashingError, Invitations, NewSession, Password, PasswordChange,
        PasswordFault, PasswordHashing, Passwords, Session, SessionLimits, Sessions, SignInEvent,
        SignInFailures, SignInLog, SignInSecrets, address_key, name_key,
    },
    user::{User, UserStatus, Users},
};
use thiserror::Error;

use crate::permission::Actor;

/// The maximum number of sessions of one user. The next sign-in ends the oldest one.
const MAX_SESSIONS: usize = 1000;

/// The longest name of a browser that is kept, in characters.
const MAX_BROWSER: usize = 255;

/// Where a request to the site comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visitor {
    /// The address of the client.
    pub address: IpAddr,
    /// The `User-Agent`; at most 255 characters are kept.
    pub browser: String,
}

/// A new session, with the secret for the cookie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenedSession {
    /// The session.
    pub session: SessionId,
    /// Not stored, so it cannot be shown again.
    pub secret: Secret,
    /// The role of the user.
    pub role: Role,
}

/// The session of a request and its user as of now.
#[derive(Clone, PartialEq, Debug)]
pub struct ActiveSession {
    /// The session, which is valid.
    pub session: Session,
    /// The user, who is ACTIVE.
    pub user: User,
    /// When the session ends, unless there is another request.
    pub ends_at: Timestamp,
}

/// Why a sign-in failed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SignInError {
    /// The name is unknown or the password is wrong, or the user has none or is not ACTIVE.
    #[error("the name is unknown, the password is wrong, or the user cannot sign in")]
    Failed,
    /// There were too many failures for the name or from the address.
    #[error("too many sign-ins have failed")]
    Throttled {
        /// How long to wait, more than zero.
        retry_after: Duration,
    },
    /// Too many passwords are being verified. The same sign-in may succeed later.
    #[error("too many passwords are being verified")]
    Busy,
    /// The store failed. The same sign-in may succeed later.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a user did not get a new password.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NewPasswordError {
    /// The new password breaks a rule.
    #[error("the new password {0}")]
    Password(PasswordFault),
    /// The current password is wrong. Only a change of the password.
    #[error("the current password is wrong")]
    WrongPassword,
    /// Too many sign-ins of the user have failed, or from its address. Only a change of the password.
    #[error("too many sign-ins have failed")]
    Throttled {
        /// How long to wait, more than zero.
        retry_after: Duration,
    },
    /// Too many passwords are being verified. The same request may succeed later.
    #[error("too many passwords are being verified")]
    Busy,
    /// The invitation is no longer valid. Only an invitation.
    #[error("the invitation is no longer valid")]
    Void,
    /// There is no such invitation. Only an invitation.
    #[error("there is no such invitation")]
    Unknown,
    /// The store failed. The same request may succeed later.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The use cases of signing in.
#[derive(Clone)]
pub struct SignInService {
    ports: SignInPorts,
    limits: SessionLimits,
}

/// The ports of the use cases.
#[derive(Clone)]
#[allow(missing_docs)] // named like the ports
pub struct SignInPorts {
    pub users: Arc<dyn Users>,
    pub passwords: Arc<dyn Passwords>,
    pub sessions: Arc<dyn Sessions>,
    pub invitations: Arc<dyn Invitations>,
    pub failures: Arc<dyn SignInFailures>,
    pub hashing: Arc<dyn PasswordHashing>,
    pub secrets: Arc<dyn SignInSecrets>,
    pub log: Arc<dyn SignInLog>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

impl SignInService {
    /// Use cases that work with these ports.
    #[must_use]
    pub const fn new(ports: SignInPorts, limits: SessionLimits) -> Self {
        Self { ports, limits }
    }

    /// Opens a session for the user with this employee number or email address, ignoring case.
    /// Takes as long for an unknown name, a user without a password and one who is not ACTIVE as for
    /// a wrong password.
    ///
    /// # Errors
    /// `Failed`, `Throttled`, `Busy`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.sign_in", skip_all)]
    pub async fn sign_in(
        &self,
        name: &str,
        password: &str,
        visitor: Visitor,
    ) -> Result<OpenedSession, SignInError> {
        let ports = &self.ports;
        let user = match <[User; 1]>::try_from(ports.users.find(name).await?) {
            Ok([user]) => Some(user),
            // A name of two users, which older data may have, is the name of neither.
            Err(_) => None,
        };
        let user_id = user.as_ref().map(|user| user.id);
        let address = visitor.address.to_canonical().to_string();
        let note = |event| ports.log.note(event, user_id, Some(address.clone()));
        let attempt = Attempt {
            name: ports.secrets.digest(&name_key(user_id, name)),
            address: ports.secrets.digest(&address_key(visitor.address)),
            at: ports.clock.now(),
        };
        let throttled = |retry_after| {
            note(SignInEvent::Throttled);
            Err(SignInError::Throttled { retry_after })
        };
        if let Some(retry_after) = ports.failures.retry_after(attempt).await? {
            return throttled(retry_after);
        }
        // Also asked for an unknown name, so that it takes as long.
        let stored = ports.passwords.hash(user_id.unwrap_or(NO_USER)).await?;
        let is_active = user.as_ref().is_some_and(|user| user.status == UserStatus::Active);
        let is_right = ports.hashing.verify(password.to_owned(), stored.clone()).await?;
        let attempt = Attempt { at: ports.clock.now(), ..attempt };
        let verified = stored.filter(|_| is_right && is_active).zip(user.as_ref());
        if let Some((hash, user)) = verified {
            let (new, opened) = self.new_session(user, visitor, attempt.at)?;
            match ports.sessions.open(new, hash, attempt).await? {
                AttemptOutcome::Done => {
                    note(SignInEvent::SignedIn);
                    return Ok(opened);
                }
                AttemptOutcome::Throttled(retry_after) => return throttled(retry_after),
                AttemptOutcome::Outdated => {}
            }
        }
        match ports.failures.add(attempt).await? {
            None => {
                note(SignInEvent::Failed);
                Err(SignInError::Failed)
            }
            Some(retry_after) => throttled(retry_after),
        }
    }

    /// Changes the password of the user of a session, which `by` is. Ends all sessions of the user, and
    /// opens a new one for the visitor.
    ///
    /// # Errors
    /// `Password`, `WrongPassword`, `Throttled`, `Busy`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.change_password", skip_all)]
    pub async fn change_password(
        &self,
        session: &ActiveSession,
        current: &str,
        new: &str,
        visitor: Visitor,
        by: Actor,
    ) -> Result<OpenedSession, NewPasswordError> {
        let ActiveSession { session, user, .. } = session;
        let ports = &self.ports;
        let shown = visitor.address.to_canonical().to_string();
        let note = |event| ports.log.note(event, Some(user.id), Some(shown.clone()));
        let password = Password::parse(new, user).map_err(NewPasswordError::Password)?;
        let attempt = Attempt {
            name: self.failures_of(user.id),
            address: ports.secrets.digest(&address_key(visitor.address)),
            at: ports.clock.now(),
        };
        let throttled = |retry_after| {
            note(SignInEvent::Throttled);
            Err(NewPasswordError::Throttled { retry_after })
        };
        if let Some(retry_after) = ports.failures.retry_after(attempt).await? {
            return throttled(retry_after);
        }
        let stored = ports.passwords.hash(user.id).await?;
        let is_right = ports.hashing.verify(current.to_owned(), stored.clone()).await?;
        if let Some(verified) = stored.filter(|_| is_right) {
            let hash = ports.hashing.hash(password.as_str().to_owned()).await?;
            let attempt = Attempt { at: ports.clock.now(), ..attempt };
            let (next, opened) = self.new_session(user, visitor, attempt.at)?;
            let (user, session) = (user.id, session.id);
            let change = PasswordChange { user, session, next, verified, hash, attempt };
            let outcome = ports.passwords.change(change, by.origin_at(attempt.at)).await;
            match outcome.map_err(store_error)? {
                AttemptOutcome::Done => {
                    note(SignInEvent::ChangedPassword);
                    return Ok(opened);
                }
                AttemptOutcome::Throttled(retry_after) => return throttled(retry_after),
                AttemptOutcome::Outdated => {}
            }
        }
        let attempt = Attempt { at: ports.clock.now(), ..attempt };
        match ports.failures.add(attempt).await? {
            None => {
                note(SignInEvent::Failed);
                Err(NewPasswordError::WrongPassword)
            }
            Some(retry_after) => throttled(retry_after),
        }
    }

    /// A session to store that begins at `now`, and its secret.
    fn new_session(
        &self,
        user: &User,
        visitor: Visitor,
        now: Timestamp,
    ) -> Result<(NewSession, OpenedSession), StoreError> {
        let Visitor { address, browser } = visitor;
        let (secret, digest) = self.ports.secrets.generate()?;
        let visible = browser.chars().filter(|letter| !letter.is_control());
        let session = Session {
            id: SessionId(self.ports.ids.next()),
            user: user.id,
            created_at: now,
            last_seen_at: now,
            address: address.to_canonical().to_string(),
            browser: visible.take(MAX_BROWSER).collect(),
        };
        let opened = OpenedSession { session: session.id, secret, role: user.role };
        Ok((NewSession { session, digest, max_sessions: MAX_SESSIONS }, opened))
    }

    /// The key of the failed sign-ins of a user.
    fn failures_of(&self, user: UserId) -> Digest {
        self.ports.secrets.digest(&name_key(Some(user), ""))
    }
}

/// The id of no user.
const NO_USER: UserId = UserId(patrol_domain::ids::Uuid::nil());

/// The failure of the store, for a change that no rule refuses.
fn store_error(error: EditError) -> StoreError {
    match error {
        EditError::Store(error) => error,
        other => StoreError::Internal(other.to_string()),
    }
}

impl From<HashingError> for SignInError {
    fn from(error: HashingError) -> Self {
        match error {
            HashingError::Busy => Self::Busy,
            HashingError::Failed(cause) => Self::Store(StoreError::Internal(cause)),
        }
    }
}

impl From<HashingError> for NewPasswordError {
    fn from(error: HashingError) -> Self {
        match error {
            HashingError::Busy => Self::Busy,
            HashingError::Failed(cause) => Self::Store(StoreError::Internal(cause)),
        }
    }
}

/// A change that a user makes of itself without a token.
const fn by_user(user: UserId, at: Timestamp) -> Origin {
    Origin { actor: Some(user), ..Origin::of_program(at) }
}
