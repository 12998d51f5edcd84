//! Statements that are built at run time.

use diesel::{
    QueryResult,
    deserialize::FromSqlRow,
    expression::QueryMetadata,
    pg::Pg,
    query_builder::AstPass,
    result::Error as DieselError,
    sql_types::{Array, BigInt, Bool, SmallInt, Text, Uuid as SqlUuid},
};
use diesel_async::AsyncConnectionCore;
use futures_util::{StreamExt, stream::BoxStream};
use patrol_domain::ids::Uuid;
use patrol_stored::{
    list::{Bound, Piece, Statement, Table, Values},
    sql::{Time, time, types::Instant},
};

use crate::engine::Connection;

/// SQL text with its bound values.
pub(crate) type Sql = patrol_stored::list::Sql<Bind>;

/// A value, or several as an array, so that the text of a statement does not depend on their
/// number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
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
    Integers(Vec<i64>),
}

impl From<Values<'_>> for Bind {
    fn from(values: Values<'_>) -> Self {
        match values {
            Values::Texts(texts) => Self::texts(texts),
            Values::Ids(ids) => Self::Uuids(ids.to_vec()),
            Values::Codes(codes) => Self::Codes(codes.to_vec()),
            Values::Flag(flag) => Self::Flag(flag),
            Values::Time(at) => Self::Time(time(at)),
        }
    }
}

impl Bind {
    /// Those of `texts` that PostgreSQL accepts: it refuses U+0000, which no stored text contains.
    pub(crate) fn texts<'a>(texts: impl IntoIterator<Item = &'a String>) -> Self {
        Self::Texts(texts.into_iter().filter(|text| !text.contains('\0')).cloned().collect())
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

/// The approximate memory of the statement, in bytes.
pub(super) fn size(sql: &Sql) -> usize {
    let values = sql.pieces().iter().map(|piece| match piece {
        Piece::Bind(Bind::Text(text)) => text.len(),
        Piece::Bind(Bind::Texts(texts)) => {
            texts.iter().map(|text| size_of_val(text) + text.len()).sum()
        }
        Piece::Bind(Bind::Uuids(ids)) => size_of_val(ids.as_slice()),
        Piece::Bind(Bind::Codes(codes)) => size_of_val(codes.as_slice()),
        Piece::Bind(Bind::Integers(numbers)) => size_of_val(numbers.as_slice()),
        Piece::Text(_)
        | Piece::Bind(
            Bind::Uuid(_) | Bind::Code(_) | Bind::Flag(_) | Bind::Time(_) | Bind::Integer(_),
        ) => 0,
    });
    size_of_val(sql.pieces()) + values.sum::<usize>()
}

/// Runs a statement without rows.
pub(super) async fn run(sql: Sql, mut connection: &Connection) -> QueryResult<usize> {
    let statement = Statement::<_, BigInt>::from(sql);
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
    let mut size = Sql::default();
    size.text("SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = '");
    size.text(table.from);
    size.text("'::regclass");
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
        let statement = Statement::<_, T>::from(sql);
        let rows = AsyncConnectionCore::load(&mut connection, statement).await?;
        let read = |row: QueryResult<_>| {
            Row::build_from_row(&row?).map_err(DieselError::DeserializationError)
        };
        Ok(rows.map(read).boxed())
    }
}

impl Bound<Pg> for Bind {
    fn bind<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        match self {
            Self::Text(text) => out.push_bind_param::<Text, String>(text),
            Self::Texts(texts) => out.push_bind_param::<Array<Text>, Vec<String>>(texts),
            Self::Uuid(id) => out.push_bind_param::<SqlUuid, Uuid>(id),
            Self::Uuids(ids) => out.push_bind_param::<Array<SqlUuid>, Vec<Uuid>>(ids),
            Self::Code(code) => out.push_bind_param::<SmallInt, i16>(code),
            Self::Codes(codes) => out.push_bind_param::<Array<SmallInt>, Vec<i16>>(codes),
            Self::Flag(flag) => out.push_bind_param::<Bool, bool>(flag),
            Self::Time(time) => out.push_bind_param::<Instant, Time>(time),
            Self::Integer(number) => out.push_bind_param::<BigInt, i64>(number),
            Self::Integers(numbers) => out.push_bind_param::<Array<BigInt>, Vec<i64>>(numbers),
        }
    }
}
