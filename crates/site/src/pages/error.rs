//! The pages of errors.

use actix_web::{
    FromRequest, HttpRequest, HttpResponse,
    dev::Payload,
    http::{
        StatusCode,
        header::{ALLOW, HeaderValue, RETRY_AFTER},
    },
    web::Data,
};
use askama::Template;
use patrol_http::{ErrorPage, PageError};

use crate::{
    shared::Shared,
    texts::{Text, Texts},
    view::{self, Frame, redirect},
    visit::{SignedIn, Visit},
};

#[derive(Template)]
#[template(path = "error.html")]
struct Page<'a> {
    frame: Frame<'a>,
    about: String,
}

/// The page of an error.
pub(crate) fn page(site: &Data<Shared>, request: HttpRequest, error: PageError) -> ErrorPage {
    let site = Data::clone(site);
    Box::pin(async move {
        let url = site.settings.public_url.clone();
        // Without its page, an error still has its status and its headers.
        let bare = |_| {
            let mut answer = HttpResponse::build(error.status).finish();
            view::finish(&mut answer, &url, &[]);
            answer
        };
        let mut answer = answer(site, request, error).await.unwrap_or_else(bare);
        if let Some(seconds) = error.retry_after {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(methods) = error.allow {
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
        }
        answer
    })
}

async fn answer(
    site: Data<Shared>,
    request: HttpRequest,
    error: PageError,
) -> actix_web::Result<HttpResponse> {
    // An unknown path has no resource, and so none of its data.
    let page = patrol_http::PageRequest::from_request(&request, &mut Payload::None).await?;
    let visit = Visit::at(site, request, page)?;
    // Unauthorized: the user was deleted after its session was found.
    if matches!(error.status, StatusCode::SEE_OTHER | StatusCode::UNAUTHORIZED) {
        visit.keep_asked();
        visit.keep_lost();
        return Ok(redirect(&visit, "/sign-in"));
    }
    // While the store is away, a session cannot be found either.
    let visit =
        if error.status.is_server_error() { Err(visit) } else { SignedIn::of(visit).await? };
    let visitor = match &visit {
        Ok(signed_in) => &signed_in.visit,
        Err(visit) => visit,
    };
    let t = &visitor.language().texts;
    let (heading, about) = texts(t, error, visitor);
    let frame = match &visit {
        Ok(signed_in) => Frame::of_user(signed_in, heading),
        Err(visit) => Frame::of_visit(visit, heading),
    };
    let frame = frame.returns_to("/", visitor.request.method());
    view::page(visitor, error.status, &Page { frame, about })
}

/// The heading, and what to do.
fn texts<'a>(t: &'a Texts, error: PageError, visitor: &Visit) -> (&'a Text, String) {
    match error.status {
        StatusCode::BAD_REQUEST => (&t.error_value, t.error_value_about.to_string()),
        StatusCode::FORBIDDEN if visitor.request.method().is_safe() => {
            (&t.error_forbidden, t.error_forbidden_about.to_string())
        }
        StatusCode::FORBIDDEN => {
            let url = &visitor.site.settings.public_url;
            (&t.error_forbidden, t.error_form_about.with(url))
        }
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            (&t.error_not_found, t.error_not_found_about.to_string())
        }
        StatusCode::PAYLOAD_TOO_LARGE => (&t.error_too_large, t.error_too_large_about.to_string()),
        StatusCode::GONE => (&t.invitation_void, t.invitation_void_about.to_string()),
        StatusCode::TOO_MANY_REQUESTS => {
            let seconds = error.retry_after.unwrap_or(1);
            let wait = match seconds.div_ceil(60) {
                0 | 1 => t.seconds.with(&seconds),
                minutes => t.minutes.with(&minutes),
            };
            (&t.error_too_many, t.error_too_many_about.with(&wait))
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            (&t.error_unavailable, t.error_unavailable_about.to_string())
        }
        _ => (&t.error_other, t.error_other_about.to_string()),
    }
}
