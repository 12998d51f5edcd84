//! Sends a list in parts to a reader that may be slow or go away.

use std::{
    future::pending,
    mem,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use futures_core::Stream;
use patrol_domain::{StoreError, list::PART_BYTES};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};

use super::error::{Abort, caller_error, lost};

/// A message of a stream. A stream that closes without `End` or `Failed` was aborted.
enum Step<T> {
    /// A part and its share of the memory budget, which is released when the reader requests the
    /// next part.
    Part(T, Option<OwnedSemaphorePermit>),
    Failed(StoreError),
    End,
}

/// The sending end of a list. Clones send to the same list.
pub(crate) struct Sender<T>(To<T>);

enum To<T> {
    Page(Arc<Held<T>>),
    Reader(Outlet<T>),
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            To::Page(held) => To::Page(Arc::clone(held)),
            To::Reader(outlet) => To::Reader(outlet.clone()),
        })
    }
}

impl<T> Sender<T> {
    /// A sender that holds parts back until the page is complete.
    pub(super) fn page(held: &Arc<Held<T>>) -> Self {
        Self(To::Page(Arc::clone(held)))
    }

    /// A sender that sends parts at the pace of their reader.
    pub(super) fn reader(outlet: &Outlet<T>) -> Self {
        Self(To::Reader(outlet.clone()))
    }

    /// Whether this is a page, which may hold only one part.
    pub(crate) const fn is_page(&self) -> bool {
        matches!(self.0, To::Page(_))
    }

    /// Ends a page that is larger than one part. Never returns: the job is dropped.
    pub(crate) async fn give_up_page(&self) {
        if let To::Page(held) = &self.0 {
            held.overflowed.notify_one();
        }
        pending().await
    }

    /// Sends the next part, of about `bytes` bytes. Waits while [`PART_BYTES`] are with the reader
    /// or wait for it; after a larger part, until the reader has consumed it.
    ///
    /// # Errors
    /// When the reader has gone.
    pub(crate) async fn send(&self, part: T, bytes: usize) -> Result<(), Abort<StoreError>> {
        match &self.0 {
            To::Page(held) => held.push(part, bytes).await,
            To::Reader(outlet) => outlet.send(part, bytes).await,
        }
    }
}

/// The parts of a page in progress.
pub(super) struct Held<T> {
    parts: Mutex<(Vec<T>, usize)>,
    /// Notified when the page exceeds its size.
    overflowed: Notify,
}

impl<T> Held<T> {
    pub(super) fn new() -> Self {
        Self { parts: Mutex::new((Vec::new(), 0)), overflowed: Notify::new() }
    }

    /// Never returns when the page exceeds one part: then the page fails and the job is dropped.
    async fn push(&self, part: T, bytes: usize) -> Result<(), Abort<StoreError>> {
        {
            let mut held = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            let sum = held.1.saturating_add(bytes);
            if sum <= PART_BYTES {
                held.0.push(part);
                held.1 = sum;
                return Ok(());
            }
        }
        self.overflowed.notify_one();
        pending().await
    }

    /// Waits until the page exceeds its size.
    pub(super) async fn overflowed(&self) {
        self.overflowed.notified().await;
    }

    /// Takes all parts.
    pub(super) fn take(&self) -> Vec<T> {
        mem::take(&mut self.parts.lock().unwrap_or_else(PoisonError::into_inner).0)
    }
}

/// The exit of a list's parts from the store. Clones lead to the same reader.
pub(super) struct Outlet<T> {
    to: mpsc::UnboundedSender<Step<T>>,
    free_bytes: Arc<Semaphore>,
}

impl<T> Clone for Outlet<T> {
    fn clone(&self) -> Self {
        Self { to: self.to.clone(), free_bytes: Arc::clone(&self.free_bytes) }
    }
}

/// An outlet and its receiver.
pub(super) fn channel<T>() -> (Outlet<T>, Parts<T>) {
    let (to, from) = mpsc::unbounded_channel();
    let free_bytes = Arc::new(Semaphore::new(PART_BYTES));
    (
        Outlet { to, free_bytes: Arc::clone(&free_bytes) },
        Parts { from: Some(from), free_bytes, taken: None },
    )
}

impl<T> Outlet<T> {
    /// Sends a part when enough of the budget is free: a large part waits until no other part is in
    /// transit.
    async fn send(&self, part: T, bytes: usize) -> Result<(), Abort<StoreError>> {
        self.step(Step::Part(part, Some(self.share(bytes).await?)))?;
        // The next row may be as large, so it is not read while this one is in memory.
        if bytes > PART_BYTES {
            drop(self.share(bytes).await?);
        }
        Ok(())
    }

    /// Waits until this many more bytes may be sent.
    async fn share(&self, bytes: usize) -> Result<OwnedSemaphorePermit, StoreError> {
        let share = u32::try_from(bytes.clamp(1, PART_BYTES)).unwrap_or(1);
        Arc::clone(&self.free_bytes).acquire_many_owned(share).await.map_err(|_| gone())
    }

    /// Sends a part of a page, which is already in memory.
    ///
    /// # Errors
    /// When the reader has gone.
    pub(super) fn put(&self, part: T) -> Result<(), Abort<StoreError>> {
        self.step(Step::Part(part, None))
    }

    /// Waits until the reader has gone.
    pub(super) async fn abandoned(&self) {
        self.to.closed().await;
    }

    /// Ends the stream: complete, or with an error.
    pub(super) fn finish(&self, result: Result<(), Abort<StoreError>>) {
        let last = match result {
            Ok(()) => Step::End,
            Err(abort) => Step::Failed(caller_error(abort)),
        };
        // Fails only when the reader has gone, and then no end is needed.
        drop(self.step(last));
    }

    fn step(&self, step: Step<T>) -> Result<(), Abort<StoreError>> {
        self.to.send(step).map_err(|_| gone().into())
    }
}

fn gone() -> StoreError {
    StoreError::Unavailable("the reader has gone away".to_owned())
}

/// The parts as a stream, which ends either complete or with an error.
pub(super) struct Parts<T> {
    from: Option<mpsc::UnboundedReceiver<Step<T>>>,
    free_bytes: Arc<Semaphore>,
    /// The share of the part that the reader has; the part is in memory until the next one is
    /// requested.
    taken: Option<OwnedSemaphorePermit>,
}

impl<T> Stream for Parts<T> {
    type Item = Result<T, StoreError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.taken = None;
        let Some(from) = &mut self.from else { return Poll::Ready(None) };
        let Poll::Ready(step) = from.poll_recv(context) else { return Poll::Pending };
        let error = match step {
            Some(Step::Part(part, share)) => {
                self.taken = share;
                return Poll::Ready(Some(Ok(part)));
            }
            Some(Step::End) => None,
            Some(Step::Failed(error)) => Some(error),
            None => Some(lost()),
        };
        // Drops the receiver at once, with all parts in transit.
        self.from = None;
        Poll::Ready(error.map(Err))
    }
}

impl<T> Drop for Parts<T> {
    fn drop(&mut self) {
        self.free_bytes.close();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt};

    use super::*;

    #[tokio::test]
    async fn parts_wait_for_their_reader_by_their_bytes() {
        let (outlet, mut parts) = channel();
        let sender = Sender::reader(&outlet);
        for part in 0..4 {
            assert!(sender.send(part, PART_BYTES / 4).now_or_never().is_some(), "{part}");
        }
        assert!(sender.send(4, 1).now_or_never().is_none(), "more than may wait");
        assert_eq!(parts.next().await, Some(Ok(0)));
        assert!(sender.send(4, 1).now_or_never().is_none(), "the reader has the first part");
        assert_eq!(parts.next().await, Some(Ok(1)));
        assert!(sender.send(4, PART_BYTES / 4).now_or_never().is_some());
        // A part larger than the budget waits alone, and nothing is read meanwhile.
        let mut large = Box::pin(sender.send(5, 8 * PART_BYTES));
        for part in 2..5 {
            assert!(large.as_mut().now_or_never().is_none());
            assert_eq!(parts.next().await, Some(Ok(part)));
        }
        assert!(parts.next().now_or_never().is_none());
        assert!(large.as_mut().now_or_never().is_none());
        assert_eq!(parts.next().await, Some(Ok(5)));
        assert!(large.as_mut().now_or_never().is_none(), "the reader has it");
        assert!(parts.next().now_or_never().is_none());
        assert!(large.now_or_never().is_some_and(|sent| sent.is_ok()));
        drop(parts);
        assert!(sender.send(6, 1).now_or_never().is_some_and(|sent| sent.is_err()));
    }

    #[tokio::test]
    async fn a_page_holds_no_more_than_one_part() {
        let held = Arc::new(Held::new());
        let sender = Sender::page(&held);
        assert!(sender.send(0, PART_BYTES).now_or_never().is_some());
        assert!(held.overflowed().now_or_never().is_none());
        assert!(sender.send(1, 1).now_or_never().is_none());
        assert!(held.overflowed().now_or_never().is_some());
        assert_eq!(held.take(), [0]);
    }
}
