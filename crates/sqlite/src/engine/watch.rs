//! Cancels a list while its thread works on it: when its client has disconnected, when it takes too
//! long, when its snapshot has to end, or when it is too slow for a thread for quick pages.
//!
//! SQLite's progress handler ([`super::interrupt`]) checks this during a statement, and the rest of
//! the program between rows.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use patrol_domain::StoreError;

use super::{readers, snapshots::SnapshotGuard, stream::Progress};

/// The time limits of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListLimits {
    /// Until its first row, or its total when it has no rows.
    pub(super) first_row: Duration,
    /// Without a new row, not counting the time in which the list waits for its client.
    pub(super) progress: Duration,
    /// For the whole list.
    pub(super) whole: Duration,
}

/// After this time of a processor a page counts as slow, or after [`ON_THE_CLOCK`] times as long.
const QUICK: Duration = Duration::from_millis(100);

/// After this shorter time a page counts as slow while slow pages wait for a thread: then many slow
/// pages occupy the threads for quick pages less.
const QUICK_WHILE_PAGES_WAIT: Duration = Duration::from_millis(25);

/// How many times longer than its work a page may take on the clock. On a busy machine a thread
/// gets no processor for a while, which does not make its page a slow one: it would wait behind
/// those that are. A page that waits for the disk does occupy its thread. Where the work is not
/// known, the clock alone counts.
const ON_THE_CLOCK: u32 = if cfg!(target_os = "linux") { 10 } else { 1 };

/// Why a list is cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// The client has disconnected.
    Abandoned,
    /// The write-ahead log is close to its bound.
    LogFull,
    /// The list exceeded one of the [`ListLimits`].
    TooLong(&'static str),
    /// The page restarts on a slow-page thread.
    MoveToSlow,
}

impl Stop {
    /// The error of the list; the log contains its text.
    pub(super) fn error(self) -> StoreError {
        StoreError::Unavailable(
            match self {
                Self::Abandoned => "the client has disconnected",
                Self::LogFull => "the write-ahead log is full of pages that the list still reads",
                Self::TooLong(limit) => limit,
                Self::MoveToSlow => "the list has no thread",
            }
            .to_owned(),
        )
    }
}

/// Decides when the list of this thread is cancelled.
pub(super) struct Watch<T> {
    progress: Progress<T>,
    snapshot: SnapshotGuard,
    /// `None` for a command.
    limits: Option<ListLimits>,
    begin: Instant,
    /// What this thread had worked at the begin.
    worked_before: Duration,
    /// When the last row was seen; `None` before the first.
    last_row: Cell<Option<Instant>>,
    stop: Cell<Option<Stop>>,
}

impl<T> Watch<T> {
    pub(super) fn new(
        progress: Progress<T>,
        snapshot: SnapshotGuard,
        limits: Option<ListLimits>,
    ) -> Self {
        let (begin, worked_before) = (Instant::now(), worked());
        let (last_row, stop) = (Cell::new(None), Cell::new(None));
        Self { progress, snapshot, limits, begin, worked_before, last_row, stop }
    }

    /// The reason to cancel the list, if there is one now. When a page has become slow, this first
    /// tries to turn its thread into a slow-page thread, so that the page can go on.
    pub(super) fn stop(&self) -> Option<Stop> {
        if self.stop.get().is_none() {
            self.stop.set(self.find_reason());
        }
        self.stop.get()
    }

    /// The reason why the list was cancelled; `None` if it was not.
    pub(super) fn stopped(&self) -> Option<Stop> {
        self.stop.get().or_else(|| self.snapshot.is_cancelled().then_some(Stop::LogFull))
    }

    /// When the list has to be complete.
    pub(super) fn end(&self) -> Option<Instant> {
        self.limits.and_then(|limits| self.begin.checked_add(limits.whole))
    }

    fn find_reason(&self) -> Option<Stop> {
        if self.progress.is_abandoned() {
            return Some(Stop::Abandoned);
        }
        if self.snapshot.is_cancelled() {
            return Some(Stop::LogFull);
        }
        let now = Instant::now();
        let elapsed = now.saturating_duration_since(self.begin);
        if self.progress.take() {
            self.last_row.set(Some(now));
        }
        self.exceeded_limit(now, elapsed).or_else(|| self.move_to_slow(elapsed))
    }

    fn exceeded_limit(&self, now: Instant, elapsed: Duration) -> Option<Stop> {
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

    /// Moves a slow page away from the threads for quick pages: this thread becomes a slow-page
    /// thread. If the maximum of those is reached, the page is cancelled and restarts later on one
    /// of them.
    fn move_to_slow(&self, elapsed: Duration) -> Option<Stop> {
        if elapsed < QUICK_WHILE_PAGES_WAIT {
            return None;
        }
        let pool = readers::quick_pool()?;
        let quick = if pool.slow_pages_wait() { QUICK_WHILE_PAGES_WAIT } else { QUICK };
        let work = worked().saturating_sub(self.worked_before);
        if work < quick && elapsed < quick * ON_THE_CLOCK {
            return None;
        }
        (!pool.become_slow()).then_some(Stop::MoveToSlow)
    }
}

/// The time that this thread has spent on a processor; 0 where that is not known.
#[cfg(target_os = "linux")]
fn worked() -> Duration {
    let worked = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    worked.try_into().unwrap_or_default()
}

/// Only Linux is asked for it.
#[cfg(not(target_os = "linux"))]
const fn worked() -> Duration {
    Duration::ZERO
}
