//! Statements by key over a few shared connections: statements are pipelined without waiting for the
//! answers to others.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use patrol_domain::StoreError;
use tokio::time::timeout;

use super::{
    Abort, Connection,
    connector::{Connector, Session},
    error::{Cause, caller_error, cause, connection_lost},
    slot::Slot,
    waiting::Waiting,
};

/// Shared connections.
pub(super) struct Reads {
    slots: Vec<Slot>,
    queue: usize,
    running: AtomicUsize,
    limit: Duration,
}

impl Reads {
    /// `slots` connections, at most `queue` reads at once, each within `limit`.
    pub(super) fn new(
        connector: &Connector,
        session: Session,
        slots: usize,
        queue: usize,
        limit: Duration,
    ) -> Self {
        let slots = (0..slots.max(1)).map(|_| Slot::new(connector.clone(), session)).collect();
        Self { slots, queue, running: AtomicUsize::new(0), limit }
    }

    /// The number of running reads.
    pub(super) fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    /// Runs `job`, and again over another connection when the first one is lost.
    pub(super) async fn run<T, F, Fut>(&self, job: &F) -> Result<T, StoreError>
    where
        F: Fn(Arc<Connection>) -> Fut,
        Fut: Future<Output = Result<T, Abort<StoreError>>>,
    {
        let _running = Waiting::begin(&self.running, self.queue)?;
        let slot = self.slot()?;
        // The other connections may be lost as well, so the retry uses a new one.
        let reading = async {
            match self.attempt(slot, job).await {
                Err(Abort::Database(error)) if cause(&error) == Cause::Lost => {
                    self.attempt(slot, job).await
                }
                result => result,
            }
        };
        timeout(self.limit, reading).await.unwrap_or_else(|_| too_long()).map_err(caller_error)
    }

    /// Takes at most half of the time, to leave the rest for a retry.
    async fn attempt<T, F, Fut>(&self, slot: &Slot, job: &F) -> Result<T, Abort<StoreError>>
    where
        F: Fn(Arc<Connection>) -> Fut,
        Fut: Future<Output = Result<T, Abort<StoreError>>>,
    {
        let connection = slot.connection().await?;
        let result = timeout(self.limit / 2, job(Arc::clone(&connection))).await;
        let result = result.unwrap_or_else(|_| too_long());
        if matches!(&result, Err(Abort::Database(error)) if cause(error).ends_connection()) {
            slot.replace(&connection);
        }
        result
    }

    /// The slot with the fewest users. Slots without a connection start to open one.
    fn slot(&self) -> Result<&Slot, StoreError> {
        for slot in &self.slots {
            slot.prepare();
        }
        let least = self.slots.iter().filter_map(|slot| Some((slot.users()?, slot)));
        let least = least.min_by_key(|(users, _)| *users).map(|(_, slot)| slot);
        let first = || self.slots.first();
        least.or_else(first).ok_or_else(|| StoreError::Internal("no connection to read".to_owned()))
    }
}

fn too_long<T>() -> Result<T, Abort<StoreError>> {
    Err(connection_lost("the database does not answer in time").into())
}
