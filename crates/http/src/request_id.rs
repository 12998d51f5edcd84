//! Request ids, which connect a response with its log lines.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use patrol_domain::{Ids, event};

/// The name of the header in requests and responses.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request: the client's if it is well-formed, else a new one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    /// The id of the request with these headers.
    pub(crate) fn of(headers: &HeaderMap, ids: &dyn Ids) -> Self {
        let mut given = headers.get_all(&REQUEST_ID);
        match (given.next(), given.next()) {
            (Some(id), None) if event::RequestId::new(id.as_bytes()).is_some() => Self(id.clone()),
            _ => Self::new(ids),
        }
    }

    /// A new id, for a request without a valid one.
    pub(crate) fn new(ids: &dyn Ids) -> Self {
        let mut buffer = [0_u8; 36];
        let text: &str = ids.next().as_hyphenated().encode_lower(&mut buffer);
        // Hexadecimal digits and hyphens are always a valid header value.
        Self(HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static("-")))
    }

    /// The id as a header value.
    pub(crate) const fn value(&self) -> &HeaderValue {
        &self.0
    }

    /// The same id as the type of the domain, for the log of changes.
    pub(crate) fn for_events(&self) -> Option<event::RequestId> {
        event::RequestId::new(self.0.as_bytes())
    }

    /// The id as text.
    pub(crate) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::{ids::Uuid, shared::ports::MockIds};

    use super::*;

    const NEW: &str = "0190a000-0000-7000-8000-000000000001";

    fn id_of(given: &[&[u8]]) -> String {
        let mut ids = MockIds::new();
        ids.expect_next().returning(|| Uuid::try_parse(NEW).unwrap());
        let mut headers = HeaderMap::new();
        for value in given {
            headers.append(REQUEST_ID, HeaderValue::from_bytes(value).unwrap());
        }
        RequestId::of(&headers, &ids).as_str().to_owned()
    }

    #[test]
    fn a_valid_id_of_the_client_is_kept() {
        for id in ["a", "A-b_c.9", &"x".repeat(64)] {
            assert_eq!(id_of(&[id.as_bytes()]), id);
        }
    }

    #[test]
    fn a_missing_or_invalid_id_is_replaced() {
        let long = "x".repeat(65);
        for id in ["", "a b", "a\"b", "a/b", "a,b", long.as_str()] {
            assert_eq!(id_of(&[id.as_bytes()]), NEW, "{id}");
        }
        assert_eq!(id_of(&["идентификатор".as_bytes()]), NEW);
        assert_eq!(id_of(&[b"a", b"b"]), NEW);
        assert_eq!(id_of(&[]), NEW);
    }
}
