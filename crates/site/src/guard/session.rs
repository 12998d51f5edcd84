//! The session as a credential of the API, and what the app of guards has to know of it.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{HeaderMap, HeaderName},
    web::Data,
};
use patrol_application::ActiveSession;
use patrol_domain::{Named as _, StoreError, access::Caller};
use patrol_http::{FoundSession, JsonError, SessionCredential};
use serde::Serialize;

use crate::{
    cookies::Kind,
    form::foreign_header,
    shared::Shared,
    view,
    visit::{SignedIn, Visit},
};

/// The header that makes the cookie of a session a credential. No other site can make a browser send
/// it, and its value is the token of the session's forms.
const CSRF: HeaderName = HeaderName::from_static("patrol-csrf");

/// The session of a request to the API. It is seen then, as by a page.
pub(crate) fn find(site: &Data<Shared>, request: HttpRequest) -> FoundSession {
    let site = Data::clone(site);
    Box::pin(async move { credential(&site, &request).await })
}

async fn credential(site: &Shared, request: &HttpRequest) -> Result<SessionCredential, StoreError> {
    let (headers, url) = (request.headers(), &site.settings.public_url);
    let secret = Kind::Session.read(request, url).filter(|_| headers.contains_key(CSRF));
    let Some(secret) = secret else { return Ok(SessionCredential::Missing) };
    let Some(ActiveSession { user, .. }) = site.services.sign_in.session(&secret).await? else {
        return Ok(SessionCredential::Ended);
    };
    let foreign = foreign_header(headers, url, &["same-origin"]);
    let foreign = foreign.or_else(|| (!has_token(site, headers, &secret)).then_some("Patrol-CSRF"));
    Ok(match foreign {
        Some(header) => SessionCredential::Foreign { header },
        None => SessionCredential::Valid(Caller { user: user.id, role: user.role, token: None }),
    })
}

fn has_token(site: &Shared, headers: &HeaderMap, secret: &str) -> bool {
    let is_right = |sent| site.is_form_token(sent, secret);
    headers.get_all(CSRF).all(|value| value.to_str().is_ok_and(is_right))
}

/// The session of a browser.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    user_id: String,
    name: String,
    role: &'static str,
    language: &'a str,
    /// The value of the header `Patrol-CSRF`.
    csrf: String,
    /// When the session ends unless there is another request.
    expires_at: String,
}

/// GET /guard/session
pub(crate) async fn show(visit: Visit) -> actix_web::Result<HttpResponse> {
    let signed_in = SignedIn::of(visit).await?.map_err(|_| JsonError::Unauthorized)?;
    let SignedIn { visit, session: ActiveSession { user, ends_at, .. }, .. } = &signed_in;
    let shown = Shown {
        user_id: user.id.to_string(),
        name: user.full_name(),
        role: user.role.name(),
        language: &user.language,
        csrf: visit.form_token(),
        expires_at: ends_at.to_string(),
    };
    let mut answer = HttpResponse::Ok().json(shown);
    view::finish(&mut answer, &visit.site.settings.public_url, &[]);
    Ok(answer)
}
