//! The span of a request, for traces. It contains no header, query string or body.

use actix_web::{
    dev::ServiceRequest,
    http::{Method, StatusCode, header::HeaderMap},
};
use tracing::{Span, field::Empty};

use crate::{
    error::Code, metrics::method_name, request_id::RequestId, request_state::RequestState,
    route::is_api, services::Services,
};

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

/// The span of a request to the API; a disabled one for other pages, and when nothing is traced.
pub(crate) fn request(
    request: &ServiceRequest,
    request_id: &RequestId,
    services: &Services,
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
    if !span.is_disabled() {
        continue_trace(&span, request.headers(), services);
    }
    span
}

/// Makes the span a part of the client's trace.
fn continue_trace(span: &Span, headers: &HeaderMap, services: &Services) {
    let mut parents = headers.get_all(PARENT);
    // Several headers are ambiguous, so a new trace begins.
    let (Some(parent), None) = (parents.next(), parents.next()) else { return };
    let Ok(parent) = parent.to_str() else { return };
    let state = headers.get(STATE).and_then(|state| state.to_str().ok()).unwrap_or_default();
    (services.continue_trace)(span, TraceContext { parent, state });
}

/// Records the error of a request.
pub(crate) fn note_error(span: &Span, code: Code) {
    span.record("error.type", code.name());
}

/// Names the span for its route. The name of a span that contains others cannot be changed.
pub(crate) fn note_route(state: &RequestState, method: &Method) {
    if state.span.is_disabled() {
        return;
    }
    let route = state.shared.metrics.pattern(state.route.get());
    state.span.record("otel.name", format!("{} {route}", method_name(method)));
    state.span.record("http.route", route);
}

/// Records the status of the response.
pub(crate) fn note_answer(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}
