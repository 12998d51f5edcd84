//! The thread that writes. Writes that wait together are committed together, since the time of a
//! commit is the time of the disk: each has a savepoint of its own, and is answered when all of
//! them are durable.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use diesel::{SqliteConnection, connection::SimpleConnection};
use patrol_domain::StoreError;
use tokio::sync::oneshot;

use super::{
    checkpoint::Checkpoints,
    connection::{Connection, Place, Purpose},
    error::{Abort, Cause, cause, lost, store_error},
    journal::use_wal,
    log_bound::LogBound,
    queue::{Load, Queue},
    readers::WAITED,
    transaction::{begin, retry_while_busy, roll_back},
};

/// The most writes in one commit.
const GROUP: usize = 64;

/// Hands writes to the thread.
pub(super) struct Writer {
    queue: Arc<WriteQueue>,
    thread: Mutex<Option<JoinHandle<()>>>,
    failed_commits: Arc<AtomicU64>,
}

/// The writes that wait.
pub(super) struct WriteQueue(Queue<Box<dyn Write>>);

impl WriteQueue {
    /// Answers the writes that have waited for `patience` with `Unavailable`.
    pub(super) fn refuse_late(&self, patience: Duration) {
        for write in self.0.take_expired(patience) {
            write.answer(Err(StoreError::Unavailable(WAITED.to_owned())));
        }
    }
}

impl Writer {
    /// Without a connection, the thread makes one for its first write.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn start(
        place: Place,
        connection: Option<Connection>,
        limit: usize,
        patience: Duration,
        log: LogBound,
    ) -> std::io::Result<Self> {
        let queue = Arc::new(WriteQueue(Queue::new(limit, 1, None)));
        let checkpoints = Checkpoints::start(place.clone(), log)?;
        let failed_commits = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&failed_commits);
        let mut groups =
            Groups { place, connection, checkpoints, patience, failed_commits: counter };
        let jobs = Arc::clone(&queue);
        queue.0.add_thread();
        let thread = thread::Builder::new().name("sqlite-writer".to_owned()).spawn(move || {
            let mut waiting = Vec::with_capacity(GROUP);
            while jobs.0.take(&mut waiting, GROUP) {
                let writes = waiting.drain(..).map(|waiting| waiting.job);
                groups.commit(writes.filter(|write| !write.is_abandoned()).collect());
                groups.checkpoint();
            }
            groups.close();
        })?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)), failed_commits })
    }

    /// Runs `job` and answers after the commit. A job that has begun runs to its end even when
    /// nobody waits for it any more.
    pub(super) async fn run<T, E>(
        &self,
        job: impl FnMut(&mut SqliteConnection) -> Result<T, Abort<E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let since = Instant::now();
        let write = Box::new(Pending { job, since, result: None, reply });
        self.queue.0.push(write, since, || false).map_err(|(_, error)| error)?;
        answer.await.unwrap_or_else(|_| Err(E::from(lost())))
    }

    /// The writes that wait.
    pub(super) fn queue(&self) -> Arc<WriteQueue> {
        Arc::clone(&self.queue)
    }

    /// What there is to do at the moment.
    pub(super) fn load(&self) -> Load {
        self.queue.0.load()
    }

    /// How many commits have failed so far.
    pub(super) fn failed_commits(&self) -> u64 {
        self.failed_commits.load(Ordering::Relaxed)
    }

    /// Takes no further writes.
    pub(super) fn close(&self) {
        self.queue.0.close();
    }

    /// The thread, for whoever waits for its end. There is only one of those.
    pub(super) fn thread(&self) -> Option<JoinHandle<()>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A write that waits, whatever it returns.
trait Write: Send {
    /// Whether nobody waits for the answer.
    fn is_abandoned(&self) -> bool;
    /// How long it has waited.
    fn waited(&self) -> Duration;
    /// Runs it, once more perhaps, and keeps the result.
    fn run(&mut self, connection: &mut SqliteConnection) -> Ran;
    /// Answers with the result, or with the failure of its group.
    fn answer(self: Box<Self>, group: Result<(), StoreError>);
}

/// How a write went that was run.
enum Ran {
    /// It is to be committed.
    Done,
    /// It has failed for itself: only what it wrote is to be taken back.
    Refused,
    /// It has met a failure that may have ended the transaction.
    Broken(StoreError),
}

struct Pending<J, T, E> {
    job: J,
    since: Instant,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<J, T, E> Write for Pending<J, T, E>
where
    J: FnMut(&mut SqliteConnection) -> Result<T, Abort<E>> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn waited(&self) -> Duration {
        self.since.elapsed()
    }

    fn run(&mut self, connection: &mut SqliteConnection) -> Ran {
        let (result, ran) = match (self.job)(connection) {
            Ok(value) => (Ok(value), Ran::Done),
            Err(Abort::Database(error)) if cause(&error) != Cause::Constraint => {
                return Ran::Broken(store_error(&error));
            }
            Err(abort) => (Err(abort.into_error()), Ran::Refused),
        };
        self.result = Some(result);
        ran
    }

    fn answer(self: Box<Self>, group: Result<(), StoreError>) {
        let result = match (group, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(E::from(lost())),
            (Err(error), _) => Err(E::from(error)),
        };
        // Whoever has gone away needs no answer.
        drop(self.reply.send(result));
    }
}

/// Why a group was not committed.
enum Failure {
    /// It could not even begin, and neither could any of its writes alone.
    NotBegun(StoreError),
    /// Another process had the lock for as long as the oldest of the writes may wait.
    Locked(StoreError),
    /// Everything was taken back.
    Broken(StoreError),
    /// The write at this place has panicked, and everything was taken back.
    Panicked(usize),
}

/// Commits writes in groups.
struct Groups {
    place: Place,
    /// None before the first write of a command, after a panic, or when it could not be used any more.
    connection: Option<Connection>,
    checkpoints: Checkpoints,
    failed_commits: Arc<AtomicU64>,
    /// How long a write waits for the lock, the time in the queue included.
    patience: Duration,
}

impl Groups {
    /// Commits the writes, all at once or else one by one, and answers them.
    fn commit(&mut self, mut group: Vec<Box<dyn Write>>) {
        if group.is_empty() {
            return;
        }
        match self.attempt(&mut group) {
            Ok(()) => group.into_iter().for_each(|write| write.answer(Ok(()))),
            Err(Failure::Panicked(place)) => {
                group.remove(place).answer(Err(panicked()));
                self.commit(group);
            }
            Err(Failure::Broken(error)) if group.len() > 1 => {
                tracing::warn!(%error, writes = group.len(), "writes are tried one by one");
                self.commit_each(group);
            }
            Err(Failure::Locked(error)) => {
                let (late, rest): (Vec<_>, Vec<_>) =
                    group.into_iter().partition(|write| write.waited() >= self.patience);
                late.into_iter().for_each(|write| write.answer(Err(error.clone())));
                self.commit(rest);
            }
            Err(Failure::Broken(error) | Failure::NotBegun(error)) => {
                group.into_iter().for_each(|write| write.answer(Err(error.clone())));
            }
        }
    }

    /// Commits every write for itself, and answers it.
    fn commit_each(&mut self, group: Vec<Box<dyn Write>>) {
        let mut not_begun = None;
        for mut write in group {
            // What one has waited for in vain the others need not wait for as well.
            if let Some(error) = &not_begun {
                write.answer(Err(StoreError::clone(error)));
                continue;
            }
            let result = match self.attempt(slice::from_mut(&mut write)) {
                Ok(()) => Ok(()),
                Err(Failure::Panicked(_)) => Err(panicked()),
                Err(Failure::Broken(error) | Failure::Locked(error)) => Err(error),
                Err(Failure::NotBegun(error)) => Err(not_begun.insert(error).clone()),
            };
            write.answer(result);
        }
    }

    /// One transaction with all of the writes.
    fn attempt(&mut self, group: &mut [Box<dyn Write>]) -> Result<(), Failure> {
        let waited = group.iter().map(|write| write.waited()).max().unwrap_or_default();
        let mut connection = self.begin(self.patience.saturating_sub(waited))?;
        for (place, write) in group.iter_mut().enumerate() {
            let run = AssertUnwindSafe(|| within_savepoint(&mut connection, write.as_mut()));
            match catch_unwind(run) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    self.take_back(connection);
                    return Err(Failure::Broken(error));
                }
                Err(_) => {
                    tracing::error!("a write has panicked; the connection is replaced");
                    connection.discard();
                    return Err(Failure::Panicked(place));
                }
            }
        }
        if let Err(error) = connection.batch_execute("COMMIT") {
            self.failed_commits.fetch_add(1, Ordering::Relaxed);
            self.take_back(connection);
            return Err(Failure::Broken(store_error(&error)));
        }
        connection.forget_statements();
        self.connection = Some(connection);
        Ok(())
    }

    /// A connection within a transaction.
    fn begin(&mut self, patience: Duration) -> Result<Connection, Failure> {
        let start = Instant::now();
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect(patience)?,
        };
        match begin(&mut connection, patience.saturating_sub(start.elapsed())) {
            Ok(()) => Ok(connection),
            Err(error) if cause(&error) == Cause::Busy => {
                self.connection = Some(connection);
                Err(Failure::Locked(store_error(&error)))
            }
            Err(error) => {
                connection.discard();
                Err(Failure::NotBegun(store_error(&error)))
            }
        }
    }

    /// A new connection. An import may have left another mode behind.
    fn connect(&self, patience: Duration) -> Result<Connection, Failure> {
        let connected = self.place.connect(Purpose::Write);
        let mut connection = connected.map_err(|error| Failure::NotBegun(store_error(&error)))?;
        match retry_while_busy(patience, || use_wal(&mut connection)) {
            Ok(()) => Ok(connection),
            Err(error) => {
                connection.discard();
                let locked = cause(&error) == Cause::Busy;
                let failure = if locked { Failure::Locked } else { Failure::NotBegun };
                Err(failure(store_error(&error)))
            }
        }
    }

    fn take_back(&mut self, mut connection: Connection) {
        if roll_back(&mut connection) {
            self.connection = Some(connection);
        } else {
            connection.discard();
        }
    }

    /// Keeps the log short.
    fn checkpoint(&mut self) {
        if let Some(connection) = &mut self.connection {
            self.checkpoints.after_commit(connection);
        }
    }

    /// Leaves an empty WAL behind, unless somebody still reads from it.
    fn close(self) {
        self.checkpoints.close();
        let Some(mut connection) = self.connection else {
            return;
        };
        let end =
            connection.batch_execute("PRAGMA busy_timeout = 1000; PRAGMA wal_checkpoint(TRUNCATE)");
        if let Err(error) = end {
            tracing::warn!(%error, "the last checkpoint has failed");
        }
    }
}

/// Runs a write so that it can be taken back for itself. RELEASE fails when SQLite has ended the
/// whole transaction meanwhile, whatever the write itself says of it.
fn within_savepoint(
    connection: &mut SqliteConnection,
    write: &mut dyn Write,
) -> Result<(), StoreError> {
    connection.batch_execute("SAVEPOINT w").map_err(|error| store_error(&error))?;
    let end = match write.run(connection) {
        Ran::Done => "RELEASE w",
        Ran::Refused => "ROLLBACK TO w; RELEASE w",
        Ran::Broken(error) => return Err(error),
    };
    connection.batch_execute(end).map_err(|error| store_error(&error))
}

fn panicked() -> StoreError {
    StoreError::Internal("the write has panicked".to_owned())
}
