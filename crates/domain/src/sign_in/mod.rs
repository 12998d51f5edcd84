//! Signing in on the site: passwords, sessions, invitations, and the limit of failed sign-ins.

mod account;
mod invitation;
mod password;
mod port;
mod session;
mod throttle;

pub use account::{Account, PasswordChange};
pub use invitation::{
    AcceptedInvitation, INVITATION_KEPT, INVITATION_VALID, Invitation, InvitationState,
    NewInvitation,
};
pub use password::{Password, PasswordFault};
pub use port::{
    AttemptOutcome, HashingError, Invitations, PasswordHashing, Passwords, Sessions, SignInEvent,
    SignInFailures, SignInLog, SignInSecrets,
};
#[cfg(feature = "mock")]
pub use port::{
    MockInvitations, MockPasswordHashing, MockPasswords, MockSessions, MockSignInFailures,
    MockSignInLog, MockSignInSecrets,
};
pub use session::{NewSession, Session, SessionLimits};
pub use throttle::{
    Attempt, FAILURES_OF_ADDRESS, FAILURES_OF_NAME, FailureTimes, Failures, address_key, name_key,
};
