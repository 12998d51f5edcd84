//! Counters for operators.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use super::ports::{Metric, MetricKind};

/// A counter that starts at 0 with the process; threads can share it.
#[derive(Default, Debug)]
pub struct Counter(AtomicU64);

impl Counter {
    /// A counter at 0, for a constant or a static.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

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

/// Adds up times; threads can share it.
#[derive(Default, Debug)]
pub struct TimeCounter(AtomicU64);

impl TimeCounter {
    /// A counter at 0, for a constant or a static.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Adds a time, to the microsecond.
    pub fn add(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.0.fetch_add(micros, Ordering::Relaxed);
    }

    /// The sum as a metric for operators, in seconds. `name` ends with `_seconds_total`.
    #[must_use]
    pub fn metric(
        &self,
        name: &'static str,
        help: &'static str,
        label: Option<(&'static str, &'static str)>,
    ) -> Metric {
        let value = Duration::from_micros(self.0.load(Ordering::Relaxed)).as_secs_f64();
        Metric { name, help, kind: MetricKind::Counter, label, value }
    }
}
