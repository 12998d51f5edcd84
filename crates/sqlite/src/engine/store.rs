//! The store: opens the database and runs jobs on its threads.

use std::{
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use diesel::{RunQueryDsl, SqliteConnection};
use futures_core::Stream;
use patrol_domain::{Readiness, StoreError};
use tracing::Instrument as _;

use super::{
    backup::back_up,
    connection::{Connection, DatabaseFile, SYSTEM, compile_option_warnings},
    error::{Abort, OpenError, lost},
    exclusive::exclusively,
    file_identity::FileIdentity,
    log_bound::LogBound,
    migrate,
    production::Production,
    queue_timeout::QueueTimeout,
    readers::{ListThreads, Readers},
    snapshots::Snapshots,
    stream::{Sender, channel},
    watch::ListLimits,
    writer::Writer,
};
use crate::{list::caches::Caches, running_requests::RunningRequests};

/// The file of the store, and how it is used.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The file. It is created when it is missing, with its folder.
    pub path: PathBuf,
    /// The number of threads for reads by id; quick pages and slow pages have the same number each.
    /// Usually the number of cores.
    pub readers: usize,
    /// The maximum number of jobs that wait for each kind of thread; more are refused.
    pub queue: usize,
    /// The kind of program, which determines how long the store waits.
    pub lock: ProgramKind,
    /// The maximum size of the write-ahead log on disk, in bytes.
    pub wal_limit: u64,
    /// The memory for sets and orders of rows, in bytes.
    pub list_memory: u64,
}

impl Settings {
    /// The maximum number of descriptors that a store with these settings opens.
    #[must_use]
    pub const fn descriptors(&self) -> usize {
        /// The database, its log and a temporary file for a large sort.
        const EACH: usize = 3;
        /// The writer, a concurrent checkpoint, a backup, and a connection that is being closed.
        const OTHERS: usize = 4;
        let readers = self.readers.saturating_mul(3);
        readers.saturating_add(LONG_LISTS + OTHERS).saturating_mul(EACH)
    }
}

/// How a command uses an existing store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It reads. The file may be read-only.
    Read,
    /// It changes records.
    Change,
}

/// The kind of program, which determines how long the store waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramKind {
    /// A server. A write waits 5 s for another writing process, and every request 5 s for a thread;
    /// lists have time limits. After that the result is `Unavailable`.
    Server,
    /// A command. A write waits 30 s. A list has no time limit, because its reader may be a slow
    /// pipe.
    Command,
}

/// How long the store waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeouts {
    /// For the write lock.
    pub(super) lock: Duration,
    /// For the write lock while the file is opened.
    pub(super) open: Duration,
    /// For a thread; `None`: no limit.
    pub(super) wait: Option<Duration>,
    /// For a list; `None`: no limit.
    pub(super) lists: Option<ListLimits>,
}

impl From<ProgramKind> for Timeouts {
    fn from(lock: ProgramKind) -> Self {
        let open = migrate::OPEN_TIMEOUT;
        match lock {
            ProgramKind::Server => Self {
                lock: Duration::from_secs(5),
                open,
                wait: Some(Duration::from_secs(5)),
                lists: Some(ListLimits {
                    first_row: Duration::from_secs(10),
                    progress: Duration::from_secs(30),
                    whole: Duration::from_secs(15 * 60),
                }),
            },
            ProgramKind::Command => {
                Self { lock: Duration::from_secs(30), open, wait: None, lists: None }
            }
        }
    }
}

/// How long closing waits for the reader threads.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum number of long lists at a time.
pub(crate) const LONG_LISTS: usize = 16;

/// One SQLite database. It is the engine of `patrol_repository::Repository`, which implements
/// most ports. The store itself implements lists, imports, exports and idempotency keys. Clones
/// are the same store.
#[derive(Clone)]
pub struct Store {
    engine: Arc<Engine>,
}

/// What the clones of a store share.
pub(super) struct Engine {
    pub(super) file: DatabaseFile,
    identity: FileIdentity,
    timeouts: Timeouts,
    pub(super) writer: Writer,
    pub(super) by_id: Readers,
    pub(super) lists: ListThreads,
    pub(super) snapshots: Snapshots,
    /// The bound of the write-ahead log, in bytes.
    pub(super) wal_limit: u64,
    caches: Caches,
    running_requests: RunningRequests,
    option_warnings: Vec<String>,
    /// Its thread stops when the engine is dropped.
    _queue_timeout: Option<QueueTimeout>,
}

impl Store {
    /// Opens the database: creates a missing file, switches it to WAL, and migrates its schema.
    /// Several processes may do this at once.
    ///
    /// # Errors
    /// When the file cannot be used, or another process keeps it locked for 30 s.
    pub fn open(settings: &Settings) -> Result<Self, OpenError> {
        Self::open_with(settings, settings.lock.into())
    }

    /// Opens an existing database without changing its schema or settings.
    ///
    /// # Errors
    /// `Missing`; `Foreign`; `Outdated`; otherwise those of [`Self::open`].
    pub fn open_existing(settings: &Settings, access: Access) -> Result<Self, OpenError> {
        let timeouts = settings.lock.into();
        let file = Self::database_file(settings, timeouts)?;
        let reads = access == Access::Read;
        let (file, connection) = migrate::open_existing(&file, timeouts.open, reads)?;
        Self::over(settings, timeouts, file, connection)
    }

    pub(super) fn open_with(settings: &Settings, timeouts: Timeouts) -> Result<Self, OpenError> {
        let file = Self::database_file(settings, timeouts)?;
        let connection = migrate::open_or_create(&file, timeouts.open)?;
        Self::over(settings, timeouts, file, connection)
    }

    fn database_file(settings: &Settings, timeouts: Timeouts) -> Result<DatabaseFile, OpenError> {
        DatabaseFile::new(&settings.path, timeouts.lock)
            .map_err(|reason| OpenError::Inaccessible { path: settings.path.clone(), reason })
    }

    fn over(
        settings: &Settings,
        timeouts: Timeouts,
        file: DatabaseFile,
        mut connection: Connection,
    ) -> Result<Self, OpenError> {
        let inaccessible = |reason| OpenError::Inaccessible { path: settings.path.clone(), reason };
        let option_warnings = compile_option_warnings(&mut connection)
            .map_err(|error| inaccessible(error.to_string()))?;
        let readers = settings.readers.max(1);
        let by_id = Readers::new("sqlite-read", file.clone(), readers, settings.queue);
        let lists = ListThreads::new(&file, readers, LONG_LISTS, settings.queue);
        let snapshots = Snapshots::default();
        // An import is faster when no other connection has the database open. So a command keeps a
        // connection only while it needs one. A server keeps one open all the time, so that its
        // readers continue during an import.
        let connection = (settings.lock == ProgramKind::Server).then_some(connection);
        let no_thread = |error: std::io::Error| inaccessible(error.to_string());
        let log = LogBound::new(settings.wal_limit, snapshots.clone());
        let writer = Writer::start(file.clone(), connection, settings.queue, timeouts.lock, log)
            .map_err(no_thread)?;
        let queue_timeout = timeouts
            .wait
            .map(|wait| {
                let readers = [&by_id, &lists.pages, &lists.slow, &lists.long].map(Clone::clone);
                QueueTimeout::start(wait, readers.into(), writer.queue())
            })
            .transpose()
            .map_err(no_thread)?;
        let caches = Caches::new(settings.list_memory);
        Ok(Self {
            engine: Arc::new(Engine {
                identity: FileIdentity::of(&file.path),
                file,
                timeouts,
                writer,
                by_id,
                lists,
                snapshots,
                wal_limit: settings.wal_limit,
                caches,
                running_requests: RunningRequests::default(),
                option_warnings,
                _queue_timeout: queue_timeout,
            }),
        })
    }

    /// The requests that hold their idempotency key.
    pub(crate) fn running_requests(&self) -> &RunningRequests {
        &self.engine.running_requests
    }

    /// The caches of all lists.
    pub(crate) fn caches(&self) -> &Caches {
        &self.engine.caches
    }

    /// The state that clones share.
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Differences between SQLite's compile options and `.cargo/config.toml`, as sentences. Such a
    /// store works, only more slowly.
    #[must_use]
    pub fn compile_option_warnings(&self) -> Vec<String> {
        self.engine.option_warnings.clone()
    }

    /// The size of the database in bytes, without its log.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.engine.file.path.metadata().map_or(0, |file| file.len())
    }

    /// Writes a consistent copy to `to`, while other connections read and write.
    ///
    /// # Errors
    /// When the file exists, or cannot be written.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let (engine, to) = (Arc::clone(&self.engine), to.to_owned());
        let copied = tokio::task::spawn_blocking(move || back_up(&engine.file, &to));
        copied.await.unwrap_or_else(|_| Err(lost()))
    }

    /// Finishes the waiting writes and moves the WAL into the database. Refuses new jobs, also
    /// those of clones.
    pub async fn close(self) {
        self.store_answers().await;
        self.engine.close();
        if let Some(thread) = self.engine.writer.thread() {
            // The writer catches panics of its jobs, so the result of the thread does not matter.
            drop(tokio::task::spawn_blocking(move || thread.join()).await);
        }
        // SQLite removes the log and its index when the last connection is closed. If the process
        // ended earlier, both files would stay on disk.
        let file = self.engine.file.clone();
        drop(self);
        let wait = move || file.wait_until_closed(CLOSE_TIMEOUT);
        drop(tokio::task::spawn_blocking(wait).await);
    }

    /// Runs `job` on the writer thread, in a savepoint of a transaction that several writes share,
    /// and returns when it is durable. The job runs again when the transaction could not be
    /// committed; only its last result counts.
    ///
    /// The job MUST return every database error except violated constraints: after any other error,
    /// SQLite may have ended the transaction.
    pub(crate) async fn write<T, E>(
        &self,
        job: impl FnMut(&mut SqliteConnection) -> Result<T, Abort<E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let span = SYSTEM.transaction();
        // The span lasts until the commit, so the caller enters it as well.
        let (within, mut job) = (span.clone(), job);
        let write = self.engine.writer.run(move |connection| within.in_scope(|| job(connection)));
        write.instrument(span).await
    }

    /// Runs `job` on a thread for reads by id. Each statement has its own snapshot; use
    /// [`Self::produced`] for several statements that have to see the same state.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let span = SYSTEM.read();
        self.engine.by_id.run(move |connection| span.in_scope(|| job(connection))).await
    }

    /// Streams what `produce` sends, from one snapshot, on a thread for long lists. The stream ends
    /// with an error unless `produce` returns `Ok`. Dropping it interrupts the running query.
    pub(crate) fn stream<T: Send + 'static>(
        &self,
        produce: impl FnOnce(&mut SqliteConnection, &mut Sender<T>) -> Result<(), Abort<StoreError>>
        + Send
        + 'static,
    ) -> Pin<Box<dyn Stream<Item = Result<T, StoreError>> + Send>> {
        let mut produce = Some(produce);
        self.produced(false, move |connection, sender| match produce.take() {
            Some(produce) => produce(connection, sender),
            // Only pages restart.
            None => Err(lost().into()),
        })
    }

    /// Streams what `produce` sends. `produce` is called again when a page restarts. Pages and counts
    /// have threads that never wait for a client; long lists run on up to 16 other threads, at the
    /// pace of their clients.
    pub(crate) fn produced<T: Send + 'static>(
        &self,
        is_page: bool,
        produce: impl FnMut(&mut SqliteConnection, &mut Sender<T>) -> Result<(), Abort<StoreError>>
        + Send
        + 'static,
    ) -> Pin<Box<dyn Stream<Item = Result<T, StoreError>> + Send>> {
        let (sender, parts) = channel(is_page);
        let lists = &self.engine.lists;
        let threads = if is_page { &lists.pages } else { &lists.long };
        self.background().submit(threads, sender, produce);
        Box::pin(parts)
    }

    /// Where a list has work done after its end.
    pub(crate) fn background(&self) -> Background {
        let Engine { lists, snapshots, timeouts, .. } = &*self.engine;
        let (threads, snapshots) = (lists.long.clone(), snapshots.clone());
        Background { threads, snapshots, limits: timeouts.lists }
    }

    /// Runs `job` as one transaction that holds the write lock, on its own connection and thread.
    /// Other writes wait meanwhile, up to their limit.
    pub(crate) async fn exclusive<T, E>(
        &self,
        job: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let engine = Arc::clone(&self.engine);
        let run = move || exclusively(&engine.file, engine.timeouts.lock, job);
        tokio::task::spawn_blocking(run).await.unwrap_or_else(|_| Err(E::from(lost())))
    }
}

/// The threads for long lists, for a read that nobody waits for. Holds no store, so that the read does not keep it open.
#[derive(Clone)]
pub(crate) struct Background {
    threads: Readers,
    snapshots: Snapshots,
    limits: Option<ListLimits>,
}

impl Background {
    /// Runs `read` with one snapshot. It is not run when too many lists wait, or the store is closed.
    pub(crate) fn run(
        &self,
        read: impl FnOnce(&mut SqliteConnection) -> Result<(), Abort<StoreError>> + Send + 'static,
    ) {
        let (sender, parts) = channel::<()>(false);
        let mut read = Some((read, parts));
        self.submit(&self.threads, sender, move |connection, _| match read.take() {
            // A list whose parts are dropped is cancelled.
            Some((read, _parts)) => read(connection),
            None => Err(lost().into()),
        });
    }

    fn submit<T: Send + 'static>(
        &self,
        threads: &Readers,
        sender: Sender<T>,
        produce: impl FnMut(&mut SqliteConnection, &mut Sender<T>) -> Result<(), Abort<StoreError>>
        + Send
        + 'static,
    ) {
        let (snapshots, limits, span) = (self.snapshots.clone(), self.limits, SYSTEM.list());
        let production = Production { sender, produce, snapshots, limits, span };
        threads.submit(Box::new(move |connection| production.run(connection)));
    }
}

#[async_trait]
impl Readiness for Store {
    async fn ping(&self) -> Result<(), StoreError> {
        // Checked before the read: a thread that opens a new connection would open the wrong file.
        self.engine.identity.check()?;
        self.read(move |connection| {
            diesel::sql_query("SELECT count(*) FROM sqlite_schema").execute(connection)?;
            Ok(())
        })
        .await
    }
}

impl Engine {
    fn close(&self) {
        let ListThreads { pages, slow, long } = &self.lists;
        for readers in [&self.by_id, pages, slow, long] {
            readers.close();
        }
        self.writer.close();
    }
}

/// Ends the threads, because no more jobs can come.
impl Drop for Engine {
    fn drop(&mut self) {
        self.close();
    }
}
