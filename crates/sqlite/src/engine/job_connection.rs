//! The connection of a job, and the result of the job's work.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use diesel::{SqliteConnection, connection::DefaultLoadingMode, prelude::*, result::Error};
use futures_util::FutureExt as _;
use patrol_domain::StoreError;
use patrol_repository::{Connection, Query, stored::statement::Statement};

use super::error::Abort;

/// The connection of a job. A mutex, because shared code needs a `Sync` connection; it is never
/// contended, since one statement runs at a time.
#[allow(unreachable_pub, reason = "a type of a public trait")]
pub struct JobConnection<'c> {
    conn: Mutex<&'c mut SqliteConnection>,
    has_executed: AtomicBool,
}

impl<'c> JobConnection<'c> {
    pub(crate) const fn of(conn: &'c mut SqliteConnection) -> Self {
        Self { conn: Mutex::new(conn), has_executed: AtomicBool::new(false) }
    }

    /// Whether shared code has called `execute` with success. Queries do not count.
    pub(crate) fn has_executed(&self) -> bool {
        self.has_executed.load(Ordering::Relaxed)
    }

    pub(crate) fn with<T>(&self, run: impl FnOnce(&mut SqliteConnection) -> T) -> T {
        run(&mut self.conn.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Polls shared code once and returns its result: on SQLite every statement is complete at its
/// first poll.
pub(crate) fn poll_once<T, E>(
    work: impl Future<Output = Result<T, Abort<E>>>,
) -> Result<T, Abort<E>> {
    work.now_or_never().unwrap_or_else(|| Err(StoreError::Internal(WAITED.to_owned()).into()))
}

/// Like [`poll_once`], for code that returns only errors of Diesel.
pub(crate) fn poll_once_diesel<T>(work: impl Future<Output = QueryResult<T>>) -> QueryResult<T> {
    work.now_or_never().unwrap_or_else(|| Err(Error::QueryBuilderError(WAITED.into())))
}

const WAITED: &str = "a job waited for something other than the database";

impl Connection for JobConnection<'_> {
    async fn load<'q, R, Q>(&self, query: Q) -> QueryResult<Vec<R>>
    where
        R: Send + 'static,
        Q: Query<'q, R>,
    {
        self.with(|conn| query.load(conn))
    }

    async fn first<'q, R, Q>(&self, query: Q) -> QueryResult<Option<R>>
    where
        R: Send + 'static,
        Q: Query<'q, R>,
    {
        self.with(|conn| query.get_result(conn)).optional()
    }

    async fn for_each<'q, R, Q>(
        &self,
        query: Q,
        mut each: impl FnMut(R) -> QueryResult<()> + Send,
    ) -> QueryResult<()>
    where
        R: Send + 'static,
        Q: Query<'q, R>,
    {
        self.with(|conn| {
            query.load_iter::<R, DefaultLoadingMode>(conn)?.try_for_each(|row| each(row?))
        })
    }

    async fn execute<S: Statement>(&self, statement: S) -> QueryResult<usize> {
        let changed = self.with(|conn| statement.execute(conn))?;
        self.has_executed.store(true, Ordering::Relaxed);
        Ok(changed)
    }

    async fn execute_all<S: Statement>(&self, statements: Vec<S>) -> QueryResult<Vec<usize>> {
        let mut changed = Vec::with_capacity(statements.len());
        for statement in statements {
            changed.push(self.execute(statement).await?);
        }
        Ok(changed)
    }

    async fn both<E: Send>(
        &self,
        first: impl Future<Output = Result<(), Abort<E>>> + Send,
        second: impl Future<Output = Result<(), Abort<E>>> + Send,
    ) -> Result<(), Abort<E>> {
        // An error may have ended the transaction.
        first.await?;
        second.await
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[test]
    fn work_that_waits_is_an_error() {
        let done: Result<_, Abort<StoreError>> = poll_once(ready(Ok(1)));
        assert!(matches!(done, Ok(1)));
        let waiting: Result<(), Abort<StoreError>> = poll_once(pending());
        assert!(matches!(waiting, Err(Abort::Store(StoreError::Internal(_)))));
    }
}
