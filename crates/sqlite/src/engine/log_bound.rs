//! The bound of the write-ahead log. A slow list keeps its snapshot open, and the log grows with
//! every write until the snapshot ends. Before the log exceeds its bound, the oldest list is
//! cancelled, and then the next one, until the log can restart.

use std::{
    thread,
    time::{Duration, Instant},
};

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection, connection::SimpleConnection, sql_types::BigInt,
};

use super::snapshots::Snapshots;

/// Bytes of a page of the default size in the log, with its header.
const PAGE_BYTES: u64 = 4_096 + 24;

/// How long writes wait for short reads to end.
const READ_WAIT: Duration = Duration::from_millis(50);

/// How long the writer and short reads may block a checkpoint before lists and other processes
/// are assumed to be the reason. On a busy machine a short read takes longer than [`READ_WAIT`].
const SHORT_READ_LIMIT: Duration = Duration::from_millis(500);

/// The longest time for a cancelled list to end. On an idle machine it takes milliseconds. A list that
/// does not end delays the next write as long.
const CANCEL_LIMIT: Duration = Duration::from_secs(2);

/// The longest time for cancelling one list after another. Writes may have to wait for it.
const TOTAL_LIMIT: Duration = Duration::from_secs(4);

/// The pause after a try when no list of this process blocks the log. Then it is another process, or
/// the writer, if the checkpoint thread tries.
const RETRY_PAUSE: Duration = Duration::from_secs(10);

/// The result of a checkpoint pragma. `log` and `checkpointed` are -1 while another connection
/// moves the log.
#[derive(diesel::QueryableByName)]
pub(super) struct Log {
    /// Not 0 when a reader, a writer or another checkpoint was in the way.
    #[diesel(sql_type = BigInt)]
    pub(super) busy: i64,
    /// The pages of the log.
    #[diesel(sql_type = BigInt)]
    pub(super) log: i64,
    /// The pages that were already copied to the database.
    #[diesel(sql_type = BigInt)]
    pub(super) checkpointed: i64,
}

/// Reads the state of the log.
pub(super) fn log_state(connection: &mut SqliteConnection) -> QueryResult<Log> {
    diesel::sql_query("PRAGMA wal_checkpoint(NOOP)").get_result(connection)
}

/// The length of the log, in pages, at which the checkpoint thread begins to cancel lists: three
/// quarters of the bound. Writes continue.
pub(super) fn cancel_from_pages(limit: u64) -> i64 {
    pages(limit / 4 * 3)
}

/// The length at which the writer itself cancels lists, and writes wait.
pub(super) fn block_from_pages(limit: u64) -> i64 {
    pages(limit / 8 * 7)
}

/// The number of default-size pages in this many bytes of the log.
pub(super) fn pages(bytes: u64) -> i64 {
    i64::try_from(bytes / PAGE_BYTES).unwrap_or(i64::MAX)
}

/// Keeps the log below its bound.
pub(super) struct LogBound {
    limit: u64,
    snapshots: Snapshots,
}

/// When the pause of a thread ends after a try that did not help.
pub(super) type PauseEnd = Option<Instant>;

impl LogBound {
    pub(super) const fn new(limit: u64, snapshots: Snapshots) -> Self {
        Self { limit, snapshots }
    }

    /// The bound in bytes.
    pub(super) const fn limit(&self) -> u64 {
        self.limit
    }

    /// Empties the log when it is close to its bound, and cancels lists that prevent this. Writes
    /// wait meanwhile, so the checkpoint thread first moves most pages with a passive checkpoint.
    /// Each thread that tries has a pause of its own.
    pub(super) fn enforce(
        &self,
        connection: &mut SqliteConnection,
        pause: &mut PauseEnd,
    ) -> QueryResult<()> {
        if log_state(connection)?.log < cancel_from_pages(self.limit)
            || pause.is_some_and(|then| Instant::now() < then)
        {
            return Ok(());
        }
        *pause = None;
        let begun = Instant::now();
        loop {
            let log = empty(connection)?;
            if log.busy == 0 {
                return Ok(());
            }
            let may_be_short_read = begun.elapsed() < SHORT_READ_LIMIT;
            // If the whole log is in the database, only the writer or a new read can be in the way.
            let may_cancel = !may_be_short_read || log.checkpointed < log.log;
            let is_over = begun.elapsed() > TOTAL_LIMIT;
            let cancelled =
                if may_cancel && !is_over { self.snapshots.cancel_oldest() } else { None };
            let Some(cancelled) = cancelled else {
                if may_be_short_read {
                    thread::sleep(Duration::from_millis(1));
                    continue;
                }
                break;
            };
            if cancelled.is_new {
                tracing::warn!(
                    seconds = cancelled.age.as_secs(),
                    "the oldest list was cancelled because the write-ahead log was about to exceed \
                     wal_limit: its client reads slowly while much is written. Let the client read \
                     faster or by pages, or raise PATROL_WAL_LIMIT if the disk has room"
                );
            }
            let cancelled_at = Instant::now();
            while !self.snapshots.has_ended(&cancelled) && cancelled_at.elapsed() < CANCEL_LIMIT {
                thread::sleep(Duration::from_millis(1));
            }
            if !self.snapshots.has_ended(&cancelled) {
                tracing::warn!(
                    "writes wait for a cancelled list that does not end, because the write-ahead \
                     log is about to exceed wal_limit: the machine is overloaded"
                );
                return Ok(());
            }
            // Moves the pages that this list had kept in the log, in parallel with writers.
            diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").execute(connection)?;
        }
        tracing::warn!(
            "the write-ahead log is about to exceed wal_limit, and no list of this server is the \
             reason: end the other process that reads the database (patrol export, patrol backup, \
             sqlite3), or the log keeps growing"
        );
        *pause = Instant::now().checked_add(RETRY_PAUSE);
        Ok(())
    }
}

/// Moves the rest of the log and truncates the file. `busy` is 0 on success.
fn empty(connection: &mut SqliteConnection) -> QueryResult<Log> {
    connection.batch_execute(&format!("PRAGMA busy_timeout = {}", READ_WAIT.as_millis()))?;
    let log = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result(connection);
    connection.batch_execute("PRAGMA busy_timeout = 0")?;
    log
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    use tempfile::TempDir;
    use tokio::sync::Semaphore;

    use super::*;
    use crate::engine::connection::{Connection, DatabaseFile, Purpose};

    /// A log of two megabytes, and the connection that wrote it.
    fn long() -> (TempDir, DatabaseFile, Connection) {
        let folder = TempDir::new().unwrap();
        let file = DatabaseFile::new(&folder.path().join("a.db"), Duration::ZERO).unwrap();
        let large = "PRAGMA journal_mode = WAL;
                     CREATE TABLE item (body TEXT) STRICT;
                     INSERT INTO item VALUES (hex(zeroblob(1000000)))";
        let mut writer = file.connect(Purpose::Write).unwrap();
        writer.batch_execute(large).unwrap();
        (folder, file, writer)
    }

    /// A connection that reads an old state.
    fn reader(file: &DatabaseFile) -> Connection {
        let mut reader = file.connect(Purpose::List).unwrap();
        reader.batch_execute("BEGIN; SELECT count(*) FROM item").unwrap();
        reader
    }

    #[test]
    fn a_thread_that_was_behind_the_writer_pauses_alone() {
        let (_folder, file, mut writer) = long();
        let bound = LogBound::new(1 << 20, Snapshots::default());
        let mut thread = file.connect(Purpose::Write).unwrap();
        thread.batch_execute("PRAGMA wal_checkpoint(PASSIVE)").unwrap();
        writer.batch_execute("BEGIN IMMEDIATE").unwrap();
        let mut pause = None;
        bound.enforce(&mut thread, &mut pause).unwrap();
        assert!(pause.is_some());
        writer.batch_execute("COMMIT").unwrap();
        bound.enforce(&mut writer, &mut None).unwrap();
        assert_eq!(file.wal_bytes(), 0);
    }

    #[test]
    fn writes_wait_for_a_list_that_does_not_end() {
        let (_folder, file, mut writer) = long();
        let snapshots = Snapshots::default();
        let bound = LogBound::new(1 << 20, snapshots.clone());
        let open = snapshots.begin(&Arc::new(Semaphore::new(1)));
        let mut list = reader(&file);
        let mut pause = None;
        bound.enforce(&mut writer, &mut pause).unwrap();
        assert!(open.is_cancelled() && pause.is_none() && file.wal_bytes() > 0);
        list.batch_execute("COMMIT").unwrap();
        drop(open);
        bound.enforce(&mut writer, &mut pause).unwrap();
        assert_eq!(file.wal_bytes(), 0);
    }

    #[test]
    fn lists_that_end_and_come_again_are_not_the_reason() {
        let (_folder, file, mut writer) = long();
        let snapshots = Snapshots::default();
        let bound = LogBound::new(1 << 20, snapshots.clone());
        let _other = reader(&file);
        let is_over = AtomicBool::new(false);
        let mut pause = None;
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let list = snapshots.begin(&Arc::new(Semaphore::new(1)));
                    while !list.is_cancelled() && !is_over.load(Ordering::Relaxed) {
                        thread::sleep(Duration::from_millis(1));
                    }
                }
            });
            bound.enforce(&mut writer, &mut pause).unwrap();
            is_over.store(true, Ordering::Relaxed);
        });
        assert!(pause.is_some());
    }
}
