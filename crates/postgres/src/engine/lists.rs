//! Runs lists so that none of them delays others.
//!
//! A page is read completely, at most [`PART_BYTES`], before any of it is sent, so that a slow
//! client does not hold a connection. A page that runs longer than [`ListLimits::cheap`] needs one
//! of a few permits for slow pages. Without a permit it continues only while no request waits for
//! its connection; then it is cancelled in the database, waits for a permit and runs again. A
//! larger page fails with `PageTooLarge`, and its caller requests it in parts.
//!
//! A long list is sent while it is read, at the pace of its reader, over connections that nothing
//! else uses.

use std::{
    future::{Future, pending},
    pin::pin,
    sync::Arc,
};

use patrol_domain::StoreError;
use patrol_repository::parts::Outlet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::{
    Abort, Connection, Sender,
    limit::{ListLimits, Reader, long_connections},
    list_slots::{ListSlots, Permit},
    pool::{Lease, Pool},
    stream::Held,
    transaction,
};

/// The slots and connections of lists.
pub(super) struct Lists {
    /// Pages leave a quarter of the pool for changes.
    pub(super) pages: ListSlots,
    /// Slow pages leave half of that for cheap ones.
    pub(super) slow: ListSlots,
    /// One for each connection of `pool`.
    pub(super) long: ListSlots,
    /// The connections of long lists.
    pub(super) pool: Pool,
    pub(super) limits: ListLimits,
    pub(super) reader: Reader,
}

/// A complete page, and its open transaction.
pub(super) struct Page<T> {
    pub(super) parts: Vec<T>,
    pub(super) lease: Lease,
}

/// The result of an attempt to read a page.
enum Attempt {
    Read(Result<(), Abort<StoreError>>),
    /// It exceeds the size of a page.
    TooLarge,
    /// Its connection was needed for other requests.
    Preempted,
}

impl Lists {
    /// Pages use `pool`, which has `connections`; long lists use `long_pool`.
    pub(super) fn new(
        connections: usize,
        queue: usize,
        long_pool: Pool,
        limits: ListLimits,
        reader: Reader,
    ) -> Self {
        let pages = connections - connections / 4;
        let long = long_connections(connections);
        Self {
            pages: ListSlots::new(pages, queue),
            slow: ListSlots::new(pages / 2, queue),
            long: ListSlots::new(long, queue),
            pool: long_pool,
            limits,
            reader,
        }
    }

    /// Reads a page over a connection of `pool`.
    ///
    /// # Errors
    /// `PageTooLarge` when it is larger than a part.
    pub(super) async fn page<T, F, Fut>(
        &self,
        pool: &Pool,
        produce: &F,
    ) -> Result<Page<T>, Abort<StoreError>>
    where
        F: Fn(Arc<Connection>, Sender<T>) -> Fut,
        Fut: Future<Output = Result<(), Abort<StoreError>>>,
    {
        let mut end = Instant::now() + self.limits.wait;
        let mut permit = None;
        loop {
            let lease = timeout_at(end, self.begin(&self.pages, end, pool)).await;
            let lease = lease.unwrap_or_else(|_| Err(late()))?;
            let connection = lease.connection()?;
            let held = Arc::new(Held::new());
            let began = Instant::now();
            let attempt = {
                let reading = produce(Arc::clone(&connection), Sender::page(&held));
                let reading = timeout(self.limits.longest, reading);
                tokio::select! {
                    biased;
                    read = reading => Attempt::Read(read.unwrap_or_else(|_| Err(too_long(&connection)))),
                    () = held.overflowed() => Attempt::TooLarge,
                    () = self.preemption(&mut permit) => Attempt::Preempted,
                }
            };
            match attempt {
                Attempt::Read(Ok(())) => return Ok(Page { parts: held.take(), lease }),
                Attempt::Read(Err(abort)) => return failed(lease, abort).await,
                Attempt::TooLarge => {
                    lease.failed();
                    return Err(StoreError::PageTooLarge.into());
                }
                Attempt::Preempted => {
                    lease.preempted();
                    end += began.elapsed();
                    permit = Some(self.slow.enter(end).await?);
                    // It has already waited for most of the time.
                    end = end.max(Instant::now() + self.limits.wait / 4);
                }
            }
        }
    }

    /// Completes when a page has to free its connection: it is slow, gets no `permit`, and another
    /// request waits.
    async fn preemption(&self, permit: &mut Option<Permit>) {
        if permit.is_none() {
            sleep(self.limits.cheap).await;
            tokio::select! {
                biased;
                slow = self.slow.enter_whenever_free() => *permit = Some(slow),
                () = self.pages.contention() => return,
            }
        }
        pending().await
    }

    /// Reads a long list and sends it as it is read. The returned lease has the open transaction.
    pub(super) async fn long<T, F, Fut>(
        &self,
        produce: F,
        outlet: &Outlet<T>,
    ) -> Result<Lease, Abort<StoreError>>
    where
        F: FnOnce(Arc<Connection>, Sender<T>) -> Fut,
        Fut: Future<Output = Result<(), Abort<StoreError>>>,
    {
        let end = Instant::now() + self.limits.wait;
        let begin = async {
            let lease = self.begin(&self.long, end, &self.pool).await?;
            lease.connection()?.batch(transaction::SLOWLY).await?;
            Ok(lease)
        };
        let lease = timeout_at(end, begin).await.unwrap_or_else(|_| Err(late()))?;
        let connection = lease.connection()?;
        let reading = pin!(produce(Arc::clone(&connection), Sender::reader(outlet)));
        match timeout(self.limits.longest, reading).await {
            Ok(Ok(())) => Ok(lease),
            Ok(Err(abort)) => failed(lease, abort).await,
            Err(_) => failed(lease, too_long(&connection)).await,
        }
    }

    /// Begins a transaction for a list with a permit of `slots`, which the lease keeps.
    async fn begin(
        &self,
        slots: &ListSlots,
        end: Instant,
        pool: &Pool,
    ) -> Result<Lease, Abort<StoreError>> {
        let permit = slots.enter(end).await?;
        let mut lease = transaction::snapshot(pool, self.reader).await?;
        lease.keep(Some(permit));
        lease.connection()?.set_first_limit(self.limits.first_row, self.limits.progress);
        Ok(lease)
    }
}

/// Ends the transaction of a failed list, if PostgreSQL reported the failure. Otherwise the running
/// query is cancelled, because a rollback would wait for all of its rows.
async fn failed<T>(lease: Lease, abort: Abort<StoreError>) -> Result<T, Abort<StoreError>> {
    let connection = lease.connection()?;
    let result = if connection.has_failed() {
        transaction::end(&connection, Err(abort)).await
    } else {
        Err(abort)
    };
    lease.failed();
    result
}

fn late() -> Abort<StoreError> {
    StoreError::Unavailable("no connection to the database became free in time".to_owned()).into()
}

fn too_long(connection: &Connection) -> Abort<StoreError> {
    connection.counters().cancelled.increment("too_long");
    StoreError::Unavailable("the list takes too long".to_owned()).into()
}
