//! Statements that are built at run time.

use std::marker::PhantomData;

use diesel::{
    QueryResult,
    deserialize::FromSqlRow,
    expression::QueryMetadata,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::Error as DieselError,
    sql_types::{Array, BigInt, Bool, SmallInt, Text, Uuid as SqlUuid},
};
use diesel_async::AsyncConnectionCore;
use futures_util::{StreamExt, stream::BoxStream};
use patrol_domain::ids::Uuid;
use patrol_stored::{
    list::Piece,
    sql::{Time, types::Instant},
};

use crate::engine::Connection;

/// SQL text with its bound values.
pub(crate) type Sql = patrol_stored::list::Sql<Bind>;

/// A value, or several as an array, so that the text of a statement does not depend on their
/// number.
#[derive(Clone, Debug)]
pub(crate) enum Bind {
    Text(String),
    Texts(Vec<String>),
    Uuid(Uuid),
    Uuids(Vec<Uuid>),
    Code(i16),
    Codes(Vec<i16>),
    Flag(bool),
    Time(Time),
    Integer(i64),
}

impl Bind {
    /// Those of `texts` that PostgreSQL accepts: it refuses U+0000, which no stored text contains.
    pub(super) fn texts(texts: &[String]) -> Self {
        Self::Texts(texts.iter().filter(|text| !text.contains('\0')).cloned().collect())
    }

    /// The single value, if there is only one.
    pub(super) fn single(&self) -> Option<Self> {
        match self {
            Self::Texts(texts) => match texts.as_slice() {
                [text] => Some(Self::Text(text.clone())),
                _ => None,
            },
            Self::Uuids(ids) => match ids.as_slice() {
                [id] => Some(Self::Uuid(*id)),
                _ => None,
            },
            Self::Codes(codes) => match codes.as_slice() {
                [code] => Some(Self::Code(*code)),
                _ => None,
            },
            single => Some(single.clone()),
        }
    }
}

/// Runs a statement without rows.
pub(super) async fn run(sql: Sql, mut connection: &Connection) -> QueryResult<usize> {
    let statement = Statement { sql, returns: PhantomData::<BigInt> };
    AsyncConnectionCore::execute_returning_count(&mut connection, statement).await
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
        let statement = Statement { sql, returns: PhantomData::<T> };
        let rows = AsyncConnectionCore::load(&mut connection, statement).await?;
        let read = |row: QueryResult<_>| {
            Row::build_from_row(&row?).map_err(DieselError::DeserializationError)
        };
        Ok(rows.map(read).boxed())
    }
}

/// A statement that returns rows of the SQL type `T`.
pub(crate) struct Statement<T> {
    sql: Sql,
    returns: PhantomData<T>,
}

impl<T> QueryFragment<Pg> for Statement<T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for piece in self.sql.pieces() {
            match piece {
                Piece::Text(sql) => out.push_sql(sql),
                Piece::Bind(Bind::Text(text)) => out.push_bind_param::<Text, String>(text)?,
                Piece::Bind(Bind::Texts(texts)) => {
                    out.push_bind_param::<Array<Text>, Vec<String>>(texts)?;
                }
                Piece::Bind(Bind::Uuid(id)) => out.push_bind_param::<SqlUuid, Uuid>(id)?,
                Piece::Bind(Bind::Uuids(ids)) => {
                    out.push_bind_param::<Array<SqlUuid>, Vec<Uuid>>(ids)?;
                }
                Piece::Bind(Bind::Code(code)) => out.push_bind_param::<SmallInt, i16>(code)?,
                Piece::Bind(Bind::Codes(codes)) => {
                    out.push_bind_param::<Array<SmallInt>, Vec<i16>>(codes)?;
                }
                Piece::Bind(Bind::Flag(flag)) => out.push_bind_param::<Bool, bool>(flag)?,
                Piece::Bind(Bind::Time(time)) => out.push_bind_param::<Instant, Time>(time)?,
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
