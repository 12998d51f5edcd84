//! Forms: the checks against requests that another site makes a browser send, and their fields.

use std::{future::Future, pin::Pin};

use actix_web::{
    Error, FromRequest, HttpRequest,
    dev::Payload,
    http::{
        StatusCode,
        header::{CONTENT_TYPE, HeaderMap, HeaderName, ORIGIN},
    },
};
use patrol_http::PageError;
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    PublicUrl,
    visit::{Sender, SignedIn, Visit},
};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FORM: &str = "application/x-www-form-urlencoded";

/// A form that a page of this site has made for the sender `S`.
pub(crate) struct Form<S, F> {
    pub(crate) sender: S,
    pub(crate) fields: F,
}

/// A form without fields of its own.
#[derive(Deserialize)]
pub(crate) struct NoFields {}

/// The hidden field of all forms.
#[derive(Deserialize)]
struct Hidden {
    #[serde(default)]
    token: String,
}

impl<S: Sender, F: DeserializeOwned + 'static> FromRequest for Form<S, F> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let sender = S::from_request(request, payload);
        let mut payload = payload.take();
        Box::pin(async move {
            let mut sender = sender.await?;
            let visit = sender.visit();
            let headers = visit.request.headers();
            if !is_sent_from(headers, &visit.site.settings.public_url, &["same-origin", "none"]) {
                return Err(forbidden());
            }
            let body = visit.page.body(&mut payload, S::MAX_FORM).await?;
            let is_form = content_type(visit.request.headers()) == FORM;
            let read = |_| PageError::new(StatusCode::BAD_REQUEST);
            let Hidden { token } = serde_urlencoded::from_bytes(&body).map_err(read)?;
            if !is_form || !visit.has_form_token(&token) {
                return Err(forbidden());
            }
            let fields = serde_urlencoded::from_bytes(&body).map_err(read)?;
            Ok(Self { sender, fields })
        })
    }
}

fn forbidden() -> Error {
    PageError::new(StatusCode::FORBIDDEN).into()
}

/// The media type, without its parameters.
fn content_type(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

/// Whether the request comes from a page of this site, as far as the browser says: `sites` are the
/// allowed values of `Sec-Fetch-Site`. A client that says nothing still needs the token of the form.
pub(crate) fn is_sent_from(headers: &HeaderMap, url: &PublicUrl, sites: &[&str]) -> bool {
    let all = |name: &HeaderName, allowed: &dyn Fn(&[u8]) -> bool| {
        headers.get_all(name).all(|value| allowed(value.as_bytes()))
    };
    let url = url.to_string();
    all(&ORIGIN, &|origin| origin == url.as_bytes())
        && all(&SEC_FETCH_SITE, &|sent| sites.iter().any(|site| site.as_bytes() == sent))
}

/// A visit whose forms may be bound to its session or to the secret of the visit: for forms that are
/// on every page.
pub(crate) struct Anyone(pub(crate) Visit);

impl FromRequest for Anyone {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let visit = Visit::from_request(request, payload);
        Box::pin(async move {
            let visit = SignedIn::of(visit.await?).await?;
            Ok(Self(visit.map_or_else(|visit| visit, |signed_in| signed_in.visit)))
        })
    }
}

impl Sender for Anyone {
    fn visit(&mut self) -> &mut Visit {
        &mut self.0
    }
}
