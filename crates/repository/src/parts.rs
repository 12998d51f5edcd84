//! Sends a list in parts to a reader that may be slow or go away.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;
use patrol_domain::{StoreError, list::PART_BYTES};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// A message of a stream. A stream that closes without `End` or `Failed` was aborted.
enum Message<T> {
    /// A part and its share of the memory budget, which is released when the reader requests the
    /// next part.
    Part(T, Option<OwnedSemaphorePermit>),
    Failed(StoreError),
    End,
}

/// The exit of a list's parts from the store. Clones lead to the same reader.
pub struct Outlet<T> {
    to: mpsc::UnboundedSender<Message<T>>,
    free_bytes: Arc<Semaphore>,
}

impl<T> Clone for Outlet<T> {
    fn clone(&self) -> Self {
        Self { to: self.to.clone(), free_bytes: Arc::clone(&self.free_bytes) }
    }
}

/// An outlet and its stream.
#[must_use]
pub fn channel<T>() -> (Outlet<T>, Parts<T>) {
    let (to, from) = mpsc::unbounded_channel();
    let free_bytes = Arc::new(Semaphore::new(PART_BYTES));
    let outlet = Outlet { to, free_bytes: Arc::clone(&free_bytes) };
    (outlet, Parts { from: Some(from), free_bytes, taken: None })
}

impl<T> Outlet<T> {
    /// Sends the next part, of about `bytes` bytes. Waits while [`PART_BYTES`] are with the reader
    /// or wait for it; after a larger part, until the reader has consumed it.
    ///
    /// # Errors
    /// When the reader has gone, or [`Self::free_bytes`] is closed.
    pub async fn send(&self, part: T, bytes: usize) -> Result<(), StoreError> {
        let share = self.share(bytes).await?;
        self.message(Message::Part(part, Some(share)))?;
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

    /// Sends the parts of a page, which are already in memory.
    pub fn put(&self, parts: Vec<T>) {
        // Fails only when the reader has gone, which needs no parts.
        drop(parts.into_iter().try_for_each(|part| self.message(Message::Part(part, None))));
    }

    /// Ends the stream: complete, or with an error.
    pub fn finish(&self, result: Result<(), StoreError>) {
        let last = result.map_or_else(Message::Failed, |()| Message::End);
        // Fails only when the reader has gone, which needs no end.
        drop(self.message(last));
    }

    fn message(&self, message: Message<T>) -> Result<(), StoreError> {
        self.to.send(message).map_err(|_| gone())
    }

    /// Waits until the reader has gone.
    pub async fn abandoned(&self) {
        self.to.closed().await;
    }

    /// Whether the reader has gone.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.to.is_closed()
    }

    /// The bytes that may still be sent. Closed when nothing is to be sent any more.
    #[must_use]
    pub const fn free_bytes(&self) -> &Arc<Semaphore> {
        &self.free_bytes
    }
}

fn gone() -> StoreError {
    StoreError::Unavailable("the reader has gone away".to_owned())
}

/// The error for a caller whose job was lost: it panicked, or the store was closed.
#[must_use]
pub fn lost() -> StoreError {
    StoreError::Internal("the request was abandoned".to_owned())
}

/// The parts as a stream, which ends either complete or with an error.
pub struct Parts<T> {
    from: Option<mpsc::UnboundedReceiver<Message<T>>>,
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
        let Poll::Ready(message) = from.poll_recv(context) else { return Poll::Pending };
        let error = match message {
            Some(Message::Part(part, share)) => {
                self.taken = share;
                return Poll::Ready(Some(Ok(part)));
            }
            Some(Message::End) => None,
            Some(Message::Failed(error)) => Some(error),
            None => Some(lost()),
        };
        // Drops the receiver at once, with all parts in transit.
        self.from = None;
        Poll::Ready(error.map(Err))
    }
}

/// Wakes a sender that waits for this reader.
impl<T> Drop for Parts<T> {
    fn drop(&mut self) {
        self.free_bytes.close();
    }
}
