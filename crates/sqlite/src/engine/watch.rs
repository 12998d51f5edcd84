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

/// After this time of a processor a page counts as slow, or after [`CLOCK_FACTOR`] times as long on
/// the clock.
const QUICK: Duration = Duration::from_millis(100);

/// After this shorter time a page counts as slow while slow pages wait for a thread: then many slow
/// pages occupy the threads for quick pages less.
const QUICK_WHILE_PAGES_WAIT: Duration = Duration::from_millis(25);

/// How many times longer than its work a page may take on the clock. On a busy machine a thread
/// gets no processor for a while, which does not make its page a slow one: it would wait behind
/// those that are. A page that waits for the disk does occupy its thread. Where the work is not
/// known, the clock alone counts.
const CLOCK_FACTOR: u32 = if cfg!(target_os = "linux") { 10 } else { 1 };

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
    /// [`work`] at the begin.
    work_before: Duration,
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
        let (begin, work_before) = (Instant::now(), work());
        let (last_row, stop) = (Cell::new(None), Cell::new(None));
        Self { progress, snapshot, limits, begin, work_before, last_row, stop }
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
        let work = work().saturating_sub(self.work_before);
        if !is_slow(work, elapsed, pool.slow_pages_wait()) {
            return None;
        }
        (!pool.become_slow()).then_some(Stop::MoveToSlow)
    }
}

/// Whether a page is slow that has worked for `work`, and began `elapsed` ago.
fn is_slow(work: Duration, elapsed: Duration, slow_pages_wait: bool) -> bool {
    let quick = if slow_pages_wait { QUICK_WHILE_PAGES_WAIT } else { QUICK };
    work >= quick || elapsed >= quick * CLOCK_FACTOR
}

thread_local! {
    /// How long this thread has waited for the queries of other threads.
    static WAITED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Waits for the query of another thread. This counts as work: the query may be a slow one.
pub(crate) fn count_as_work(wait: impl FnOnce()) {
    let begin = Instant::now();
    wait();
    WAITED.set(WAITED.get() + begin.elapsed());
}

/// How long this thread has worked so far.
fn work() -> Duration {
    WAITED.get() + processor_time()
}

/// The time that this thread has spent on a processor.
#[cfg(target_os = "linux")]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
}

/// It is known on Linux only.
#[cfg(not(target_os = "linux"))]
const fn processor_time() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_slow_by_its_work_or_a_multiple_of_it_on_the_clock() {
        let millis = Duration::from_millis;
        for (work, clock, slow_pages_wait, expected) in [
            (99, 99, false, false),
            (100, 100, false, true),
            (24, 24, true, false),
            (25, 25, true, true),
            (1, 25 * CLOCK_FACTOR - 1, true, false),
            (1, 25 * CLOCK_FACTOR, true, true),
            (1, 100 * CLOCK_FACTOR, false, true),
        ] {
            let clock = millis(clock.into());
            assert_eq!(is_slow(millis(work), clock, slow_pages_wait), expected, "{work} {clock:?}");
        }
    }

    #[test]
    fn a_wait_for_another_thread_is_work() {
        let before = work();
        count_as_work(|| std::thread::sleep(Duration::from_millis(30)));
        assert!(work() - before >= Duration::from_millis(30));
    }
}
