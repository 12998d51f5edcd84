//! Checkpoints: moves the write-ahead log into the database. A separate thread does most of this
//! in parallel with the writer, so that clients do not wait for it. The log restarts only when
//! all its pages are moved and no write adds new ones: so when the log has become long and the
//! thread has left little, the writer moves the rest. Close to the bound, the thread empties the
//! log too.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::Instant,
};

use diesel::{QueryResult, RunQueryDsl, SqliteConnection};

use super::{
    connection::{DatabaseFile, Purpose},
    log_bound::{self, Log, LogBound, PauseEnd, log_state},
    write_counters::WriteCounters,
};

/// A checkpoint is worthwhile from this number of pages on.
const WORTHWHILE_PAGES: i64 = 1_000;

/// The log is long from this number of pages on: 48 MB. Pages that change often are moved once for
/// many changes.
const LONG_PAGES: i64 = 12_288;

/// The writer moves the rest of a long log itself when the rest has at most (length - `LONG_PAGES`) /
/// `REST_DIVISOR` pages. So writes wait for few pages, and a log whose end the thread never reaches
/// still stays bounded.
const REST_DIVISOR: i64 = 8;

/// The checkpoint thread, and what the writer does about the log itself.
pub(super) struct Checkpoints {
    wake: SyncSender<()>,
    thread: JoinHandle<()>,
    file: DatabaseFile,
    bound: Arc<Mutex<LogBound>>,
    /// The bound of the log in bytes.
    limit: u64,
    pause: PauseEnd,
    failures: FailureLog,
    counters: Arc<WriteCounters>,
}

impl Checkpoints {
    /// Starts the thread.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn start(
        file: DatabaseFile,
        bound: LogBound,
        counters: Arc<WriteCounters>,
    ) -> std::io::Result<Self> {
        let (wake, woken) = sync_channel(1);
        let thread = thread::Builder::new().name("sqlite-log".to_owned());
        let limit = bound.limit();
        let bound = Arc::new(Mutex::new(bound));
        let (moved, shared) = (file.clone(), Arc::clone(&bound));
        let counted = Arc::clone(&counters);
        let thread = thread.spawn(move || work(&moved, &shared, &woken, &counted))?;
        let failures = FailureLog::default();
        Ok(Self { wake, thread, file, bound, limit, pause: None, failures, counters })
    }

    /// Moves or empties the log if necessary. Call this after a commit on `connection`, when all
    /// clients have their answers.
    pub(super) fn after_commit(&mut self, connection: &mut SqliteConnection) {
        let moved = log_state(connection).and_then(|log| {
            // While the thread moves the log, only the file size shows the log's length.
            let length =
                if log.log < 0 { log_bound::pages(self.file.wal_bytes()) } else { log.log };
            match LogAction::of(&log, length, self.limit) {
                // The thread is too slow, so writes have to wait.
                LogAction::EnforceBound => {
                    lock(&self.bound).enforce(connection, &mut self.pause)?
                }
                LogAction::Finish => checkpoint(connection, &self.counters)?,
                // If it was already woken, it will also see this commit.
                LogAction::Wake => drop(self.wake.try_send(())),
                LogAction::Nothing => {}
            }
            Ok(())
        });
        self.failures.note(moved);
    }

    /// Waits for the end of the thread.
    pub(super) fn close(self) {
        let Self { wake, thread, .. } = self;
        drop(wake);
        if thread.join().is_err() {
            tracing::error!("moving the log has panicked");
        }
    }
}

/// What the writer does about the log after a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LogAction {
    Nothing,
    /// Wakes the thread.
    Wake,
    /// Moves the rest, so that the next write starts the log again from its beginning.
    Finish,
    /// Empties the log, and cancels lists if they prevent this.
    EnforceBound,
}

impl LogAction {
    /// The action for a log of `length` pages, with this bound in bytes.
    fn of(log: &Log, length: i64, limit: u64) -> Self {
        let rest = log.log - log.checkpointed;
        if length >= log_bound::block_from_pages(limit) {
            Self::EnforceBound
        } else if length >= log_bound::cancel_from_pages(limit) {
            Self::Wake
        } else if log.log >= LONG_PAGES && rest <= (log.log - LONG_PAGES) / REST_DIVISOR {
            Self::Finish
        } else if log.log >= LONG_PAGES || rest >= WORTHWHILE_PAGES {
            Self::Wake
        } else {
            Self::Nothing
        }
    }
}

/// The loop of the thread.
fn work(
    file: &DatabaseFile,
    bound: &Mutex<LogBound>,
    woken: &Receiver<()>,
    counters: &WriteCounters,
) {
    let (mut connection, mut pause) = (None, None);
    let mut failures = FailureLog::default();
    while woken.recv().is_ok() {
        let connected = match connection.take() {
            Some(connection) => Ok(connection),
            None => file.connect(Purpose::Write),
        };
        failures.note(connected.and_then(|connected| {
            let connection = connection.insert(connected);
            // Locked until the end of this closure: when the log is too long, the writer waits for
            // this checkpoint.
            let bound = lock(bound);
            checkpoint(connection, counters)?;
            bound.enforce(connection, &mut pause)
        }));
    }
}

fn lock(bound: &Mutex<LogBound>) -> MutexGuard<'_, LogBound> {
    bound.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Moves the pages of the log up to the end of the oldest open snapshot, without waiting. Does
/// nothing while another connection runs a checkpoint.
fn checkpoint(connection: &mut SqliteConnection, counters: &WriteCounters) -> QueryResult<()> {
    let start = Instant::now();
    let moved = diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").execute(connection);
    counters.checkpoints.note(moved.is_ok(), start.elapsed());
    moved.map(drop)
}

/// A failed checkpoint loses nothing, and the next one does its work. On a full disk each commit
/// tries one, so only the first failure after a success is logged.
#[derive(Default)]
struct FailureLog {
    last_failed: bool,
}

impl FailureLog {
    fn note(&mut self, result: QueryResult<()>) {
        let failed = result.is_err();
        if let Err(error) = result
            && !self.last_failed
        {
            tracing::warn!(%error, "a checkpoint has failed");
        }
        self.last_failed = failed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The action for a log of this many pages, of which `rest` are not in the database.
    fn action(log: i64, rest: i64) -> LogAction {
        LogAction::of(&Log { busy: 0, log, checkpointed: log - rest }, log, 1 << 30)
    }

    #[test]
    fn the_writer_moves_only_a_short_rest_of_a_long_log() {
        assert_eq!(action(WORTHWHILE_PAGES - 1, WORTHWHILE_PAGES - 1), LogAction::Nothing);
        assert_eq!(action(WORTHWHILE_PAGES, WORTHWHILE_PAGES), LogAction::Wake);
        assert_eq!(action(LONG_PAGES - 1, 0), LogAction::Nothing);
        assert_eq!(action(LONG_PAGES, 0), LogAction::Finish);
        assert_eq!(
            action(LONG_PAGES, 1),
            LogAction::Wake,
            "the thread moves all but the last pages"
        );
        for length in LONG_PAGES..LONG_PAGES * 2 {
            let rest = (0..=length).rev().find(|rest| action(length, *rest) == LogAction::Finish);
            assert!(rest.unwrap() <= (length - LONG_PAGES) / 8, "{length}");
        }
    }

    #[test]
    fn a_log_that_the_thread_never_finishes_stays_bounded() {
        let finished = (LONG_PAGES..).find(|length| action(*length, 2_000) == LogAction::Finish);
        assert_eq!(finished, Some(LONG_PAGES + 16_000));
    }

    #[test]
    fn near_the_bound_of_the_log_nothing_else_counts() {
        let limit = 64 << 20;
        let action = |length| {
            let log = Log { busy: 0, log: length, checkpointed: length };
            LogAction::of(&log, length, limit)
        };
        assert_eq!(action(log_bound::cancel_from_pages(limit)), LogAction::Wake);
        assert_eq!(action(log_bound::block_from_pages(limit)), LogAction::EnforceBound);
    }
}
