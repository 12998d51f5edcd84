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
use serde::de::{
    DeserializeOwned,
    value::{self, MapDeserializer},
};

use crate::{
    PublicUrl,
    office::form::Entered,
    visit::{Sender, SignedIn, Visit},
};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FORM: &str = "application/x-www-form-urlencoded";
const FORM_WITH_FILE: &str = "multipart/form-data";

/// A form that a page of this site has made for the sender `S`, of at most `MAX` bytes.
pub(crate) struct Form<S, F = Entered, const MAX: usize = 0> {
    pub(crate) sender: S,
    pub(crate) fields: F,
}

/// The hidden field of all forms.
const TOKEN: &str = "token";

impl<S: Sender, F: DeserializeOwned + 'static, const MAX: usize> FromRequest for Form<S, F, MAX> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let sender = S::from_request(request, payload);
        let mut payload = payload.take();
        Box::pin(async move {
            let mut sender = sender.await?;
            let visit = sender.visit();
            check_origin(visit)?;
            let body = visit.page.body(&mut payload, MAX.max(S::MAX_FORM)).await?;
            let is_form = content_type(visit.request.headers()) == FORM;
            let read = |_| PageError::new(StatusCode::BAD_REQUEST);
            let sent: Entered = serde_urlencoded::from_bytes(&body).map_err(read)?;
            if !is_form || !visit.has_form_token(sent.value(TOKEN)) {
                return Err(forbidden());
            }
            let fields = serde_urlencoded::from_bytes(&body).map_err(read)?;
            Ok(Self { sender, fields })
        })
    }
}

/// A form with a file, `multipart/form-data`, that a page of this site has made for the sender `S`. The
/// name of the file's field is [`FILE`].
pub(crate) struct FileForm<S, F = Entered> {
    pub(crate) sender: S,
    pub(crate) fields: F,
    /// `None` when no file was chosen.
    pub(crate) file: Option<Vec<u8>>,
}

/// The name of the field with the file.
pub(crate) const FILE: &str = "file";

impl<S: Sender, F: DeserializeOwned + 'static> FromRequest for FileForm<S, F> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let sender = S::from_request(request, payload);
        let mut payload = payload.take();
        Box::pin(async move {
            let mut sender = sender.await?;
            let visit = sender.visit();
            check_origin(visit)?;
            if content_type(visit.request.headers()) != FORM_WITH_FILE {
                return Err(forbidden());
            }
            let patrol_http::FileForm { file, fields } =
                visit.page.file_form(&mut payload, FILE).await?;
            let token = fields.iter().find(|(name, _)| name == TOKEN);
            if !token.is_some_and(|(_, token)| visit.has_form_token(token)) {
                return Err(forbidden());
            }
            let fields = MapDeserializer::<_, value::Error>::new(fields.into_iter());
            let fields = F::deserialize(fields);
            let fields = fields.map_err(|_| PageError::new(StatusCode::BAD_REQUEST))?;
            Ok(Self { sender, fields, file })
        })
    }
}

/// Checks that the browser does not say that another site has sent the form.
fn check_origin(visit: &Visit) -> Result<(), Error> {
    let (headers, url) = (visit.request.headers(), &visit.site.settings.public_url);
    let foreign = foreign_header(headers, url, &["same-origin", "none"]);
    if foreign.is_none() { Ok(()) } else { Err(forbidden()) }
}

fn forbidden() -> Error {
    PageError::new(StatusCode::FORBIDDEN).into()
}

/// The media type, without its parameters.
fn content_type(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

/// The header in which the browser says that another site has sent the request: `sites` are the allowed
/// values of `Sec-Fetch-Site`. A client that says nothing still needs the token of the form.
pub(crate) fn foreign_header(
    headers: &HeaderMap,
    url: &PublicUrl,
    sites: &[&str],
) -> Option<&'static str> {
    let url = url.to_string();
    let rules: [(_, _, &[&str]); 2] =
        [("Origin", ORIGIN, &[&url]), ("Sec-Fetch-Site", SEC_FETCH_SITE, sites)];
    let is_foreign = |header: &HeaderName, allowed: &[&str]| {
        let mut values = headers.get_all(header);
        values.any(|value| !allowed.iter().any(|allowed| allowed.as_bytes() == value.as_bytes()))
    };
    rules.iter().find(|(_, header, allowed)| is_foreign(header, allowed)).map(|(name, ..)| *name)
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
