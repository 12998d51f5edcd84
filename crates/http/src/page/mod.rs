//! Pages of another crate outside `/v1`. They have the request id, the log, the metrics and the
//! limits of all requests.

mod request;
#[cfg(test)]
mod tests;

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use actix_web::{
    Error, HttpRequest, HttpResponse, Resource, ResponseError,
    http::{
        StatusCode,
        header::{ACCEPT, HeaderMap, HeaderValue},
    },
};
use patrol_application::Failure;
use patrol_domain::{StoreError, access::Caller};

pub use request::{PageRequest, Stopping};

use crate::error::{ApiError, Code, Problem};
pub use crate::form::FileForm;

/// The pages of a site.
#[derive(Clone)]
pub struct Site {
    /// Makes the resources of a worker.
    pub resources: Arc<dyn Fn() -> Vec<SiteResource> + Send + Sync>,
    /// Makes the page of an error: a [`PageError`] that a handler of the site returned, or an error
    /// before the handler, for example above the limit of connections.
    pub error_page: Arc<dyn Fn(HttpRequest, PageError) -> ErrorPage + Send + Sync>,
    /// Finds the session of a request to the API.
    pub session: Arc<dyn Fn(HttpRequest) -> FoundSession + Send + Sync>,
}

/// The future that makes the page of an error.
pub type ErrorPage = Pin<Box<dyn Future<Output = HttpResponse>>>;

/// The future that finds the session of a request.
pub type FoundSession = Pin<Box<dyn Future<Output = Result<SessionCredential, StoreError>>>>;

/// What a request to the API proves by a session of the site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionCredential {
    /// There is no cookie of a session, or no header that makes it a credential.
    Missing,
    /// The session has ended, or never was.
    Ended,
    /// The session is valid, but a page of this site did not send the request.
    Foreign {
        /// The header that says so.
        header: &'static str,
    },
    /// A page of this site sent the request for this user.
    Valid(Caller),
}

/// One resource of a site.
pub struct SiteResource {
    /// Its pattern in the log and in the metrics, for example `/people/{id}`.
    pub pattern: &'static str,
    /// The resource. It answers all methods.
    pub resource: Resource,
    /// Whether errors are pages, not the JSON of the API.
    pub is_page: bool,
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

    /// A defect. The answer is a page with status 500; the cause is logged and counted.
    #[must_use]
    pub fn internal(cause: impl ToString) -> Error {
        ApiError::internal(cause.to_string()).into()
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

/// An error of a resource that is not a page: its body is that of the API.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JsonError {
    /// There is no valid session.
    Unauthorized,
    /// The body is not an image that can be read.
    BadImage,
    /// The resource has other methods, for the header `Allow`.
    MethodNotAllowed(&'static str),
}

impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        ApiError::from(match error {
            JsonError::Unauthorized => Problem::new(Code::Unauthorized),
            JsonError::BadImage => Problem::new(Code::Image),
            JsonError::MethodNotAllowed(allow) => Problem {
                allow: Some(HeaderValue::from_static(allow)),
                ..Problem::new(Code::MethodNotAllowed)
            },
        })
        .into()
    }
}

/// Whether a client prefers a page to JSON: browsers name HTML in `Accept`.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let named = |value: &str| value.split(',').any(|media| media.trim().starts_with("text/html"));
    headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(named)
}
