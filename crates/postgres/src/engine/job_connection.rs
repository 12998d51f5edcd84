//! The connection of a job.

use diesel::QueryResult;
use diesel_async::AsyncConnectionCore;
use futures_util::{
    TryStreamExt as _,
    future::{join, join_all},
};
use patrol_repository::{Query, stored::statement::Statement};

use super::{
    connection::Connection,
    error::{Abort, is_consequence},
    statement::Copied,
};

/// The most rows for which one INSERT each is sent, all in one round trip. COPY takes several round trips, and
/// less time for each row.
const FEW: usize = 8;

/// The connection of a job.
#[allow(unreachable_pub, reason = "a type of a public trait")]
pub struct JobConnection<'c>(pub(crate) &'c Connection);

impl patrol_repository::Connection for JobConnection<'_> {
    async fn load<'q, R, Q>(&self, query: Q) -> QueryResult<Vec<R>>
    where
        R: Send + 'static,
        Q: Query<'q, R>,
    {
        let rows = self.0.rows(query.into_sent())?.await?;
        rows.and_then(async |row| Q::read(&row)).try_collect().await
    }

    async fn first<'q, R, Q>(&self, query: Q) -> QueryResult<Option<R>>
    where
        R: Send + 'static,
        Q: Query<'q, R>,
    {
        let mut rows = self.0.rows(query.into_sent())?.await?;
        let Some(first) = rows.try_next().await? else { return Ok(None) };
        // To the end: a statement may fail after a row, when its time is over as soon as it has got a lock.
        while rows.try_next().await?.is_some() {}
        Q::read(&first).map(Some)
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
        let mut rows = self.0.rows(query.into_sent())?.await?;
        while let Some(row) = rows.try_next().await? {
            each(Q::read(&row)?)?;
        }
        Ok(())
    }

    async fn execute<S: Statement>(&self, statement: S) -> QueryResult<usize> {
        let mut conn = self.0;
        AsyncConnectionCore::execute_returning_count(&mut conn, statement).await
    }

    async fn execute_all<S: Statement>(&self, statements: Vec<S>) -> QueryResult<Vec<usize>> {
        let execute = |statement| patrol_repository::Connection::execute(self, statement);
        // The first error is the cause: after it, the other statements fail because of it.
        join_all(statements.into_iter().map(execute)).await.into_iter().collect()
    }

    async fn insert_all<S: Statement, E: Send>(&self, rows: Vec<S>) -> Result<(), Abort<E>> {
        if rows.len() <= FEW && self.0.group().is_none() {
            return Ok(self.execute_all(rows).await.map(drop)?);
        }
        let rows = rows.iter().map(Copied::of).collect::<QueryResult<Vec<_>>>()?;
        if let Some(kept) = &mut *self.0.group() {
            kept.extend(rows);
            return Ok(());
        }
        self.0.copy(Box::new(rows.into_iter().map(Ok))).await
    }

    async fn both<E: Send>(
        &self,
        first: impl Future<Output = Result<(), Abort<E>>> + Send,
        second: impl Future<Output = Result<(), Abort<E>>> + Send,
    ) -> Result<(), Abort<E>> {
        match join(first, second).await {
            (Err(Abort::Database(error)), second @ Err(_)) if is_consequence(&error) => second,
            (first, second) => first.and(second),
        }
    }
}
