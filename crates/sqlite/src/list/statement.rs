//! Statements that are built at run time.

use diesel::{
    QueryResult, RunQueryDsl as _, SqliteConnection, connection::DefaultLoadingMode,
    query_dsl::LoadQuery,
};
use patrol_repository::stored::list::{BuiltStatement, Sql};

/// SQL types that can be read as a `Row`.
pub(crate) trait Select<Row>: Sized {
    /// The rows of `sql`, read on demand.
    fn rows(
        sql: Sql,
        connection: &mut SqliteConnection,
    ) -> QueryResult<impl Iterator<Item = QueryResult<Row>>>;
}

impl<T: 'static, Row: 'static> Select<Row> for T
where
    BuiltStatement<T>: LoadQuery<'static, SqliteConnection, Row>,
{
    fn rows(
        sql: Sql,
        connection: &mut SqliteConnection,
    ) -> QueryResult<impl Iterator<Item = QueryResult<Row>>> {
        BuiltStatement::<T>::from(sql).load_iter::<Row, DefaultLoadingMode>(connection)
    }
}
