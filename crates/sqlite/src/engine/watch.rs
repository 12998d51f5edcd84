//! Stops a list while its thread works on it: when its client has left, when it takes too long,
//! when its snapshot has to be given up, or when it is too slow for the threads of quick pages.
//!
//! SQLite asks from its progress handler ([`super::interrupt`]), the rest of the program between rows.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use patrol_domain::StoreError;

use super::{readers, snapshots::Reading, stream::Progress};

/// How long the work for a list may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListLimits {
    /// Until its first row, or its total when it has no row.
    pub(super) first_row: Duration,
    /// Without a further row, the time in which the list waits for its client left out.
    pub(super) progress: Duration,
    /// In all.
    pub(super) whole: Duration,
}

/// After so much time a page is no quick one any more.
const QUICK: Duration = Duration::from_millis(100);

/// The same while slow pages wait for a thread. It is shorter, so that many slow pages at once take
/// less time from quick ones.
const QUICK_IN_A_CROWD: Duration = Duration::from_millis(25);

/// Where a list has to be produced instead, from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    /// With the slow pages.
    Slow,
    /// With the long lists, which wait for their clients.
    Long,
}

/// Why a list has to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// Its client has gone.
    Abandoned,
    /// The write-ahead log is about to exceed its bound.
    BrokenOff,
    /// One of the [`ListLimits`].
    TooLong(&'static str),
    /// It goes on elsewhere.
    Move(Lane),
}

impl Stop {
    /// The error of the list; the log has its text.
    pub(super) fn error(self) -> StoreError {
        StoreError::Unavailable(
            match self {
                Self::Abandoned => "nobody waits for the answer any more",
                Self::BrokenOff => "the write-ahead log is full of what the list still reads",
                Self::TooLong(limit) => limit,
                Self::Move(_) => "the list has no thread",
            }
            .to_owned(),
        )
    }
}

/// Watches over one list.
pub(super) struct Watch {
    progress: Progress,
    reading: Reading,
    /// None for a command.
    limits: Option<ListLimits>,
    begin: Instant,
    /// When the last row was noticed; none before the first.
    last_row: Cell<Option<Instant>>,
    stop: Cell<Option<Stop>>,
}

impl Watch {
    pub(super) fn new(progress: Progress, reading: Reading, limits: Option<ListLimits>) -> Self {
        let begin = Instant::now();
        let (last_row, stop) = (Cell::new(None), Cell::new(None));
        Self { progress, reading, limits, begin, last_row, stop }
    }

    /// Why the list has to end, if it has to.
    pub(super) fn stop(&self) -> Option<Stop> {
        if self.stop.get().is_none() {
            self.stop.set(self.look());
        }
        self.stop.get()
    }

    /// Why the list had to end, if it had to.
    pub(super) fn stopped(&self) -> Option<Stop> {
        self.stop.get().or_else(|| self.reading.is_broken_off().then_some(Stop::BrokenOff))
    }

    /// When the list has to be at its end.
    pub(super) fn end(&self) -> Option<Instant> {
        self.limits.and_then(|limits| self.begin.checked_add(limits.whole))
    }

    fn look(&self) -> Option<Stop> {
        if self.progress.is_abandoned() {
            return Some(Stop::Abandoned);
        }
        if self.reading.is_broken_off() {
            return Some(Stop::BrokenOff);
        }
        let now = Instant::now();
        let elapsed = now.saturating_duration_since(self.begin);
        if self.progress.take() {
            self.last_row.set(Some(now));
        }
        self.exceeded(now, elapsed).or_else(|| leave_quick_lane(elapsed))
    }

    fn exceeded(&self, now: Instant, elapsed: Duration) -> Option<Stop> {
        let ListLimits { first_row, progress, whole } = self.limits?;
        let exceeded = match self.last_row.get() {
            _ if elapsed >= whole => "the list took too long in all",
            None if elapsed >= first_row => "the first row of the list took too long",
            Some(last) if now.saturating_duration_since(last) >= progress => {
                "the next row of the list took too long"
            }
            _ => return None,
        };
        Some(Stop::TooLong(exceeded))
    }
}

/// A page that takes longer than a quick one leaves the quick lane: this thread becomes one for slow
/// pages. If there are no more of those allowed, the page stops, and begins anew on one of them later.
fn leave_quick_lane(elapsed: Duration) -> Option<Stop> {
    if elapsed < QUICK_IN_A_CROWD {
        return None;
    }
    let lane = readers::quick_lane()?;
    if elapsed < QUICK && !lane.slow_pages_wait() {
        return None;
    }
    (!lane.leave()).then_some(Stop::Move(Lane::Slow))
}
