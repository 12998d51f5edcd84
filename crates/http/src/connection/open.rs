//! The number of open connections, and its limit.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use patrol_domain::{Counter, Metric};

/// The number of connections that are accepted above the limit. Their requests get a 503, except
/// those for the pages that need no token: health, metrics, `/docs` and `/openapi.json`.
pub const SPARE: usize = 32;

/// The open connections of the process.
pub(crate) struct OpenConnections {
    limit: usize,
    open: AtomicUsize,
    /// Connections whose first request has not arrived yet.
    unserved: AtomicUsize,
    over_limit: AtomicBool,
    /// Connections that were accepted above the limit.
    answered: Counter,
    /// Connections that were reset.
    reset: Counter,
}

/// Counts a connection as open until dropped.
pub(crate) struct OpenConnection(Arc<OpenConnections>);

/// Counts a connection as waiting for its first request until dropped.
pub(super) struct Unserved(Arc<OpenConnections>);

impl OpenConnections {
    /// Allows `limit` connections, and [`SPARE`] more, of which most requests get a 503.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            open: AtomicUsize::new(0),
            unserved: AtomicUsize::new(0),
            over_limit: AtomicBool::new(false),
            answered: Counter::default(),
            reset: Counter::default(),
        }
    }

    /// Accepts a connection; `None` when it has to be closed at once.
    pub(crate) fn admit(self: &Arc<Self>) -> Option<OpenConnection> {
        let before = self.open.fetch_add(1, Ordering::Relaxed);
        let admitted = OpenConnection(Arc::clone(self));
        if before >= self.limit && !self.over_limit.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                limit = self.limit,
                "too many connections: further ones get 503 until some end; find out which clients \
                 hold them, or raise PATROL_CONNECTIONS and the limit of open files \
                 (LimitNOFILE of systemd, ulimit -n)"
            );
        }
        if before < self.limit {
            return Some(admitted);
        }
        let is_spare = before < self.limit.saturating_add(SPARE);
        if is_spare { &self.answered } else { &self.reset }.increment();
        is_spare.then_some(admitted)
    }

    /// The connections above the limit so far, and the limit.
    pub(crate) fn metrics(&self) -> [Metric; 3] {
        let refused = |counter: &Counter, how| {
            counter.metric(
                "http_connections_refused_total",
                "Connections above the limit: answered with 503, or reset.",
                Some(("how", how)),
            )
        };
        [
            refused(&self.answered, "answered"),
            refused(&self.reset, "reset"),
            Metric::gauge_of(
                "http_connections_limit",
                "Most connections at once; fewer than PATROL_CONNECTIONS if files are limited.",
                None,
                self.limit,
            ),
        ]
    }

    /// The number of open connections.
    pub(crate) fn count(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// The number of connections that wait for their first request.
    pub(crate) fn unserved(&self) -> usize {
        self.unserved.load(Ordering::Relaxed)
    }
}

impl OpenConnection {
    /// Whether more connections than the limit are open now, so that this one counts as spare.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.0.count() > self.0.limit
    }

    /// Counts this connection as waiting for its first request.
    pub(super) fn unserved(&self) -> Unserved {
        self.0.unserved.fetch_add(1, Ordering::Relaxed);
        Unserved(Arc::clone(&self.0))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let Self(all) = self;
        let left = all.open.fetch_sub(1, Ordering::Relaxed).saturating_sub(1);
        // The log reports the end only a little below the limit, so that it does not alternate with
        // every connection.
        let low_mark = all.limit.saturating_sub(all.limit / 16);
        if left < low_mark && all.over_limit.swap(false, Ordering::Relaxed) {
            tracing::info!(open = left, "connections are accepted as usual again");
        }
    }
}

impl Drop for Unserved {
    fn drop(&mut self) {
        self.0.unserved.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_above_the_limit_are_spare_and_further_ones_are_refused() {
        let all = Arc::new(OpenConnections::new(2));
        let mut open: Vec<_> = (0..2).map(|_| all.admit().unwrap()).collect();
        assert!(open.iter().all(|one| !one.is_over_limit()));
        open.extend((0..SPARE).map(|_| all.admit().unwrap()));
        assert!(open.last().unwrap().is_over_limit());
        assert!(all.admit().is_none());
        assert_eq!(all.count(), 2 + SPARE);
        drop(open);
        assert_eq!(all.count(), 0);
        assert!(!all.admit().unwrap().is_over_limit());
    }

    #[test]
    fn a_connection_is_unserved_until_its_first_request_or_its_end() {
        let all = Arc::new(OpenConnections::new(2));
        let unserved = all.admit().unwrap().unserved();
        assert_eq!((all.count(), all.unserved()), (0, 1));
        drop(unserved);
        assert_eq!(all.unserved(), 0);
    }
}
