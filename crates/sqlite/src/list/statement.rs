//! Statements that are built at run time.

use std::marker::PhantomData;

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    connection::DefaultLoadingMode,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    query_dsl::LoadQuery,
    sql_types::{BigInt, Binary, Text},
    sqlite::Sqlite,
};
use patrol_stored::list::Piece;

/// SQL text with its bound values.
pub(crate) type Sql = patrol_stored::list::Sql<Bind>;

/// A bound value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Bind {
    Text(String),
    Bytes([u8; 16]),
    Integer(i64),
}

/// The approximate memory of the statement, in bytes.
pub(super) fn size(sql: &Sql) -> usize {
    let texts = sql.pieces().iter().map(|piece| match piece {
        Piece::Bind(Bind::Text(text)) => text.len(),
        Piece::Text(_) | Piece::Bind(Bind::Bytes(_) | Bind::Integer(_)) => 0,
    });
    size_of_val(sql.pieces()) + texts.sum::<usize>()
}

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
    Statement<T>: LoadQuery<'static, SqliteConnection, Row>,
{
    fn rows(
        sql: Sql,
        connection: &mut SqliteConnection,
    ) -> QueryResult<impl Iterator<Item = QueryResult<Row>>> {
        let statement = Statement { sql, returns: PhantomData::<T> };
        statement.load_iter::<Row, DefaultLoadingMode>(connection)
    }
}

/// A statement that returns rows of the SQL type `T`. It is prepared once for each text.
pub(crate) struct Statement<T> {
    sql: Sql,
    returns: PhantomData<T>,
}

impl<T> QueryFragment<Sqlite> for Statement<T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        for piece in self.sql.pieces() {
            match piece {
                Piece::Text(sql) => out.push_sql(sql),
                Piece::Bind(Bind::Text(text)) => out.push_bind_param::<Text, String>(text)?,
                Piece::Bind(Bind::Bytes(bytes)) => {
                    out.push_bind_param::<Binary, [u8]>(bytes.as_slice())?;
                }
                Piece::Bind(Bind::Integer(number)) => out.push_bind_param::<BigInt, i64>(number)?,
            }
        }
        Ok(())
    }
}

impl<T> QueryId for Statement<T> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T> Query for Statement<T> {
    type SqlType = T;
}

impl<T, C> RunQueryDsl<C> for Statement<T> {}
