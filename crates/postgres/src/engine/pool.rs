//! The connections for writes, pages and transactions.

use std::{mem, sync::Arc, time::Duration};

use deadpool::{
    Runtime,
    managed::{self, BuildError, Object, PoolError, Timeouts},
};
use patrol_domain::StoreError;
use tokio::{
    runtime::Handle,
    time::{Instant, sleep, timeout_at},
};

use super::{
    Connection,
    connector::Connector,
    counters::Counters,
    error::{OpenError, lost},
    limit,
    list_slots::Permit,
    waiting::Waits,
};

/// Connections that are leased to one user at a time.
pub(super) struct Pool {
    pool: managed::Pool<Connector>,
    waits: Waits,
}

impl Pool {
    pub(super) fn new(connector: Connector, size: usize, queue: usize) -> Result<Self, BuildError> {
        let timeouts = Timeouts {
            wait: Some(limit::LEASE),
            create: Some(limit::LEASE),
            recycle: Some(limit::LEASE),
        };
        let pool = managed::Pool::builder(connector)
            .max_size(size)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build()?;
        Ok(Self { pool, waits: Waits::new(queue) })
    }

    /// Leases a connection that is in good order, as far as that is known without asking the
    /// server.
    ///
    /// # Errors
    /// When too many callers already wait, or there is none within [`limit::LEASE`] after `asked`.
    pub(super) async fn lease(&self, asked: Instant) -> Result<Lease, StoreError> {
        let _waiting = self.waits.begin()?;
        let start = Instant::now();
        let got = timeout_at(asked + limit::LEASE, self.pool.get()).await;
        let object = got.unwrap_or(Err(PoolError::Timeout(managed::TimeoutType::Wait)));
        if !matches!(object, Err(PoolError::Backend(_) | PoolError::Closed)) {
            self.waits.end(object.is_ok(), start.elapsed());
        }
        let object = object.map_err(|error| StoreError::Unavailable(reason(&error)))?;
        let runtime = self.pool.manager().runtime().clone();
        Ok(Lease { object: Some(object), runtime, permits: Vec::new(), end: End::Broken })
    }

    /// The maximum number of connections.
    pub(super) fn capacity(&self) -> usize {
        self.pool.status().max_size
    }

    /// The counters of the store.
    pub(super) fn counters(&self) -> &Counters {
        self.pool.manager().counters()
    }

    /// The callers that wait for a connection.
    pub(super) const fn waits(&self) -> &Waits {
        &self.waits
    }

    /// The numbers of leased and of idle connections.
    pub(super) fn usage(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.size.saturating_sub(status.available), status.available)
    }

    /// Leases no more connections, and waits for the leased ones, at most [`limit::LEASE`].
    pub(super) async fn close(&self) {
        self.pool.close();
        let end = Instant::now() + limit::LEASE;
        while self.pool.status().size > 0 && Instant::now() < end {
            sleep(LOOK).await;
        }
    }
}

/// How often closing checks for leased connections.
const LOOK: Duration = Duration::from_millis(10);

fn reason(error: &PoolError<OpenError>) -> String {
    match error {
        PoolError::Backend(error) => error.to_string(),
        PoolError::Timeout(_) => "no connection to the database became free in time".to_owned(),
        PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => {
            "the connections to the database are closed".to_owned()
        }
    }
}

/// A leased connection. It returns to the pool if it is in good order; otherwise its work is
/// cancelled.
pub(super) struct Lease {
    object: Option<Object<Connector>>,
    runtime: Handle,
    permits: Vec<Permit>,
    end: End,
}

/// Why a lease ends within its transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// A change was dropped: the connection leaves the pool.
    Broken,
    /// The client of a list has disconnected. Its query is cancelled and the connection leaves the
    /// pool, as in the next two cases.
    Left,
    /// The connection of a page was needed for other requests.
    Preempted,
    Failed,
}

impl Lease {
    /// The connection, available until the lease ends.
    ///
    /// # Errors
    /// When the lease has ended.
    pub(super) fn connection(&self) -> Result<Arc<Connection>, StoreError> {
        self.object.as_deref().map(Arc::clone).ok_or_else(lost)
    }

    /// Marks the lease as read-only: if it ends within its transaction, its client has
    /// disconnected.
    pub(super) const fn reads(&mut self) {
        self.end = End::Left;
    }

    /// Ends the lease to free the connection for other requests.
    pub(super) fn preempted(mut self) {
        self.end = End::Preempted;
    }

    /// Ends the lease because its list failed.
    pub(super) fn failed(mut self) {
        self.end = End::Failed;
    }

    /// Keeps `permit` until the connection can be leased again.
    pub(super) fn keep(&mut self, permit: Option<Permit>) {
        self.permits.extend(permit);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(object) = self.object.take() else { return };
        if object.is_clean() {
            return;
        }
        if !object.is_to_be_cancelled() {
            drop(Object::take(object));
            return;
        }
        match self.end {
            End::Broken => {
                self.runtime.spawn(Object::take(object).cancellation());
                return;
            }
            End::Left => object.counters().cancelled.increment("client_left"),
            End::Preempted => object.counters().cancelled.increment("made_room"),
            End::Failed => {}
        }
        let permits = mem::take(&mut self.permits);
        // PostgreSQL passes a cancel request on some time after it was sent, as two signals, so
        // that it could hit a statement of the next user of the connection.
        let cancellation = Object::take(object).cancellation();
        self.runtime.spawn(async move {
            cancellation.await;
            drop(permits);
        });
    }
}
