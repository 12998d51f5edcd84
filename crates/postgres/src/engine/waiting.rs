//! Counts waiting requests and limits their number.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use patrol_domain::{Metric, StoreError};
use patrol_repository::counters::WaitCounters;

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
    counters: WaitCounters,
}

impl Waits {
    /// At most `most` requests wait.
    pub(super) fn new(most: usize) -> Self {
        Self { most, waiting: AtomicUsize::new(0), counters: WaitCounters::default() }
    }

    /// Counts a waiting request.
    ///
    /// # Errors
    /// When too many already wait.
    pub(super) fn begin(&self) -> Result<Waiting<'_>, StoreError> {
        Waiting::begin(&self.waiting, self.most).inspect_err(|_| self.counters.full.increment())
    }

    /// Counts the end of a wait.
    pub(super) fn end(&self, has_got: bool, waited: Duration) {
        if has_got {
            self.counters.taken.increment();
            self.counters.waited.add(waited);
        } else {
            self.counters.late.increment();
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
        self.counters.metrics(queue, self.waiting(), self.most)
    }
}
