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
    /// Whether the log has reported that the limit is exceeded.
    is_reported: AtomicBool,
    /// Connections that were accepted above the limit.
    answered: Counter,
    /// Connections that were reset.
    reset: Counter,
}

/// Counts a connection as open until dropped.
pub(crate) struct OpenConnection {
    all: Arc<OpenConnections>,
    /// Whether the connection was accepted above the limit.
    is_spare: bool,
}

/// Counts a connection as waiting for its first request until dropped.
pub(super) struct Unserved(Arc<OpenConnections>);

impl OpenConnections {
    /// Allows `limit` connections, and [`SPARE`] more. Most requests on the additional ones get a
    /// 503.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            open: AtomicUsize::new(0),
            unserved: AtomicUsize::new(0),
            is_reported: AtomicBool::new(false),
            answered: Counter::default(),
            reset: Counter::default(),
        }
    }

    /// Accepts a connection; `None` when it has to be closed at once.
    pub(crate) fn admit(self: &Arc<Self>) -> Option<OpenConnection> {
        let before = self.open.fetch_add(1, Ordering::Relaxed);
        let is_spare = before >= self.limit;
        let admitted = OpenConnection { all: Arc::clone(self), is_spare };
        if is_spare && !self.is_reported.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                limit = self.limit,
                "too many connections: further ones get 503 or are reset until some end; find out \
                 which clients hold them, or raise PATROL_CONNECTIONS and the limit of open files \
                 (LimitNOFILE of systemd, ulimit -n)"
            );
        }
        if !is_spare {
            return Some(admitted);
        }
        let is_answered = before < self.limit.saturating_add(SPARE);
        if is_answered { &self.answered } else { &self.reset }.increment();
        is_answered.then_some(admitted)
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
    /// Whether the connection was accepted above the limit.
    pub(crate) const fn is_over_limit(&self) -> bool {
        self.is_spare
    }

    /// Counts this connection as waiting for its first request.
    pub(super) fn count_unserved(&self) -> Unserved {
        self.all.unserved.fetch_add(1, Ordering::Relaxed);
        Unserved(Arc::clone(&self.all))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let all = &self.all;
        let left = all.open.fetch_sub(1, Ordering::Relaxed).saturating_sub(1);
        // The log reports the end only a little below the limit, so that it does not alternate with
        // every connection.
        let low_mark = all.limit.saturating_sub(all.limit / 16);
        if left < low_mark && all.is_reported.swap(false, Ordering::Relaxed) {
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
    fn an_accepted_connection_stays_within_the_limit_when_others_follow() {
        let all = Arc::new(OpenConnections::new(2));
        let regular: Vec<_> = (0..2).map(|_| all.admit().unwrap()).collect();
        let spare = all.admit().unwrap();
        assert!(spare.is_over_limit());
        assert!(regular.iter().all(|connection| !connection.is_over_limit()));
        drop(regular);
        assert!(spare.is_over_limit());
    }

    #[test]
    fn a_connection_is_unserved_until_its_first_request_or_its_end() {
        let all = Arc::new(OpenConnections::new(2));
        let unserved = all.admit().unwrap().count_unserved();
        assert_eq!((all.count(), all.unserved()), (0, 1));
        drop(unserved);
        assert_eq!(all.unserved(), 0);
    }
}
