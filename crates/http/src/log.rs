//! The access log: one event a request.

use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use patrol_domain::access::Caller;

use crate::request_id::RequestId;

/// A request that was answered. Neither headers nor the query string are in it, since both may
/// carry secrets.
pub(crate) struct Answered<'a> {
    /// The method.
    pub(crate) method: &'a Method,
    /// The pattern of the route, or the path when there is no route.
    pub(crate) route: &'a str,
    /// The status.
    pub(crate) status: StatusCode,
    /// From the head of the request to the head of the answer.
    pub(crate) took: Duration,
    /// The request.
    pub(crate) request_id: &'a RequestId,
    /// Whom it spoke for, once that was known.
    pub(crate) caller: Option<Caller>,
}

impl Answered<'_> {
    /// Writes the event.
    pub(crate) fn log(&self) {
        tracing::info!(
            target: "patrol::access",
            method = self.method.as_str(),
            route = self.route,
            status = self.status.as_u16(),
            micros = u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX),
            request_id = self.request_id.as_str(),
            user = self.caller.map(|caller| tracing::field::display(caller.user)),
            "answered"
        );
    }
}
