//! How fast a client takes what waits for it.

use std::{
    future::Future,
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

/// What the kernel has to take over in a period at least. Clients are promised that 64 KiB a minute
/// are enough. What they take shows here in steps, since the kernel reports room in steps
/// (`TCP_NOTSENT_LOWAT`).
const LEAST: usize = 32 * 1024;

/// Tells a slow client from one that is stuck, while bytes wait for it.
pub(super) struct Pace {
    period: Duration,
    patience: Duration,
    waiting: Option<Waiting>,
    /// Made once and set again only when it fires.
    timer: Option<Pin<Box<Sleep>>>,
}

/// What is known of the bytes that wait.
struct Waiting {
    /// When the period began.
    since: Instant,
    /// Bytes that were taken in it.
    taken: usize,
    /// Since when nothing was taken.
    stuck_since: Instant,
    /// Whether something was taken after `stuck_since` was noted.
    has_moved: bool,
}

impl Pace {
    /// [`LEAST`] has to be taken in every `period`, and something within `patience`.
    pub(super) const fn new(period: Duration, patience: Duration) -> Self {
        Self { period, patience, waiting: None, timer: None }
    }

    /// The client has taken some bytes.
    pub(super) const fn note(&mut self, bytes: usize) {
        if let Some(waiting) = &mut self.waiting {
            waiting.taken = waiting.taken.saturating_add(bytes);
            waiting.has_moved = true;
        }
    }

    /// Nothing waits any more.
    pub(super) const fn rest(&mut self) {
        self.waiting = None;
    }

    /// Bytes wait. Ready when too few were taken in a period, or none for too long.
    pub(super) fn poll_stuck(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let now = Instant::now();
            let waiting = self.waiting.get_or_insert(Waiting {
                since: now,
                taken: 0,
                stuck_since: now,
                has_moved: false,
            });
            if mem::take(&mut waiting.has_moved) {
                waiting.stuck_since = now;
            }
            if now >= waiting.stuck_since + self.patience {
                return Poll::Ready(());
            }
            if now >= waiting.since + self.period {
                if waiting.taken < LEAST {
                    return Poll::Ready(());
                }
                (waiting.since, waiting.taken) = (now, 0);
            }
            let deadline = (waiting.since + self.period).min(waiting.stuck_since + self.patience);
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
            ready!(timer.as_mut().poll(context));
            timer.as_mut().reset(deadline);
        }
    }
}
