//! Answers with an image, and forms with one.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, EntityTag, HeaderValue, IF_NONE_MATCH},
};
use patrol_application::Failure;
use patrol_domain::{ids::MediaId, photo::Photo};
use serde_json::{Value, json};

use crate::{
    error::HandlerResult,
    extract::{Conditions, photo_etag},
    reply,
    schema::inline_schema,
};

/// Only the client may cache an image, and it has to revalidate before each use.
pub(crate) const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// A browser that opens the file runs nothing of it.
pub(crate) const NOTHING_RUNS: HeaderValue =
    HeaderValue::from_static("default-src 'none'; sandbox");

inline_schema! {
    /// The bytes of a file.
    ImageFile = {"type": "string", "format": "binary"};
}

/// A schema keyword that forbids control characters in the names of a form's parts. Each part has
/// its name in a header, which cannot contain them.
pub(crate) fn part_name_rule() -> Value {
    json!({"propertyNames": {"pattern": "^[^\\u0000-\\u001F\\u007F]*$"}})
}

/// 200 with the image, or 304 when the client already has it. `current` reads only the id of the
/// image; it is awaited only when the request has `If-None-Match`.
pub(crate) async fn answer(
    request: &HttpRequest,
    current: impl Future<Output = Result<MediaId, Failure>>,
    image: impl Future<Output = Result<(MediaId, Photo), Failure>>,
) -> HandlerResult {
    if request.headers().contains_key(IF_NONE_MATCH) {
        let tag = photo_etag(current.await?);
        if let Some(answer) = unchanged(request, &tag) {
            return Ok(answer);
        }
    }
    let (id, photo) = image.await?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static(photo.format.media_type())))
        .insert_header((ETAG, photo_etag(id)))
        .insert_header((CACHE_CONTROL, PRIVATE))
        .body(photo.bytes))
}

/// 304 if the client already has the file with this entity tag; otherwise `None`.
pub(crate) fn unchanged(request: &HttpRequest, tag: &EntityTag) -> Option<HttpResponse> {
    if !Conditions::of(request).none_match_contains(tag) {
        return None;
    }
    let mut answer = reply::not_modified(tag.clone());
    answer.headers_mut().insert(CACHE_CONTROL, PRIVATE);
    Some(answer)
}
