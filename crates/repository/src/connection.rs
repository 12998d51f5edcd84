//! A connection of either store, on which the ports run their statements.

use std::future::Future;

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    deserialize::FromSqlRow,
    expression::QueryMetadata,
    pg::Pg,
    query_builder::{AsQuery, QueryFragment, QueryId},
    query_dsl::{CompatibleType, LoadQuery},
    result::Error,
    row::Row,
};

use crate::stored::{Abort, statement::Statement};

/// The connection of a job: in a transaction ([`Engine::write`](crate::Engine::write)), in a snapshot
/// ([`Engine::page`](crate::Engine::page)), or in neither ([`Engine::read`](crate::Engine::read)).
///
/// SQLite is synchronous: there each future is ready at its first poll, and a job that waits for
/// anything else fails.
pub trait Connection: Send + Sync {
    /// The rows that the query finds.
    ///
    /// # Errors
    /// Those of the database, and `DeserializationError` for a row that cannot be read.
    fn load<'q, R, Q>(&self, query: Q) -> impl Future<Output = QueryResult<Vec<R>>> + Send
    where
        R: Send + 'static,
        Q: Query<'q, R>;

    /// The first row that the query finds. Adds no LIMIT: the query has to find few rows.
    ///
    /// # Errors
    /// Those of [`Self::load`].
    fn first<'q, R, Q>(&self, query: Q) -> impl Future<Output = QueryResult<Option<R>>> + Send
    where
        R: Send + 'static,
        Q: Query<'q, R>;

    /// Calls `each` with the rows that the query finds, as they are read. Stops at its first error.
    ///
    /// # Errors
    /// Those of [`Self::load`] and of `each`.
    fn for_each<'q, R, Q>(
        &self,
        query: Q,
        each: impl FnMut(R) -> QueryResult<()> + Send,
    ) -> impl Future<Output = QueryResult<()>> + Send
    where
        R: Send + 'static,
        Q: Query<'q, R>;

    /// Runs a statement without a result. Returns the number of rows that it changed.
    ///
    /// # Errors
    /// Those of the database.
    fn execute<S: Statement>(
        &self,
        statement: S,
    ) -> impl Future<Output = QueryResult<usize>> + Send;

    /// Runs statements of one form. Returns the number of rows that each changed. They are sent to
    /// PostgreSQL without waiting for answers; SQLite stops at the first that fails.
    ///
    /// # Errors
    /// That of the first statement that fails.
    fn execute_all<S: Statement>(
        &self,
        statements: Vec<S>,
    ) -> impl Future<Output = QueryResult<Vec<usize>>> + Send;

    /// Stores new rows of one table. The statements MUST be INSERTs with only a VALUES clause, without
    /// expressions: on PostgreSQL they may become a COPY. The change MUST NOT read the rows: when it shares
    /// a transaction with others, they are stored only before the COMMIT.
    ///
    /// # Errors
    /// That of the first row that cannot be stored. In a shared transaction such a row makes each change
    /// run alone.
    fn insert_all<S: Statement, E: Send>(
        &self,
        rows: Vec<S>,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send {
        async { Ok(self.execute_all(rows).await.map(drop)?) }
    }

    /// Runs two parts of a change. PostgreSQL gets the statements of both before it has answered any;
    /// after an error of the first, the second fails too. SQLite runs the second only after the first
    /// has succeeded.
    ///
    /// # Errors
    /// That of the first part, else that of the second.
    fn both<E: Send>(
        &self,
        first: impl Future<Output = Result<(), Abort<E>>> + Send,
        second: impl Future<Output = Result<(), Abort<E>>> + Send,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send;
}

/// A query that both databases can run and read as rows of type `R`. Its methods are for
/// PostgreSQL; SQLite uses Diesel's own.
pub trait Query<'q, R>: LoadQuery<'q, SqliteConnection, R> + Send {
    /// The query in Diesel's form, for PostgreSQL.
    type Sent: QueryFragment<Pg> + QueryId;

    /// Converts the query.
    fn into_sent(self) -> Self::Sent;

    /// Reads a row of PostgreSQL.
    ///
    /// # Errors
    /// `DeserializationError` when a column cannot be read.
    fn read<'r>(row: &impl Row<'r, Pg>) -> QueryResult<R>;
}

impl<'q, R, Q, T> Query<'q, R> for Q
where
    Q: AsQuery + RunQueryDsl<SqliteConnection> + LoadQuery<'q, SqliteConnection, R> + Send,
    Q::Query: QueryFragment<Pg> + QueryId,
    Q::SqlType: CompatibleType<R, Pg, SqlType = T>,
    R: FromSqlRow<T, Pg>,
    Pg: QueryMetadata<Q::SqlType>,
{
    type Sent = Q::Query;

    fn into_sent(self) -> Self::Sent {
        self.as_query()
    }

    fn read<'r>(row: &impl Row<'r, Pg>) -> QueryResult<R> {
        R::build_from_row(row).map_err(Error::DeserializationError)
    }
}
