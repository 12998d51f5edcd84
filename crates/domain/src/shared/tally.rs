//! Counters for operators.

use std::sync::atomic::{AtomicU64, Ordering};

use super::ports::{Figure, FigureKind};

/// Counts events since the start of the process; can be shared by threads.
#[derive(Default, Debug)]
pub struct Tally(AtomicU64);

impl Tally {
    /// Counts one event.
    pub fn increment(&self) {
        self.add(1);
    }

    /// Counts several events at once.
    pub fn add(&self, events: usize) {
        let events = u64::try_from(events).unwrap_or(u64::MAX);
        self.0.fetch_add(events, Ordering::Relaxed);
    }

    /// The count so far. Numbers above 2^53 are rounded.
    #[must_use]
    pub fn count(&self) -> f64 {
        // Figures are 64-bit floats, and no lossless conversion exists.
        #[allow(clippy::as_conversions)]
        let count = self.0.load(Ordering::Relaxed) as f64;
        count
    }

    /// The count as a figure for operators. `name` ends with `_total`.
    #[must_use]
    pub fn figure(
        &self,
        name: &'static str,
        help: &'static str,
        label: Option<(&'static str, &'static str)>,
    ) -> Figure {
        Figure { name, help, kind: FigureKind::Counter, label, value: self.count() }
    }
}
