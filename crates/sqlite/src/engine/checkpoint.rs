//! Checkpoints: moves the write-ahead log into the database. A separate thread does most of this in
//! parallel with the writer, so that clients do not wait for it. Only the writer can restart the
//! log: when the log has become long and the thread has left little, it moves the rest.

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
    log_bound::{self, Log, LogBound, look},
};

/// A checkpoint is worthwhile from this number of pages on.
const WORTH: i64 = 1_000;

/// The log is long from this number of pages on: 48 MB. Pages that change often are moved once for
/// many changes.
const LONG: i64 = 12_288;

/// The writer moves the rest when it has at most one page for this many by which the log is too
/// long. So writes wait for few pages, and yet a log that the thread never gets to the end of does
/// not grow for ever.
const PATIENCE: i64 = 8;

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
            let length =
                if log.log < 0 { log_bound::pages(self.place.wal_bytes()) } else { log.log };
            match Turn::of(&log, length, self.limit) {
                // The thread is too slow, so writes have to wait.
                Turn::Keep => lock(&self.bound).keep(connection)?,
                Turn::Finish => checkpoint(connection)?,
                // If it was already woken, it will also see this commit.
                Turn::Wake => drop(self.wake.try_send(())),
                Turn::Nothing => {}
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

/// What the writer does about the log after a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Nothing,
    /// Wakes the thread.
    Wake,
    /// Moves the rest, so that the next write starts the log again from its beginning.
    Finish,
    /// Keeps the log below its bound, whatever it takes.
    Keep,
}

impl Turn {
    /// The turn for a log of `length` pages, with this bound in bytes.
    fn of(log: &Log, length: i64, limit: u64) -> Self {
        let rest = log.log - log.checkpointed;
        if length >= log_bound::last_pages(limit) {
            Self::Keep
        } else if length >= log_bound::first_pages(limit) {
            Self::Wake
        } else if log.log >= LONG && rest <= (log.log - LONG) / PATIENCE {
            Self::Finish
        } else if log.log >= LONG || rest >= WORTH {
            Self::Wake
        } else {
            Self::Nothing
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The turn for a log of this many pages, of which `rest` are not in the database.
    fn turn(log: i64, rest: i64) -> Turn {
        Turn::of(&Log { busy: 0, log, checkpointed: log - rest }, log, 1 << 30)
    }

    #[test]
    fn the_writer_moves_only_a_short_rest_of_a_long_log() {
        assert_eq!(turn(WORTH - 1, WORTH - 1), Turn::Nothing);
        assert_eq!(turn(WORTH, WORTH), Turn::Wake);
        assert_eq!(turn(LONG - 1, 0), Turn::Nothing);
        assert_eq!(turn(LONG, 0), Turn::Finish);
        assert_eq!(turn(LONG, 1), Turn::Wake, "the thread moves all but the last pages");
        for length in LONG..LONG * 2 {
            let rest = (0..=length).rev().find(|rest| turn(length, *rest) == Turn::Finish);
            assert!(rest.unwrap() <= (length - LONG) / 8, "{length}");
        }
    }

    #[test]
    fn a_log_that_the_thread_never_finishes_stays_bounded() {
        let finished = (LONG..).find(|length| turn(*length, 2_000) == Turn::Finish);
        assert_eq!(finished, Some(LONG + 16_000));
    }

    #[test]
    fn near_the_bound_of_the_log_nothing_else_counts() {
        let limit = 64 << 20;
        let turn = |length| {
            let log = Log { busy: 0, log: length, checkpointed: length };
            Turn::of(&log, length, limit)
        };
        assert_eq!(turn(log_bound::first_pages(limit)), Turn::Wake);
        assert_eq!(turn(log_bound::last_pages(limit)), Turn::Keep);
    }
}
