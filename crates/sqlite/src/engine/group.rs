//! Commits waiting writes in groups: each write has its own savepoint, and all are answered when they
//! are durable. Writes that cannot be committed together are committed one by one.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
    sync::Arc,
    time::{Duration, Instant},
};

use diesel::{SqliteConnection, connection::SimpleConnection};
use patrol_domain::StoreError;

use super::{
    checkpoint::Checkpoints,
    connection::{Connection, DatabaseFile, Purpose},
    error::{Cause, cause, store_error},
    journal::use_wal,
    transaction::{begin, retry_while_busy, roll_back},
    upkeep::{StepOutcome, Upkeep},
    write::{Write, WriteOutcome},
    write_counters::WriteCounters,
};

/// Commits writes in groups.
pub(super) struct Groups {
    file: DatabaseFile,
    /// `None` before the first write of a command, after a panic, or after an error.
    connection: Option<Connection>,
    checkpoints: Checkpoints,
    upkeep: Upkeep,
    counters: Arc<WriteCounters>,
    /// How long a write waits for the lock, including the time in the queue.
    timeout: Duration,
}

/// Why a group was not committed.
enum Failure {
    /// No transaction could be started, so trying single writes is useless.
    NotBegun(StoreError),
    /// Another process held the lock for as long as the oldest write may wait.
    Locked(StoreError),
    /// Everything was rolled back.
    Broken(StoreError),
    /// The write at this position panicked, and everything was rolled back.
    Panicked(usize),
}

impl Groups {
    /// Without a connection, opens one for the first write.
    pub(super) fn new(
        file: DatabaseFile,
        connection: Option<Connection>,
        checkpoints: Checkpoints,
        timeout: Duration,
        counters: Arc<WriteCounters>,
    ) -> Self {
        Self { file, connection, checkpoints, upkeep: Upkeep::default(), counters, timeout }
    }

    /// Commits the writes and answers them. If they cannot be committed together, they are committed
    /// one by one.
    pub(super) fn commit(&mut self, mut group: Vec<Box<dyn Write>>) {
        if group.is_empty() {
            return;
        }
        match self.attempt(&mut group) {
            Ok(()) => group.into_iter().for_each(|write| write.answer(Ok(()))),
            Err(Failure::Panicked(at)) => {
                group.remove(at).answer(Err(panicked()));
                self.commit(group);
            }
            Err(Failure::Broken(error)) if group.len() > 1 => {
                tracing::warn!(%error, writes = group.len(), "writes are tried one by one");
                self.commit_each(group);
            }
            Err(Failure::Locked(error)) => {
                let (late, rest): (Vec<_>, Vec<_>) =
                    group.into_iter().partition(|write| write.waited() >= self.timeout);
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
            // If a transaction cannot be started, the remaining writes fail with the same error.
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
        let mut connection = self.begin(self.timeout.saturating_sub(waited))?;
        for (at, write) in group.iter_mut().enumerate() {
            let run = AssertUnwindSafe(|| within_savepoint(&mut connection, write.as_mut()));
            match catch_unwind(run) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    self.roll_back_and_keep(connection);
                    return Err(Failure::Broken(error));
                }
                Err(_) => {
                    tracing::error!("a write has panicked; the connection is replaced");
                    connection.discard();
                    return Err(Failure::Panicked(at));
                }
            }
        }
        let start = Instant::now();
        let committed = connection.batch_execute("COMMIT");
        self.counters.commits.note(committed.is_ok(), start.elapsed());
        if let Err(error) = committed {
            self.roll_back_and_keep(connection);
            return Err(Failure::Broken(store_error(&error)));
        }
        self.counters.writes.add(group.len());
        connection.forget_statements();
        self.connection = Some(connection);
        Ok(())
    }

    /// A connection with an open transaction.
    fn begin(&mut self, timeout: Duration) -> Result<Connection, Failure> {
        let start = Instant::now();
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect(timeout)?,
        };
        match begin(&mut connection, timeout.saturating_sub(start.elapsed())) {
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
    fn connect(&self, timeout: Duration) -> Result<Connection, Failure> {
        let connected = self.file.connect(Purpose::Write);
        let mut connection = connected.map_err(|error| Failure::NotBegun(store_error(&error)))?;
        match retry_while_busy(timeout, || use_wal(&mut connection)) {
            Ok(()) => Ok(connection),
            Err(error) => {
                connection.discard();
                let locked = cause(&error) == Cause::Busy;
                let failure = if locked { Failure::Locked } else { Failure::NotBegun };
                Err(failure(store_error(&error)))
            }
        }
    }

    /// Rolls the transaction back, and keeps the connection if it can still be used.
    fn roll_back_and_keep(&mut self, mut connection: Connection) {
        if roll_back(&mut connection) {
            self.connection = Some(connection);
        } else {
            connection.discard();
        }
    }

    /// Keeps the log short.
    pub(super) fn checkpoint(&mut self) {
        let checkpoints = &mut self.checkpoints;
        run_between_writes(&mut self.connection, |connection| {
            checkpoints.after_commit(connection);
            StepOutcome { has_more: false, is_usable: true }
        });
    }

    /// Runs one step of the work that writes leave for later. Returns whether there may be more.
    pub(super) fn upkeep_step(&mut self) -> bool {
        let upkeep = &mut self.upkeep;
        run_between_writes(&mut self.connection, |connection| upkeep.step(connection))
    }

    /// Empties the WAL, unless another connection still reads from it.
    pub(super) fn close(self) {
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

/// Runs work that no client waits for, if there is a connection. Returns whether there may be more. A
/// panic discards the connection, but must not end the thread, which runs all writes.
fn run_between_writes(
    kept: &mut Option<Connection>,
    work: impl FnOnce(&mut Connection) -> StepOutcome,
) -> bool {
    let Some(mut connection) = kept.take() else { return false };
    let Ok(outcome) = catch_unwind(AssertUnwindSafe(|| work(&mut connection))) else {
        tracing::error!("work after a commit has panicked; the connection is replaced");
        connection.discard();
        return false;
    };
    if outcome.is_usable {
        *kept = Some(connection);
    } else {
        connection.discard();
    }
    outcome.has_more
}

/// Runs a write in a savepoint, so that it can be rolled back alone. RELEASE fails if SQLite has
/// ended the whole transaction, whatever the result of the write.
fn within_savepoint(
    connection: &mut SqliteConnection,
    write: &mut dyn Write,
) -> Result<(), StoreError> {
    connection.batch_execute("SAVEPOINT w").map_err(|error| store_error(&error))?;
    let end = match write.run(connection) {
        WriteOutcome::Done => "RELEASE w",
        WriteOutcome::Refused => "ROLLBACK TO w; RELEASE w",
        WriteOutcome::Broken(error) => return Err(error),
    };
    connection.batch_execute(end).map_err(|error| store_error(&error))
}

fn panicked() -> StoreError {
    StoreError::Internal("the write has panicked".to_owned())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_panic_between_writes_discards_only_the_connection() {
        let folder = TempDir::new().unwrap();
        let file = DatabaseFile::new(&folder.path().join("a.db"), Duration::ZERO).unwrap();
        let mut kept = Some(file.connect(Purpose::Write).unwrap());
        let more = StepOutcome { has_more: true, is_usable: true };
        assert!(run_between_writes(&mut kept, |_| more) && kept.is_some());
        assert!(
            !run_between_writes(&mut kept, |_| panic!("this panic is meant")) && kept.is_none()
        );
        assert!(!run_between_writes(&mut kept, |_| panic!("there is no connection")));
        kept = Some(file.connect(Purpose::Write).unwrap());
        let broken = StepOutcome { has_more: true, is_usable: false };
        assert!(run_between_writes(&mut kept, |_| broken) && kept.is_none());
    }
}
