//! The middleware of every resource: checks before the handler, and panics.

use std::panic::AssertUnwindSafe;

use actix_web::{
    Error, HttpRequest, HttpResponse,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    http::header::{HeaderMap, HeaderValue},
    middleware::Next,
};
use futures_util::FutureExt as _;

use crate::{
    error::{Answer, ApiError, Code, Problem},
    metrics::RouteIndex,
    request_state::RequestState,
};

/// The properties of a resource that do not depend on the method.
#[derive(Clone, Copy)]
pub(crate) struct Properties {
    /// The index in the metrics.
    pub(crate) index: RouteIndex,
    /// Whether responses must not be cached.
    pub(crate) no_store: bool,
    /// Whether requests on connections above the limit are answered too, as for health probes.
    pub(crate) always: bool,
}

/// Answers a request to a known path. A panic ends only this request, not the connection or the
/// worker.
pub(crate) async fn enter_resource(
    properties: Properties,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let state = RequestState::of(request.request())?;
    state.route.set(Some(properties.index));
    state.no_store.set(properties.no_store);
    if let Err(error) = admit(request.request(), &state, properties.always) {
        return Ok(request.error_response(error));
    }
    // A clone cannot be made earlier: actix changes the request until its resource is found.
    let kept = request.request().clone();
    match AssertUnwindSafe(next.call(request)).catch_unwind().await {
        Ok(answered) => answered,
        Err(_) => {
            let error = ApiError::from(Problem {
                cause: Some("a panic; the previous log line has its location".to_owned()),
                ..Problem::new(Code::Internal)
            });
            Ok(ServiceResponse::new(kept, HttpResponse::from_error(error)))
        }
    }
}

/// Answers a request for an unknown path.
pub(crate) async fn not_found(request: HttpRequest) -> Answer {
    admit(&request, &*RequestState::of(&request)?, false)?;
    Err(Code::NotFound.into())
}

/// Answers a request with a method that the resource does not have; `allow` lists its methods.
pub(crate) async fn method_not_allowed(allow: HeaderValue) -> Answer {
    Err(Problem { allow: Some(allow), ..Problem::new(Code::MethodNotAllowed) }.into())
}

/// Refuses a request whose head is too large. Unless `always`, also refuses a request on a connection
/// above the limit.
fn admit(request: &HttpRequest, state: &RequestState, always: bool) -> Result<(), ApiError> {
    let RequestState { shared, activity, .. } = state;
    if !always && activity.as_ref().is_some_and(|activity| activity.is_over_limit()) {
        return Err(Problem { retry_after: Some(1), ..Problem::new(Code::Unavailable) }.into());
    }
    if head_size(request) > shared.settings.header_limit {
        return Err(Problem { close: true, ..Problem::new(Code::PayloadTooLarge) }.into());
    }
    Ok(())
}

/// The approximate size of the request line and the headers, in bytes.
fn head_size(request: &HttpRequest) -> usize {
    let fields = |headers: &HeaderMap| -> usize {
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
    };
    let target = request.uri().path().len() + request.query_string().len();
    target + fields(request.headers())
}
