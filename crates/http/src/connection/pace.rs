//! How fast a client has to read.

use std::{
    future::Future,
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

/// The minimum number of bytes that the kernel has to accept in a period. The documentation says 64
/// KiB a minute; this is less because the kernel reports free space in steps (`TCP_NOTSENT_LOWAT`).
const MIN_BYTES: usize = 32 * 1024;

/// Detects a client that reads too slowly, or nothing at all, while bytes wait for it.
pub(super) struct Pace {
    period: Duration,
    stuck_timeout: Duration,
    waiting: Option<Waiting>,
    /// Created once and reset only when it fires.
    timer: Option<Pin<Box<Sleep>>>,
}

/// The state while bytes wait to be read.
struct Waiting {
    /// The start of the period.
    since: Instant,
    /// Bytes read by the client in the period.
    taken: usize,
    /// The time since which the client has read nothing.
    stuck_since: Instant,
    /// Whether the client has read something after `stuck_since` was set.
    has_read: bool,
}

impl Pace {
    /// The client has to read [`MIN_BYTES`] bytes in every `period`, and something within
    /// `stuck_timeout`.
    pub(super) const fn new(period: Duration, stuck_timeout: Duration) -> Self {
        Self { period, stuck_timeout, waiting: None, timer: None }
    }

    /// Records that the client has read some bytes.
    pub(super) const fn note_read(&mut self, bytes: usize) {
        if let Some(waiting) = &mut self.waiting {
            waiting.taken = waiting.taken.saturating_add(bytes);
            waiting.has_read = true;
        }
    }

    /// Records that no bytes wait.
    pub(super) const fn note_idle(&mut self) {
        self.waiting = None;
    }

    /// Called while bytes wait to be read. Ready when the client has read too few bytes in a
    /// period, or nothing within the stuck timeout.
    pub(super) fn poll_too_slow(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let now = Instant::now();
            let waiting = self.waiting.get_or_insert(Waiting {
                since: now,
                taken: 0,
                stuck_since: now,
                has_read: false,
            });
            if mem::take(&mut waiting.has_read) {
                waiting.stuck_since = now;
            }
            if now >= waiting.stuck_since + self.stuck_timeout {
                return Poll::Ready(());
            }
            if now >= waiting.since + self.period {
                if waiting.taken < MIN_BYTES {
                    return Poll::Ready(());
                }
                (waiting.since, waiting.taken) = (now, 0);
            }
            let deadline =
                (waiting.since + self.period).min(waiting.stuck_since + self.stuck_timeout);
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
            ready!(timer.as_mut().poll(context));
            timer.as_mut().reset(deadline);
        }
    }
}
