//! The table of all routes. Resources are added when they are registered.

use actix_web::http::Method;

use super::endpoint::Endpoint;
use crate::{body_kind::BodyKind, metrics::RouteIndex};

/// One method of one path under `/v1`.
#[derive(Clone)]
pub(crate) struct RouteEntry {
    pub(crate) method: Method,
    pub(crate) endpoint: Endpoint,
    /// The kind of body that the handler reads.
    pub(crate) body: BodyKind,
}

impl RouteEntry {
    /// Whether the method changes something, so that a request may have an `Idempotency-Key`.
    pub(crate) fn is_change(&self) -> bool {
        !self.method.is_safe()
    }
}

/// All patterns with their routes, in the order of registration. Resources outside `/v1` have no routes.
#[derive(Default)]
pub(crate) struct RouteTable(Vec<(String, Vec<RouteEntry>)>);

impl RouteTable {
    /// Adds a resource; returns its index in the metrics.
    pub(super) fn add(&mut self, pattern: String, routes: Vec<RouteEntry>) -> RouteIndex {
        let Self(resources) = self;
        resources.push((pattern, routes));
        RouteIndex(resources.len() - 1)
    }

    /// All patterns, by their index in the metrics.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(pattern, _)| pattern.as_str())
    }

    /// Every route under `/v1`, with its pattern.
    pub(crate) fn routes(&self) -> impl Iterator<Item = (&str, &RouteEntry)> {
        self.0
            .iter()
            .flat_map(|(pattern, routes)| routes.iter().map(|route| (pattern.as_str(), route)))
    }
}
