//! Statements that are built at run time.

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    connection::DefaultLoadingMode,
    query_builder::AstPass,
    query_dsl::LoadQuery,
    sql_types::{BigInt, Binary, Text},
    sqlite::Sqlite,
};
use patrol_domain::list::{Membership, Test};
use patrol_stored::list::{Bound, ColumnTest, Piece, Statement, Values};

/// SQL text with its bound values.
pub(crate) type Sql = patrol_stored::list::Sql<Bind>;

/// A bound value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Bind {
    Text(String),
    Bytes([u8; 16]),
    Integer(i64),
}

impl Bind {
    /// The values of a test that asks for one of them; `None` for any other test.
    pub(super) fn any_of(test: &Test) -> Option<Vec<Self>> {
        match ColumnTest::from(test) {
            ColumnTest::Among(Membership::Any, values) => Some(Self::all(values)),
            _ => None,
        }
    }

    /// All of the values.
    pub(super) fn all(values: Values<'_>) -> Vec<Self> {
        match values {
            Values::Texts(texts) => texts.iter().cloned().map(Self::Text).collect(),
            Values::Ids(ids) => ids.iter().map(|id| Self::Bytes(id.into_bytes())).collect(),
            Values::Codes(codes) => {
                codes.iter().map(|code| Self::Integer(i64::from(*code))).collect()
            }
            Values::Flag(flag) => vec![Self::Integer(i64::from(flag))],
            Values::Time(time) => vec![Self::Integer(time.millis())],
        }
    }
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
    Statement<Bind, T>: LoadQuery<'static, SqliteConnection, Row>,
{
    fn rows(
        sql: Sql,
        connection: &mut SqliteConnection,
    ) -> QueryResult<impl Iterator<Item = QueryResult<Row>>> {
        Statement::<_, T>::from(sql).load_iter::<Row, DefaultLoadingMode>(connection)
    }
}

impl Bound<Sqlite> for Bind {
    fn bind<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        match self {
            Self::Text(text) => out.push_bind_param::<Text, String>(text),
            Self::Bytes(bytes) => out.push_bind_param::<Binary, [u8]>(bytes.as_slice()),
            Self::Integer(number) => out.push_bind_param::<BigInt, i64>(number),
        }
    }
}
