//! `patrol token`.

use std::{
    collections::{HashMap, hash_map::Entry},
    time::Duration,
};

use futures_util::StreamExt;
use patrol_application::{AccessService, Failure, Operator, TokenDraft};
use patrol_domain::{
    Clock, Refusal, Timestamp,
    access::{Token, TokenFilter},
    ids::{TokenId, UserId},
    list::{Condition, Membership, Part, Query, Test},
    user::{Identity, User},
};

use crate::{
    command_line, error::CommandError, output, settings::Configuration, store::Access,
    wiring::Wiring,
};

/// Issues, lists or revokes tokens.
pub(super) async fn run(
    configuration: &Configuration,
    task: command_line::Token,
) -> Result<(), CommandError> {
    let access = match task {
        command_line::Token::List { .. } => Access::Read,
        command_line::Token::Create { .. } | command_line::Token::Revoke { .. } => Access::Change,
    };
    let work = async |wiring: &Wiring| match task {
        command_line::Token::Create { user, name, expires_in } => {
            create(wiring, &user, &name, expires_in).await
        }
        command_line::Token::List { user } => list(wiring, user.as_deref()).await,
        command_line::Token::Revoke { id: Some(id), .. } => revoke(wiring, id).await,
        command_line::Token::Revoke { id: None, user } => {
            revoke_all(wiring, &user.unwrap_or_default()).await
        }
    };
    Wiring::run(configuration, access, work).await
}

async fn create(
    wiring: &Wiring,
    user: &str,
    name: &str,
    expires_in: Option<Duration>,
) -> Result<(), CommandError> {
    let access = wiring.access();
    let expires_at = expires_in.map(|length| expiry(wiring.clock(), length)).transpose()?;
    let found = find(&access, user).await?;
    if !AccessService::can_have_tokens(&found) {
        return Err(CommandError::Failed(format!(
            "the user {user} is not ACTIVE and cannot have tokens"
        )));
    }
    let draft = TokenDraft { name: Some(name.to_owned()), user_id: Some(found.id), expires_at };
    let issued = access.issue(Operator.into(), draft).await.map_err(|failure| match failure {
        Failure::Refused(Refusal::Invalid(faults)) => {
            let fields: Vec<_> = faults.iter().map(|fault| fault.identifier.as_str()).collect();
            match fields.as_slice() {
                ["userId", ..] => CommandError::Failed(format!(
                    "the user {user} is no longer ACTIVE and cannot have tokens"
                )),
                _ => CommandError::Usage(format!(
                    "--name has to have 1 to {} characters, without U+0000",
                    wiring.rules().limits.name
                )),
            }
        }
        Failure::Refused(Refusal::State(_)) => CommandError::Failed(format!(
            "the user {user} has {} tokens, the most allowed; revoke one that is no longer \
             needed: `patrol token list --user {}` shows them",
            wiring.rules().limits.tokens,
            found.id
        )),
        other => other.into(),
    })?;
    output::answer(&format!("{}\n", issued.secret.0))
}

/// The expiry of a token that is issued now for `length`.
fn expiry(clock: &dyn Clock, length: Duration) -> Result<Timestamp, CommandError> {
    let length = i64::try_from(length.as_millis()).ok();
    length.and_then(|length| clock.now().shifted(length)).ok_or_else(|| {
        CommandError::Usage("--expires-in ends after the year 9999; leave it out".to_owned())
    })
}

/// The user with this id, employee number or email address.
pub(super) async fn find(access: &AccessService, user: &str) -> Result<User, CommandError> {
    match access.find_user(Operator, user).await? {
        Identity::User(found) => Ok(*found),
        Identity::Unknown => Err(CommandError::Failed(format!(
            "there is no user with the id, employeeNo or email {user}"
        ))),
        Identity::Ambiguous(users) => {
            let ids: Vec<_> = users.iter().map(ToString::to_string).collect();
            Err(CommandError::Failed(format!(
                "{user} is ambiguous: it is the employeeNo of one user and the email of another; \
                 name one of them by id ({}), and give one of them another employeeNo or email",
                ids.join(" or ")
            )))
        }
    }
}

async fn list(wiring: &Wiring, user: Option<&str>) -> Result<(), CommandError> {
    let access = wiring.access();
    let condition = match user {
        None => Condition::All(Vec::new()),
        Some(user) => of_user(find(&access, user).await?.id),
    };
    let query = Query::of(condition, wiring.clock().now());
    let mut tokens = access.list_all(Operator.into(), query)?;
    let mut owners = HashMap::new();
    while let Some(part) = tokens.next().await {
        let Part::Rows(rows) = part? else { break };
        let mut lines = String::new();
        for token in rows {
            let owner = match owners.entry(token.user_id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    place.insert(
                        match access.find_user(Operator, &token.user_id.to_string()).await? {
                            Identity::User(user) => Some(*user),
                            // The user was deleted after the tokens were read.
                            Identity::Unknown | Identity::Ambiguous(_) => None,
                        },
                    )
                }
            };
            lines.push_str(&line(&token, owner.as_ref()));
        }
        output::answer(&lines)?;
    }
    Ok(())
}

/// A token as a line: id, user id, name, expiry, last use, then employeeNo, email and name of the
/// user. `-` stands for a missing value.
fn line(token: &Token, owner: Option<&User>) -> String {
    let Token { id, user_id, name, created_at: _, expires_at, last_used_at } = token;
    let time = |time: &Option<Timestamp>| time.map(|at| at.to_string());
    let columns = [
        Some(id.to_string()),
        Some(user_id.to_string()),
        Some(name.clone()),
        time(expires_at),
        time(last_used_at),
        owner.and_then(|user| user.employee_no.clone()),
        owner.and_then(|user| user.email.clone()),
        owner.map(User::full_name),
    ];
    let columns =
        columns.map(|column| column.map_or_else(|| "-".to_owned(), |text| escaped(&text)));
    let mut line = columns.join("\t");
    line.push('\n');
    line
}

/// Escapes control characters, which would break the line or move the cursor.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if letter == '\\' || letter.is_control() {
            escaped.extend(letter.escape_default());
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

/// Revokes all tokens of a user with any status, and prints their number.
async fn revoke_all(wiring: &Wiring, user: &str) -> Result<(), CommandError> {
    let access = wiring.access();
    let user = find(&access, user).await?;
    let mut revoked = 0_u64;
    // Repeats until no token is left, because a client may issue tokens at the same time.
    loop {
        let ids = tokens_of(wiring, user.id).await?;
        if ids.is_empty() {
            return output::answer(&match revoked {
                1 => "1 token revoked\n".to_owned(),
                _ => format!("{revoked} tokens revoked\n"),
            });
        }
        for id in ids {
            match access.revoke(Operator.into(), id).await {
                Ok(()) => revoked += 1,
                Err(Failure::NotFound) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
    }
}

fn of_user(user: UserId) -> Condition<TokenFilter> {
    Condition::Is(TokenFilter::User, Test::Ids(Membership::Any, vec![user.into()]))
}

async fn tokens_of(wiring: &Wiring, user: UserId) -> Result<Vec<TokenId>, CommandError> {
    let query = Query::of(of_user(user), wiring.clock().now());
    let mut tokens = wiring.access().list_all(Operator.into(), query)?;
    let mut ids = Vec::new();
    while let Some(part) = tokens.next().await {
        if let Part::Rows(rows) = part? {
            ids.extend(rows.into_iter().map(|token| token.id));
        }
    }
    Ok(ids)
}

async fn revoke(wiring: &Wiring, id: TokenId) -> Result<(), CommandError> {
    match wiring.access().revoke(Operator.into(), id).await {
        Err(Failure::NotFound) => Err(CommandError::Failed(format!(
            "there is no token {id}; `patrol token list` shows them"
        ))),
        revoked => Ok(revoked?),
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::ids::Uuid;

    use super::*;
    use crate::system::SystemClock;

    fn token(name: &str, expires_at: Option<Timestamp>) -> Token {
        Token {
            id: TokenId(Uuid::from_u128(1)),
            user_id: UserId(Uuid::from_u128(2)),
            name: name.to_owned(),
            created_at: Timestamp::LAST,
            expires_at,
            last_used_at: None,
        }
    }

    #[test]
    fn a_token_is_one_line_of_eight_columns() {
        assert_eq!(
            line(&token("ночь \u{1f319}", Some(Timestamp::LAST)), None),
            "00000000-0000-0000-0000-000000000001\t00000000-0000-0000-0000-000000000002\t\
             ночь \u{1f319}\t9999-12-31T23:59:59.999Z\t-\t-\t-\t-\n"
        );
        let line = line(&token("a\tb\nc\\d\u{1b}[31m", None), None);
        assert!(line.contains("\ta\\tb\\nc\\\\d\\u{1b}[31m\t-\t-\t-\t-\t-\n"), "{line}");
        assert_eq!((line.matches('\t').count(), line.lines().count()), (7, 1));
    }

    #[test]
    fn an_expiry_after_the_year_9999_is_wrong_usage() {
        let length = Duration::from_secs(3600);
        let expected = SystemClock.now().shifted(3_600_000).unwrap();
        assert!(expiry(&SystemClock, length).unwrap() >= expected);
        let error = expiry(&SystemClock, Duration::from_secs(9000 * 365 * 86_400)).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(expiry(&SystemClock, Duration::MAX).is_err());
    }
}
