//! The ports of signing in: passwords, sessions, invitations, failed sign-ins, hashes, secrets.
//!
//! A change of the role or status of a user, by any port, MUST end all sessions of the user in the
//! same transaction ([`User::ends_sessions`](crate::user::User::ends_sessions)).

use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;

use super::{
    AcceptedInvitation, Attempt, Invitation, NewInvitation, NewSession, PasswordChange, Session,
};
use crate::{
    access::{Digest, Secret},
    event::Origin,
    shared::{
        error::{EditError, StoreError},
        ids::{SessionId, UserId},
        timestamp::Timestamp,
    },
};

/// The result of a sign-in or a change of the password, after the password was verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptOutcome {
    /// The session or the new password was stored, and the failures of the name were deleted.
    Done,
    /// Other attempts have failed too often meanwhile. Nothing was changed. Contains how long to
    /// wait.
    Throttled(Duration),
    /// The user has another password or status meanwhile. Nothing was changed.
    Outdated,
}

/// A store of the passwords of users. Every method is one transaction, and waits for other changes
/// of the same user. To set, change or remove a password makes the invitations of the user void, and
/// is a change of the user with an event. The event has the member `password` without its value, and
/// the member `userLinked` if its value changes.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Passwords: Send + Sync {
    /// The hash of the user's password; `None` when there is no such user or no password.
    async fn hash(&self, user: UserId) -> Result<Option<String>, StoreError>;

    /// Replaces the password of a user who has verified the current one. Ends all sessions of the user, and
    /// stores the next one and the time of this sign-in. `Throttled` as for [`Sessions::open`]. `Outdated` when the session does not exist, or
    /// the user has another password than the verified one.
    ///
    /// # Errors
    /// `Superseded`, `Store`.
    async fn change(&self, change: PasswordChange, by: Origin)
    -> Result<AttemptOutcome, EditError>;

    /// Gives a user a password and ends all sessions of the user.
    ///
    /// # Errors
    /// `Missing` when the user does not exist.
    async fn set(&self, user: UserId, hash: String, by: Origin) -> Result<(), EditError>;

    /// Removes the password of a user, if there is one, and ends all sessions of the user.
    ///
    /// # Errors
    /// `Missing` when the user does not exist.
    async fn remove(&self, user: UserId, by: Origin) -> Result<(), EditError>;

    /// The times of the last sign-ins of these users, in the same order; `None` for a user who has
    /// never signed in, or has no password.
    async fn last_sign_ins(&self, users: Vec<UserId>)
    -> Result<Vec<Option<Timestamp>>, StoreError>;
}

/// A store of sessions. Every method is one transaction. Sessions are not records: they have no
/// events.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Stores a session and the time of the sign-in, and deletes the failures of the name. `verified` is
    /// the hash against which the password was verified. Ends the oldest sessions beyond `max_sessions`.
    ///
    /// [`AttemptOutcome::Throttled`] when [`Attempt::retry_after`] returns a time. An attempt MUST
    /// see the failures of all attempts that ended before it, on any node, even if they began at
    /// the same time. `Outdated` unless the user exists, is ACTIVE and still has the password.
    async fn open(
        &self,
        session: NewSession,
        verified: String,
        attempt: Attempt,
    ) -> Result<AttemptOutcome, StoreError>;

    /// The session with this digest, or `None` for an unknown digest. Also returns expired sessions.
    async fn find(&self, digest: Digest) -> Result<Option<Session>, StoreError>;

    /// The sessions of a user, newest first, also expired ones.
    async fn of_user(&self, user: UserId) -> Result<Vec<Session>, StoreError>;

    /// Stores when the session was last seen, unless a later time is stored. Ignores an unknown id.
    async fn touch(&self, session: SessionId, at: Timestamp) -> Result<(), StoreError>;

    /// Ends a session of this user. Returns whether there was one.
    async fn end(&self, user: UserId, session: SessionId) -> Result<bool, StoreError>;

    /// Ends all sessions of this user except `keep`. Returns their number.
    async fn end_all(&self, user: UserId, keep: Option<SessionId>) -> Result<usize, StoreError>;

    /// Deletes sessions that began at `begin` or before, or were last seen at `seen` or before, and
    /// returns their number. One call deletes a bounded number; 0 means that all of them are deleted.
    async fn delete_expired(&self, begin: Timestamp, seen: Timestamp) -> Result<usize, StoreError>;
}

/// A store of invitations. Every method is one transaction, and waits for other changes of the same
/// user. Invitations are not records: they have no events.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Invitations: Send + Sync {
    /// Stores an invitation, makes the earlier ones of the user void, and forgets the failed sign-ins
    /// of the user.
    ///
    /// # Errors
    /// `Missing` when the user does not exist, `Refused` with the refusal of
    /// [`Invitation::check_user`].
    async fn create(&self, new: NewInvitation) -> Result<(), EditError>;

    /// The invitation with this digest, or `None` for an unknown digest. Also returns void ones.
    async fn find(&self, digest: Digest) -> Result<Option<Invitation>, StoreError>;

    /// Sets the password of the invited user, makes all invitations of the user void, ends all its
    /// sessions, stores the new session and the time of the sign-in, and deletes the failed sign-ins of
    /// the user. Of concurrent uses, on any nodes, exactly one MUST succeed. The change of the user has
    /// an event, as in [`Passwords`].
    ///
    /// # Errors
    /// `Missing` when the invitation is unknown, belongs to another user than the session, or is not
    /// [open](Invitation::is_open) when the session begins.
    async fn accept(&self, accepted: AcceptedInvitation, by: Origin) -> Result<(), EditError>;

    /// Deletes invitations that were used, replaced or expired at `until` or before, and returns their
    /// number. One call deletes a bounded number; 0 means that all of them are deleted.
    async fn delete_ended(&self, until: Timestamp) -> Result<usize, StoreError>;
}

/// A store of failed sign-ins, counted over all nodes. Contains digests only: neither a name that was
/// typed nor an address. Every method is one transaction.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SignInFailures: Send + Sync {
    /// The result of [`Attempt::retry_after`] for the stored failures.
    async fn retry_after(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError>;

    /// Stores that the attempt has failed, unless [`Attempt::retry_after`] refuses it: then stores
    /// nothing and returns how long to wait. An attempt MUST see the failures of all attempts that
    /// ended before it, on any node, even if they began at the same time.
    async fn add(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError>;

    /// Deletes failures that no longer count at `now`, and returns the number of names and addresses.
    /// One call deletes a bounded number; 0 means that all of them are deleted.
    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError>;
}

/// Hashes and verifies passwords outside the threads that answer requests, with bounded memory.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PasswordHashing: Send + Sync {
    /// The salted hash of a password in the PHC string format.
    ///
    /// # Errors
    /// `Busy`, `Failed`.
    async fn hash(&self, password: String) -> Result<String, HashingError>;

    /// Whether this is the password with this hash. Without a hash the result is false, and MUST take
    /// as long as with one, so that an attacker cannot tell which users have a password.
    ///
    /// # Errors
    /// `Busy`, `Failed`.
    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, HashingError>;
}

/// Why a password was neither hashed nor verified.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum HashingError {
    /// The call waited for more than 5 s.
    #[error("too many passwords are being hashed or verified")]
    Busy,
    /// Any other failure. Contains neither the password nor the hash.
    #[error("a password cannot be hashed or verified: {0}")]
    Failed(String),
}

/// Generates the secrets of sessions and invitations.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait SignInSecrets: Send + Sync {
    /// A new secret of 256 random bits, as letters and digits, and the digest under which it is stored.
    ///
    /// # Errors
    /// When the operating system provides no random bytes.
    fn generate(&self) -> Result<(Secret, Digest), StoreError>;

    /// The SHA-256 digest of a text.
    fn digest(&self, text: &str) -> Digest;
}

/// What happened at a sign-in, for the log of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignInEvent {
    /// A user has signed in with its password.
    SignedIn,
    /// The name is unknown, the password is wrong, or the user cannot sign in.
    Failed,
    /// There were too many failures for the name or from the address.
    Throttled,
    /// A user has signed out.
    SignedOut,
    /// A user has ended sessions of its own.
    EndedSessions,
    /// A user has changed its password.
    ChangedPassword,
    /// A user was invited to set a password.
    Invited,
    /// A user has set a password with an invitation and is signed in.
    AcceptedInvitation,
    /// An administrator has ended the sessions of a user.
    SignedOutByOther,
    /// An administrator has removed the password, the sessions and the invitations of a user.
    RemovedSignIn,
    /// A command has given a user a new password.
    ResetPassword,
}

/// The log of sign-ins.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait SignInLog: Send + Sync {
    /// Logs an event. `user` is the user who signs in, or whose sign-in changes; `None` when the
    /// typed name is unknown. `address` is the address of the client that gave a password or used
    /// an invitation; `None` for all other events.
    fn note(&self, event: SignInEvent, user: Option<UserId>, address: Option<String>);
}
