//! Prepares the store for `patrol serve --demo`.

use futures_util::TryStreamExt as _;
use patrol_application::{
    AccessService, DataSetService, Failure, MediaService, NewGraphicPlan, Operator, SignInService,
    TaskExecutionService, TokenDraft,
};
use patrol_data_set::{
    DEMO_ADMIN, DEMO_GUARD, DEMO_MEDIUM, DEMO_PHOTO, DEMO_PHOTO_USERS, DEMO_PLAN_LOCATION,
    DEMO_PLAN_NAME, DEMO_PLANS, DEMO_TASK, demo, refused_line,
};
use patrol_domain::{
    Named as _, Refusal, Timestamp,
    access::Secret,
    data_set::ImportError,
    ids::UserId,
    list::{Comparison, Condition, Membership, Page, Part, Query, Test},
    task_execution::{ContentDraft, ExecutionDraft, ExecutionFilter, State},
    user::{Identity, User, UserStatus},
};
use patrol_http::Services;

use crate::error::CommandError;

/// The name of the token that is issued to the demo administrator.
const TOKEN_NAME: &str = "demo";

/// The validity of the token in milliseconds: 30 days.
const VALID: i64 = 30 * 24 * 60 * 60 * 1000;

/// The result of the preparation.
pub(super) struct Demo {
    access: DemoAccess,
    /// How to sign in on the site; `None` without a site or an administrator.
    sign_in: Option<DemoSignIn>,
}

/// How to sign in on the site.
struct DemoSignIn {
    /// The address of the site.
    site: String,
    admin: DemoPassword,
    /// `None` when the store has no ACTIVE demo guard.
    guard: Option<DemoPassword>,
}

/// The new password of a user.
struct DemoPassword {
    /// The email address.
    name: String,
    password: Secret,
}

/// How to use the API.
enum DemoAccess {
    /// The new token of the demo administrator.
    Token(Secret),
    /// The store has no ACTIVE demo administrator.
    NoAdministrator,
    /// The demo administrator has as many tokens as a user may have.
    TooManyTokens,
}

/// Imports the demo data into an empty store. Issues a token to the demo administrator if the store has
/// one, and gives it and the demo guard new passwords if there is a `site`.
pub(super) async fn prepare(
    services: &Services,
    data_sets: &DataSetService,
    sign_ins: &SignInService,
    site: Option<String>,
) -> Result<Demo, CommandError> {
    let Services { access, clock, .. } = services;
    if data_sets.is_empty(Operator).await? {
        let records = demo(clock.now());
        let source = (1..).zip(records).map(Ok);
        match data_sets.import(Operator, Box::new(source)).await {
            Ok(imported) => {
                tracing::info!(records = imported.records(), "imported the demo data");
                add_example_records(services).await;
            }
            Err(ImportError::Store(error)) => return Err(error.into()),
            Err(ImportError::Source(why)) => return Err(refused(&why)),
            Err(ImportError::Refused { lines, .. }) => {
                let first = lines.first().map(refused_line);
                return Err(refused(&first.unwrap_or_default()));
            }
        }
    } else {
        add_due_round(&services.executions, clock.now()).await?;
    }
    match access.find_user(Operator, &DEMO_ADMIN.to_string()).await? {
        Identity::User(admin) if AccessService::can_have_tokens(&admin) => {
            let sign_in = sign_in(sign_ins, access, &admin, site).await?;
            // Each start issues a token, so the tokens have to expire by themselves.
            let expiry = clock.now().shifted(VALID);
            match access.issue(Operator.into(), token(admin.id, TOKEN_NAME, expiry)).await {
                Ok(issued) => Ok(Demo { access: DemoAccess::Token(issued.secret), sign_in }),
                Err(Failure::Refused(Refusal::State(_))) => {
                    Ok(Demo { access: DemoAccess::TooManyTokens, sign_in })
                }
                Err(failure) => Err(failure.into()),
            }
        }
        _ => Ok(Demo { access: DemoAccess::NoAdministrator, sign_in: None }),
    }
}

/// Gives the demo guard a round that is due, if there is none: those of an earlier start may be over. A store
/// without the demo's guard or task stays as it is.
async fn add_due_round(
    executions: &TaskExecutionService,
    now: Timestamp,
) -> Result<(), CommandError> {
    let open = [State::Pending, State::InProgress].map(State::code).to_vec();
    let due = Condition::All(vec![
        Condition::Is(ExecutionFilter::User, Test::Ids(Membership::Any, vec![DEMO_GUARD.into()])),
        Condition::Is(ExecutionFilter::State, Test::Codes(Membership::Any, open)),
        Condition::Is(ExecutionFilter::StartAt, Test::Time(Comparison::LessOrEqual, now)),
        Condition::Is(ExecutionFilter::EndAt, Test::Time(Comparison::Greater, now)),
    ]);
    let due = Query { page: Page { limit: 1, offset: 0 }, ..Query::of(due, now) };
    let found: Vec<_> = executions.list(Operator.into(), due)?.try_collect().await?;
    if found.iter().any(|part| matches!(part, Part::Rows(rows) if !rows.is_empty())) {
        return Ok(());
    }
    let content = ContentDraft {
        assignee_ids: Some(vec![DEMO_GUARD]),
        start_at: Some(now),
        ..ContentDraft::default()
    };
    let draft = ExecutionDraft {
        id: None,
        scheduled_task_id: Some(DEMO_TASK),
        performer_id: None,
        published: true,
        content,
    };
    match executions.create(Operator.into(), draft).await {
        Ok(_) | Err(Failure::Refused(_)) => Ok(()),
        Err(failure) => Err(failure.into()),
    }
}

/// Gives the demo administrator and the demo guard new passwords.
async fn sign_in(
    sign_ins: &SignInService,
    access: &AccessService,
    admin: &User,
    site: Option<String>,
) -> Result<Option<DemoSignIn>, CommandError> {
    let Some(site) = site else { return Ok(None) };
    let Some(admin) = new_password(sign_ins, admin).await? else { return Ok(None) };
    let guard = match access.find_user(Operator, &DEMO_GUARD.to_string()).await? {
        Identity::User(guard) if guard.status == UserStatus::Active => {
            new_password(sign_ins, &guard).await?
        }
        _ => None,
    };
    Ok(Some(DemoSignIn { site, admin, guard }))
}

/// Gives a user a new password, which ends its sessions. The password of an earlier start is not known
/// any more. `None` for a user without a name for the sign-in.
async fn new_password(
    sign_ins: &SignInService,
    user: &User,
) -> Result<Option<DemoPassword>, CommandError> {
    let Some(name) = user.email.clone().or(user.employee_no.clone()) else { return Ok(None) };
    let password = sign_ins.reset_password(Operator, user.id).await?;
    Ok(Some(DemoPassword { name, password }))
}

/// Adds photos and graphic plans with a picture, which a data set cannot contain but the examples of the
/// API description need.
async fn add_example_records(services: &Services) {
    for user in DEMO_PHOTO_USERS {
        let photo = DEMO_PHOTO.to_vec();
        note_failure(services.photos.replace(Operator.into(), user, photo).await);
    }
    for id in DEMO_PLANS {
        let (name, image) = (Some(DEMO_PLAN_NAME.to_owned()), Some(DEMO_PHOTO.to_vec()));
        let plan = NewGraphicPlan { id: Some(id), name, image };
        let plans = &services.graphic_plans;
        note_failure(plans.create(Operator.into(), DEMO_PLAN_LOCATION, plan).await);
    }
    note_failure(add_medium(&services.media).await);
}

async fn add_medium(media: &MediaService) -> Result<(), Failure> {
    let mut upload = media.begin(Operator.into()).await?;
    upload.append(DEMO_PHOTO).await?;
    media.end(Operator.into(), Some(upload), Some(DEMO_MEDIUM)).await.map(drop)
}

/// The demo works without its images.
fn note_failure<T>(stored: Result<T, Failure>) {
    if let Err(failure) = stored {
        tracing::warn!(?failure, "an image of the demo data could not be stored");
    }
}

fn token(user: UserId, name: &str, expires_at: Option<Timestamp>) -> TokenDraft {
    TokenDraft { name: Some(name.to_owned()), user_id: Some(user), expires_at }
}

/// The error of a refused import: another process may have filled the store in the meantime.
fn refused(why: &str) -> CommandError {
    CommandError::Failed(format!("the demo data cannot be stored: {why}; start it again"))
}

impl Demo {
    /// The token of the administrator, if one was issued.
    pub(super) fn token(&self) -> Option<&str> {
        match &self.access {
            DemoAccess::Token(Secret(token)) => Some(token),
            DemoAccess::NoAdministrator | DemoAccess::TooManyTokens => None,
        }
    }

    /// The text that is printed at start.
    pub(super) fn greeting(&self, base_url: &str) -> String {
        let Self { access, sign_in } = self;
        let sign_in = match sign_in {
            Some(DemoSignIn { site, admin, guard }) => {
                let DemoPassword { name, password: Secret(password) } = admin;
                let guard =
                    guard.as_ref().map(|DemoPassword { name, password: Secret(password) }| {
                        format!("guard {name}\nguard-password {password}\n")
                    });
                let guard = guard.unwrap_or_default();
                format!("\nsite {site}\nname {name}\npassword {password}\n{guard}")
            }
            None => String::new(),
        };
        match access {
            DemoAccess::Token(Secret(token)) => format!(
                "{base_url}\n{token}\n{sign_in}\nTry it in another terminal:\n\n  \
                 curl -H 'Authorization: Bearer {token}' '{base_url}/task-executions/info?limit=3'\n"
            ),
            DemoAccess::NoAdministrator => format!(
                "{base_url}\n\nThe store is not empty and has no demo administrator: there is no \
                 token.\n`patrol token create --user USER --name NAME` issues one.\n"
            ),
            DemoAccess::TooManyTokens => format!(
                "{base_url}\n{sign_in}\nThe demo administrator has as many tokens as a user may \
                 have: there is no new one.\n`patrol token list --user {DEMO_ADMIN}` shows them, \
                 `patrol token revoke ID` makes room.\n"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting(access: DemoAccess, has_site: bool) -> String {
        let sign_in = has_site.then(|| DemoSignIn {
            site: "https://patrol.example.org".to_owned(),
            admin: DemoPassword {
                name: "ada@example.org".to_owned(),
                password: Secret("correcthorse".to_owned()),
            },
            guard: Some(DemoPassword {
                name: "max@example.org".to_owned(),
                password: Secret("wronghorse".to_owned()),
            }),
        });
        Demo { access, sign_in }.greeting("http://127.0.0.1:8080/v1")
    }

    #[test]
    fn address_token_and_sign_in_have_lines_of_their_own() {
        const SIGN_IN: [&str; 5] = [
            "site https://patrol.example.org",
            "name ada@example.org",
            "password correcthorse",
            "guard max@example.org",
            "guard-password wronghorse",
        ];
        let token = || DemoAccess::Token(Secret("ptl_abc".to_owned()));
        let text = greeting(token(), true);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[..2], ["http://127.0.0.1:8080/v1", "ptl_abc"]);
        assert_eq!(lines[3..8], SIGN_IN);
        assert!(!greeting(token(), false).contains("password"));
        let too_many = greeting(DemoAccess::TooManyTokens, true);
        assert!(SIGN_IN.iter().all(|line| too_many.lines().any(|found| found == *line)));
        for (access, reason) in [
            (DemoAccess::NoAdministrator, "no demo administrator"),
            (DemoAccess::TooManyTokens, "patrol token revoke"),
        ] {
            let without = greeting(access, false);
            assert!(without.contains(reason) && !without.contains("ptl_"));
        }
    }
}
