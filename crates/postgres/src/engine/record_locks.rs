//! Locks on records within this process: writers of the same record wait here, instead of holding a
//! connection while they wait for the row lock.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use patrol_domain::StoreError;
use tokio::{
    sync::{Mutex as Queue, OwnedMutexGuard},
    time::{Instant, timeout},
};
use uuid::Uuid;

use super::{limit, waiting::Waits};

/// The records that are being written, and the waiting writers.
pub(super) struct RecordLocks {
    queues: Arc<Mutex<HashMap<Uuid, Arc<Queue<()>>>>>,
    waits: Waits,
}

impl RecordLocks {
    /// At most `most` writers wait for all records together.
    pub(super) fn new(most: usize) -> Self {
        Self { queues: Arc::default(), waits: Waits::new(most) }
    }

    /// The waiting writers.
    pub(super) const fn waits(&self) -> &Waits {
        &self.waits
    }

    /// Waits until no other task of this process writes to `id`.
    ///
    /// # Errors
    /// When that takes longer than [`limit::LEASE`], or too many already wait.
    pub(super) async fn take(&self, id: Uuid) -> Result<RecordLock, StoreError> {
        let _waiting = self.waits.begin()?;
        let start = Instant::now();
        let queue = {
            let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(queues.entry(id).or_default())
        };
        // Also dropped by a task that stops waiting: it then removes the queue if that is idle.
        let mut lock = RecordLock { queues: Arc::clone(&self.queues), id, held: None };
        let held = timeout(limit::LEASE, queue.lock_owned()).await;
        self.waits.end(held.is_ok(), start.elapsed());
        let too_long =
            |_| StoreError::Unavailable("too many changes at once to the same record".to_owned());
        lock.held = Some(held.map_err(too_long)?);
        Ok(lock)
    }
}

/// The lock on a record.
pub(super) struct RecordLock {
    queues: Arc<Mutex<HashMap<Uuid, Arc<Queue<()>>>>>,
    id: Uuid,
    held: Option<OwnedMutexGuard<()>>,
}

impl Drop for RecordLock {
    fn drop(&mut self) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.held.take());
        // The map has one reference; each task that holds or waits has another.
        let is_idle = queues.get(&self.id).is_some_and(|queue| Arc::strong_count(queue) == 1);
        if is_idle {
            queues.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn writers_of_one_record_follow_each_other_and_leave_nothing_behind() {
        let locks = RecordLocks::new(8);
        let id = Uuid::from_u128(1);
        let first = locks.take(id).await.unwrap();
        assert!(locks.take(Uuid::from_u128(2)).now_or_never().unwrap().is_ok());
        let second = locks.take(id);
        let mut second = Box::pin(second);
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        drop(second.await.unwrap());
        drop(locks.take(id).now_or_never());
        assert!(locks.queues.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_writer_that_goes_away_while_it_waits_is_forgotten() {
        let locks = RecordLocks::new(8);
        let id = Uuid::from_u128(1);
        let first = locks.take(id).await.unwrap();
        assert!(locks.take(id).now_or_never().is_none());
        drop(first);
        assert!(locks.queues.lock().unwrap().is_empty());
    }
}
