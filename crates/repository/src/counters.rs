//! Counters of a store, with the metrics that both stores have.

use std::time::Duration;

use patrol_domain::{Counter, Metric, TimeCounter};

/// Counts events by the value of a label, for example errors by their cause.
#[derive(Debug)]
pub struct CountsBy<const N: usize> {
    name: &'static str,
    help: &'static str,
    label: &'static str,
    values: [&'static str; N],
    counts: [Counter; N],
}

impl<const N: usize> CountsBy<N> {
    /// Counters at 0 of the metric `name`, one for each value of the label.
    #[must_use]
    pub const fn new(
        name: &'static str,
        help: &'static str,
        label: &'static str,
        values: [&'static str; N],
    ) -> Self {
        Self { name, help, label, values, counts: [const { Counter::new() }; N] }
    }

    /// Counters of the errors of a store, by cause.
    #[must_use]
    pub const fn errors(causes: [&'static str; N]) -> Self {
        Self::new("patrol_store_errors_total", "Errors of the store, by cause.", "cause", causes)
    }

    /// Counts an event. `value` MUST be one of the values of [`Self::new`].
    pub fn increment(&self, value: &str) {
        let known = self.values.iter().zip(&self.counts).find(|(known, _)| **known == value);
        debug_assert!(known.is_some(), "{value} is not a {}", self.label);
        if let Some((_, count)) = known {
            count.increment();
        }
    }

    /// The metrics of all values.
    pub fn metrics(&self) -> impl Iterator<Item = Metric> {
        let counts = self.values.iter().zip(&self.counts);
        counts.map(|(value, count)| count.metric(self.name, self.help, Some((self.label, value))))
    }
}

/// Counts requests that waited in a queue.
#[derive(Debug, Default)]
pub struct WaitCounters {
    /// Requests that have got what they waited for.
    pub taken: Counter,
    /// How long these requests had waited.
    pub waited: TimeCounter,
    /// Requests that were refused because too many waited.
    pub full: Counter,
    /// Requests that were refused because they had waited for too long.
    pub late: Counter,
}

impl WaitCounters {
    /// The metrics of a queue in which `waiting` requests wait now, and `limit` may wait.
    #[must_use]
    pub fn metrics(&self, queue: &'static str, waiting: usize, limit: usize) -> [Metric; 6] {
        let label = Some(("queue", queue));
        [
            Metric::gauge_of(
                "patrol_store_queue_length",
                "Requests that wait for their turn in the store.",
                label,
                waiting,
            ),
            Metric::gauge_of(
                "patrol_store_queue_limit",
                "Most requests that may wait; further ones are refused.",
                label,
                limit,
            ),
            self.taken.metric(
                "patrol_store_waits_total",
                "Requests that have got what they waited for.",
                label,
            ),
            self.waited.metric(
                "patrol_store_wait_seconds_total",
                "Time that requests waited for their turn.",
                label,
            ),
            self.full.metric(
                "patrol_store_queue_full_total",
                "Requests refused because too many waited.",
                label,
            ),
            self.late.metric(
                "patrol_store_wait_timeouts_total",
                "Requests refused because they had waited for too long.",
                label,
            ),
        ]
    }
}

/// Counts runs of one kind, and the time that they took.
#[derive(Debug, Default)]
pub struct RunCounters {
    done: Counter,
    failed: Counter,
    /// The time of all runs, failed ones included.
    time: TimeCounter,
}

impl RunCounters {
    /// Counts a run.
    pub fn note(&self, is_done: bool, time: Duration) {
        self.time.add(time);
        if is_done { &self.done } else { &self.failed }.increment();
    }

    /// The metrics with these names and help texts: done, failed, and the time.
    #[must_use]
    pub fn metrics(&self, texts: [(&'static str, &'static str); 3]) -> [Metric; 3] {
        let [done, failed, time] = texts;
        [
            self.done.metric(done.0, done.1, None),
            self.failed.metric(failed.0, failed.1, None),
            self.time.metric(time.0, time.1, None),
        ]
    }

    /// The metrics of commits.
    #[must_use]
    pub fn commits(&self) -> [Metric; 3] {
        self.metrics([
            ("patrol_store_commits_total", "Committed transactions."),
            (
                "patrol_store_failed_commits_total",
                "Transactions whose commit failed, or whose result is unknown.",
            ),
            (
                "patrol_store_commit_seconds_total",
                "Time that commits took, mostly waiting for the disk.",
            ),
        ])
    }
}
