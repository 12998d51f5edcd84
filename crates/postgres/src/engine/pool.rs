//! The connections for writes, lists and transactions.

use std::{
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
        Ok(Lease { object: Some(object), runtime })
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

/// One of those who wait, or use something of which there is little.
pub(super) struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    /// # Errors
    /// When there are `most` already.
    pub(super) fn begin(count: &'a AtomicUsize, most: usize) -> Result<Self, StoreError> {
        let waiting = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) < most {
            Ok(waiting)
        } else {
            Err(StoreError::Unavailable("too many requests wait for the database".to_owned()))
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection of the pool. It goes back when it is given up in order; otherwise what it does is
/// cancelled, and it leaves the pool.
pub(super) struct Lease {
    object: Option<Object<Connector>>,
    runtime: Handle,
}

impl Lease {
    /// The connection, which is there until the lease ends.
    ///
    /// # Errors
    /// When the lease has ended.
    pub(super) fn connection(&self) -> Result<Arc<Connection>, StoreError> {
        self.object.as_deref().map(Arc::clone).ok_or_else(lost)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(object) = self.object.take() else { return };
        if object.is_clean() {
            return;
        }
        let connection = Object::take(object);
        if connection.is_to_be_cancelled() {
            self.runtime.spawn(connection.cancellation());
        }
    }
}
