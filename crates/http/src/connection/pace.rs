//! How fast a client takes what waits for it.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

/// What the kernel has to take over in a period at least. Clients are promised that 64 KiB a minute
/// are enough. What they take shows here in steps: the kernel reports room once half of
/// `TCP_NOTSENT_LOWAT` (32 KiB) is free, so up to a step less than the client took.
const LEAST: usize = 32 * 1024;

/// Tells a slow client from one that is stuck: periods in which bytes wait for it are counted.
pub(super) struct Pace {
    period: Duration,
    /// When the period began; none while nothing waits.
    since: Option<Instant>,
    /// Bytes that were taken in it.
    taken: usize,
    /// Made once and set again only when it fires.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Pace {
    /// [`LEAST`] has to be taken in every `period`.
    pub(super) const fn new(period: Duration) -> Self {
        Self { period, since: None, taken: 0, timer: None }
    }

    /// The client has taken some bytes.
    pub(super) const fn note(&mut self, bytes: usize) {
        self.taken = self.taken.saturating_add(bytes);
    }

    /// Nothing waits any more.
    pub(super) const fn rest(&mut self) {
        self.since = None;
    }

    /// Bytes wait. Ready when too few were taken in a period.
    pub(super) fn poll_stuck(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let since = match self.since {
                Some(since) => since,
                None => self.begin(),
            };
            let deadline = since + self.period;
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
            ready!(timer.as_mut().poll(context));
            if Instant::now() >= deadline {
                if self.taken < LEAST {
                    return Poll::Ready(());
                }
                self.since = None;
            } else {
                timer.as_mut().reset(deadline);
            }
        }
    }

    fn begin(&mut self) -> Instant {
        self.taken = 0;
        *self.since.insert(Instant::now())
    }
}
