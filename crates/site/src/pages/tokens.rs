//! Access tokens: generate, list and revoke them.

use std::time::Duration;

use actix_web::{Error, http::StatusCode, web::Path};
use askama::Template;
use patrol_application::{Failure, IssuedToken, TokenDraft};
use patrol_domain::{
    Refusal,
    access::{Secret, Token},
    ids::{TokenId, Uuid},
    list::{Condition, Page as Section, Query},
};
use patrol_http::{ChangedRecords, PageError, with_changed};
use serde::Deserialize;

use super::{HandlerResult, listed, names::Names};
use crate::{
    form::Form,
    office::{list, record::id_in},
    once::{later, once},
    texts::{Text, Texts},
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
    tokens: Vec<Token>,
    owners: Names,
    /// The offsets of the previous and the next page.
    previous: Option<u64>,
    next: Option<u64>,
    /// The id of the form, so that it takes effect once.
    form: Uuid,
    view: View<'a>,
}

struct Issued {
    secret: String,
    command: String,
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

/// GET /tokens
pub(crate) async fn list(signed_in: SignedIn) -> HandlerResult {
    let wanted: Wanted = signed_in.visit.parameters()?;
    let all = wanted.all(&signed_in)?;
    let frame = Frame::of_user(&signed_in, &signed_in.visit.language().texts.tokens);
    let view = View { all, offset: wanted.offset, ..View::default() };
    page(&signed_in, StatusCode::OK, frame, view).await
}

/// POST /tokens. The same form sent again makes no second token.
pub(crate) async fn generate(form: Form<SignedIn>) -> HandlerResult {
    let Form { sender: signed_in, fields } = form;
    let name = fields.value("name");
    let t = &signed_in.visit.language().texts;
    let frame = || Frame::of_user(&signed_in, &t.tokens);
    let days = fields.value("expires").parse().ok().filter(|days| EXPIRES.contains(days));
    let typed = View { name, days, ..View::default() };
    let Some(days) = days else {
        let frame = frame().refused(&t.token_expires_fault);
        return page(&signed_in, StatusCode::UNPROCESSABLE_ENTITY, frame, typed).await;
    };
    match issue(&signed_in, name, days, fields.value("form")).await? {
        Some(Ok(IssuedToken { token, secret: Secret(secret) })) => {
            let url = &signed_in.visit.site.settings.public_url;
            let command = format!(
                "curl -H 'Authorization: Bearer {secret}' '{url}/v1/task-executions/info?limit=3'"
            );
            let view = View { issued: Some(Issued { secret, command }), ..View::default() };
            let page = page(&signed_in, StatusCode::OK, frame(), view).await?;
            Ok(with_changed(page, ChangedRecords::one(token.id.0)))
        }
        None => {
            let frame = frame().done(Some(&t.token_sent_before));
            page(&signed_in, StatusCode::OK, frame, View::default()).await
        }
        Some(Err(Failure::Refused(refusal))) => {
            let frame = frame().refused(reason(t, &refusal));
            page(&signed_in, StatusCode::UNPROCESSABLE_ENTITY, frame, typed).await
        }
        Some(Err(failure)) => Err(PageError::of(failure)),
    }
}

/// Issues a token; `None` when the form was sent before.
async fn issue(
    signed_in: &SignedIn,
    name: &str,
    days: u16,
    form: &str,
) -> Result<Option<Result<IssuedToken, Failure>>, Error> {
    let api = signed_in.visit.site.api.clone();
    let now = api.clock.now();
    let expires_at = (days > 0).then(|| later(now, Duration::from_secs(u64::from(days) * 86_400)));
    let draft = TokenDraft { name: Some(name.to_owned()), user_id: None, expires_at };
    let issue = move |actor| async move { api.access.issue(actor, draft).await };
    once(signed_in, form, issue).await
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
    /// Whether the tokens of all users are shown.
    all: bool,
    offset: u64,
    /// The new token and a command that uses it.
    issued: Option<Issued>,
    /// What was typed before.
    name: &'a str,
    days: Option<u16>,
}

async fn page(
    signed_in: &SignedIn,
    status: StatusCode,
    frame: Frame<'_>,
    view: View<'_>,
) -> HandlerResult {
    let View { all, offset, .. } = view;
    let api = &signed_in.visit.site.api;
    let first = list::first(signed_in, Condition::All(Vec::new()), None, PAGE);
    let query = Query { page: Section { limit: PAGE, offset }, ..first };
    let listing = if all {
        api.access.list_all(signed_in.actor, query)
    } else {
        api.access.list(signed_in.actor, None, query)
    };
    let (tokens, total) = listed(listing).await?;
    let owners = tokens.iter().map(|token| token.user_id).filter(|_| all);
    let owners = Names::read(signed_in, owners).await?;
    let previous = (offset > 0).then(|| offset.saturating_sub(PAGE.into()));
    let next = offset.checked_add(PAGE.into()).filter(|next| *next < total);
    let form = api.ids.next();
    let frame = frame.returns_to("/tokens", signed_in.visit.request.method());
    let page = Page { frame, tokens, owners, previous, next, form, view };
    view::page(&signed_in.visit, status, &page)
}

/// GET /tokens/{id}/revoke: asks again.
pub(crate) async fn ask(signed_in: SignedIn, id: Path<String>) -> HandlerResult {
    let wanted: Wanted = signed_in.visit.parameters()?;
    let all = wanted.all(&signed_in)?;
    let id = id_in(&id)?;
    let api = &signed_in.visit.site.api;
    let token = api.access.get(signed_in.actor, id).await.map_err(PageError::of)?;
    let t = &signed_in.visit.language().texts;
    let question = t.revoke_question.with(&token.name);
    let frame = Frame::of_user(&signed_in, &t.tokens);
    view::page(&signed_in.visit, StatusCode::OK, &Ask { frame, id, question, all })
}

/// POST /tokens/{id}/revoke. A token that is revoked already is no error.
pub(crate) async fn revoke(id: Path<String>, form: Form<SignedIn>) -> HandlerResult {
    let signed_in = form.sender;
    let wanted: Wanted = signed_in.visit.parameters()?;
    let (all, id) = (wanted.all(&signed_in)?, id_in(&id)?);
    match signed_in.visit.site.api.access.revoke(signed_in.actor, id).await {
        Ok(()) | Err(Failure::NotFound) => {
            Ok(redirect(&signed_in.visit, if all { "/tokens?user=all" } else { "/tokens" }))
        }
        Err(failure) => Err(PageError::of(failure)),
    }
}
