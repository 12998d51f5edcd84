//! The connections for writes, lists and transactions.

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

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
    error::{OpenError, lost},
    limit,
    list_slots::Permit,
    waiting::Waiting,
};

/// Connections that are lent to one user at a time.
pub(super) struct Pool {
    pool: managed::Pool<Connector>,
    queue: usize,
    waiting: AtomicUsize,
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
        Ok(Self { pool, queue, waiting: AtomicUsize::new(0) })
    }

    /// A connection that is in order, as far as can be known without asking the server.
    ///
    /// # Errors
    /// When too many wait already, or there is none within [`limit::LEASE`] of the time when it was
    /// `asked` for.
    pub(super) async fn lease(&self, asked: Instant) -> Result<Lease, StoreError> {
        let _waiting = Waiting::begin(&self.waiting, self.queue)?;
        let got = timeout_at(asked + limit::LEASE, self.pool.get()).await;
        let object = got.unwrap_or(Err(PoolError::Timeout(managed::TimeoutType::Wait)));
        let object = object.map_err(|error| StoreError::Unavailable(reason(&error)))?;
        let runtime = self.pool.manager().runtime().clone();
        Ok(Lease { object: Some(object), runtime, permits: Vec::new(), end: End::Broken })
    }

    /// The most connections.
    pub(super) fn capacity(&self) -> usize {
        self.pool.status().max_size
    }

    /// How many wait for a connection.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Connections that are lent, and those that are there besides.
    pub(super) fn usage(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.size.saturating_sub(status.available), status.available)
    }

    /// Lends nothing any more, and waits for what is lent, for [`limit::LEASE`] at most.
    pub(super) async fn close(&self) {
        self.pool.close();
        let end = Instant::now() + limit::LEASE;
        while self.pool.status().size > 0 && Instant::now() < end {
            sleep(LOOK).await;
        }
    }
}

/// How often to look whether everything is given back.
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

/// A connection of the pool. It goes back when it is given up in order; otherwise what it does is
/// cancelled.
pub(super) struct Lease {
    object: Option<Object<Connector>>,
    runtime: Handle,
    permits: Vec<Permit>,
    end: End,
}

/// What a lease means that ends within its transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// A change was given up: the connection leaves the pool.
    Broken,
    /// The client of a list has left. What is read only is cancelled and the connection goes back,
    /// as in the next two cases.
    Left,
    /// Others needed the connection of a page.
    Preempted,
    /// A list has failed.
    Failed,
}

impl Lease {
    /// The connection, which is there until the lease ends.
    ///
    /// # Errors
    /// When the lease has ended.
    pub(super) fn connection(&self) -> Result<Arc<Connection>, StoreError> {
        self.object.as_deref().map(Arc::clone).ok_or_else(lost)
    }

    /// It is used to read only: when it ends within its transaction, a client has left.
    pub(super) const fn reads(&mut self) {
        self.end = End::Left;
    }

    /// Ends it to make way for others.
    pub(super) fn preempted(mut self) {
        self.end = End::Preempted;
    }

    /// Ends it since its list has failed.
    pub(super) fn failed(mut self) {
        self.end = End::Failed;
    }

    /// Keeps `permit` until the connection can be lent again.
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
            End::Left => object.counters().left.increment(),
            End::Preempted => object.counters().preempted.increment(),
            End::Failed => {}
        }
        let permits = mem::take(&mut self.permits);
        self.runtime.spawn(async move {
            settle(object).await;
            drop(permits);
        });
    }
}

/// Cancels what `object` does and gives it back to the pool. PostgreSQL closes the connection that
/// carries the request once it has passed it on, so that a statement which is sent after that, the
/// rollback, is the last one that it can hit.
async fn settle(object: Object<Connector>) {
    object.cancellation().await;
    object.set_limit(limit::CANCEL);
    object.roll_back().await;
    if !object.is_clean() {
        drop(Object::take(object));
    }
}
