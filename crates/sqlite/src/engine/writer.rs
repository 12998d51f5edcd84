//! The writer thread. Waiting writes share a commit, because a commit waits for the disk: each has
//! its own savepoint, and all are answered when they are durable.

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
    error::{Abort, Cause, caller_error, cause, lost, store_error},
    journal::use_wal,
    log_bound::LogBound,
    queue::{Load, Queue},
    readers::WAITED,
    transaction::{begin, retry_while_busy, roll_back},
    upkeep::{Kept, Upkeep},
};

/// The most writes in one commit.
const GROUP: usize = 64;

/// Sends writes to the thread.
pub(super) struct Writer {
    queue: Arc<WriteQueue>,
    thread: Mutex<Option<JoinHandle<()>>>,
    failed_commits: Arc<AtomicU64>,
}

/// The waiting writes.
pub(super) struct WriteQueue(Queue<Box<dyn Write>>);

impl WriteQueue {
    /// Refuses the writes that have waited for `patience` with `Unavailable`.
    pub(super) fn refuse_late(&self, patience: Duration) {
        for write in self.0.take_expired(patience) {
            write.answer(Err(StoreError::Unavailable(WAITED.to_owned())));
        }
    }
}

impl Writer {
    /// Starts the thread. Without a connection, it opens one for its first write.
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
        let mut groups = Groups {
            place,
            connection,
            checkpoints,
            upkeep: Upkeep::default(),
            patience,
            failed_commits: counter,
        };
        let jobs = Arc::clone(&queue);
        queue.0.add_thread();
        let thread = thread::Builder::new().name("sqlite-writer".to_owned()).spawn(move || {
            let mut waiting = Vec::with_capacity(GROUP);
            let mut has_more = false;
            loop {
                while has_more && jobs.0.is_idle() {
                    has_more = groups.keep_up();
                    groups.checkpoint();
                }
                if !jobs.0.take(&mut waiting, GROUP) {
                    break;
                }
                let writes = waiting.drain(..).map(|waiting| waiting.job);
                groups.commit(writes.filter(|write| !write.is_abandoned()).collect());
                groups.checkpoint();
                has_more = groups.keep_up();
            }
            groups.close();
        })?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)), failed_commits })
    }

    /// Runs `job` and returns after the commit. A job that has started runs to its end even when
    /// the caller has gone.
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

    /// The waiting writes.
    pub(super) fn queue(&self) -> Arc<WriteQueue> {
        Arc::clone(&self.queue)
    }

    pub(super) fn load(&self) -> Load {
        self.queue.0.load()
    }

    /// The number of failed commits so far.
    pub(super) fn failed_commits(&self) -> u64 {
        self.failed_commits.load(Ordering::Relaxed)
    }

    /// Accepts no more writes.
    pub(super) fn close(&self) {
        self.queue.0.close();
    }

    /// The thread, to wait for its end; `None` from the second call on.
    pub(super) fn thread(&self) -> Option<JoinHandle<()>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A waiting write with any result type.
trait Write: Send {
    /// Whether the caller has gone.
    fn is_abandoned(&self) -> bool;
    /// How long it has waited.
    fn waited(&self) -> Duration;
    /// Runs it, possibly again, and keeps the result.
    fn run(&mut self, connection: &mut SqliteConnection) -> Ran;
    /// Sends the result, or the failure of its group.
    fn answer(self: Box<Self>, group: Result<(), StoreError>);
}

/// The outcome of running a write.
enum Ran {
    /// It can be committed.
    Done,
    /// Only this write failed, and its savepoint has to be rolled back.
    Refused,
    /// It met an error that may have ended the transaction.
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
            Err(abort) => (Err(caller_error(abort)), Ran::Refused),
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
        // A caller that has gone needs no result.
        drop(self.reply.send(result));
    }
}

/// Why a group was not committed.
enum Failure {
    /// The transaction could not start, and would not for a single write either.
    NotBegun(StoreError),
    /// Another process had the lock for as long as the oldest write may wait.
    Locked(StoreError),
    /// Everything was rolled back.
    Broken(StoreError),
    /// The write at this position panicked, and everything was rolled back.
    Panicked(usize),
}

/// Commits writes in groups.
struct Groups {
    place: Place,
    /// `None` before the first write of a command, after a panic, or after an error.
    connection: Option<Connection>,
    checkpoints: Checkpoints,
    upkeep: Upkeep,
    failed_commits: Arc<AtomicU64>,
    /// How long a write waits for the lock, including the time in the queue.
    patience: Duration,
}

impl Groups {
    /// Commits the writes, together or else one by one, and answers them.
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

    /// Commits and answers each write separately.
    fn commit_each(&mut self, group: Vec<Box<dyn Write>>) {
        let mut not_begun = None;
        for mut write in group {
            // After one has waited in vain for the lock, the others do not wait again.
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

    /// One transaction with all writes.
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

    /// A connection with an open transaction.
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

    /// Opens a connection. Sets the journal mode again, because an import may have changed it.
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

    /// Does a step of the work that writes have left. Returns whether there may be more.
    fn keep_up(&mut self) -> bool {
        let Some(mut connection) = self.connection.take() else { return false };
        let Kept { has_more, is_usable } = self.upkeep.step(&mut connection);
        if is_usable {
            self.connection = Some(connection);
        } else {
            connection.discard();
        }
        has_more
    }

    /// Empties the WAL, unless another connection still reads from it.
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

/// Runs a write in a savepoint, so that it can be rolled back alone. RELEASE fails if SQLite has
/// ended the whole transaction, whatever the result of the write.
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
