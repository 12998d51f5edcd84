//! The interactive page at `/docs/`. All its files are in the binary.

use std::{borrow::Cow, sync::Arc};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CONTENT_SECURITY_POLICY, HeaderValue, LOCATION},
};
use bytes::Bytes;
use utoipa_swagger_ui::Config;

use super::document;
use crate::{
    error::HandlerResult,
    error::{ApiError, Code},
};

/// The path of the page.
pub(super) const PATH: &str = "/docs";

/// The title in the page of the library, and the title that replaces it.
const TITLES: [&str; 2] = ["<title>Swagger UI</title>", "<title>Patrol API</title>"];

/// The browser must not load anything from other hosts or send anything to them, especially not the
/// token.
const CONTENT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; \
     frame-ancestors 'none'",
);

/// The page and its files.
pub(super) async fn docs(request: HttpRequest) -> HandlerResult {
    let file = request.path().strip_prefix(PATH).unwrap_or_default();
    let Some(file) = file.strip_prefix('/') else {
        // The page refers to its files by relative paths.
        return Ok(HttpResponse::PermanentRedirect()
            .insert_header((LOCATION, HeaderValue::from_static("/docs/")))
            .finish());
    };
    // Without the badge of swagger.io, which the page would load. The browser stores the token
    // until "Logout", so that a reload does not lose it.
    let config = Config::from(document::PATH)
        .use_base_layout()
        .validator_url("none")
        .persist_authorization(true);
    let found = utoipa_swagger_ui::serve(file, Arc::new(config))
        .map_err(|cause| ApiError::internal(format!("the documentation cannot be read: {cause}")))?
        .ok_or(Code::NotFound)?;
    let bytes = match found.bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    let bytes = if found.content_type == "text/html" { titled(bytes) } else { bytes };
    Ok(HttpResponse::Ok()
        .content_type(found.content_type)
        .insert_header((CONTENT_SECURITY_POLICY, CONTENT_POLICY))
        .body(bytes))
}

/// The page with our title.
fn titled(page: Bytes) -> Bytes {
    let [theirs, ours] = TITLES;
    match std::str::from_utf8(&page) {
        Ok(text) => text.replacen(theirs, ours, 1).into(),
        Err(_) => page,
    }
}
