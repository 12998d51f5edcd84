//! Checkpoints: moves the write-ahead log into the database. A separate thread does most of this in
//! parallel with the writer, so that clients do not wait for it. Only the writer can restart the
//! log: it moves the rest when the log has become long.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use diesel::{QueryResult, RunQueryDsl, SqliteConnection};

use super::{
    connection::{Place, Purpose},
    log_bound::{self, LogBound, look},
};

/// A checkpoint is worthwhile from this number of pages on.
const WORTH: i64 = 1_000;

/// The log is long from this number of pages on: 64 MB. Pages that change often are moved once for
/// many changes.
const LONG: i64 = 16_384;

pub(super) struct Checkpoints {
    wake: SyncSender<()>,
    thread: JoinHandle<()>,
    place: Place,
    bound: Arc<Mutex<LogBound>>,
    /// The bound of the log in bytes.
    limit: u64,
    failures: Failures,
}

impl Checkpoints {
    /// Starts the thread.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn start(place: Place, bound: LogBound) -> std::io::Result<Self> {
        let (wake, woken) = sync_channel(1);
        let thread = thread::Builder::new().name("sqlite-log".to_owned());
        let limit = bound.limit();
        let bound = Arc::new(Mutex::new(bound));
        let (moved, shared) = (place.clone(), Arc::clone(&bound));
        let thread = thread.spawn(move || work(&moved, &shared, &woken))?;
        Ok(Self { wake, thread, place, bound, limit, failures: Failures::default() })
    }

    /// Call this after a commit on its connection, when all clients have their answers.
    pub(super) fn after_commit(&mut self, connection: &mut SqliteConnection) {
        let moved = look(connection).and_then(|log| {
            // While the thread moves the log, only the file size shows the log's length.
            let pages =
                if log.log < 0 { log_bound::pages(self.place.wal_bytes()) } else { log.log };
            if pages >= log_bound::last_pages(self.limit) {
                // The thread is too slow, so writes have to wait.
                lock(&self.bound).keep(connection)?;
            } else if pages >= log_bound::first_pages(self.limit) {
                let _ = self.wake.try_send(());
            } else if log.log >= LONG {
                checkpoint(connection)?;
            } else if log.log - log.checkpointed >= WORTH {
                // If it was already woken, it will also see this commit.
                let _ = self.wake.try_send(());
            }
            Ok(())
        });
        self.failures.note(moved);
    }

    /// Waits for the end of the thread.
    pub(super) fn close(self) {
        let Self { wake, thread, place: _, bound: _, limit: _, failures: _ } = self;
        drop(wake);
        if thread.join().is_err() {
            tracing::error!("moving the log has panicked");
        }
    }
}

/// The loop of the thread.
fn work(place: &Place, bound: &Mutex<LogBound>, woken: &Receiver<()>) {
    let mut connection = None;
    let mut failures = Failures::default();
    while woken.recv().is_ok() {
        let connected = match connection.take() {
            Some(connection) => Ok(connection),
            None => place.connect(Purpose::Write),
        };
        failures.note(connected.and_then(|connected| {
            let connection = connection.insert(connected);
            // Locked from here on: a writer that finds the log too long waits for all of this.
            let mut bound = lock(bound);
            checkpoint(connection)?;
            bound.keep(connection)
        }));
    }
}

fn lock(bound: &Mutex<LogBound>) -> MutexGuard<'_, LogBound> {
    bound.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Moves the pages that no reader needs. Does nothing while another connection runs a checkpoint.
fn checkpoint(connection: &mut SqliteConnection) -> QueryResult<()> {
    diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").execute(connection).map(drop)
}

/// A failed checkpoint loses nothing, and the next one does its work. On a full disk each commit
/// tries one, so only the first failure after a success is logged.
#[derive(Default)]
struct Failures {
    goes_on: bool,
}

impl Failures {
    fn note(&mut self, result: QueryResult<()>) {
        let failed = result.is_err();
        if let Err(error) = result
            && !self.goes_on
        {
            tracing::warn!(%error, "a checkpoint has failed");
        }
        self.goes_on = failed;
    }
}
