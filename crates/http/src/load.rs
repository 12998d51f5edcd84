//! Connections and requests in progress, for operators.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use patrol_domain::{Metric, Monitored};

use crate::connection::OpenConnections;

/// The connections and requests of all workers.
pub(crate) struct Load {
    pub(crate) connections: Arc<OpenConnections>,
    /// The requests in flight of each worker, because a counter that all workers change would be
    /// slow.
    workers: Mutex<Vec<Arc<AtomicUsize>>>,
}

impl Load {
    /// Counters with a limit of `connections` open connections.
    pub(crate) fn new(connections: usize) -> Self {
        let connections = Arc::new(OpenConnections::new(connections));
        Self { connections, workers: Mutex::default() }
    }

    /// The counter of requests in flight for a new worker.
    pub(crate) fn worker(&self) -> Arc<AtomicUsize> {
        let in_flight = Arc::new(AtomicUsize::new(0));
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.push(Arc::clone(&in_flight));
        in_flight
    }

    fn in_flight(&self) -> usize {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.iter().map(|worker| worker.load(Ordering::Relaxed)).sum()
    }
}

impl Monitored for Load {
    fn metrics(&self) -> Vec<Metric> {
        let mut metrics = vec![
            Metric::gauge_of(
                "http_connections_open",
                "Open connections.",
                None,
                self.connections.count(),
            ),
            Metric::gauge_of(
                "http_requests_in_flight",
                "Requests whose response is not completely sent.",
                None,
                self.in_flight(),
            ),
        ];
        metrics.extend(self.connections.metrics());
        metrics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requests_of_all_workers_are_added_up() {
        let load = Load::new(7);
        let (one, other) = (load.worker(), load.worker());
        one.store(2, Ordering::Relaxed);
        other.store(3, Ordering::Relaxed);
        let _open = load.connections.admit().unwrap();
        let metrics = load.metrics();
        let values: Vec<_> = metrics.iter().map(|metric| (metric.name, metric.value)).collect();
        let refused = "http_connections_refused_total";
        assert_eq!(
            values,
            [
                ("http_connections_open", 1.0),
                ("http_requests_in_flight", 5.0),
                (refused, 0.0),
                (refused, 0.0),
                ("http_connections_evicted_total", 0.0),
                ("http_connections_limit", 7.0),
            ]
        );
    }
}
