//! `patrol token`.

use std::{
    fmt::Write as _,
    io::{self, BufWriter, Write as _},
    time::Duration,
};

use futures_util::StreamExt;
use patrol_application::{AccessService, Failure};
use patrol_domain::{
    Clock, Refusal, Timestamp,
    access::{Token, TokenFilter},
    ids::TokenId,
    list::{Condition, Membership, Page, Part, Query, Test},
    user::User,
};

use crate::{
    command_line,
    error::CommandError,
    output::{self, unwritable},
    settings::Configuration,
    wiring::Wiring,
};

/// Issues, lists or revokes.
pub(super) async fn run(
    configuration: &Configuration,
    task: command_line::Token,
) -> Result<(), CommandError> {
    let wiring = Wiring::for_command(configuration).await?;
    let done = match task {
        command_line::Token::Create { user, name, expires_in } => {
            create(&wiring, &user, &name, expires_in).await
        }
        command_line::Token::List { user } => list(&wiring, user.as_deref()).await,
        command_line::Token::Revoke { id } => revoke(&wiring, id).await,
    };
    wiring.close().await;
    done
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
    if !AccessService::takes_part(&found) {
        return Err(CommandError::Failed(format!(
            "the user {user} is not ACTIVE and can have no token"
        )));
    }
    let issued =
        access.issue_to(found.id, Some(name), expires_at).await.map_err(
            |failure| match failure {
                Failure::Refused(Refusal::Invalid(faults)) => {
                    let fields: Vec<_> =
                        faults.iter().map(|fault| fault.identifier.as_str()).collect();
                    match fields.as_slice() {
                        ["userId", ..] => CommandError::Failed(format!(
                            "the user {user} is not ACTIVE any more and can have no token"
                        )),
                        _ => CommandError::Usage(format!(
                            "--name has to have 1 to {} characters, without U+0000",
                            wiring.rules().limits.name
                        )),
                    }
                }
                other => other.into(),
            },
        )?;
    output::answer(&format!("{}\n", issued.secret.0))
}

/// When a token that is issued now for `length` stops being valid.
fn expiry(clock: &dyn Clock, length: Duration) -> Result<Timestamp, CommandError> {
    let length = i64::try_from(length.as_millis()).ok();
    length.and_then(|length| clock.now().shifted(length)).ok_or_else(|| {
        CommandError::Usage("--expires-in ends after the year 9999; leave it out".to_owned())
    })
}

async fn find(access: &AccessService, user: &str) -> Result<User, CommandError> {
    match access.user(user).await {
        Err(Failure::NotFound) => Err(CommandError::Failed(format!(
            "there is no user with the id, employeeNo or email {user}"
        ))),
        found => Ok(found?),
    }
}

async fn list(wiring: &Wiring, user: Option<&str>) -> Result<(), CommandError> {
    let access = wiring.access();
    let condition = match user {
        None => Condition::All(Vec::new()),
        Some(user) => {
            let id = find(&access, user).await?.id;
            Condition::Is(TokenFilter::User, Test::Ids(Membership::Any, vec![id.into()]))
        }
    };
    let mut tokens = access.list_all(Query {
        condition,
        search: None,
        sort: Vec::new(),
        page: Page::default(),
        now: wiring.clock().now(),
    });
    let mut out = BufWriter::new(io::stdout().lock());
    while let Some(part) = tokens.next().await {
        let rows = match part? {
            Part::Rows(rows) => rows,
            Part::Total(_) => break,
        };
        for token in rows {
            match out.write_all(line(&token).as_bytes()) {
                Ok(()) => {}
                // The reader has read enough.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                Err(error) => return Err(unwritable(&error)),
            }
        }
    }
    match out.flush() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritable(&error)),
        _ => Ok(()),
    }
}

/// A token in a line: id, user id, name, expiry or `-`, last use or `-` (operations, "Commands").
fn line(token: &Token) -> String {
    let Token { id, user_id, name, created_at: _, expires_at, last_used_at } = token;
    let time = |time: &Option<Timestamp>| time.map_or_else(|| "-".to_owned(), |at| at.to_string());
    let (expires_at, last_used_at) = (time(expires_at), time(last_used_at));
    let mut line = format!("{id}\t{user_id}\t");
    for letter in name.chars() {
        // A name may hold anything: it must neither break the line nor move the cursor.
        if letter == '\\' || letter.is_control() {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    // Writing to a string cannot fail.
    let _ = writeln!(line, "\t{expires_at}\t{last_used_at}");
    line
}

async fn revoke(wiring: &Wiring, id: TokenId) -> Result<(), CommandError> {
    match wiring.access().revoke_any(id).await {
        Err(Failure::NotFound) => Err(CommandError::Failed(format!(
            "there is no token {id}; `patrol token list` shows them"
        ))),
        revoked => Ok(revoked?),
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::ids::{UserId, Uuid};

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
    fn a_token_is_one_line_of_five_columns() {
        assert_eq!(
            line(&token("ночь \u{1f319}", Some(Timestamp::LAST))),
            "00000000-0000-0000-0000-000000000001\t00000000-0000-0000-0000-000000000002\t\
             ночь \u{1f319}\t9999-12-31T23:59:59.999Z\t-\n"
        );
        let line = line(&token("a\tb\nc\\d\u{1b}[31m", None));
        assert!(line.contains("\ta\\tb\\nc\\\\d\\u{1b}[31m\t-\t-\n"), "{line}");
        assert_eq!((line.matches('\t').count(), line.lines().count()), (4, 1));
    }

    #[test]
    fn an_expiry_beyond_the_calendar_is_wrong_usage() {
        let length = Duration::from_secs(3600);
        let expected = SystemClock.now().shifted(3_600_000).unwrap();
        assert!(expiry(&SystemClock, length).unwrap() >= expected);
        let error = expiry(&SystemClock, Duration::from_secs(9000 * 365 * 86_400)).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(expiry(&SystemClock, Duration::MAX).is_err());
    }
}
