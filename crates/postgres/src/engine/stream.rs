//! What a task sends part by part to a reader that may be slow or go away.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use patrol_domain::StoreError;
use tokio::{sync::mpsc, time::timeout};

use super::error::{Abort, lost};

/// How long a stream is, so how it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// A page: a few parts, all of which fit in memory, so that nothing waits for the reader.
    Page,
    /// As long as there are records: a part waits until the reader has taken the one before.
    Long,
}

/// How many parts of a long stream wait for a slow reader.
const AHEAD: usize = 2;

/// One step of a stream. A stream that ends without `End` or `Failed` was broken off.
enum Step<T> {
    Part(T),
    Failed(StoreError),
    End,
}

/// Sends what a stream is made of. Clones send to the same stream.
pub(crate) struct Sender<T> {
    to: To<T>,
    patience: Duration,
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        let Self { to, patience } = self;
        Self { to: to.clone(), patience: *patience }
    }
}

enum To<T> {
    Page(mpsc::UnboundedSender<Step<T>>),
    Long(mpsc::Sender<Step<T>>),
}

impl<T> Clone for To<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Page(to) => Self::Page(to.clone()),
            Self::Long(to) => Self::Long(to.clone()),
        }
    }
}

/// A sender and its stream. A long stream's sender waits for a slow reader for at most `patience` a
/// part.
pub(super) fn channel<T>(length: Length, patience: Duration) -> (Sender<T>, Parts<T>) {
    let (to, from) = match length {
        Length::Page => {
            let (to, from) = mpsc::unbounded_channel();
            (To::Page(to), From::Page(from))
        }
        Length::Long => {
            let (to, from) = mpsc::channel(AHEAD);
            (To::Long(to), From::Long(from))
        }
    };
    (Sender { to, patience }, Parts(Some(from)))
}

impl<T> Sender<T> {
    /// Sends the next part; waits when the reader is slow.
    ///
    /// # Errors
    /// When the reader has gone away, or has not taken a part for too long.
    pub(crate) async fn send(&self, part: T) -> Result<(), Abort<StoreError>> {
        self.step(Step::Part(part)).await
    }

    /// Waits until the reader has gone away.
    pub(super) async fn abandoned(&self) {
        match &self.to {
            To::Page(to) => to.closed().await,
            To::Long(to) => to.closed().await,
        }
    }

    /// Ends the stream: it is complete, or it has failed.
    pub(super) async fn finish(self, result: Result<(), Abort<StoreError>>) {
        let last = match result {
            Ok(()) => Step::End,
            Err(abort) => Step::Failed(abort.into_error()),
        };
        // A reader that does not take even this finds the stream broken off.
        drop(self.step(last).await);
    }

    async fn step(&self, step: Step<T>) -> Result<(), Abort<StoreError>> {
        let gone = || StoreError::Unavailable("the reader has gone away".to_owned());
        match &self.to {
            To::Page(to) => to.send(step).map_err(|_| gone())?,
            To::Long(to) => match timeout(self.patience, to.send(step)).await {
                Ok(sent) => sent.map_err(|_| gone())?,
                Err(_) => {
                    return Err(StoreError::Unavailable("the reader is too slow".to_owned()).into());
                }
            },
        }
        Ok(())
    }
}

/// The parts as a stream. Every one ends either complete or with an error.
pub(super) struct Parts<T>(Option<From<T>>);

enum From<T> {
    Page(mpsc::UnboundedReceiver<Step<T>>),
    Long(mpsc::Receiver<Step<T>>),
}

impl<T> Stream for Parts<T> {
    type Item = Result<T, StoreError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = match &mut self.0 {
            Some(From::Page(from)) => from.poll_recv(context),
            Some(From::Long(from)) => from.poll_recv(context),
            None => return Poll::Ready(None),
        };
        let Poll::Ready(step) = polled else { return Poll::Pending };
        let error = match step {
            Some(Step::Part(part)) => return Poll::Ready(Some(Ok(part))),
            Some(Step::End) => None,
            Some(Step::Failed(error)) => Some(error),
            None => Some(lost()),
        };
        // Gives up the receiver at once, and with it what is still on its way.
        self.0 = None;
        Poll::Ready(error.map(Err))
    }
}
