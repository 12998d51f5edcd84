//! Prepares the store for `patrol serve --demo`.

use std::sync::Arc;

use patrol_application::{AccessService, Failure, Operator, PhotoService, TokenDraft};
use patrol_data_set::{DEMO_ADMIN, DEMO_PHOTO, DEMO_PHOTO_USERS, DEMO_TOKEN, demo, refused_line};
use patrol_domain::{
    Ids, Refusal, Timestamp,
    access::Secret,
    data_set::ImportError,
    ids::{UserId, Uuid},
    user::Identity,
};

use crate::{error::CommandError, wiring::Wiring};

/// The name of the token that is issued to the demo administrator.
const TOKEN_NAME: &str = "demo";

/// The name of the token that examples revoke.
const EXAMPLE_NAME: &str = "to be revoked by an example";

/// The validity of the token in milliseconds: 30 days.
const VALID: i64 = 30 * 24 * 60 * 60 * 1000;

/// The result of the preparation.
pub(super) enum Demo {
    /// The new token of the demo administrator.
    Token(Secret),
    /// The store has no ACTIVE demo administrator.
    NoAdministrator,
    /// The demo administrator has as many tokens as a user may have.
    TooManyTokens,
}

/// Imports the demo data into an empty store, and issues a token to the demo administrator if the
/// store has one.
pub(super) async fn prepare(wiring: &Wiring, photos: &PhotoService) -> Result<Demo, CommandError> {
    let data_sets = wiring.data_sets();
    if data_sets.is_empty(Operator).await? {
        let records = demo(wiring.clock().now());
        let source = (1..).zip(records).map(Ok);
        match data_sets.import(Operator, Box::new(source)).await {
            Ok(imported) => {
                tracing::info!(records = imported.records(), "imported the demo data");
                add_example_records(wiring, photos).await?;
            }
            Err(ImportError::Store(error)) => return Err(error.into()),
            Err(ImportError::Source(why)) => return Err(refused(&why)),
            Err(ImportError::Refused { lines, .. }) => {
                let first = lines.first().map(refused_line);
                return Err(refused(&first.unwrap_or_default()));
            }
        }
    }
    let access = wiring.access();
    match access.find_user(Operator, &DEMO_ADMIN.to_string()).await? {
        Identity::User(admin) if AccessService::can_have_tokens(&admin) => {
            // Each start issues a token, so the tokens have to expire by themselves.
            let expiry = wiring.clock().now().shifted(VALID);
            match access.issue(Operator.into(), token(admin.id, TOKEN_NAME, expiry)).await {
                Ok(issued) => Ok(Demo::Token(issued.secret)),
                Err(Failure::Refused(Refusal::State(_))) => Ok(Demo::TooManyTokens),
                Err(failure) => Err(failure.into()),
            }
        }
        _ => Ok(Demo::NoAdministrator),
    }
}

/// Adds photos and a token, which a data set cannot contain but the examples of the API description
/// need. The secret of the token is discarded.
async fn add_example_records(wiring: &Wiring, photos: &PhotoService) -> Result<(), CommandError> {
    let access = wiring.access_with(Arc::new(FixedId(DEMO_TOKEN.0)));
    access.issue(Operator.into(), token(DEMO_ADMIN, EXAMPLE_NAME, None)).await?;
    for user in DEMO_PHOTO_USERS {
        if let Err(failure) = photos.replace(Operator.into(), user, DEMO_PHOTO.to_vec()).await {
            // The demo works without the photo.
            tracing::warn!(?failure, "a photo of the demo data could not be stored");
        }
    }
    Ok(())
}

fn token(user: UserId, name: &str, expires_at: Option<Timestamp>) -> TokenDraft {
    TokenDraft { name: Some(name.to_owned()), user_id: Some(user), expires_at }
}

/// Returns the same id each time.
#[derive(Debug)]
struct FixedId(Uuid);

impl Ids for FixedId {
    fn next(&self) -> Uuid {
        self.0
    }
}

/// The error of a refused import: another process may have filled the store in the meantime.
fn refused(why: &str) -> CommandError {
    CommandError::Failed(format!("the demo data cannot be stored: {why}; start it again"))
}

impl Demo {
    /// The text that is printed at start.
    pub(super) fn greeting(&self, base_url: &str) -> String {
        match self {
            Self::Token(Secret(token)) => format!(
                "{base_url}\n{token}\n\nTry it in another terminal:\n\n  \
                 curl -H 'Authorization: Bearer {token}' '{base_url}/task-executions/info?limit=3'\n"
            ),
            Self::NoAdministrator => format!(
                "{base_url}\n\nThe store is not empty and has no demo administrator: there is no \
                 token.\n`patrol token create --user USER --name NAME` issues one.\n"
            ),
            Self::TooManyTokens => format!(
                "{base_url}\n\nThe demo administrator has as many tokens as a user may have: there \
                 is no new one.\n`patrol token list --user {DEMO_ADMIN}` shows them, `patrol token \
                 revoke ID` makes room.\n"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_and_token_have_lines_of_their_own() {
        let demo = Demo::Token(Secret("ptl_abc".to_owned()));
        let greeting = demo.greeting("http://127.0.0.1:8080/v1");
        let lines: Vec<_> = greeting.lines().collect();
        assert_eq!(lines[..2], ["http://127.0.0.1:8080/v1", "ptl_abc"]);
        for (demo, reason) in [
            (Demo::NoAdministrator, "no demo administrator"),
            (Demo::TooManyTokens, "patrol token revoke"),
        ] {
            let without = demo.greeting("http://127.0.0.1:8080/v1");
            assert!(without.contains(reason) && !without.contains("ptl_"));
        }
    }
}
