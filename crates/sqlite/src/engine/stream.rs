//! What a thread sends part by part to a reader that may be slow or go away.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use futures_core::Stream;
use patrol_domain::StoreError;
use tokio::sync::{Semaphore, mpsc};

use super::error::{Abort, lost};

/// How many parts wait for a slow reader.
const AHEAD: usize = 2;

/// One step of a stream. A stream that ends without `End` or `Failed` was broken off.
pub(super) enum Step<T> {
    Part(T),
    Failed(StoreError),
    End,
}

/// Sends what a stream is made of.
pub(crate) struct Sender<T> {
    to: mpsc::Sender<Step<T>>,
    patience: Option<Duration>,
    /// Whether the reader has gone away or was too slow.
    is_given_up: bool,
}

/// A sender and its stream. With `bounded`, the sender waits for a slow reader, for at most
/// `patience` a part, or for ever; without, it never waits.
pub(super) fn channel<T>(bounded: bool, patience: Option<Duration>) -> (Sender<T>, Parts<T>) {
    // Who is woken takes the part at once and never waits for the sender, who may have a low priority.
    let (to, from) = mpsc::channel(if bounded { AHEAD } else { Semaphore::MAX_PERMITS });
    (Sender { to, patience, is_given_up: false }, Parts::Running(from))
}

impl<T> Sender<T> {
    /// Sends the next part; waits when the reader is slow.
    ///
    /// # Errors
    /// When the reader has gone away, or has not taken a part for too long.
    pub(crate) fn send(&mut self, part: T) -> Result<(), Abort<StoreError>> {
        self.step(Step::Part(part))
    }

    /// Whether the reader has gone away, so that there is no use in going on.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.to.is_closed()
    }

    /// What [`Self::is_abandoned`] says, for whoever asks while the sender is in use.
    pub(super) fn abandonment(&self) -> impl Fn() -> bool + 'static
    where
        T: 'static,
    {
        let to = self.to.clone();
        move || to.is_closed()
    }

    /// Ends the stream: it is complete, or it has failed.
    pub(super) fn finish(mut self, result: Result<(), Abort<StoreError>>) {
        if self.is_given_up {
            return;
        }
        let last = match result {
            Ok(()) => Step::End,
            Err(abort) => Step::Failed(abort.into_error()),
        };
        // A reader that does not take even this finds the stream broken off.
        drop(self.step(last));
    }

    fn step(&mut self, step: Step<T>) -> Result<(), Abort<StoreError>> {
        let reason = match within(self.patience, self.to.send(step)) {
            Some(Ok(())) => return Ok(()),
            Some(Err(_)) => "the reader has gone away",
            None => "the reader is too slow",
        };
        self.is_given_up = true;
        Err(StoreError::Unavailable(reason.to_owned()).into())
    }
}

/// What `future` comes to, waited for on this thread; none when that takes longer than `patience`.
fn within<F: Future>(patience: Option<Duration>, future: F) -> Option<F::Output> {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    let begin = Instant::now();
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Some(output);
        }
        match patience.map(|patience| patience.saturating_sub(begin.elapsed())) {
            None => thread::park(),
            Some(Duration::ZERO) => return None,
            Some(left) => thread::park_timeout(left),
        }
    }
}

/// The parts as a stream. Every one ends either complete or with an error.
pub(super) enum Parts<T> {
    /// It never began.
    Refused(StoreError),
    /// There is more.
    Running(mpsc::Receiver<Step<T>>),
    /// Nothing follows.
    Ended,
}

impl<T> Stream for Parts<T> {
    type Item = Result<T, StoreError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let step = match &mut *self {
            Self::Running(from) => match from.poll_recv(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(step) => step,
            },
            Self::Refused(error) => Some(Step::Failed(error.clone())),
            Self::Ended => return Poll::Ready(None),
        };
        let error = match step {
            Some(Step::Part(part)) => return Poll::Ready(Some(Ok(part))),
            Some(Step::End) => None,
            Some(Step::Failed(error)) => Some(error),
            None => Some(lost()),
        };
        // Gives up the receiver at once, and with it what is still on its way.
        *self = Self::Ended;
        Poll::Ready(error.map(Err))
    }
}
