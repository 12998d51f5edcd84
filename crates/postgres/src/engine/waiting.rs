//! Counts waiting requests and limits their number.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use patrol_domain::{Counter, Metric, StoreError, TimeCounter};

/// A waiting request, counted until this is dropped.
pub(super) struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    /// Counts a waiting request.
    ///
    /// # Errors
    /// When `most` requests already wait.
    pub(super) fn begin(count: &'a AtomicUsize, most: usize) -> Result<Self, StoreError> {
        let waiting = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) < most {
            Ok(waiting)
        } else {
            Err(StoreError::Unavailable("too many requests wait for the database".to_owned()))
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The requests that wait for one thing, and counters of their waits.
#[derive(Debug)]
pub(super) struct Waits {
    most: usize,
    waiting: AtomicUsize,
    /// Requests that have got what they waited for.
    taken: Counter,
    waited: TimeCounter,
    /// Requests that were refused because too many waited.
    full: Counter,
    /// Requests that were refused because they had waited for too long.
    late: Counter,
}

impl Waits {
    /// At most `most` requests wait.
    pub(super) const fn new(most: usize) -> Self {
        Self {
            most,
            waiting: AtomicUsize::new(0),
            taken: Counter::new(),
            waited: TimeCounter::new(),
            full: Counter::new(),
            late: Counter::new(),
        }
    }

    /// Counts a waiting request.
    ///
    /// # Errors
    /// When too many already wait.
    pub(super) fn begin(&self) -> Result<Waiting<'_>, StoreError> {
        Waiting::begin(&self.waiting, self.most).inspect_err(|_| self.full.increment())
    }

    /// Counts the end of a wait.
    pub(super) fn end(&self, has_got: bool, waited: Duration) {
        if has_got {
            self.taken.increment();
            self.waited.add(waited);
        } else {
            self.late.increment();
        }
    }

    /// How many requests may wait.
    pub(super) const fn most(&self) -> usize {
        self.most
    }

    /// The number of waiting requests.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// The metrics of this queue.
    pub(super) fn metrics(&self, queue: &'static str) -> [Metric; 6] {
        let label = Some(("queue", queue));
        [
            Metric::gauge_of(
                "patrol_store_queue_length",
                "Requests that wait for their turn in the store.",
                label,
                self.waiting(),
            ),
            Metric::gauge_of(
                "patrol_store_queue_limit",
                "Most requests that may wait; further ones are refused.",
                label,
                self.most,
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
