//! Counters for operators.

use std::sync::atomic::{AtomicU64, Ordering};

use super::ports::{Metric, MetricKind};

/// A counter that starts at 0 with the process; threads can share it.
#[derive(Default, Debug)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds 1.
    pub fn increment(&self) {
        self.add(1);
    }

    /// Adds a number of events.
    pub fn add(&self, events: usize) {
        let events = u64::try_from(events).unwrap_or(u64::MAX);
        self.0.fetch_add(events, Ordering::Relaxed);
    }

    /// The current count. Rounded above 2^53.
    #[must_use]
    pub fn count(&self) -> f64 {
        // A metric is a 64-bit float, and the standard library has no other conversion to it.
        #[allow(clippy::as_conversions)]
        let count = self.0.load(Ordering::Relaxed) as f64;
        count
    }

    /// The count as a metric for operators. `name` ends with `_total`.
    #[must_use]
    pub fn metric(
        &self,
        name: &'static str,
        help: &'static str,
        label: Option<(&'static str, &'static str)>,
    ) -> Metric {
        Metric { name, help, kind: MetricKind::Counter, label, value: self.count() }
    }
}
