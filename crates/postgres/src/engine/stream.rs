//! Sends the parts of a page, which are held until it is complete, or those of a long list.

use std::{
    future::pending,
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use patrol_domain::{StoreError, list::PART_BYTES};
use patrol_repository::parts::Outlet;
use tokio::sync::Notify;

use super::error::Abort;

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
            To::Reader(outlet) => Ok(outlet.send(part, bytes).await?),
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

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt};
    use patrol_repository::parts::channel;

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
