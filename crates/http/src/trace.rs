//! The span of a request, for traces. It contains no header, query string or body.

use actix_web::{
    dev::ServiceRequest,
    http::{Method, StatusCode, header::HeaderMap},
};
use tracing::{Span, field::Empty};

use crate::{api_path::is_api, error::Code, metrics::method_name, request_id::RequestId};

/// The target of all spans. The log ignores them.
const TARGET: &str = "patrol::trace";

/// The headers of the W3C recommendation "Trace Context".
const PARENT: &str = "traceparent";
const STATE: &str = "tracestate";

/// The headers that name the trace of the client.
#[derive(Clone, Copy, Debug)]
pub struct TraceContext<'a> {
    /// `traceparent`, not checked.
    pub parent: &'a str,
    /// `tracestate`, not checked; empty without the header.
    pub state: &'a str,
}

impl<'a> TraceContext<'a> {
    /// The trace of the client, if the headers name one.
    fn of(headers: &'a HeaderMap) -> Option<Self> {
        let mut parents = headers.get_all(PARENT);
        // Several headers are ambiguous, so a new trace begins.
        let (Some(parent), None) = (parents.next(), parents.next()) else { return None };
        let parent = parent.to_str().ok()?;
        let state = headers.get(STATE).and_then(|state| state.to_str().ok()).unwrap_or_default();
        Some(Self { parent, state })
    }
}

/// The span of a request to the API; a disabled one for other pages, and when nothing is traced.
/// `continue_trace` makes the span a part of the client's trace.
pub(crate) fn request(
    request: &ServiceRequest,
    request_id: &RequestId,
    continue_trace: fn(&Span, TraceContext<'_>),
) -> Span {
    if !is_api(request.request()) {
        return Span::none();
    }
    let span = tracing::info_span!(
        target: TARGET,
        "request",
        otel.kind = "server",
        otel.name = method_name(request.method()),
        otel.status_code = Empty,
        "error.type" = Empty,
        http.request.method = method_name(request.method()),
        http.route = Empty,
        http.response.status_code = Empty,
        patrol.request_id = request_id.as_str(),
    );
    if !span.is_disabled()
        && let Some(context) = TraceContext::of(request.headers())
    {
        continue_trace(&span, context);
    }
    span
}

/// Records the error of a request.
pub(crate) fn note_error(span: &Span, code: Code) {
    span.record("error.type", code.name());
}

/// Names the span after its route. Called before the handler, because a span cannot be renamed
/// once it has child spans.
pub(crate) fn note_route(span: &Span, method: &Method, route: &str) {
    if span.is_disabled() {
        return;
    }
    span.record("otel.name", format!("{} {route}", method_name(method)));
    span.record("http.route", route);
}

/// Records the status of the response.
pub(crate) fn note_answer(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}
