//! Responses of handlers.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CONTENT_TYPE, ETAG, EntityTag, HeaderValue, LOCATION, TryIntoHeaderValue as _},
    },
};
use patrol_domain::{Version, ids::Uuid};
use serde::Serialize;

use crate::{
    api_path::BASE,
    error::{ApiError, HandlerResult},
    extract::{Conditions, etag},
    log::ChangedRecords,
};

/// The initial buffer size, enough for most records.
const RECORD_BYTES: usize = 8 * 1024;

/// Marks a response whose body has a known size and is streamed.
pub(crate) struct StreamedBody;

/// Marks a response that goes on until its client leaves, which ends it properly. It is logged when it
/// has ended.
#[derive(Debug)]
pub struct OpenEnded;

/// 200 with a record.
pub(crate) fn ok(record: &impl Serialize) -> HandlerResult {
    json(StatusCode::OK, record)
}

/// 200 with a record and its version.
pub(crate) fn versioned(record: &impl Serialize, version: Version) -> HandlerResult {
    with_version(json(StatusCode::OK, record)?, version)
}

/// The response, with the version of its record.
pub(crate) fn with_version(mut answer: HttpResponse, version: Version) -> HandlerResult {
    let tag =
        etag(version).try_into_value().map_err(|cause| ApiError::internal(cause.to_string()))?;
    answer.headers_mut().insert(ETAG, tag);
    Ok(answer)
}

/// 200 with a record and its version, or 304 for a client that already has this version.
pub(crate) fn ok_or_not_modified(
    known: Conditions<'_>,
    version: Version,
    record: &impl Serialize,
) -> HandlerResult {
    match unchanged(known, version) {
        Some(answer) => Ok(answer),
        None => versioned(record, version),
    }
}

/// 304 if the client already has this version; otherwise `None`.
pub(crate) fn unchanged(known: Conditions<'_>, version: Version) -> Option<HttpResponse> {
    let tag = etag(version);
    known.none_match_contains(&tag).then(|| not_modified(tag))
}

/// 201 with a new record. `Location` is its path: `/v1`, the `resource` and the id.
pub(crate) fn created(record: &impl Serialize, resource: &str, id: Uuid) -> HandlerResult {
    let mut answer = json(StatusCode::CREATED, record)?;
    let path = HeaderValue::try_from(format!("{BASE}{resource}/{id}"))
        .map_err(|cause| ApiError::internal(cause.to_string()))?;
    answer.headers_mut().insert(LOCATION, path);
    Ok(answer)
}

/// A record with any status.
pub(crate) fn json(status: StatusCode, record: &impl Serialize) -> HandlerResult {
    let mut body = Vec::with_capacity(RECORD_BYTES);
    serde_json::to_writer(&mut body, record)
        .map_err(|cause| ApiError::internal(format!("an answer cannot be written: {cause}")))?;
    Ok(HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(body))
}

/// The response, with the changed records for the log.
#[must_use]
pub fn with_changed(mut answer: HttpResponse, changed: ChangedRecords) -> HttpResponse {
    answer.extensions_mut().insert(changed);
    answer
}

/// 204, without a body.
pub(crate) fn no_content() -> HttpResponse {
    HttpResponse::NoContent().finish()
}

/// 304 for a client that already has the content with this entity tag.
pub(crate) fn not_modified(tag: EntityTag) -> HttpResponse {
    HttpResponse::NotModified().insert_header((ETAG, tag)).finish()
}
