//! The middleware of every resource: refuses requests above the limits, and executes requests
//! with an `Idempotency-Key` only once.

use std::rc::Rc;

use actix_web::{
    Error, HttpRequest,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{HeaderMap, HeaderValue},
    },
    middleware::Next,
};

use super::handler::call_handler;
use crate::{
    api_path::is_api,
    error::{ApiError, Code, HandlerResult, Problem},
    idempotency,
    metrics::RouteIndex,
    page::wants_page,
    request_state::RequestState,
    route::RouteEntry,
    trace,
};

/// The properties of a resource that its middleware needs.
pub(crate) struct ResourceProperties {
    /// The index in the metrics.
    pub(crate) index: RouteIndex,
    /// Whether responses must not be cached.
    pub(crate) no_store: bool,
    /// Whether a session of the site does not open the resource.
    pub(crate) needs_token: bool,
    /// Whether requests on connections above the limit are answered too, as for health probes.
    pub(crate) is_exempt_from_connection_limit: bool,
    /// Whether errors are pages of the site.
    pub(crate) is_page: bool,
    /// The routes of a resource of the API.
    pub(crate) routes: Vec<RouteEntry>,
}

impl ResourceProperties {
    /// The properties of a resource that is no page and has no routes.
    pub(crate) const fn of(index: RouteIndex) -> Self {
        Self {
            index,
            no_store: false,
            needs_token: false,
            is_exempt_from_connection_limit: false,
            is_page: false,
            routes: Vec::new(),
        }
    }

    /// The route of this method; GET answers HEAD too.
    fn route(&self, method: &Method) -> Option<&RouteEntry> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.routes.iter().find(|route| route.method == *method)
    }
}

/// Answers a request to a known path. A panic ends only this request, not the connection or the
/// worker.
pub(crate) async fn enter_resource(
    properties: Rc<ResourceProperties>,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let state = RequestState::of(request.request())?;
    state.route.set(Some(properties.index));
    let pattern = state.shared.metrics.pattern(Some(properties.index));
    trace::note_route(&state.span, request.method(), pattern);
    state.no_store.set(properties.no_store);
    state.needs_token.set(properties.needs_token);
    state.is_page.set(properties.is_page);
    if let Err(error) = admit(request.request(), &state, properties.is_exempt_from_connection_limit)
    {
        return Ok(request.error_response(error));
    }
    let route = properties.route(request.method());
    state.endpoint.set(route.map(|route| route.endpoint));
    match route {
        Some(route) if route.is_change() && idempotency::has_key(&request) => {
            idempotency::answer_once(route.body, state, request, next).await
        }
        _ => Ok(call_handler(request, next).await),
    }
}

/// Answers a request for an unknown path.
pub(crate) async fn not_found(request: HttpRequest) -> HandlerResult {
    let state = RequestState::of(&request)?;
    state.is_page.set(!is_api(&request) && wants_page(request.headers()));
    admit(&request, &state, false)?;
    Err(Code::NotFound.into())
}

/// Answers a request with a method that the resource does not have; `allow` lists its methods.
pub(crate) async fn method_not_allowed(allow: HeaderValue) -> HandlerResult {
    Err(Problem { allow: Some(allow), ..Problem::new(Code::MethodNotAllowed) }.into())
}

/// Refuses a request whose head is too large. Unless `is_exempt_from_connection_limit`, also refuses a
/// request on a connection above the limit.
fn admit(
    request: &HttpRequest,
    state: &RequestState,
    is_exempt_from_connection_limit: bool,
) -> Result<(), ApiError> {
    let RequestState { shared, activity, .. } = state;
    if !is_exempt_from_connection_limit
        && activity.as_ref().is_some_and(|activity| activity.is_over_limit())
    {
        return Err(Problem::retry_later(Code::Unavailable, 1).into());
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
