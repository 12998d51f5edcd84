//! Responses to bytes that are not a request.
//!
//! actix answers malformed HTTP and heads that are too large with a bare status line, and has no
//! hook to change it. So the connection recognises these responses and sends the usual error body
//! and headers instead; they are logged and counted.

use std::{
    io::Write as _,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use actix_web::{
    HttpResponse,
    body::MessageBody as _,
    http::header::{DATE, HttpDate, X_CONTENT_TYPE_OPTIONS},
};
use patrol_domain::{Clock, Ids};

use crate::{
    error::{Code, Language, Problem},
    header::NOSNIFF,
    metrics::Metrics,
    request_id::{REQUEST_ID, RequestId},
};

/// An upper bound of the responses that actix writes by itself, in bytes.
const MAX_BARE_BYTES: usize = 256;

/// Why a connection is answered without the app.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RejectReason {
    /// The bytes are not HTTP.
    Malformed,
    /// The head did not arrive in time.
    Late,
    /// The head is too large.
    TooLarge,
    /// The bytes are HTTP without TLS, on a port with TLS.
    WithoutTls,
}

impl RejectReason {
    /// The reason, if these bytes are a response that actix wrote by itself. Such a response has
    /// `content-length: 0`; a response of the app with status 400 or 431 always has a body.
    pub(super) fn recognise(bytes: &[u8]) -> Option<Self> {
        // The first digit of the status excludes most responses.
        if bytes.get(9) != Some(&b'4') || bytes.len() > MAX_BARE_BYTES {
            return None;
        }
        let status = bytes.strip_prefix(b"HTTP/1.1 ").or(bytes.strip_prefix(b"HTTP/1.0 "))?;
        let begins = |line: &str| {
            let rest = status.strip_prefix(line.as_bytes());
            rest.is_some_and(|rest| rest.starts_with(b"\r\ncontent-length: 0\r\n"))
        };
        if begins("400 Bad Request") {
            Some(Self::Malformed)
        } else if begins("431 Request Header Fields Too Large") {
            Some(Self::TooLarge)
        } else {
            None
        }
    }

    const fn code(self) -> Code {
        match self {
            Self::Malformed | Self::WithoutTls => Code::InputInvalid,
            Self::Late => Code::RequestTimeout,
            Self::TooLarge => Code::HeaderTooLarge,
        }
    }

    const fn reason(self) -> &'static str {
        match self {
            Self::Malformed => "the bytes are no HTTP request",
            Self::Late => "the head of the request did not arrive in time",
            Self::TooLarge => "the head of the request is too large",
            Self::WithoutTls => "HTTP without TLS, on a port with TLS",
        }
    }
}

/// Writes, logs and counts the responses to refused bytes.
pub(crate) struct RejectionWriter {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) metrics: Arc<Metrics>,
}

impl RejectionWriter {
    /// The bytes of the response, in English because no `Accept-Language` is known.
    pub(super) fn write_response(&self, reason: RejectReason, peer: Option<SocketAddr>) -> Vec<u8> {
        let code = reason.code();
        let request_id = RequestId::new(self.ids.as_ref());
        self.metrics.note_refused(code);
        tracing::info!(
            peer = peer.map(tracing::field::display),
            status = code.status().as_u16(),
            reason = reason.reason(),
            request_id = request_id.as_str(),
            "refused"
        );
        let now = self.clock.now();
        let mut answer = Problem::new(code).answer(Language::English, now);
        let millis = Duration::from_millis(u64::try_from(now.millis()).unwrap_or_default());
        let date = HttpDate::from(UNIX_EPOCH + millis).to_string();
        let headers = answer.headers_mut();
        headers.insert(REQUEST_ID, request_id.value().clone());
        headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        if let Ok(date) = date.parse() {
            headers.insert(DATE, date);
        }
        bytes_of(answer)
    }
}

/// The bytes of a response after which the connection is closed.
fn bytes_of(answer: HttpResponse) -> Vec<u8> {
    let (head, body) = answer.into_parts();
    let body = body.try_into_bytes().unwrap_or_default();
    let mut bytes = Vec::with_capacity(512);
    // Writing to memory cannot fail.
    let _ = write!(
        bytes,
        "HTTP/1.1 {}\r\ncontent-length: {}\r\nconnection: close\r\n",
        head.status(),
        body.len()
    );
    for (name, value) in head.headers() {
        let _ = write!(bytes, "{name}: ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_responses_that_actix_writes_itself_are_replaced() {
        let bare = |line: &str| format!("{line}\r\ncontent-length: 0\r\ndate: x\r\n\r\n");
        for (line, reason) in [
            ("HTTP/1.1 400 Bad Request", Some(RejectReason::Malformed)),
            ("HTTP/1.0 400 Bad Request", Some(RejectReason::Malformed)),
            ("HTTP/1.1 431 Request Header Fields Too Large", Some(RejectReason::TooLarge)),
            ("HTTP/1.1 404 Not Found", None),
            ("HTTP/1.1 200 OK", None),
        ] {
            assert_eq!(RejectReason::recognise(bare(line).as_bytes()), reason, "{line}");
        }
        let ours = "HTTP/1.1 400 Bad Request\r\ncontent-length: 97\r\n\r\n";
        assert_eq!(RejectReason::recognise(ours.as_bytes()), None);
    }
}
