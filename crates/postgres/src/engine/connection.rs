//! A connection for Diesel.
//!
//! It is our own type instead of `AsyncPgConnection` for three reasons: Diesel's errors have no
//! SQLSTATE, which distinguishes a deadlock from a defect; every wait needs a limit; and a
//! transaction that a dropped future left open has to be detected.

use std::{
    future::Future,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AsQuery, QueryFragment, QueryId},
    result::Error,
};
use diesel_async::{AsyncConnectionCore, SimpleAsyncConnection};
use futures_core::future::BoxFuture;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use patrol_repository::stored::trace::{self, System};
use tokio::{task::AbortHandle, time::Instant};
use tokio_postgres::{Client, Error as PostgresError, SimpleQueryMessage};

use super::{
    counters::Counters,
    error::{Abort, Cause, cause, connection_lost, database_error, state_of},
    generation::Generations,
    limit,
    row::Row,
    statement::{Bind, Copied, Kept, Prepared, Statement},
    tls::Tls,
};

/// The kind of database, for traces.
pub(super) const SYSTEM: System = System::Postgres;

/// A connection. Concurrent statements share it: they are pipelined and answered in order.
pub(crate) struct Connection {
    pub(super) client: Client,
    tls: Tls,
    driver: AbortHandle,
    generations: Arc<Generations>,
    generation: u64,
    kept: Kept,
    preparing: tokio::sync::Mutex<()>,
    counters: Arc<Counters>,
    limit: Mutex<Limit>,
    state: Mutex<Option<String>>,
    /// Whether no further statement can be sent.
    is_broken: AtomicBool,
    /// Whether a transaction is or may be open.
    is_open: AtomicBool,
    /// Whether a statement of the open transaction has failed. PostgreSQL would then refuse further
    /// statements and answer COMMIT with a rollback.
    has_failed: AtomicBool,
    /// Whether PostgreSQL may be committing the open transaction.
    is_committing: AtomicBool,
    /// The rows to store before the commit, when several changes share the open transaction.
    group: Mutex<Option<Vec<Copied>>>,
}

impl Connection {
    /// `driver` sends and receives for this connection.
    pub(super) fn new(
        client: Client,
        tls: Tls,
        driver: AbortHandle,
        generations: Arc<Generations>,
        generation: u64,
        counters: Arc<Counters>,
    ) -> Self {
        Self {
            client,
            tls,
            driver,
            generations,
            generation,
            kept: Kept::default(),
            preparing: tokio::sync::Mutex::default(),
            counters,
            limit: Mutex::new(Limit { each: limit::STATEMENT, until: None, is_list: false }),
            state: Mutex::default(),
            is_broken: AtomicBool::new(false),
            is_open: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            is_committing: AtomicBool::new(false),
            group: Mutex::default(),
        }
    }

    /// Runs `job` in a savepoint, so that a failed statement rolls back only the job, and the
    /// transaction continues.
    ///
    /// # Errors
    /// Those of `job`, after the rollback; or that of PostgreSQL when the rollback fails.
    pub(crate) async fn savepoint<T, E>(
        &self,
        job: impl Future<Output = Result<T, Abort<E>>>,
    ) -> Result<T, Abort<E>> {
        self.batch("SAVEPOINT job").await?;
        match job.await {
            Ok(done) => {
                self.batch("RELEASE SAVEPOINT job").await?;
                Ok(done)
            }
            Err(abort) => {
                self.batch("ROLLBACK TO SAVEPOINT job; RELEASE SAVEPOINT job").await?;
                self.has_failed.store(false, Ordering::Relaxed);
                Err(abort)
            }
        }
    }

    /// Begins a transaction. If the last statement of `sql` returns a value, it identifies the
    /// state of the data.
    pub(super) async fn begin(&self, sql: &str) -> QueryResult<()> {
        self.has_failed.store(false, Ordering::Relaxed);
        self.is_committing.store(false, Ordering::Relaxed);
        self.is_open.store(true, Ordering::Relaxed);
        let span = SYSTEM.statement(|| sql);
        let messages = self.noted(self.client.simple_query(sql)).await;
        let messages = messages.inspect_err(|_| trace::failed(&span))?;
        let named = messages.iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = named;
        Ok(())
    }

    /// The state of the data that the open transaction sees, if it is identified.
    pub(crate) fn state(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs statements without parameters, and ignores their rows.
    pub(crate) async fn batch(&self, sql: &str) -> QueryResult<()> {
        let span = SYSTEM.statement(|| sql);
        let done = self.noted(self.client.batch_execute(sql)).await;
        done.inspect_err(|_| trace::failed(&span))
    }

    /// Sets the limit for each answer of PostgreSQL.
    pub(super) fn set_limit(&self, each: Duration) {
        *self.limit.lock().unwrap_or_else(PoisonError::into_inner) =
            Limit { each, until: None, is_list: false };
    }

    /// Sets the limit until the first row of a list, including everything before it, and for `each`
    /// later answer.
    pub(super) fn set_first_limit(&self, first: Duration, each: Duration) {
        let until = Some(Instant::now() + first);
        *self.limit.lock().unwrap_or_else(PoisonError::into_inner) =
            Limit { each, until, is_list: true };
    }

    /// Records that the first row of a list has arrived, or that there is none.
    pub(crate) fn has_first_row(&self) {
        self.limit.lock().unwrap_or_else(PoisonError::into_inner).until = None;
    }

    /// The counters of all connections of the store.
    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Waits for `answer`, which may be sent over another connection, with the limit for an answer
    /// of PostgreSQL.
    pub(crate) async fn in_time<T>(&self, answer: impl Future<Output = T>) -> QueryResult<T> {
        let answered = tokio::time::timeout(self.limit(), answer).await;
        answered.map_err(|_| self.too_late())
    }

    /// Records that the transaction is about to be committed.
    pub(super) fn commits(&self) {
        self.is_committing.store(true, Ordering::Relaxed);
    }

    /// Rolls the open transaction back. If that fails, the transaction counts as open, and the
    /// connection is not used again.
    pub(super) async fn roll_back(&self) {
        if !self.is_broken() && self.batch("ROLLBACK").await.is_ok() {
            self.closed();
        }
    }

    /// Records that the transaction has ended.
    pub(super) fn closed(&self) {
        *self.group() = None;
        self.is_open.store(false, Ordering::Relaxed);
    }

    /// Whether the open transaction cannot be committed.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Records that several changes share the open transaction.
    pub(super) fn begins_group(&self) {
        *self.group() = Some(Vec::new());
    }

    /// The rows to store before the commit; `None` when no changes share the open transaction.
    pub(super) fn group(&self) -> MutexGuard<'_, Option<Vec<Copied>>> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks the connection as broken.
    pub(super) fn give_up(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }

    /// Whether no further statement may be sent.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed) || self.client.is_closed()
    }

    /// Whether the connection can be used by the next user.
    pub(super) fn is_clean(&self) -> bool {
        !self.is_broken() && !self.is_open.load(Ordering::Relaxed)
    }

    /// Whether PostgreSQL may still be working for this connection and should be cancelled. Never
    /// true during COMMIT: a cancelled commit that waits for a standby would become visible at
    /// once.
    pub(super) fn is_to_be_cancelled(&self) -> bool {
        let is_committing = self.is_committing.load(Ordering::Relaxed);
        self.is_open.load(Ordering::Relaxed) && !is_committing && !self.client.is_closed()
    }

    /// The generation, if no connection was lost since it began.
    pub(super) fn generation(&self) -> Option<u64> {
        (self.generations.generation() == self.generation).then_some(self.generation)
    }

    /// Cancels what PostgreSQL does for this connection, over another connection.
    pub(super) fn cancellation(&self) -> impl Future<Output = ()> + Send + 'static {
        let (token, tls) = (self.client.cancel_token(), self.tls.clone());
        async move {
            // A server that is gone has nothing to cancel.
            drop(tokio::time::timeout(limit::CANCEL, token.cancel_query(tls)).await);
        }
    }

    fn limit(&self) -> Duration {
        let Limit { each, until, is_list: _ } =
            *self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        until.map_or(each, |until| each.min(until.saturating_duration_since(Instant::now())))
    }

    /// The error for an answer that did not arrive in time. For a list, it is counted as one that
    /// took too long.
    fn too_late(&self) -> Error {
        if self.limit.lock().unwrap_or_else(PoisonError::into_inner).is_list {
            self.counters.cancelled.increment("too_long");
        }
        connection_lost(NO_ANSWER)
    }

    /// Waits for `answer` and updates the state of the connection.
    pub(super) async fn noted<T>(
        &self,
        answer: impl Future<Output = Result<T, PostgresError>>,
    ) -> QueryResult<T> {
        let result = match tokio::time::timeout(self.limit(), answer).await {
            Ok(answered) => answered.map_err(|error| database_error(&error)),
            Err(_) => Err(self.too_late()),
        };
        if let Err(error) = &result {
            let runs_alone_next = self.group().is_some() && state_of(error) == "55P03";
            if !runs_alone_next {
                self.counters.note_error(error);
            }
            self.has_failed.store(true, Ordering::Relaxed);
            let cause = cause(error);
            if cause.ends_connection() {
                self.give_up();
            }
            // Other connections read from the same server, and would not notice that it is no
            // longer the primary.
            if cause == Cause::ReadOnly {
                self.generations.advance();
            }
        }
        result
    }

    pub(super) async fn prepared(
        &self,
        statement: Statement,
    ) -> QueryResult<(Prepared, Vec<Bind>)> {
        let Statement { key, binds, is_kept } = statement;
        // Statements that are sent at once are often the same: the first is prepared for all of them, and they are
        // sent in their order, as when all were prepared.
        let _turn = match is_kept.then(|| self.preparing.try_lock()) {
            Some(Err(_)) => Some(self.in_time(self.preparing.lock()).await?),
            turn => turn.and_then(Result::ok),
        };
        if let Some(prepared) = self.kept.get(&key) {
            return Ok((prepared, binds));
        }
        let types = key.types()?;
        let prepared =
            Prepared::new(self.noted(self.client.prepare_typed(&key.sql, &types)).await?)?;
        if is_kept {
            self.kept.keep(key, &prepared);
        }
        Ok((prepared, binds))
    }

    /// The rows that the query finds, read on demand. The query itself is no longer needed while they
    /// are awaited.
    ///
    /// # Errors
    /// When the query cannot be written; later those of PostgreSQL.
    pub(crate) fn rows(
        &self,
        query: impl QueryFragment<Pg>,
    ) -> QueryResult<BoxFuture<'_, QueryResult<BoxStream<'_, QueryResult<Row>>>>> {
        let statement = Statement::of(&query)?;
        Ok(Box::pin(self.query(statement)))
    }

    async fn query(&self, statement: Statement) -> QueryResult<BoxStream<'_, QueryResult<Row>>> {
        let span = SYSTEM.statement(|| statement.key.sql.as_str());
        let (Prepared { statement, columns }, binds) = self.prepared(statement).await?;
        let rows = self.noted(self.client.query_raw(&statement, binds)).await;
        let rows = rows.inspect_err(|_| trace::failed(&span))?;
        let next = move |mut rows: std::pin::Pin<Box<tokio_postgres::RowStream>>| {
            // The span of the statement ends with its last row.
            let (columns, _span) = (Arc::clone(&columns), &span);
            async move {
                let row = self.noted(async { rows.next().await.transpose() }).await.transpose()?;
                Some((row.map(|row| Row::new(row, columns)), rows))
            }
        };
        Ok(stream::unfold(Box::pin(rows), next).boxed())
    }

    async fn execute(&self, statement: Statement) -> QueryResult<usize> {
        let span = SYSTEM.statement(|| statement.key.sql.as_str());
        let (Prepared { statement, columns: _ }, binds) = self.prepared(statement).await?;
        let rows = self.noted(self.client.execute_raw(&statement, binds)).await;
        let rows = rows.inspect_err(|_| trace::failed(&span))?;
        Ok(usize::try_from(rows).unwrap_or(usize::MAX))
    }
}

/// The time limits for PostgreSQL.
#[derive(Clone, Copy)]
struct Limit {
    each: Duration,
    /// For all answers until this time.
    until: Option<Instant>,
    /// Whether these are the limits of a list.
    is_list: bool,
}

const NO_ANSWER: &str = "the database does not answer in time";

/// A connection in good order closes properly. Any other is aborted, because the driver would first
/// wait for pending answers.
impl Drop for Connection {
    fn drop(&mut self) {
        if !self.is_clean() {
            self.driver.abort();
        }
    }
}

impl SimpleAsyncConnection for &Connection {
    async fn batch_execute(&mut self, sql: &str) -> QueryResult<()> {
        self.batch(sql).await
    }
}

impl<'a> AsyncConnectionCore for &'a Connection {
    type ExecuteFuture<'conn, 'query> = BoxFuture<'a, QueryResult<usize>>;
    type LoadFuture<'conn, 'query> = BoxFuture<'a, QueryResult<Self::Stream<'conn, 'query>>>;
    type Stream<'conn, 'query> = BoxStream<'a, QueryResult<Row>>;
    type Row<'conn, 'query> = Row;
    type Backend = Pg;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> Self::LoadFuture<'conn, 'query>
    where
        T: AsQuery + 'query,
        T::Query: QueryFragment<Pg> + QueryId + 'query,
    {
        let (connection, statement) = (*self, Statement::of(&source.as_query()));
        Box::pin(async move { connection.query(statement?).await })
    }

    fn execute_returning_count<'conn, 'query, T>(
        &'conn mut self,
        source: T,
    ) -> Self::ExecuteFuture<'conn, 'query>
    where
        T: QueryFragment<Pg> + QueryId + 'query,
    {
        let (connection, statement) = (*self, Statement::of(&source));
        Box::pin(async move { connection.execute(statement?).await })
    }
}
