//! Writers of the same record, one after another (architecture 1): they wait here, and not with a
//! connection in hand for each other's row lock.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use patrol_domain::StoreError;
use tokio::{
    sync::{Mutex as Queue, OwnedMutexGuard},
    time::timeout,
};
use uuid::Uuid;

use super::{limit, pool::Waiting};

/// Who writes to which record, and who waits to.
pub(super) struct Turns {
    queues: Arc<Mutex<HashMap<Uuid, Arc<Queue<()>>>>>,
    most: usize,
    waiting: AtomicUsize,
}

impl Turns {
    /// At most `most` wait, for all records together.
    pub(super) fn new(most: usize) -> Self {
        Self { queues: Arc::default(), most, waiting: AtomicUsize::new(0) }
    }

    /// How many wait for their turn.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits until nobody else of this process writes to `id`.
    ///
    /// # Errors
    /// When that takes longer than [`limit::LEASE`], or too many wait already.
    pub(super) async fn take(&self, id: Uuid) -> Result<Turn, StoreError> {
        let _waiting = Waiting::begin(&self.waiting, self.most)?;
        let queue = {
            let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(queues.entry(id).or_default())
        };
        // Whoever gives up waiting tidies up as well.
        let mut turn = Turn { queues: Arc::clone(&self.queues), id, held: None };
        let held = timeout(limit::LEASE, queue.lock_owned()).await;
        let too_long =
            |_| StoreError::Unavailable("too many changes at once to the same record".to_owned());
        turn.held = Some(held.map_err(too_long)?);
        Ok(turn)
    }
}

/// The right to write to a record.
pub(super) struct Turn {
    queues: Arc<Mutex<HashMap<Uuid, Arc<Queue<()>>>>>,
    id: Uuid,
    held: Option<OwnedMutexGuard<()>>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.held.take());
        // The map has one; each who holds or waits has another.
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
        let turns = Turns::new(8);
        let id = Uuid::from_u128(1);
        let first = turns.take(id).await.unwrap();
        assert!(turns.take(Uuid::from_u128(2)).now_or_never().unwrap().is_ok());
        let second = turns.take(id);
        let mut second = Box::pin(second);
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        drop(second.await.unwrap());
        drop(turns.take(id).now_or_never());
        assert!(turns.queues.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_writer_that_goes_away_while_it_waits_is_forgotten() {
        let turns = Turns::new(8);
        let id = Uuid::from_u128(1);
        let first = turns.take(id).await.unwrap();
        assert!(turns.take(id).now_or_never().is_none());
        drop(first);
        assert!(turns.queues.lock().unwrap().is_empty());
    }
}
