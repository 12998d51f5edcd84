//! The log of sign-ins. Its lines have ids and addresses, never what was typed.

use patrol_domain::{
    ids::UserId,
    sign_in::{SignInEvent, SignInLog},
};

/// Writes sign-ins to the log of the program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TracedSignIns;

impl SignInLog for TracedSignIns {
    fn note(&self, event: SignInEvent, user: Option<UserId>, address: Option<String>) {
        let user = user.map(tracing::field::display);
        let address = address.map(tracing::field::display);
        let text = text(event);
        match event {
            SignInEvent::Failed | SignInEvent::Throttled => tracing::warn!(user, address, "{text}"),
            _ => tracing::info!(user, address, "{text}"),
        }
    }
}

const fn text(event: SignInEvent) -> &'static str {
    match event {
        SignInEvent::SignedIn => "signed in",
        SignInEvent::Failed => "a sign-in failed",
        SignInEvent::Throttled => "a sign-in was refused: too many have failed",
        SignInEvent::SignedOut => "signed out",
        SignInEvent::EndedSessions => "a user ended its own sessions",
        SignInEvent::ChangedPassword => "a user changed its password",
        SignInEvent::Invited => "a user was invited to set a password",
        SignInEvent::AcceptedInvitation => "a user set a password with an invitation",
        SignInEvent::SignedOutByOther => "an administrator ended the sessions of a user",
        SignInEvent::RemovedSignIn => "an administrator removed the sign-in of a user",
        SignInEvent::ResetPassword => "the program gave a user a password",
    }
}
