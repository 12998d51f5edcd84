//! The form in which answers are kept: the status, some headers, an empty line, the body.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CONTENT_LANGUAGE, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LOCATION},
    },
};

use super::key::REPLAYED;
use crate::{
    dry_run::PATROL_DRY_RUN,
    error::{ApiError, HandlerResult},
};

/// The headers that are kept.
const HEADERS: [HeaderName; 5] = [CONTENT_TYPE, ETAG, LOCATION, CONTENT_LANGUAGE, PATROL_DRY_RUN];

const END: &[u8] = b"\r\n\r\n";

/// The body to keep instead of the sent one, which contains a secret.
#[derive(Clone)]
pub(crate) struct KeptBody(pub(crate) Vec<u8>);

/// The answer in its kept form.
pub(super) fn write<B>(answer: &HttpResponse<B>, body: &[u8]) -> Vec<u8> {
    let mut kept = answer.status().as_str().as_bytes().to_vec();
    for name in HEADERS {
        if let Some(value) = answer.headers().get(&name) {
            kept.extend_from_slice(b"\r\n");
            kept.extend_from_slice(name.as_str().as_bytes());
            kept.extend_from_slice(b": ");
            kept.extend_from_slice(value.as_bytes());
        }
    }
    kept.extend_from_slice(END);
    match answer.extensions().get::<KeptBody>() {
        Some(KeptBody(body)) => kept.extend_from_slice(body),
        None => kept.extend_from_slice(body),
    }
    kept
}

/// The answer to a repeated request.
pub(super) fn read(kept: &[u8]) -> HandlerResult {
    parse(kept).ok_or_else(|| ApiError::internal("a kept answer cannot be read"))
}

fn parse(kept: &[u8]) -> Option<HttpResponse> {
    let end = kept.windows(END.len()).position(|window| window == END)?;
    let (head, body) = (kept.get(..end)?, kept.get(end + END.len()..)?);
    let mut lines = str::from_utf8(head).ok()?.split("\r\n");
    let status = StatusCode::from_bytes(lines.next()?.as_bytes()).ok()?;
    let mut answer = HttpResponse::build(status);
    for line in lines {
        let (name, value) = line.split_once(": ")?;
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        answer.insert_header((name, HeaderValue::from_str(value).ok()?));
    }
    answer.insert_header(replayed());
    Some(if body.is_empty() { answer.finish() } else { answer.body(body.to_vec()) })
}

/// The header of every answer to a repeated request.
pub(super) const fn replayed() -> (HeaderName, HeaderValue) {
    (REPLAYED, HeaderValue::from_static("true"))
}

#[cfg(test)]
mod tests {
    use actix_web::body::MessageBody as _;

    use super::*;

    fn again(answer: HttpResponse, body: &str) -> (HttpResponse, Vec<u8>) {
        let read = read(&write(&answer, body.as_bytes())).unwrap();
        let (head, body) = read.into_parts();
        let body = body.try_into_bytes().unwrap().to_vec();
        (head.set_body(actix_web::body::BoxBody::new(())), body)
    }

    #[test]
    fn status_body_and_some_headers_come_back() {
        let answer = HttpResponse::Created()
            .insert_header((CONTENT_TYPE, "application/json"))
            .insert_header((ETAG, "\"3\""))
            .insert_header((PATROL_DRY_RUN, "true"))
            .insert_header(("x-request-id", "other"))
            .finish();
        let (head, body) = again(answer, "{\"name\":\"Порт\r\n\r\n\"}");
        assert_eq!(head.status(), StatusCode::CREATED);
        assert_eq!(body, "{\"name\":\"Порт\r\n\r\n\"}".as_bytes());
        let names: Vec<_> = head.headers().keys().map(HeaderName::as_str).collect();
        assert_eq!(names.len(), 4, "{names:?}");
        assert_eq!(head.headers().get(PATROL_DRY_RUN).unwrap(), "true");
        assert_eq!(head.headers().get(ETAG).unwrap(), "\"3\"");
        assert_eq!(head.headers().get(REPLAYED).unwrap(), "true");
    }

    #[test]
    fn an_answer_without_a_body_has_none_again() {
        let (head, body) = again(HttpResponse::NoContent().finish(), "");
        assert_eq!((head.status(), body.len()), (StatusCode::NO_CONTENT, 0));
    }

    #[test]
    fn a_body_with_a_secret_is_kept_without_it() {
        let mut answer = HttpResponse::Created().finish();
        answer.extensions_mut().insert(KeptBody(b"{\"token\":null}".to_vec()));
        let (_, body) = again(answer, "{\"token\":\"ptl_secret\"}");
        assert_eq!(body, b"{\"token\":null}");
    }

    #[test]
    fn a_damaged_answer_is_an_error() {
        for damaged in ["", "200", "2x0\r\n\r\n", "200\r\nname\r\n\r\n"] {
            assert!(read(damaged.as_bytes()).is_err(), "{damaged}");
        }
    }
}
