//! The store: what the adapters of the ports run their jobs on.

use std::{future::Future, pin::Pin, sync::Arc, thread, time::Duration};

use async_trait::async_trait;
use futures_core::Stream;
use patrol_domain::{Figure, Monitored, Readiness, StoreError};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, timeout},
};
use uuid::Uuid;

use super::{
    Abort, Connection, Counts, Length, Reader, Sender, Settings,
    connector::Connector,
    error::OpenError,
    limit, migrate,
    pool::{Lease, Pool},
    reads::Reads,
    search,
    stream::{Parts, channel},
    transaction,
    turn::Turns,
};

/// All ports of the domain on one PostgreSQL database. Clones are the same store.
#[derive(Clone)]
pub struct Store {
    engine: Arc<Engine>,
}

struct Engine {
    pool: Pool,
    reads: Reads,
    pings: Reads,
    turns: Turns,
    /// Lists leave a quarter of the pool to changes, so that who has the turn at a record does not
    /// wait behind them.
    lists: Semaphore,
    /// Long lists leave half of it to others.
    long: Semaphore,
    counts: Counts,
    reader: Reader,
    runtime: Driving,
}

impl Store {
    /// Connects, and brings the schema up to date, which several nodes may do at once: one does, the
    /// others wait.
    ///
    /// # Errors
    /// When the database cannot be reached, lets nobody in, or its schema cannot be changed. Once
    /// only: whoever waits for a database that is still starting calls again.
    pub async fn open(settings: &Settings) -> Result<Self, OpenError> {
        let runtime = Driving::start()?;
        let connector = Connector::new(settings, runtime.handle()?);
        migrate::migrate(&connector).await?;
        Self::over(settings, runtime, &connector)
    }

    /// Opens a database that holds a store, and leaves its schema as it is.
    ///
    /// # Errors
    /// `Missing`; `Outdated`; as [`Self::open`] otherwise.
    pub async fn open_existing(settings: &Settings) -> Result<Self, OpenError> {
        let runtime = Driving::start()?;
        let connector = Connector::new(settings, runtime.handle()?);
        migrate::examine(&connector).await?;
        Self::over(settings, runtime, &connector)
    }

    fn over(
        settings: &Settings,
        runtime: Driving,
        connector: &Connector,
    ) -> Result<Self, OpenError> {
        let queue = settings.queue;
        let pool = Pool::new(connector.clone(), settings.pool, queue)
            .map_err(|error| OpenError::Machine(error.to_string()))?;
        let shared = settings.pool.div_ceil(4).clamp(2, 4);
        let reads = Reads::new(connector, shared, queue, limit::READ);
        let pings = Reads::new(connector, 1, queue, limit::PING);
        let lists = Semaphore::new(settings.pool - settings.pool / 4);
        let long = Semaphore::new(settings.pool.div_ceil(2));
        let (turns, counts) = (Turns::new(queue), Counts::new());
        let reader = settings.reader;
        let engine = Engine { pool, reads, pings, turns, lists, long, counts, reader, runtime };
        Ok(Self { engine: Arc::new(engine) })
    }

    /// Begins no further transaction, from clones neither, and waits until those that run have ended
    /// or cannot be expected to.
    pub async fn close(self) {
        self.engine.pool.close().await;
    }

    /// Why the quick search compares every row, if it does: the lack of an index, or of letters in it.
    ///
    /// # Errors
    /// `Unavailable` when the database does not answer in time.
    pub async fn search_warning(&self) -> Result<Option<&'static str>, StoreError> {
        self.read(async |conn| Ok(search::warning(&conn).await?)).await
    }

    /// Runs `job` over a connection that others use at the same time. It MUST only run SELECTs by
    /// key, of a fixed text: no transaction, no lock, no setting, nothing that takes long or returns
    /// much. It is run once more when the connection is lost.
    ///
    /// # Errors
    /// Those of `job`; `Unavailable` when the database does not answer in time, or too many wait.
    pub(crate) async fn read<T, F, Fut>(&self, job: F) -> Result<T, StoreError>
    where
        F: Fn(Arc<Connection>) -> Fut,
        Fut: Future<Output = Result<T, Abort<StoreError>>>,
    {
        self.engine.reads.run(&job).await
    }

    /// Runs `job` in a transaction (READ COMMITTED) and answers when it is committed. It is run
    /// again after a serialization failure or a deadlock, and a few times after a violated constraint,
    /// since another node may have taken a value that was free: only its last result counts.
    ///
    /// The job MUST return every database error that it meets, or meet it within
    /// [`Connection::savepoint`].
    ///
    /// # Errors
    /// Those of `job`, after everything is taken back; `Unavailable` when there is no connection in
    /// time, the database does not answer, or it does not say whether it has committed.
    pub(crate) async fn transaction<T, E, F, Fut>(&self, job: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: Fn(Arc<Connection>) -> Fut,
        Fut: Future<Output = Result<T, Abort<E>>>,
    {
        transaction::change(&self.engine.pool, Instant::now(), &job).await
    }

    /// As [`Self::transaction`], for a change of the one record `id`: those who change the same one
    /// over this store wait for each other before they take a connection. The job still locks the
    /// row (`FOR UPDATE`), since there are other nodes.
    ///
    /// # Errors
    /// As [`Self::transaction`].
    pub(crate) async fn transaction_on<T, E, F, Fut>(&self, id: Uuid, job: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: Fn(Arc<Connection>) -> Fut,
        Fut: Future<Output = Result<T, Abort<E>>>,
    {
        let asked = Instant::now();
        let _turn = self.engine.turns.take(id).await?;
        transaction::change(&self.engine.pool, asked, &job).await
    }

    /// Runs `job` once in a transaction that may take long, such as an import: without limits on a
    /// statement, and waiting 30 s for a lock.
    ///
    /// # Errors
    /// As [`Self::transaction`].
    pub(crate) async fn exclusive<T, E, F, Fut>(&self, job: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(Arc<Connection>) -> Fut,
        Fut: Future<Output = Result<T, Abort<E>>>,
    {
        transaction::long_change(&self.engine.pool, job).await
    }

    /// A stream of what `produce` sends, all from one snapshot (REPEATABLE READ READ ONLY). It ends
    /// with an error unless `produce` returns `Ok`. When it is dropped, the query that runs is
    /// cancelled and nothing stays open. [`Length::Long`] waits for its reader, as
    /// [`Reader`] says, and takes at most half of the pool.
    pub(crate) fn stream<T, F, Fut>(
        &self,
        length: Length,
        produce: F,
    ) -> Pin<Box<dyn Stream<Item = Result<T, StoreError>> + Send>>
    where
        T: Send + 'static,
        F: FnOnce(Arc<Connection>, Sender<T>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), Abort<StoreError>>> + Send,
    {
        let (sender, parts): (_, Parts<T>) = channel(length, self.engine.patience());
        let engine = Arc::clone(&self.engine);
        let producing = async move {
            let produced = tokio::select! {
                // Who has told the total is done, though its reader leaves at once.
                biased;
                produced = engine.produce(length, produce, &sender) => produced,
                () = sender.abandoned() => return,
            };
            let result = match produced {
                Ok(read) => transaction::end(&read.connection, Ok(())).await,
                Err(abort) => Err(abort),
            };
            sender.finish(result).await;
        };
        match self.engine.runtime.of(length) {
            Some(runtime) => drop(runtime.spawn(producing)),
            None => drop(producing),
        }
        Box::pin(parts)
    }

    /// What is known of the totals of lists.
    pub(crate) fn counts(&self) -> &Counts {
        &self.engine.counts
    }
}

impl Engine {
    async fn produce<T, F, Fut>(
        &self,
        length: Length,
        produce: F,
        sender: &Sender<T>,
    ) -> Result<Produced<'_>, Abort<StoreError>>
    where
        F: FnOnce(Arc<Connection>, Sender<T>) -> Fut,
        Fut: Future<Output = Result<(), Abort<StoreError>>>,
    {
        let room = match length {
            Length::Page => (room(&self.lists, limit::LEASE).await?, None),
            Length::Long => {
                let long = room(&self.long, self.patience()).await?;
                (room(&self.lists, self.patience()).await?, Some(long))
            }
        };
        let lease = transaction::snapshot(&self.pool, self.reader, length).await?;
        let connection = lease.connection()?;
        if let Err(abort) = produce(Arc::clone(&connection), sender.clone()).await {
            return transaction::end(&connection, Err(abort)).await;
        }
        Ok(Produced { connection, _lease: lease, _room: room })
    }

    /// For how long a long list waits for its reader.
    const fn patience(&self) -> Duration {
        match self.reader {
            Reader::Client => limit::PROGRESS,
            Reader::Person => limit::PATIENT,
        }
    }
}

/// A list that was read, and what it was read with. Its transaction is still open: nobody may break
/// off its end, or the connection would be lost to the pool.
struct Produced<'a> {
    connection: Arc<Connection>,
    _lease: Lease,
    _room: (SemaphorePermit<'a>, Option<SemaphorePermit<'a>>),
}

/// Waits until one more list may run.
async fn room(lists: &Semaphore, patience: Duration) -> Result<SemaphorePermit<'_>, StoreError> {
    let too_many = || StoreError::Unavailable("too many lists at once".to_owned());
    timeout(patience, lists.acquire()).await.ok().and_then(Result::ok).ok_or_else(too_many)
}

#[async_trait]
impl Readiness for Store {
    /// Within 1 s.
    async fn ping(&self) -> Result<(), StoreError> {
        let ask = async |connection: Arc<Connection>| Ok(connection.batch("SELECT 1").await?);
        self.engine.pings.run(&ask).await
    }
}

/// The store has no figures of its own yet.
impl Monitored for Store {
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }
}

/// What carries the connections, and what reads long lists: threads of their own, since those of a
/// caller may end before the store does, and wait for other things.
struct Driving {
    usual: Option<Runtime>,
    long: Option<Runtime>,
}

impl Driving {
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
        let long = start("postgres-long", step_back)?;
        Ok(Self { usual: Some(usual), long: Some(long) })
    }

    fn handle(&self) -> Result<Handle, OpenError> {
        let ended = || OpenError::Machine("the store is closed".to_owned());
        self.of(Length::Page).cloned().ok_or_else(ended)
    }

    /// What reads a list of this length.
    fn of(&self, length: Length) -> Option<&Handle> {
        let runtime = match length {
            Length::Page => &self.usual,
            Length::Long => &self.long,
        };
        runtime.as_ref().map(Runtime::handle)
    }
}

/// The last clone may be dropped where nothing may block.
impl Drop for Driving {
    fn drop(&mut self) {
        for runtime in [self.usual.take(), self.long.take()].into_iter().flatten() {
            runtime.shutdown_background();
        }
    }
}

/// Lets other threads go first: a long list has minutes, a read by id has not.
#[cfg(target_os = "linux")]
fn step_back() {
    /// As `nice` counts: 0 is usual, 19 the last.
    const NICE: i32 = 15;
    // On Linux this is the priority of the calling thread. Without it lists are only ruder.
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "a thread for long lists keeps its priority");
    }
}

/// Only Linux has priorities of threads that need no rights.
#[cfg(not(target_os = "linux"))]
const fn step_back() {}
