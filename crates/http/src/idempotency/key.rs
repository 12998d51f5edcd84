//! The header `Idempotency-Key`, and the digests that identify a request.

use actix_web::{
    HttpRequest,
    http::header::{HeaderMap, HeaderName, HeaderValue},
};
use patrol_domain::{idempotency::Digest, ids::UserId};
use sha2::{Digest as _, Sha256};

use crate::error::{ApiError, Code, Detail};

/// The header that makes a request repeatable.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The header of every response to a repeated request.
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The name of the header in errors.
const NAME: &str = "Idempotency-Key";

/// The maximum length of a key.
const MAX_LENGTH: usize = 255;

/// The key of a request that has one.
///
/// # Errors
/// `input.data.invalid` unless it is 1 to 255 visible ASCII characters, once.
pub(super) fn key(headers: &HeaderMap) -> Result<&[u8], ApiError> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).map(HeaderValue::as_bytes);
    let (first, second) = (values.next().unwrap_or_default(), values.next());
    let fault = if !(1..=MAX_LENGTH).contains(&first.len()) {
        Detail::new(Code::Length, NAME).with_args(["1".to_owned(), MAX_LENGTH.to_string()])
    } else if second.is_some() || !first.iter().all(u8::is_ascii_graphic) {
        Detail::new(Code::Characters, NAME)
    } else {
        return Ok(first);
    };
    Err(ApiError::invalid(vec![fault]))
}

/// The digest of a key of this user. Equal keys of different users have different digests.
pub(super) fn digest_of_key(user: UserId, key: &[u8]) -> Digest {
    Sha256::new().chain_update(user.0.as_bytes()).chain_update(key).finalize().into()
}

/// Identifies the request: method, path with query, and the digest of the body.
pub(super) fn fingerprint(request: &HttpRequest, body: Digest) -> Digest {
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    Sha256::new()
        .chain_update(request.method().as_str())
        .chain_update(" ")
        .chain_update(target)
        .chain_update("\n")
        .chain_update(body)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn read(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IDEMPOTENCY_KEY, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        key(&headers).ok().map(|key| String::from_utf8(key.to_vec()).unwrap())
    }

    #[test]
    fn a_key_has_1_to_255_visible_characters_once() {
        let longest = "~".repeat(255);
        for good in ["1", "!\"#", &longest] {
            assert_eq!(read(&[good]).as_deref(), Some(good));
        }
        for bad in [vec![""], vec!["a b"], vec!["é"], vec!["a\tb"], vec!["a", "a"]] {
            assert_eq!(read(&bad), None, "{bad:?}");
        }
        assert_eq!(read(&[&"x".repeat(256)]), None);
    }

    #[test]
    fn any_part_of_a_request_changes_its_fingerprint() {
        let of = |method: &str, uri: &str, body: &str| {
            let method = method.parse().unwrap();
            let request = TestRequest::default().method(method).uri(uri).to_http_request();
            fingerprint(&request, Sha256::digest(body).into())
        };
        let one = of("PUT", "/v1/a?x=1", "{}");
        assert_eq!(one, of("PUT", "/v1/a?x=1", "{}"));
        for other in [
            of("PATCH", "/v1/a?x=1", "{}"),
            of("PUT", "/v1/b?x=1", "{}"),
            of("PUT", "/v1/a?x=2", "{}"),
            of("PUT", "/v1/a", "{}"),
            of("PUT", "/v1/a?x=1", "{ }"),
        ] {
            assert_ne!(one, other);
        }
    }
}
