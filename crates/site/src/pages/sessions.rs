//! The sessions of the caller.

use actix_web::{http::StatusCode, web::Path};
use askama::Template;
use patrol_domain::{ids::SessionId, sign_in::Session};
use patrol_http::PageError;

use super::HandlerResult;
use crate::{
    browser::short_name,
    form::Form,
    office::{list::Address, record::id_in},
    view::{self, Frame, redirect},
    visit::SignedIn,
};

#[derive(Template)]
#[template(path = "sessions.html")]
struct Page<'a> {
    frame: Frame<'a>,
    sessions: Vec<Session>,
    /// The session of the reader.
    own: SessionId,
}

impl Page<'_> {
    fn browser(&self, session: &Session) -> String {
        short_name(&session.browser).unwrap_or_else(|| self.frame.t.unknown_browser.to_string())
    }
}

/// GET /sessions
pub(crate) async fn list(signed_in: SignedIn) -> HandlerResult {
    let ended = !Address::of(&signed_in.visit).value("ended").is_empty();
    let SignedIn { visit, actor, .. } = &signed_in;
    let sessions = visit.site.services.sign_in.sessions(*actor).await.map_err(PageError::of)?;
    let t = &visit.language().texts;
    let frame = Frame::of_user(&signed_in, &t.sessions).done(ended.then_some(&t.others_done));
    view::page(visit, StatusCode::OK, &Page { frame, sessions, own: signed_in.id() })
}

/// POST /sessions/{id}/end. A session that has ended meanwhile is no error.
pub(crate) async fn end(id: Path<String>, form: Form<SignedIn>) -> HandlerResult {
    let SignedIn { visit, actor, .. } = &form.sender;
    match visit.site.services.sign_in.end_session(*actor, id_in(&id)?).await {
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
