//! Pages of another crate outside `/v1`. They get the request id, the log, the metrics and the guards
//! of all requests.

use std::{
    fmt,
    future::{Future, Ready},
    net::{IpAddr, Ipv4Addr},
    pin::Pin,
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use actix_web::{
    Error, FromRequest, HttpRequest, HttpResponse, Resource, ResponseError,
    dev::Payload,
    http::{
        StatusCode,
        header::{ACCEPT, HeaderMap},
    },
};
use bytes::Bytes;
use patrol_application::{Actor, Failure};
use patrol_domain::access::Caller;

use crate::{
    body::{self, Bounds},
    budget::Share,
    error::{ApiError, Code, Problem},
    request_limit::RequestPermit,
    request_state::RequestState,
    shared::Shared,
    throttle::network,
};

/// The pages of a site.
#[derive(Clone)]
pub struct Site {
    /// Makes the resources of a worker.
    pub resources: Arc<dyn Fn() -> Vec<SiteResource> + Send + Sync>,
    /// Makes the page of an error that occurred outside the handlers of the site, for example above
    /// the limit of connections.
    pub error_page: Arc<dyn Fn(HttpRequest, PageError) -> ErrorPage + Send + Sync>,
}

/// The page of an error, while it is made.
pub type ErrorPage = Pin<Box<dyn Future<Output = HttpResponse>>>;

/// One resource of a site.
pub struct SiteResource {
    /// Its pattern in the log and in the metrics, for example `/people/{id}`.
    pub pattern: &'static str,
    /// The resource. It answers all methods.
    pub resource: Resource,
}

/// An error that is answered with [`Site::error_page`]. Extractors and handlers of a site return it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageError {
    /// The status of the answer.
    pub status: StatusCode,
    /// The value of `Retry-After`, in seconds.
    pub retry_after: Option<u64>,
    /// The value of `Allow`.
    pub allow: Option<&'static str>,
}

impl PageError {
    /// An error with this status.
    #[must_use]
    pub const fn new(status: StatusCode) -> Self {
        Self { status, retry_after: None, allow: None }
    }

    /// The error of a request whose method the resource does not have.
    #[must_use]
    pub const fn method_not_allowed(allow: &'static str) -> Self {
        Self { allow: Some(allow), ..Self::new(StatusCode::METHOD_NOT_ALLOWED) }
    }

    /// The error of a request that may be sent again after this time.
    #[must_use]
    pub fn throttled(retry_after: Duration) -> Error {
        let seconds = u64::try_from(retry_after.as_millis().div_ceil(1000)).unwrap_or(u64::MAX);
        Self { retry_after: Some(seconds), ..Self::new(StatusCode::TOO_MANY_REQUESTS) }.into()
    }

    /// The error of a use case or a port. The answer is a page too, and its cause is logged as for the API.
    #[must_use]
    pub fn of(failure: impl Into<Failure>) -> Error {
        ApiError::from(failure.into()).into()
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "an error page with status {}", self.status)
    }
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        self.status
    }
}

/// The permit of a client's slow request; released on drop.
pub struct SlowRequestPermit {
    _permit: RequestPermit<IpAddr>,
}

/// A request for a page.
pub struct PageRequest {
    state: Rc<RequestState>,
    headers: HttpRequest,
    /// The memory for the body, until the request is answered.
    memory: Option<Share>,
}

impl FromRequest for PageRequest {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let page = |state| Self { state, headers: request.clone(), memory: None };
        std::future::ready(RequestState::of(request).map(page).map_err(Error::from))
    }
}

impl PageRequest {
    /// The address of the client, as in the log.
    #[must_use]
    pub fn client(&self) -> Option<IpAddr> {
        self.state.client
    }

    /// The caller for use cases. The log line of the request names it.
    #[must_use]
    pub fn actor(&self, caller: Caller) -> Actor {
        self.state.caller.set(Some(caller));
        Actor::User { caller, request: self.state.request_id.for_events(), keyed: None }
    }

    /// Waits until the client has no other slow request, so that one client cannot occupy all
    /// threads for slow work. The next one begins when the permit is dropped.
    ///
    /// # Errors
    /// 503 after 5 s. The answer is [`Site::error_page`].
    pub async fn begin_slow_request(&self) -> Result<SlowRequestPermit, Error> {
        // Only tests have requests without a peer.
        let client = self.state.client.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
        let permit = self.state.shared.slow_requests.acquire(network(client)).await;
        let busy = Problem { retry_after: Some(1), ..Problem::new(Code::Unavailable) };
        Ok(SlowRequestPermit { _permit: permit.ok_or(ApiError::from(busy))? })
    }

    /// Reads the body, within the bounds of time and memory that hold for all requests.
    ///
    /// # Errors
    /// When the body is longer than `limit` bytes, incomplete or late, or when there is no memory
    /// for it. The answer is [`Site::error_page`].
    pub async fn body(&mut self, payload: &mut Payload, limit: usize) -> Result<Bytes, Error> {
        let RequestState { shared, activity, .. } = &*self.state;
        let Shared { settings, bodies, .. } = shared.get_ref();
        let headers = self.headers.headers();
        let bounds = Bounds { limit, timeout: settings.request_timeout, memory_factor: 4 };
        let memory = self.memory.insert(bodies.share(body::content_length(headers)));
        let read = body::read(payload, headers, bounds, memory, activity.as_deref()).await;
        Ok(read.map_err(ApiError::from)?)
    }
}

/// Whether a client prefers a page to JSON: browsers name HTML in `Accept`.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let named = |value: &str| value.split(',').any(|media| media.trim().starts_with("text/html"));
    headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(named)
}
