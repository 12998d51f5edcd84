//! Limits how many lists of each kind run at once, so that none of them takes the connections of
//! others.

use std::{future::pending, sync::Arc, time::Duration};

use patrol_domain::StoreError;
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use super::waiting::Waits;

/// A permit to run one list of a kind.
pub(super) type Permit = OwnedSemaphorePermit;

/// A limit for concurrent lists of one kind.
pub(super) struct ListSlots {
    permits: Arc<Semaphore>,
    size: usize,
    waits: Waits,
    arrived: Notify,
}

impl ListSlots {
    /// `size` lists at once, at least one; at most `queue` more wait.
    pub(super) fn new(size: usize, queue: usize) -> Self {
        let size = size.max(1);
        let permits = Arc::new(Semaphore::new(size));
        Self { permits, size, waits: Waits::new(queue), arrived: Notify::new() }
    }

    /// Waits for a permit, in order of arrival, until `end`.
    ///
    /// # Errors
    /// `Unavailable` when there is none in time, or too many lists already wait.
    pub(super) async fn enter(&self, end: Instant) -> Result<Permit, StoreError> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            self.waits.end(true, Duration::ZERO);
            return Ok(permit);
        }
        let _waiting = self.waits.begin()?;
        let start = Instant::now();
        self.arrived.notify_one();
        let too_many = || StoreError::Unavailable("too many lists at once".to_owned());
        let permit = timeout_at(end, Arc::clone(&self.permits).acquire_owned()).await;
        let permit = permit.ok().and_then(Result::ok);
        self.waits.end(permit.is_some(), start.elapsed());
        permit.ok_or_else(too_many)
    }

    /// Waits for a permit without a limit.
    pub(super) async fn enter_whenever_free(&self) -> Permit {
        match Arc::clone(&self.permits).acquire_owned().await {
            Ok(permit) => permit,
            // The semaphore is never closed.
            Err(_) => pending().await,
        }
    }

    /// Waits until another list waits for a permit. Each arrival ends one of several such waits; a
    /// new wait ends at once while there is a queue.
    pub(super) async fn contention(&self) {
        while self.waiting() == 0 {
            self.arrived.notified().await;
        }
    }

    /// The number of waiting lists.
    pub(super) fn waiting(&self) -> usize {
        self.waits.waiting()
    }

    /// The waiting lists.
    pub(super) const fn waits(&self) -> &Waits {
        &self.waits
    }

    /// The number of permits in use.
    pub(super) fn taken(&self) -> usize {
        self.size.saturating_sub(self.permits.available_permits())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(50)
    }

    #[tokio::test]
    async fn slots_admit_as_many_lists_as_there_are_and_the_next_only_in_time() {
        let slots = ListSlots::new(1, 8);
        let first = slots.enter(soon()).await.unwrap();
        assert_eq!(slots.taken(), 1);
        assert!(matches!(slots.enter(soon()).await, Err(StoreError::Unavailable(_))));
        assert_eq!(slots.waiting(), 0);
        drop(first);
        assert!(slots.enter(soon()).await.is_ok());
    }

    #[tokio::test]
    async fn contention_is_reported_while_a_list_waits() {
        let slots = ListSlots::new(1, 8);
        let _first = slots.enter(soon()).await.unwrap();
        assert!(slots.contention().now_or_never().is_none());
        let mut second = Box::pin(slots.enter(soon()));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(slots.contention().now_or_never().is_some());
        drop(second);
        assert!(slots.contention().now_or_never().is_none());
    }

    #[tokio::test]
    async fn no_more_wait_than_the_queue_holds() {
        let slots = ListSlots::new(1, 0);
        let _first = slots.enter(soon()).await.unwrap();
        let refused = slots.enter(Instant::now() + Duration::from_secs(60)).now_or_never();
        assert!(matches!(refused, Some(Err(StoreError::Unavailable(_)))));
    }
}
