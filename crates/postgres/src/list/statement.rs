//! Statements that are built at run time.

use diesel::{
    QueryResult,
    deserialize::FromSqlRow,
    expression::QueryMetadata,
    pg::Pg,
    result::Error as DieselError,
    sql_types::{BigInt, Nullable, Text},
};
use diesel_async::AsyncConnectionCore;
use futures_util::{StreamExt, stream::BoxStream};
use patrol_repository::stored::list::{BuiltStatement, Sql, Table};

use crate::engine::Connection;

/// Runs a statement without rows.
pub(super) async fn run(sql: Sql, mut connection: &Connection) -> QueryResult<usize> {
    let statement = BuiltStatement::<BigInt>::from(sql);
    AsyncConnectionCore::execute_returning_count(&mut connection, statement).await
}

/// The number that the statement selects.
pub(super) async fn counted(connection: &Connection, count: Sql) -> QueryResult<u64> {
    let mut rows = <BigInt as Select<i64>>::rows(count, connection).await?;
    // There is one row, and its value is never negative.
    let total = rows.next().await.transpose()?.unwrap_or(0);
    Ok(u64::try_from(total).unwrap_or(0))
}

/// About the number of rows of the table; 0 before it is analyzed for the first time.
pub(super) async fn size_of_table(connection: &Connection, table: &Table) -> QueryResult<u64> {
    let size = Sql::of(&[
        "SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = '",
        table.from,
        "'::regclass",
    ]);
    counted(connection, size).await
}

/// SQL types that can be read as a `Row`.
pub(crate) trait Select<Row>: Sized {
    /// The rows of `sql`, read on demand.
    fn rows(
        sql: Sql,
        connection: &Connection,
    ) -> impl Future<Output = QueryResult<BoxStream<'_, QueryResult<Row>>>> + Send;
}

impl<T, Row> Select<Row> for T
where
    T: Send + 'static,
    Row: FromSqlRow<T, Pg> + 'static,
    Pg: QueryMetadata<T>,
{
    async fn rows(
        sql: Sql,
        mut connection: &Connection,
    ) -> QueryResult<BoxStream<'_, QueryResult<Row>>> {
        let statement = BuiltStatement::<T>::from(sql);
        let rows = AsyncConnectionCore::load(&mut connection, statement).await?;
        let read = |row: QueryResult<_>| {
            Row::build_from_row(&row?).map_err(DieselError::DeserializationError)
        };
        Ok(rows.map(read).boxed())
    }
}

/// A list whose rows PostgreSQL can read.
pub(crate) trait ListTable:
    patrol_repository::stored::list::ListTable<SqlType: Select<Self::Row>>
{
    /// The state of the data before the columns.
    type WithState: Select<(Option<String>, Self::Row)>;
}

impl<L> ListTable for L
where
    L: patrol_repository::stored::list::ListTable<SqlType: Select<L::Row>>,
    (Nullable<Text>, L::SqlType): Select<(Option<String>, L::Row)>,
{
    type WithState = (Nullable<Text>, L::SqlType);
}
