//! A waiting write, whose job may have any result type.

use std::time::{Duration, Instant};

use diesel::SqliteConnection;
use patrol_domain::StoreError;
use tokio::sync::oneshot;

use super::error::{Abort, Cause, caller_error, cause, lost, store_error};

/// A waiting write.
pub(super) trait Write: Send {
    /// Whether the caller has gone.
    fn is_abandoned(&self) -> bool;
    /// How long it has waited, in the queue and for the lock.
    fn waited(&self) -> Duration;
    /// Runs it, possibly again, and keeps the result.
    fn run(&mut self, connection: &mut SqliteConnection) -> WriteOutcome;
    /// Sends the result to the caller; with an error, the group was not committed.
    fn answer(self: Box<Self>, group: Result<(), StoreError>);
}

/// The outcome of running a write.
pub(super) enum WriteOutcome {
    /// It can be committed.
    Done,
    /// Only this write failed, and its savepoint has to be rolled back.
    Refused,
    /// It met an error that may have ended the transaction.
    Broken(StoreError),
}

/// A job, and the channel for its result.
pub(super) struct WaitingWrite<J, T, E> {
    job: J,
    since: Instant,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<J, T, E> WaitingWrite<J, T, E> {
    /// A write that waits since `since`. `reply` gets its result.
    pub(super) const fn new(job: J, since: Instant, reply: oneshot::Sender<Result<T, E>>) -> Self {
        Self { job, since, result: None, reply }
    }
}

impl<J, T, E> Write for WaitingWrite<J, T, E>
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

    fn run(&mut self, connection: &mut SqliteConnection) -> WriteOutcome {
        let (result, outcome) = match (self.job)(connection) {
            Ok(value) => (Ok(value), WriteOutcome::Done),
            Err(Abort::Database(error)) if cause(&error) != Cause::Constraint => {
                return WriteOutcome::Broken(store_error(&error));
            }
            Err(abort) => (Err(caller_error(abort)), WriteOutcome::Refused),
        };
        self.result = Some(result);
        outcome
    }

    fn answer(self: Box<Self>, group: Result<(), StoreError>) {
        let result = match (group, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(E::from(lost())),
            (Err(error), _) => Err(E::from(error)),
        };
        // Fails only when the caller has gone, which needs no result.
        drop(self.reply.send(result));
    }
}
