//! The bound of the write-ahead log. A list that is read slowly keeps its snapshot, and the log grows
//! with every write until the snapshot is given up. Before the log exceeds its bound, the oldest list
//! is broken off, and the next one, until the log can begin anew.

use std::{
    thread,
    time::{Duration, Instant},
};

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection, connection::SimpleConnection, sql_types::BigInt,
};

use super::snapshots::Snapshots;

/// What a page of the default size takes in the log, with its header.
const PAGE_BYTES: u64 = 4_096 + 24;

/// How long writes wait while the log waits for short reads to end.
const WAIT: Duration = Duration::from_millis(50);

/// How long the writer and short reads may be in the way before lists and other processes are taken for
/// the reason. On a busy machine they need more than [`WAIT`].
const MOMENT: Duration = Duration::from_millis(500);

/// How long a list that was told to end may take. It needs milliseconds on an idle machine.
const ENDING: Duration = Duration::from_secs(2);

/// How long lists are broken off one after another, while writes may wait for it.
const BREAKING_OFF: Duration = Duration::from_secs(4);

/// How long to leave the log alone when no list of this process is in its way, or none ends.
const PAUSE: Duration = Duration::from_secs(10);

/// The state of the log, in pages; both are -1 while another connection moves it.
#[derive(diesel::QueryableByName)]
pub(super) struct Log {
    /// Whether a reader, a writer or another connection that moves the log was in the way.
    #[diesel(sql_type = BigInt)]
    pub(super) busy: i64,
    #[diesel(sql_type = BigInt)]
    pub(super) log: i64,
    /// Those of them that are in the database as well.
    #[diesel(sql_type = BigInt)]
    pub(super) checkpointed: i64,
}

/// Asks for the state of the log, and does nothing.
pub(super) fn look(connection: &mut SqliteConnection) -> QueryResult<Log> {
    diesel::sql_query("PRAGMA wal_checkpoint(NOOP)").get_result(connection)
}

/// With so many pages, lists are broken off beside writes: a quarter of the bound is left for what is
/// written meanwhile.
pub(super) fn first_pages(limit: u64) -> i64 {
    pages(limit / 4 * 3)
}

/// With so many pages, writes wait for that.
pub(super) fn last_pages(limit: u64) -> i64 {
    pages(limit / 8 * 7)
}

/// How many pages of the default size so many bytes of the log hold.
pub(super) fn pages(bytes: u64) -> i64 {
    i64::try_from(bytes / PAGE_BYTES).unwrap_or(i64::MAX)
}

/// Keeps the log below its bound.
pub(super) struct LogBound {
    /// In bytes.
    limit: u64,
    snapshots: Snapshots,
    /// When the next try makes sense.
    not_before: Option<Instant>,
}

impl LogBound {
    pub(super) const fn new(limit: u64, snapshots: Snapshots) -> Self {
        Self { limit, snapshots, not_before: None }
    }

    /// In bytes.
    pub(super) const fn limit(&self) -> u64 {
        self.limit
    }

    /// Makes the log empty when it is about to exceed its bound. What can be moved into the database
    /// has to be moved already, since writes wait for the rest.
    pub(super) fn keep(&mut self, connection: &mut SqliteConnection) -> QueryResult<()> {
        if look(connection)?.log < first_pages(self.limit)
            || self.not_before.is_some_and(|then| Instant::now() < then)
        {
            return Ok(());
        }
        self.not_before = None;
        let begun = Instant::now();
        loop {
            let log = empty(connection)?;
            if log.busy == 0 {
                return Ok(());
            }
            if begun.elapsed() > BREAKING_OFF {
                tracing::warn!(
                    "lists that were broken off do not end, and the write-ahead log goes on growing: \
                     the machine is overloaded"
                );
                break;
            }
            // With the whole log in the database, the writer or a new read is in the way.
            if log.checkpointed >= log.log && begun.elapsed() < MOMENT {
                continue;
            }
            let Some(broken_off) = self.snapshots.break_off_oldest() else {
                if begun.elapsed() < MOMENT {
                    continue;
                }
                tracing::warn!(
                    "the write-ahead log is about to exceed wal_limit, and no list of this server \
                     is the reason: end the other process that reads the database (patrol export, \
                     patrol backup, sqlite3), or the log goes on growing"
                );
                break;
            };
            tracing::warn!(
                seconds = broken_off.age.as_secs(),
                "a list was broken off after so many seconds, since the write-ahead log was about to \
                 exceed wal_limit: its client reads slowly while much is written; have the client \
                 read faster or by pages, or raise PATROL_WAL_LIMIT if the disk has room"
            );
            let told = Instant::now();
            while !self.snapshots.has_ended(&broken_off) && told.elapsed() < ENDING {
                thread::sleep(Duration::from_millis(1));
            }
            // Beside writers, what this list kept in the log.
            diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").execute(connection)?;
        }
        self.not_before = Instant::now().checked_add(PAUSE);
        Ok(())
    }
}

/// Moves the rest of the log and cuts the file off. `busy` is 0 when nothing was in the way.
fn empty(connection: &mut SqliteConnection) -> QueryResult<Log> {
    connection.batch_execute(&format!("PRAGMA busy_timeout = {}", WAIT.as_millis()))?;
    let log = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result(connection);
    connection.batch_execute("PRAGMA busy_timeout = 0")?;
    log
}
