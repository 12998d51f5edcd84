//! One connection, as Diesel uses it.
//!
//! It is our own, not `AsyncPgConnection`, for three reasons: Diesel's error has no SQLSTATE, which
//! is what tells a deadlock from a defect; every wait has to have a limit; and a transaction that
//! a dropped future left open has to be seen.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AsQuery, QueryFragment, QueryId},
};
use diesel_async::{AsyncConnectionCore, SimpleAsyncConnection};
use futures_core::future::BoxFuture;
use futures_util::{
    SinkExt, StreamExt,
    stream::{self, BoxStream},
};
use patrol_domain::StoreError;
use tokio::{task::AbortHandle, time::Instant};
use tokio_postgres::{Client, CopyInSink, Error as PostgresError, SimpleQueryMessage};

use super::{
    counters::Counters,
    error::{Abort, Cause, cause, connection_lost, database_error},
    generation::Generations,
    limit,
    row::Row,
    statement::{AFTER_ROWS, BEFORE_ROWS, Bind, Copied, Kept, Prepared, Statement},
    tls::Tls,
};

/// A connection. Statements that run at once share it: they are sent as they come, and answered in
/// that order.
pub(crate) struct Connection {
    client: Client,
    tls: Tls,
    driver: AbortHandle,
    generations: Arc<Generations>,
    generation: u64,
    kept: Kept,
    counters: Arc<Counters>,
    limit: Mutex<Limit>,
    state: Mutex<Option<String>>,
    /// Whether it can carry no further statement.
    is_broken: AtomicBool,
    /// Whether a transaction is open, or may be.
    is_open: AtomicBool,
    /// Whether a statement of the open transaction has failed, so that PostgreSQL takes no further
    /// one and would answer COMMIT by rolling back.
    has_failed: AtomicBool,
    /// Whether PostgreSQL may be committing the open transaction.
    is_committing: AtomicBool,
}

impl Connection {
    /// `driver` carries what is sent and received; it belongs to this connection.
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
            counters,
            limit: Mutex::new(Limit { each: limit::STATEMENT, until: None }),
            state: Mutex::default(),
            is_broken: AtomicBool::new(false),
            is_open: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            is_committing: AtomicBool::new(false),
        }
    }

    /// Runs `job` so that a failed statement in it takes back only what `job` has done, and the
    /// transaction goes on.
    ///
    /// # Errors
    /// Those of `job`, after everything is taken back; or that of PostgreSQL when it cannot be.
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

    /// Stores rows, all of the same columns. PostgreSQL has nothing to plan, and stores some of them
    /// while the next are made.
    ///
    /// # Errors
    /// The first of `rows`; that of PostgreSQL; that it has not stored as many as were sent.
    pub(crate) async fn copy<E>(
        &self,
        mut rows: Box<dyn Iterator<Item = Result<Copied, Abort<E>>> + Send + '_>,
    ) -> Result<(), Abort<E>> {
        let Some(first) = rows.next() else { return Ok(()) };
        let mut copied = first?;
        let (Prepared { statement, columns: _ }, _) = self.prepared(copied.statement()).await?;
        let mut sink = pin!(self.noted(self.client.copy_in(&statement)).await?);
        self.feed(sink.as_mut(), Bytes::from_static(BEFORE_ROWS)).await?;
        let mut sent = 0_u64;
        loop {
            self.feed(sink.as_mut(), copied.rows()?).await?;
            sent = sent.saturating_add(copied.count());
            let Some(next) = rows.next() else { break };
            copied = next?;
        }
        self.feed(sink.as_mut(), Bytes::from_static(AFTER_ROWS)).await?;
        let stored = self.noted(sink.finish()).await?;
        if stored != sent {
            let differs = format!("the database has stored {stored} of {sent} rows");
            return Err(StoreError::Internal(differs).into());
        }
        Ok(())
    }

    /// Sends some of what belongs to a `COPY`. That PostgreSQL takes no further rows it tells at the
    /// end, with the reason. What could not be sent in time would be missing without a word, so that
    /// it ends the connection.
    async fn feed(&self, mut sink: Pin<&mut CopyInSink<Bytes>>, rows: Bytes) -> QueryResult<()> {
        let sent = async {
            drop(sink.send(rows).await);
            Ok(())
        };
        self.noted(sent).await
    }

    /// Begins a transaction. When `sql` returns a value at last, it names the state of the data.
    pub(super) async fn begin(&self, sql: &str) -> QueryResult<()> {
        self.has_failed.store(false, Ordering::Relaxed);
        self.is_committing.store(false, Ordering::Relaxed);
        self.is_open.store(true, Ordering::Relaxed);
        let told = self.noted(self.client.simple_query(sql)).await?;
        let named = told.iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = named;
        Ok(())
    }

    /// The name of the state of the data that the open transaction sees, if it has one.
    pub(super) fn state(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs statements that have no values and whose rows nobody wants.
    pub(super) async fn batch(&self, sql: &str) -> QueryResult<()> {
        self.noted(self.client.batch_execute(sql)).await
    }

    /// How long to wait for each answer of PostgreSQL from now on.
    pub(super) fn set_limit(&self, each: Duration) {
        *self.limit.lock().unwrap_or_else(PoisonError::into_inner) = Limit { each, until: None };
    }

    /// How long to wait for the first row of a list, with everything before it, and for `each`
    /// answer afterwards.
    pub(super) fn set_first_limit(&self, first: Duration, each: Duration) {
        let until = Some(Instant::now() + first);
        *self.limit.lock().unwrap_or_else(PoisonError::into_inner) = Limit { each, until };
    }

    /// The first row of a list is there, or it is known that there is none.
    pub(crate) fn has_first_row(&self) {
        self.limit.lock().unwrap_or_else(PoisonError::into_inner).until = None;
    }

    /// What has happened over all connections of the store.
    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Waits for `answer`, which may be on its way to somebody else, for as long as for an answer of
    /// PostgreSQL.
    pub(super) async fn in_time<T>(&self, answer: impl Future<Output = T>) -> QueryResult<T> {
        let answered = tokio::time::timeout(self.limit(), answer).await;
        answered.map_err(|_| connection_lost(NO_ANSWER))
    }

    /// The transaction is about to be committed.
    pub(super) fn commits(&self) {
        self.is_committing.store(true, Ordering::Relaxed);
    }

    /// Rolls the open transaction back. Where that fails, the transaction stays open, and the connection
    /// is not used again.
    pub(super) async fn roll_back(&self) {
        if !self.is_broken() && self.batch("ROLLBACK").await.is_ok() {
            self.closed();
        }
    }

    /// The transaction has ended.
    pub(super) fn closed(&self) {
        self.is_open.store(false, Ordering::Relaxed);
    }

    /// Whether the open transaction cannot be committed.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Takes the connection out of use.
    pub(super) fn give_up(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }

    /// Whether no further statement may be sent.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed) || self.client.is_closed()
    }

    /// Whether the next user finds it as the first one did.
    pub(super) fn is_clean(&self) -> bool {
        !self.is_broken() && !self.is_open.load(Ordering::Relaxed)
    }

    /// Whether PostgreSQL may be busy with something for this connection that is better ended. Not a
    /// COMMIT: one that waits for a standby would be shown to others at once.
    pub(super) fn is_to_be_cancelled(&self) -> bool {
        let is_committing = self.is_committing.load(Ordering::Relaxed);
        self.is_open.load(Ordering::Relaxed) && !is_committing && !self.client.is_closed()
    }

    /// The generation, when no connection has been lost since it began.
    pub(super) fn generation(&self) -> Option<u64> {
        (self.generations.generation() == self.generation).then_some(self.generation)
    }

    /// Asks PostgreSQL to end what it does for this connection, over another one.
    pub(super) fn cancellation(&self) -> impl Future<Output = ()> + Send + 'static {
        let (token, tls) = (self.client.cancel_token(), self.tls.clone());
        async move {
            // A server that is gone has nothing to cancel.
            drop(tokio::time::timeout(limit::CANCEL, token.cancel_query(tls)).await);
        }
    }

    fn limit(&self) -> Duration {
        let Limit { each, until } = *self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        until.map_or(each, |until| each.min(until.saturating_duration_since(Instant::now())))
    }

    /// Waits for `answer` and notes what it says of the connection.
    async fn noted<T>(
        &self,
        answer: impl Future<Output = Result<T, PostgresError>>,
    ) -> QueryResult<T> {
        let result = match tokio::time::timeout(self.limit(), answer).await {
            Ok(answered) => answered.map_err(|error| database_error(&error)),
            Err(_) => Err(connection_lost(NO_ANSWER)),
        };
        if let Err(error) = &result {
            self.has_failed.store(true, Ordering::Relaxed);
            let cause = cause(error);
            if cause.ends_connection() {
                self.give_up();
            }
            // Others read from the same server, and would not notice that it has been replaced.
            if cause == Cause::ReadOnly {
                self.generations.advance();
            }
        }
        result
    }

    async fn prepared(&self, statement: Statement) -> QueryResult<(Prepared, Vec<Bind>)> {
        let Statement { key, binds, is_kept } = statement;
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

    async fn query(&self, statement: Statement) -> QueryResult<BoxStream<'_, QueryResult<Row>>> {
        let (Prepared { statement, columns }, binds) = self.prepared(statement).await?;
        let rows = self.noted(self.client.query_raw(&statement, binds)).await?;
        let next = move |mut rows: std::pin::Pin<Box<tokio_postgres::RowStream>>| {
            let columns = Arc::clone(&columns);
            async move {
                let row = self.noted(async { rows.next().await.transpose() }).await.transpose()?;
                Some((row.map(|row| Row::new(row, columns)), rows))
            }
        };
        Ok(stream::unfold(Box::pin(rows), next).boxed())
    }

    async fn execute(&self, statement: Statement) -> QueryResult<usize> {
        let (Prepared { statement, columns: _ }, binds) = self.prepared(statement).await?;
        let rows = self.noted(self.client.execute_raw(&statement, binds)).await?;
        Ok(usize::try_from(rows).unwrap_or(usize::MAX))
    }
}

/// How long to wait for PostgreSQL.
#[derive(Clone, Copy)]
struct Limit {
    /// For each answer.
    each: Duration,
    /// For all of them until then.
    until: Option<Instant>,
}

const NO_ANSWER: &str = "the database does not answer in time";

/// A connection that is in order says good-bye. Any other is broken off, since the driver would
/// first wait for the answers that are still to come.
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
