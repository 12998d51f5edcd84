//! The description of the API: `GET /openapi.json` for programs, `GET /docs` for people
//! (operations). The description is written by hand in `openapi.json`; tests hold it against the
//! route table and against what is really answered.

use std::{borrow::Cow, sync::Arc};

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION},
};
use bytes::Bytes;
use utoipa_swagger_ui::Config;

use crate::{
    error::{ApiError, Code},
    route::{Answer, Page, Visit},
};

/// The description, OpenAPI 3.1.
const DOCUMENT: &str = include_str!("openapi.json");

/// Where the description is.
const DOCUMENT_PATH: &str = "/openapi.json";

/// Where the interactive documentation is.
const DOCS_PATH: &str = "/docs";

/// The browser is to ask nobody else for anything: all files are inside the binary.
const SELF_CONTAINED: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; \
     frame-ancestors 'none'",
);

/// The pages that describe the API.
pub(crate) fn pages() -> Vec<Page> {
    vec![Page::new(DOCUMENT_PATH, document), Page::tree(DOCS_PATH, docs)]
}

async fn document(_: Visit) -> Answer {
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(DOCUMENT))
}

async fn docs(visit: Visit) -> Answer {
    let file = visit.request.path().strip_prefix(DOCS_PATH).unwrap_or_default();
    let Some(file) = file.strip_prefix('/') else {
        // The page names its files relative to itself.
        return Ok(HttpResponse::PermanentRedirect()
            .insert_header((LOCATION, HeaderValue::from_static("/docs/")))
            .finish());
    };
    // No badge from swagger.io, which would be asked for.
    let config = Config::from(DOCUMENT_PATH).use_base_layout().validator_url("none");
    let found = utoipa_swagger_ui::serve(file, Arc::new(config))
        .map_err(|cause| ApiError::internal(format!("the documentation cannot be read: {cause}")))?
        .ok_or(Code::NotFound)?;
    let bytes = match found.bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    Ok(HttpResponse::Ok()
        .content_type(found.content_type)
        .insert_header((CONTENT_SECURITY_POLICY, SELF_CONTAINED))
        .body(bytes))
}

#[cfg(test)]
mod tests;
