//! The store: opens the database and runs jobs on its threads.

use std::{future::Future, pin::Pin, sync::Arc, thread};

use async_trait::async_trait;
use futures_core::Stream;
use futures_util::StreamExt as _;
use patrol_domain::{Readiness, StoreError};
use patrol_repository::parts::{Outlet, channel};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    time::Instant,
};
use tracing::Instrument as _;
use uuid::Uuid;

use super::{
    Abort, Connection, Counts, Sender, Settings,
    connection::SYSTEM,
    connector::Connector,
    error::{OpenError, caller_error},
    groups::Groups,
    limit,
    lists::{Lists, Page},
    migrate,
    pool::{Lease, Pool},
    reads::Reads,
    record_locks::RecordLocks,
    search,
    transaction::{self, Change, Changing},
};
use crate::list::{
    last_seen::LastSeen,
    memory::{self, Memory},
};

/// One PostgreSQL database: the engine of `patrol_repository::Repository`, which implements the
/// ports, and itself the lists, imports, exports and idempotency keys. Clones are the same store.
#[derive(Clone)]
pub struct Store {
    engine: Arc<Engine>,
}

pub(super) struct Engine {
    pub(super) connector: Connector,
    pub(super) pool: Pool,
    pub(super) reads: Reads,
    keys: Reads,
    pings: Reads,
    pub(super) locks: RecordLocks,
    pub(super) groups: Groups,
    pub(super) lists: Lists,
    counts: Counts,
    memory: Memory,
    last_seen: LastSeen,
    runtimes: Runtimes,
}

/// The parts of a list.
type Parts<T> = Pin<Box<dyn Stream<Item = Result<T, StoreError>> + Send>>;

impl Store {
    /// Connects and migrates the schema. Several nodes may do this at once: one migrates, the
    /// others wait.
    ///
    /// # Errors
    /// When the database cannot be reached, refuses the connection, or its schema cannot be
    /// migrated. Tries only once; a caller that waits for a database calls this again.
    pub async fn open(settings: &Settings) -> Result<Self, OpenError> {
        let runtimes = Runtimes::start()?;
        let connector = Connector::new(settings, runtimes.handle()?);
        migrate::migrate(&connector).await?;
        Self::over(settings, runtimes, connector)
    }

    /// Opens an existing store without changing its schema.
    ///
    /// # Errors
    /// `Missing`; `Outdated`; otherwise those of [`Self::open`].
    pub async fn open_existing(settings: &Settings) -> Result<Self, OpenError> {
        let runtimes = Runtimes::start()?;
        let connector = Connector::new(settings, runtimes.handle()?);
        migrate::examine(&connector).await?;
        Self::over(settings, runtimes, connector)
    }

    fn over(
        settings: &Settings,
        runtimes: Runtimes,
        connector: Connector,
    ) -> Result<Self, OpenError> {
        let queue = settings.queue;
        let pool = |size| {
            let pool = Pool::new(connector.clone(), size, queue);
            pool.map_err(|error| OpenError::Machine(error.to_string()))
        };
        let long = pool(limit::long_connections(settings.pool))?;
        let lists = Lists::new(settings.pool, queue, long, settings.lists, settings.reader);
        let pool = pool(settings.pool)?;
        let reads = Reads::new(&connector, limit::SHARED, settings.shared(), queue, limit::READ);
        let keys = Reads::new(&connector, limit::KEYS, 1, queue, limit::READ);
        let pings = Reads::new(&connector, limit::SHARED, 1, queue, limit::PING);
        let (locks, groups, counts) = (RecordLocks::new(queue), Groups::new(queue), Counts::new());
        let (memory, last_seen) = (memory::new(settings.list_memory), LastSeen::default());
        let engine = Engine {
            connector,
            pool,
            reads,
            keys,
            pings,
            locks,
            groups,
            lists,
            counts,
            memory,
            last_seen,
            runtimes,
        };
        Ok(Self { engine: Arc::new(engine) })
    }

    /// Begins no more transactions, also for clones, and waits for the running ones up to a limit.
    pub async fn close(self) {
        tokio::join!(self.engine.pool.close(), self.engine.lists.pool.close());
    }

    /// Why the quick search compares every row, if it does: a missing index, or a locale without
    /// letters.
    ///
    /// # Errors
    /// `Unavailable` when the database does not answer in time.
    pub async fn search_warning(&self) -> Result<Option<&'static str>, StoreError> {
        self.read(async |conn| Ok(search::warning(&conn).await?)).await
    }

    /// Runs `job` over a shared connection. The job MUST only run SELECTs by key with a fixed text:
    /// no transaction, no lock, no setting, nothing slow or large. It runs again when the
    /// connection is lost.
    ///
    /// # Errors
    /// Those of `job`; `Unavailable` when the database does not answer in time, or too many callers
    /// wait.
    pub(crate) async fn read<T, F, Fut>(&self, job: F) -> Result<T, StoreError>
    where
        F: Fn(Arc<Connection>) -> Fut,
        Fut: Future<Output = Result<T, Abort<StoreError>>>,
    {
        self.engine.reads.run(&job).instrument(SYSTEM.read()).await
    }

    /// Runs `job` over the connection for idempotency keys, whose statements are not durable at once:
    /// statements by key, each a transaction of its own. They run again when the connection is lost.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    pub(crate) async fn key_statement<T, F, Fut>(&self, job: F) -> Result<T, StoreError>
    where
        F: Fn(Arc<Connection>) -> Fut,
        Fut: Future<Output = Result<T, Abort<StoreError>>>,
    {
        self.engine.keys.run(&job).instrument(SYSTEM.transaction()).await
    }

    /// Runs `job` in a transaction (READ COMMITTED) and returns after the commit. The job runs
    /// again after a serialization failure or a deadlock, and a few times after a violated
    /// constraint, because another node may have taken a value that was free. Only its last result
    /// counts.
    ///
    /// The job MUST return every database error, or handle it in a [`Connection::savepoint`]. Writers of
    /// the same `record` on this node wait for each other before they take a connection. The job still
    /// locks the row (`FOR UPDATE`), because there are other nodes.
    ///
    /// # Errors
    /// Those of `job`, after the rollback; `Unavailable` when there is no connection in time, the
    /// database does not answer, or the result of the commit is unknown.
    pub(crate) async fn transaction<T, E, F, Fut>(
        &self,
        record: Option<Uuid>,
        job: F,
    ) -> Result<T, E>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: Fn(Arc<Connection>) -> Fut + Send,
        Fut: Future<Output = Result<T, Abort<E>>> + Send,
    {
        let mut job = Changing::new(job);
        let change = self.engine.change(record, Instant::now(), &mut job);
        let end = change.instrument(SYSTEM.transaction()).await;
        job.after(end)
    }

    /// Like [`Self::transaction`], but the transaction may be that of other such changes too, which costs
    /// less. The job MUST be small, lock only its record, refuse before it writes, and use no savepoint. A
    /// transaction in which anything fails is rolled back, and its jobs run again, each in its own.
    ///
    /// # Errors
    /// Those of [`Self::transaction`].
    pub(crate) async fn transaction_with_others<T, E, F, Fut>(
        &self,
        id: Uuid,
        job: F,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: Fn(Arc<Connection>) -> Fut + Clone + Send + 'static,
        Fut: Future<Output = Result<T, Abort<E>>> + Send + 'static,
    {
        let asked = Instant::now();
        let change = async {
            let _lock = self.engine.locks.take(id).await?;
            if let Some(done) = self.grouped(id, asked, job.clone()).await? {
                return Ok(done);
            }
            let mut alone = Changing::new(job);
            let end = transaction::change(&self.engine.pool, asked, &mut alone).await;
            alone.after(end)
        };
        change.instrument(SYSTEM.transaction()).await
    }

    /// The result of `job` in a group; `None` when it has to run alone.
    async fn grouped<T, E, F, Fut>(&self, id: Uuid, asked: Instant, job: F) -> Result<Option<T>, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: Fn(Arc<Connection>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Abort<E>>> + Send + 'static,
    {
        let Engine { groups, runtimes, .. } = &*self.engine;
        let _waiting = groups.waits().begin()?;
        let (answer, has_to_run) = groups.add(id, asked, job)?;
        if let Some(runtime) = runtimes.usual.as_ref().filter(|_| has_to_run) {
            // Not by the caller, who may go away while others are in the same transaction.
            drop(runtime.spawn(Arc::clone(&self.engine).run_group()));
        }
        groups.answered(id, asked, answer).await
    }

    /// Runs `job` once in a transaction that may take long, such as an import: statements have no
    /// time limit, and locks may take 30 s.
    ///
    /// # Errors
    /// Those of [`Self::transaction`].
    pub(crate) async fn exclusive<T, E, F, Fut>(&self, job: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(Arc<Connection>) -> Fut,
        Fut: Future<Output = Result<T, Abort<E>>>,
    {
        transaction::long_change(&self.engine.pool, job).await
    }

    /// A page: sends what `produce` sends, from one snapshot (REPEATABLE READ READ ONLY), after
    /// `produce` has returned. When it is slow and other requests wait, it runs again later; when
    /// it sends more than [`PART_BYTES`](patrol_domain::list::PART_BYTES), it fails with
    /// `PageTooLarge`. The stream ends with an error unless `produce` returns `Ok`. Dropping the
    /// stream cancels the running query and closes the transaction.
    pub(crate) fn page<T, F, Fut>(&self, produce: F) -> Parts<T>
    where
        T: Send + 'static,
        F: Fn(Arc<Connection>, Sender<T>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Abort<StoreError>>> + Send + 'static,
    {
        let (outlet, parts) = channel();
        let engine = Arc::clone(&self.engine);
        if let Some(runtime) = &self.engine.runtimes.usual {
            drop(runtime.spawn(engine.page(produce, outlet).instrument(SYSTEM.list())));
        }
        Box::pin(parts)
    }

    /// What `read` returns, from one snapshot, over a connection for long lists. `read` has to bound its
    /// memory itself.
    pub(crate) async fn long_read<T, F, Fut>(&self, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(Arc<Connection>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Abort<StoreError>>> + Send + 'static,
    {
        let parts = self.stream(move |connection, sender: Sender<T>| async move {
            sender.send(read(connection).await?, 0).await
        });
        first_of(parts).await
    }

    /// Runs `read` like [`Self::long_read`], although nobody waits for it. It is not run when too many lists wait.
    pub(crate) fn in_background<F, Fut>(&self, read: F)
    where
        F: FnOnce(Self, Arc<Connection>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), Abort<StoreError>>> + Send + 'static,
    {
        let store = self.clone();
        if let Some(runtime) = &self.engine.runtimes.long {
            drop(runtime.spawn(async move {
                let reading = store.clone();
                drop(store.long_read(move |connection| read(reading, connection)).await);
            }));
        }
    }

    /// Streams what `produce` sends, from one snapshot, at the pace of its reader. The stream ends
    /// with an error unless `produce` returns `Ok`. Dropping it cancels the running query and
    /// closes the transaction.
    pub(crate) fn stream<T, F, Fut>(&self, produce: F) -> Parts<T>
    where
        T: Send + 'static,
        F: FnOnce(Arc<Connection>, Sender<T>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), Abort<StoreError>>> + Send,
    {
        let (outlet, parts) = channel();
        let engine = Arc::clone(&self.engine);
        if let Some(runtime) = &self.engine.runtimes.long {
            let list = async move { engine.long(produce, outlet).await };
            drop(runtime.spawn(list.instrument(SYSTEM.list())));
        }
        Box::pin(parts)
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The cached totals of lists.
    pub(crate) fn counts(&self) -> &Counts {
        &self.engine.counts
    }

    /// The last state of the data that a page has seen.
    pub(crate) fn last_seen(&self) -> &LastSeen {
        &self.engine.last_seen
    }

    /// What lists keep of the rows of their tables.
    pub(crate) fn memory(&self) -> &Memory {
        &self.engine.memory
    }
}

/// The only part of a read that sends one.
pub(super) async fn first_of<T>(mut parts: Parts<T>) -> Result<T, StoreError> {
    let ended = || Err(StoreError::Unavailable("the store is closed".to_owned()));
    parts.next().await.unwrap_or_else(ended)
}

impl Engine {
    async fn change(
        &self,
        record: Option<Uuid>,
        asked: Instant,
        job: &mut dyn Change,
    ) -> Result<(), Abort<()>> {
        let _lock = match record {
            Some(record) => Some(self.locks.take(record).await?),
            None => None,
        };
        transaction::change(&self.pool, asked, job).await
    }

    async fn run_group(self: Arc<Self>) {
        self.groups.run(&self.pool).await;
    }

    async fn page<T, F, Fut>(self: Arc<Self>, produce: F, outlet: Outlet<T>)
    where
        T: Send + 'static,
        F: Fn(Arc<Connection>, Sender<T>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Abort<StoreError>>> + Send + 'static,
    {
        let read = tokio::select! {
            biased;
            read = self.lists.page(&self.pool, &produce) => read,
            () = outlet.abandoned() => return,
        };
        let read = read.map(|Page { parts, lease }| {
            outlet.put(parts);
            lease
        });
        outlet.finish(end_of(read).await);
    }

    async fn long<T, F, Fut>(&self, produce: F, outlet: Outlet<T>)
    where
        F: FnOnce(Arc<Connection>, Sender<T>) -> Fut,
        Fut: Future<Output = Result<(), Abort<StoreError>>>,
    {
        let read = tokio::select! {
            // A list that has sent its total is complete, even if its reader leaves at the same
            // moment: then its transaction is ended properly.
            biased;
            read = self.lists.long(produce, &outlet) => read,
            () = outlet.abandoned() => return,
        };
        // Outside the `select` above, because a ROLLBACK that is dropped midway would break the
        // connection.
        outlet.finish(end_of(read).await);
    }
}

/// Ends the transaction of a list that was read.
async fn end_of(read: Result<Lease, Abort<StoreError>>) -> Result<(), StoreError> {
    let end = async {
        let lease = read?;
        transaction::end(&*lease.connection()?, Ok(())).await
    };
    end.await.map_err(caller_error)
}

#[async_trait]
impl Readiness for Store {
    /// Takes at most 1 s.
    async fn ping(&self) -> Result<(), StoreError> {
        let ask = async |connection: Arc<Connection>| Ok(connection.batch("SELECT 1").await?);
        self.engine.pings.run(&ask).await
    }
}

/// The threads of the connections, and those of long lists. The store has its own, because the
/// runtime of a caller may end before the store.
struct Runtimes {
    usual: Option<Runtime>,
    long: Option<Runtime>,
}

impl Runtimes {
    fn start() -> Result<Self, OpenError> {
        let start = |name: &str, begin: fn()| {
            let threads = thread::available_parallelism().map_or(1, usize::from);
            let runtime = Builder::new_multi_thread()
                .worker_threads(threads)
                .thread_name(name)
                .on_thread_start(begin)
                .enable_all()
                .build();
            runtime.map_err(|error| OpenError::Machine(error.to_string()))
        };
        let usual = start("postgres", || {})?;
        let long = start("postgres-long", lower_priority)?;
        Ok(Self { usual: Some(usual), long: Some(long) })
    }

    fn handle(&self) -> Result<Handle, OpenError> {
        let ended = || OpenError::Machine("the store is closed".to_owned());
        self.usual.as_ref().map(|runtime| runtime.handle().clone()).ok_or_else(ended)
    }
}

/// The last clone may be dropped on a thread that must not block.
impl Drop for Runtimes {
    fn drop(&mut self) {
        for runtime in [self.usual.take(), self.long.take()].into_iter().flatten() {
            runtime.shutdown_background();
        }
    }
}

/// Lowers the priority of the calling thread: a long list has minutes, a read by id has
/// milliseconds.
#[cfg(target_os = "linux")]
fn lower_priority() {
    /// A `nice` value: 0 is normal, 19 the lowest priority.
    const NICE: i32 = 15;
    // On Linux this sets the priority of the calling thread. If it fails, long lists only take more
    // time from other requests.
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "a thread for long lists keeps its priority");
    }
}

/// Only Linux has thread priorities that need no privileges.
#[cfg(not(target_os = "linux"))]
const fn lower_priority() {}
