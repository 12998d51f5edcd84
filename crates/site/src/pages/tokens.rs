//! Access tokens: generate, list and revoke them.

use std::{collections::HashMap, time::Duration};

use actix_web::{http::StatusCode, web::Path};
use askama::Template;
use patrol_application::{Failure, IssuedToken, TokenDraft};
use patrol_domain::{
    Refusal,
    access::{Secret, Token},
    ids::{TokenId, UserId, Uuid, parse},
    list::{Condition, Page as Section, Query as ListQuery},
};
use patrol_http::{ChangedRecords, PageError, with_changed};
use serde::Deserialize;

use super::{HandlerResult, listed};
use crate::{
    form::{Form, NoFields},
    once::{later, once},
    texts::{Text, Texts},
    times::{Time, Times},
    view::{self, Frame, redirect},
    visit::SignedIn,
};

/// The tokens on one page.
const PAGE: u32 = 100;

/// The choices of "Expires", in days; 0 for never.
const EXPIRES: [u16; 5] = [0, 7, 30, 90, 365];

#[derive(Template)]
#[template(path = "tokens.html")]
struct Page<'a> {
    frame: Frame<'a>,
    /// Whether the tokens of all users are shown.
    all: bool,
    rows: Vec<Row>,
    /// The offsets of the previous and the next page.
    previous: Option<u64>,
    next: Option<u64>,
    /// The new token and a command that uses it.
    issued: Option<Issued>,
    /// The id of the form, so that it takes effect once.
    form: Uuid,
    /// What was typed before.
    name: &'a str,
    choices: Vec<Choice>,
}

struct Row {
    id: TokenId,
    name: String,
    user: String,
    created: Time,
    expires: Option<Time>,
    last_used: Option<Time>,
}

struct Issued {
    secret: String,
    command: String,
}

struct Choice {
    days: u16,
    label: String,
    selected: bool,
}

#[derive(Template)]
#[template(path = "revoke.html")]
struct Ask<'a> {
    frame: Frame<'a>,
    id: TokenId,
    question: String,
    all: bool,
}

#[derive(Deserialize)]
pub(crate) struct Wanted {
    /// `all` for the tokens of all users.
    user: Option<String>,
    #[serde(default)]
    offset: u64,
}

impl Wanted {
    /// Whether the tokens of all users are wanted, which only administrators may see.
    fn all(&self, signed_in: &SignedIn) -> Result<bool, PageError> {
        match self.user.as_deref() == Some("all") {
            true if !signed_in.is_admin() => Err(PageError::new(StatusCode::FORBIDDEN)),
            all => Ok(all),
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct NewToken {
    #[serde(default)]
    name: String,
    /// In days; 0 for never.
    #[serde(default)]
    expires: String,
    #[serde(default)]
    form: String,
}

/// GET /tokens
pub(crate) async fn list(signed_in: SignedIn) -> HandlerResult {
    let wanted: Wanted = signed_in.visit.parameters()?;
    let all = wanted.all(&signed_in)?;
    let frame = Frame::of_user(&signed_in, &signed_in.visit.language().texts.tokens);
    let view = View { all, offset: wanted.offset, ..View::default() };
    page(&signed_in, StatusCode::OK, frame, view).await
}

/// POST /tokens. The same form sent again makes no second token.
pub(crate) async fn generate(form: Form<SignedIn, NewToken>) -> HandlerResult {
    let Form { sender: signed_in, fields: NewToken { name, expires, form } } = form;
    let t = &signed_in.visit.language().texts;
    let frame = || Frame::of_user(&signed_in, &t.tokens);
    let days = expires.parse().ok().filter(|days| EXPIRES.contains(days));
    let typed = View { name: &name, days, ..View::default() };
    let Some(days) = days else {
        let frame = frame().refused(&t.token_expires_fault);
        return page(&signed_in, StatusCode::UNPROCESSABLE_ENTITY, frame, typed).await;
    };
    match issue(&signed_in, &name, days, &form).await? {
        Outcome::Issued(IssuedToken { token, secret: Secret(secret) }) => {
            let url = &signed_in.visit.site.settings.public_url;
            let command = format!(
                "curl -H 'Authorization: Bearer {secret}' '{url}/v1/task-executions/info?limit=3'"
            );
            let view = View { issued: Some(Issued { secret, command }), ..View::default() };
            let page = page(&signed_in, StatusCode::OK, frame(), view).await?;
            Ok(with_changed(page, ChangedRecords::one(token.id.0)))
        }
        Outcome::SentBefore => {
            let frame = frame().done(Some(&t.token_sent_before));
            page(&signed_in, StatusCode::OK, frame, View::default()).await
        }
        Outcome::Refused(refusal) => {
            let frame = frame().refused(reason(t, &refusal));
            page(&signed_in, StatusCode::UNPROCESSABLE_ENTITY, frame, typed).await
        }
    }
}

/// What became of a form.
enum Outcome {
    Issued(IssuedToken),
    SentBefore,
    Refused(Refusal),
}

/// Issues a token, unless the form was sent before.
async fn issue(
    signed_in: &SignedIn,
    name: &str,
    days: u16,
    form: &str,
) -> actix_web::Result<Outcome> {
    let api = &signed_in.visit.site.api;
    let (access, now) = (api.access.clone(), api.clock.now());
    let expires_at = (days > 0).then(|| later(now, Duration::from_secs(u64::from(days) * 86_400)));
    let draft = TokenDraft { name: Some(name.to_owned()), user_id: None, expires_at };
    let issued =
        once(signed_in, form, move |actor| async move { access.issue(actor, draft).await });
    match issued.await? {
        None => Ok(Outcome::SentBefore),
        Some(Ok(issued)) => Ok(Outcome::Issued(issued)),
        Some(Err(Failure::Refused(refusal))) => Ok(Outcome::Refused(refusal)),
        Some(Err(failure)) => Err(PageError::of(failure)),
    }
}

/// Why a token was not issued.
const fn reason<'a>(t: &'a Texts, refusal: &Refusal) -> &'a Text {
    match refusal {
        Refusal::State(_) => &t.token_too_many,
        _ => &t.token_name_fault,
    }
}

/// What a page of tokens shows.
#[derive(Default)]
struct View<'a> {
    all: bool,
    offset: u64,
    issued: Option<Issued>,
    name: &'a str,
    days: Option<u16>,
}

async fn page(
    signed_in: &SignedIn,
    status: StatusCode,
    frame: Frame<'_>,
    view: View<'_>,
) -> HandlerResult {
    let View { all, offset, issued, name, days } = view;
    let api = &signed_in.visit.site.api;
    let query = ListQuery::of(Condition::All(Vec::new()), api.clock.now());
    let query = ListQuery { page: Section { limit: PAGE, offset }, ..query };
    let listing = if all {
        api.access.list_all(signed_in.actor, query)
    } else {
        api.access.list(signed_in.actor, None, query)
    };
    let (tokens, total) = listed(listing).await?;
    let owners = if all { owners(signed_in, &tokens).await? } else { HashMap::new() };
    let rows = tokens.into_iter().map(|token| row(token, &owners, &frame.times)).collect();
    let previous = (offset > 0).then(|| offset.saturating_sub(PAGE.into()));
    let next = offset.checked_add(PAGE.into()).filter(|next| *next < total);
    let t = frame.t;
    let selected = days.unwrap_or(90);
    let choices = EXPIRES.into_iter().map(|days| Choice {
        days,
        label: if days == 0 { t.never.to_string() } else { t.days.with(&days) },
        selected: days == selected,
    });
    let (choices, form) = (choices.collect(), api.ids.next());
    let frame = frame.returns_to("/tokens", signed_in.visit.request.method());
    let page = Page { frame, all, rows, previous, next, issued, form, name, choices };
    view::page(&signed_in.visit, status, &page)
}

/// The names of the owners of tokens.
async fn owners(
    signed_in: &SignedIn,
    tokens: &[Token],
) -> actix_web::Result<HashMap<UserId, String>> {
    let mut names = HashMap::new();
    for user in tokens.iter().map(|token| token.user_id) {
        if names.contains_key(&user) {
            continue;
        }
        let found = signed_in.visit.site.api.users.get(signed_in.actor, user).await;
        let name = match found {
            Ok(found) => found.record.full_name(),
            // The user was deleted after the tokens were read.
            Err(Failure::NotFound) => user.to_string(),
            Err(failure) => return Err(PageError::of(failure)),
        };
        names.insert(user, name);
    }
    Ok(names)
}

fn row(token: Token, owners: &HashMap<UserId, String>, times: &Times<'_>) -> Row {
    let Token { id, user_id, name, created_at, expires_at, last_used_at } = token;
    let user = owners.get(&user_id).cloned().unwrap_or_default();
    let (expires, last_used) = (times.optional(expires_at), times.optional(last_used_at));
    Row { id, name, user, created: times.time(created_at), expires, last_used }
}

/// GET /tokens/{id}/revoke: asks again.
pub(crate) async fn ask(signed_in: SignedIn, id: Path<String>) -> HandlerResult {
    let wanted: Wanted = signed_in.visit.parameters()?;
    let all = wanted.all(&signed_in)?;
    let id = token_id(&id)?;
    let api = &signed_in.visit.site.api;
    let token = api.access.get(signed_in.actor, id).await.map_err(PageError::of)?;
    let t = &signed_in.visit.language().texts;
    let question = t.revoke_question.with(&token.name);
    let frame = Frame::of_user(&signed_in, &t.tokens);
    view::page(&signed_in.visit, StatusCode::OK, &Ask { frame, id, question, all })
}

/// POST /tokens/{id}/revoke. A token that is revoked already is no error.
pub(crate) async fn revoke(id: Path<String>, form: Form<SignedIn, NoFields>) -> HandlerResult {
    let signed_in = form.sender;
    let wanted: Wanted = signed_in.visit.parameters()?;
    let (all, id) = (wanted.all(&signed_in)?, token_id(&id)?);
    match signed_in.visit.site.api.access.revoke(signed_in.actor, id).await {
        Ok(()) | Err(Failure::NotFound) => {
            Ok(redirect(&signed_in.visit, if all { "/tokens?user=all" } else { "/tokens" }))
        }
        Err(failure) => Err(PageError::of(failure)),
    }
}

fn token_id(text: &str) -> Result<TokenId, PageError> {
    parse(text).map(TokenId).ok_or(PageError::new(StatusCode::NOT_FOUND))
}
