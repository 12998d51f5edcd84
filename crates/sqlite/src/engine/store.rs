//! The store: what the adapters of the ports run their jobs on.

use std::{
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use diesel::{RunQueryDsl, SqliteConnection};
use futures_core::Stream;
use patrol_domain::{
    Figure, Monitored, Readiness, StoreError,
    list::{Listing, Part, Query},
};

use super::{
    connection::{Connection, Place, Purpose, compile_option_warnings},
    error::{Abort, OpenError, lost},
    exclusive::{back_up, exclusively},
    interrupt::unless_abandoned,
    migrate,
    readers::Readers,
    stream::{Parts, Sender, channel},
    transaction::snapshot,
    writer::Writer,
};
use crate::list::{Counts, ListTable, produce};

/// Where the database is and how it is used.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The file. It is made when it is not there, and its folder as well.
    pub path: PathBuf,
    /// How many threads read by id, and how many others read pages and counts; the number of cores.
    pub readers: usize,
    /// How many jobs wait for each kind of thread before further ones are refused.
    pub queue: usize,
    /// How long a write waits for another process that writes.
    pub lock: LockPatience,
}

/// What a command does with a store that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It reads. The file may be read-only.
    Read,
    /// It changes records.
    Change,
}

/// How long a write waits for another process that writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockPatience {
    /// 5 s, after which it is answered with `Unavailable`.
    Server,
    /// 30 s. Long lists wait for their reader as long as it takes, since that is a person's pipe.
    Command,
}

/// How long the store waits for others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For the write lock.
    pub(super) lock: Duration,
    /// For the write lock when the file is opened.
    pub(super) open: Duration,
    /// For the reader of a long list to take its next part; for ever when none.
    pub(super) reader: Option<Duration>,
}

impl From<LockPatience> for Patience {
    fn from(lock: LockPatience) -> Self {
        let open = migrate::PATIENCE;
        match lock {
            // The 30 s of decisions 4 and architecture 6. A part of a long list is 256 items of at
            // least 256 bytes each, so that whoever takes one in time takes 64 KiB a minute as well.
            LockPatience::Server => {
                Self { lock: Duration::from_secs(5), open, reader: Some(Duration::from_secs(30)) }
            }
            LockPatience::Command => Self { lock: Duration::from_secs(30), open, reader: None },
        }
    }
}

/// How long the end of a store waits for the threads that read.
const CLOSING: Duration = Duration::from_secs(2);

/// The most long lists at a time.
const LONG_LISTS: usize = 16;

/// The greatest limit with which a list is a page.
const PAGE: u32 = 1_000;

/// All ports of the domain on one SQLite database. Clones are the same store.
#[derive(Clone)]
pub struct Store {
    engine: Arc<Engine>,
}

struct Engine {
    place: Place,
    patience: Patience,
    writer: Writer,
    by_id: Readers,
    pages: Readers,
    lists: Readers,
    counts: Counts,
    option_warnings: Vec<String>,
}

impl Store {
    /// Opens the database: makes the file when it is not there, switches it to WAL, and brings its
    /// schema up to date, which several processes may do at once.
    ///
    /// # Errors
    /// When the file cannot be used, or another process keeps it locked for 30 s.
    pub fn open(settings: &Settings) -> Result<Self, OpenError> {
        Self::open_with(settings, settings.lock.into())
    }

    /// Opens a database that is there, and leaves its schema and its settings as they are.
    ///
    /// # Errors
    /// `Missing`; `Foreign`; `Outdated`; as [`Self::open`] otherwise.
    pub fn open_existing(settings: &Settings, access: Access) -> Result<Self, OpenError> {
        let patience = settings.lock.into();
        let place = Self::place(settings, patience)?;
        let reads = access == Access::Read;
        let (place, connection) = migrate::examine(&place, patience.open, reads)?;
        Self::over(settings, patience, place, connection)
    }

    pub(super) fn open_with(settings: &Settings, patience: Patience) -> Result<Self, OpenError> {
        let place = Self::place(settings, patience)?;
        let connection = migrate::prepare(&place, patience.open)?;
        Self::over(settings, patience, place, connection)
    }

    fn place(settings: &Settings, patience: Patience) -> Result<Place, OpenError> {
        Place::new(&settings.path, patience.lock)
            .map_err(|reason| OpenError::Inaccessible { path: settings.path.clone(), reason })
    }

    fn over(
        settings: &Settings,
        patience: Patience,
        place: Place,
        mut connection: Connection,
    ) -> Result<Self, OpenError> {
        let inaccessible = |reason| OpenError::Inaccessible { path: settings.path.clone(), reason };
        let option_warnings = compile_option_warnings(&mut connection)
            .map_err(|error| inaccessible(error.to_string()))?;
        let readers = |name, purpose, threads| {
            Readers::new(name, place.clone(), purpose, threads, settings.queue)
        };
        let by_id = readers("sqlite-read", Purpose::Read, settings.readers.max(1));
        let pages = readers("sqlite-page", Purpose::Read, settings.readers.max(1));
        let lists = readers("sqlite-list", Purpose::List, LONG_LISTS);
        // An import is faster when nobody has the database open, and beside a server readers go on:
        // a server has it open all the time, a command only while it needs it.
        let connection = (settings.lock == LockPatience::Server).then_some(connection);
        let writer = Writer::start(place.clone(), connection, settings.queue, patience.lock)
            .map_err(|error| inaccessible(error.to_string()))?;
        let counts = Counts::new();
        Ok(Self {
            engine: Arc::new(Engine {
                place,
                patience,
                writer,
                by_id,
                pages,
                lists,
                counts,
                option_warnings,
            }),
        })
    }

    /// How SQLite was built otherwise than `.cargo/config.toml` asks for, each as a sentence. Such
    /// a store works, only slower.
    #[must_use]
    pub fn compile_option_warnings(&self) -> Vec<String> {
        self.engine.option_warnings.clone()
    }

    /// Writes a consistent copy to `to`, while others read and write.
    ///
    /// # Errors
    /// When there is such a file, or it cannot be written.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let (engine, to) = (Arc::clone(&self.engine), to.to_owned());
        let copied = tokio::task::spawn_blocking(move || back_up(&engine.place, &to));
        copied.await.unwrap_or_else(|_| Err(lost()))
    }

    /// Finishes the writes that wait, and moves the WAL into the database. Takes no further jobs,
    /// from clones neither.
    pub async fn close(self) {
        self.engine.close();
        if let Some(thread) = self.engine.writer.thread() {
            // The writer catches the panics of its jobs: there is nothing to be told of its end.
            drop(tokio::task::spawn_blocking(move || thread.join()).await);
        }
        // A process that ends while a thread still has its connection leaves the log and its index
        // behind.
        let place = self.engine.place.clone();
        drop(self);
        let wait = move || place.wait_until_closed(CLOSING);
        drop(tokio::task::spawn_blocking(wait).await);
    }

    /// Runs `job` in the writer thread, in a savepoint of a transaction that it shares with other
    /// writes, and answers when that is durable. It may be run again, when the transaction could
    /// not be committed: only its last result counts.
    ///
    /// The job MUST return every database error that it meets, but for violated constraints: after
    /// any other, SQLite may have ended the transaction by itself.
    pub(crate) async fn write<T, E>(
        &self,
        job: impl FnMut(&mut SqliteConnection) -> Result<T, Abort<E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.engine.writer.run(job).await
    }

    /// Runs `job` on a thread for reads by id. Several statements that have to see the same state
    /// go within [`snapshot`].
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.engine.by_id.run(job).await
    }

    /// Answers a list. Pages and counts have threads of their own, on which nothing waits for a
    /// client; longer lists run on up to 16 others, as fast as their clients read.
    pub(crate) fn listing<L: ListTable>(&self, query: Query<L>) -> Listing<L::Item> {
        let is_page = query.page.limit <= PAGE;
        let threads = if is_page { &self.engine.pages } else { &self.engine.lists };
        let counts = self.engine.counts.clone();
        self.produced(threads, !is_page, move |connection, sender: &mut Sender<Part<L::Item>>| {
            produce(connection, query, &counts, sender)
        })
    }

    /// A stream of what `produce` sends, all from one snapshot, on a thread for long lists. It ends
    /// with an error unless `produce` returns `Ok`. When it is dropped, the query that runs is
    /// interrupted.
    pub(crate) fn stream<T: Send + 'static>(
        &self,
        produce: impl FnOnce(&mut SqliteConnection, &mut Sender<T>) -> Result<(), Abort<StoreError>>
        + Send
        + 'static,
    ) -> Pin<Box<dyn Stream<Item = Result<T, StoreError>> + Send>> {
        self.produced(&self.engine.lists, true, produce)
    }

    fn produced<T: Send + 'static>(
        &self,
        threads: &Readers,
        bounded: bool,
        produce: impl FnOnce(&mut SqliteConnection, &mut Sender<T>) -> Result<(), Abort<StoreError>>
        + Send
        + 'static,
    ) -> Pin<Box<dyn Stream<Item = Result<T, StoreError>> + Send>> {
        let (mut sender, parts) = channel(bounded, self.engine.patience.reader);
        let submitted = threads.submit(Box::new(move |connection| {
            if sender.is_abandoned() {
                return;
            }
            let result = connection.map_err(Abort::Store).and_then(|connection| {
                snapshot(connection, |connection| {
                    let is_abandoned = sender.abandonment();
                    unless_abandoned(is_abandoned, || produce(connection, &mut sender))
                })
            });
            sender.finish(result);
        }));
        Box::pin(submitted.map_or_else(Parts::Refused, |()| parts))
    }

    /// Runs `job` as one transaction that holds the write lock throughout, on a connection and a
    /// thread of its own. Other writes wait meanwhile, for as long as their patience lasts.
    pub(crate) async fn exclusive<T, E>(
        &self,
        job: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let engine = Arc::clone(&self.engine);
        let run = move || exclusively(&engine.place, engine.patience.lock, job);
        tokio::task::spawn_blocking(run).await.unwrap_or_else(|_| Err(E::from(lost())))
    }
}

#[async_trait]
impl Readiness for Store {
    async fn ping(&self) -> Result<(), StoreError> {
        self.read(|connection| {
            diesel::sql_query("SELECT count(*) FROM sqlite_schema").execute(connection)?;
            Ok(())
        })
        .await
    }
}

/// The store has no figures of its own yet.
impl Monitored for Store {
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }
}

impl Engine {
    fn close(&self) {
        for readers in [&self.by_id, &self.pages, &self.lists] {
            readers.close();
        }
        self.writer.close();
    }
}

/// The threads end when nobody can give them anything to do.
impl Drop for Engine {
    fn drop(&mut self) {
        self.close();
    }
}
