//! Connections and requests in progress, for operators.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use patrol_domain::{Metric, MetricKind, Monitored};

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
        let gauge = |name, help, value: usize| Metric {
            name,
            help,
            kind: MetricKind::Gauge,
            label: None,
            value: f64::from(u32::try_from(value).unwrap_or(u32::MAX)),
        };
        vec![
            gauge("http_connections_open", "Open connections.", self.connections.count()),
            gauge(
                "http_requests_in_flight",
                "Requests whose response is not completely sent.",
                self.in_flight(),
            ),
        ]
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
        assert_eq!(values, [("http_connections_open", 1.0), ("http_requests_in_flight", 5.0)]);
    }
}
