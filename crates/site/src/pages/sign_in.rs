//! Signing in and out.

use actix_web::http::StatusCode;
use askama::Template;
use patrol_application::SignInError;
use patrol_domain::StoreError;
use patrol_http::PageError;
use serde::Deserialize;

use super::HandlerResult;
use crate::{
    cookies::Kind,
    form::Form,
    view::{self, Frame, own_path, redirect},
    visit::{SignedIn, Visit, start_of},
};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page<'a> {
    frame: Frame<'a>,
    /// What was typed before.
    name: &'a str,
}

#[derive(Deserialize)]
struct Wanted {
    /// The page to go to after the sign-in.
    #[serde(default)]
    next: String,
}

/// Where a sign-in leads: to `next`, or to the page that was asked for. A page of another site is ignored.
fn lead_on(visit: &Visit, start: &'static str) -> HandlerResult {
    // The session is open by now: a wrong parameter is no reason to say that something failed.
    let next = visit.parameters().map_or_else(|_| String::new(), |Wanted { next }| next);
    let asked = visit.take_asked();
    // Signed in: the notice is obsolete.
    let _ = visit.take_lost();
    let next = own_path(&next).or_else(|| own_path(asked.as_deref()?));
    Ok(redirect(visit, next.unwrap_or(start)))
}

/// GET /sign-in
pub(crate) async fn form(visit: Visit) -> HandlerResult {
    match SignedIn::of(visit).await? {
        Ok(signed_in) => lead_on(&signed_in.visit, signed_in.start()),
        Err(visit) => {
            let t = &visit.language().texts;
            let frame = Frame::of_visit(&visit, &t.sign_in);
            let frame = if visit.take_lost() { frame.refused(&t.sign_in_lost) } else { frame };
            view::page(&visit, StatusCode::OK, &Page { frame, name: "" })
        }
    }
}

/// POST /sign-in
pub(crate) async fn sign_in(form: Form<Visit>) -> HandlerResult {
    let Form { sender: visit, fields } = form;
    let (name, password) = (fields.value("name"), fields.value("password"));
    let _permit = visit.page.begin_slow_request().await?;
    let opened = visit.site.services.sign_in.sign_in(name.trim(), password, visit.visitor()).await;
    match opened {
        Ok(opened) => {
            visit.sign_in(opened.secret.0).await;
            lead_on(&visit, start_of(opened.role))
        }
        Err(SignInError::Failed) => {
            let t = &visit.language().texts;
            let frame = Frame::of_visit(&visit, &t.sign_in).refused(&t.sign_in_failed);
            view::page(&visit, StatusCode::UNPROCESSABLE_ENTITY, &Page { frame, name })
        }
        Err(SignInError::Throttled { retry_after }) => Err(PageError::throttled(retry_after)),
        Err(error @ SignInError::Busy) => Err(busy(&error)),
        Err(SignInError::Store(error)) => Err(PageError::of(error)),
    }
}

/// The answer while too many passwords are being verified.
pub(super) fn busy(error: &impl ToString) -> actix_web::Error {
    PageError::of(StoreError::Unavailable(error.to_string()))
}

/// POST /sign-out
pub(crate) async fn sign_out(form: Form<SignedIn>) -> HandlerResult {
    let SignedIn { visit, secret, .. } = form.sender;
    let ended = visit.site.services.sign_in.sign_out(&secret).await;
    ended.map_err(PageError::of)?;
    visit.remove_cookie(Kind::Session);
    Ok(redirect(&visit, "/sign-in"))
}
