//! The sessions of the caller.

use actix_web::{http::StatusCode, web::Path};
use askama::Template;
use patrol_domain::ids::{SessionId, parse};
use patrol_http::PageError;

use super::HandlerResult;
use crate::{
    browser::short_name,
    form::Form,
    office::list::Address,
    times::Time,
    view::{self, Frame, redirect},
    visit::SignedIn,
};

#[derive(Template)]
#[template(path = "sessions.html")]
struct Page<'a> {
    frame: Frame<'a>,
    rows: Vec<Row>,
}

struct Row {
    id: SessionId,
    since: Time,
    last_seen: Time,
    address: String,
    browser: String,
    is_current: bool,
}

/// GET /sessions
pub(crate) async fn list(signed_in: SignedIn) -> HandlerResult {
    let ended = !Address::of(&signed_in.visit).value("ended").is_empty();
    let SignedIn { visit, actor, .. } = &signed_in;
    let sessions = visit.site.services.sign_in.sessions(*actor).await.map_err(PageError::of)?;
    let t = &visit.language().texts;
    let frame = Frame::of_user(&signed_in, &t.sessions).done(ended.then_some(&t.others_done));
    let row = |session: patrol_domain::sign_in::Session| Row {
        id: session.id,
        since: frame.times.time(session.created_at),
        last_seen: frame.times.time(session.last_seen_at),
        browser: short_name(&session.browser).unwrap_or_else(|| t.unknown_browser.to_string()),
        address: session.address,
        is_current: session.id == signed_in.id(),
    };
    let rows = sessions.into_iter().map(row).collect();
    view::page(visit, StatusCode::OK, &Page { frame, rows })
}

/// POST /sessions/{id}/end. A session that has ended meanwhile is no error.
pub(crate) async fn end(id: Path<String>, form: Form<SignedIn>) -> HandlerResult {
    let SignedIn { visit, actor, .. } = &form.sender;
    let id = parse(&id).map(SessionId).ok_or(PageError::new(StatusCode::NOT_FOUND))?;
    match visit.site.services.sign_in.end_session(*actor, id).await {
        Ok(()) | Err(patrol_application::Failure::NotFound) => Ok(redirect(visit, "/sessions")),
        Err(failure) => Err(PageError::of(failure)),
    }
}

/// POST /sessions/end-others
pub(crate) async fn end_others(form: Form<SignedIn>) -> HandlerResult {
    let SignedIn { visit, actor, .. } = &form.sender;
    let ended = visit.site.services.sign_in.end_other_sessions(*actor, form.sender.id()).await;
    ended.map_err(PageError::of)?;
    Ok(redirect(visit, "/sessions?ended=1"))
}
