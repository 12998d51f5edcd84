//! The values of statements that are built at run time.

use diesel::{
    QueryResult,
    backend::Backend,
    query_builder::{AstPass, QueryFragment},
    serialize::ToSql,
    sql_types::{BigInt, Binary, Bool, HasSqlType, SmallInt, Text},
};

use patrol_domain::ids::Uuid;

use super::Values;
use crate::stored::sql::{Codes, Id, Ids, Integers, Texts, Time, id, time, types};

/// A value, or several. PostgreSQL gets several as an array, so that the text of a statement does not
/// depend on their number. SQLite gets texts and numbers as a JSON array.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the types say it")]
pub enum Bind {
    Text(String),
    Texts(Texts),
    Id(Id),
    Ids(Ids),
    Code(i16),
    Codes(Codes),
    Flag(bool),
    Time(Time),
    Integer(i64),
    Integers(Integers),
    Bytes(Vec<u8>),
}

impl From<Values<'_>> for Bind {
    fn from(values: Values<'_>) -> Self {
        match values {
            Values::Texts(texts) => Self::texts(texts),
            Values::Ids(ids) => Self::Ids(Ids::new(ids)),
            Values::Codes(codes) => Self::Codes(Codes(codes.to_vec())),
            Values::Flag(flag) => Self::Flag(flag),
            Values::Time(at) => Self::Time(time(at)),
            Values::Integer(number) => Self::Integer(number),
        }
    }
}

impl Bind {
    /// Those of `texts` that PostgreSQL accepts: it refuses U+0000, which no stored text contains.
    pub fn texts<'a>(texts: impl IntoIterator<Item = &'a String>) -> Self {
        let accepted = texts.into_iter().filter(|text| !text.contains('\0'));
        Self::Texts(Texts(Ok(accepted.cloned().collect())))
    }

    /// An id.
    pub fn id(of: impl Into<Uuid>) -> Self {
        Self::Id(id(of))
    }

    /// Several ids.
    #[must_use]
    pub fn ids(ids: &[Uuid]) -> Self {
        Self::Ids(Ids::new(ids))
    }

    /// Several numbers.
    pub fn integers(numbers: impl IntoIterator<Item: Into<i64>>) -> Self {
        Self::Integers(Integers(numbers.into_iter().map(Into::into).collect()))
    }

    /// Each of the values.
    #[must_use]
    pub fn each(&self) -> Vec<Self> {
        match self {
            Self::Texts(Texts(Ok(texts))) => texts.iter().cloned().map(Self::Text).collect(),
            Self::Ids(Ids(Ok(ids))) => ids.iter().map(|of| Self::Id(id(*of))).collect(),
            Self::Codes(Codes(codes)) => codes.iter().copied().map(Self::Code).collect(),
            Self::Integers(Integers(numbers)) => {
                numbers.iter().copied().map(Self::Integer).collect()
            }
            single => vec![single.clone()],
        }
    }

    /// The single value, if there is only one.
    #[must_use]
    pub fn single(&self) -> Option<Self> {
        Some(match self {
            Self::Texts(Texts(Ok(texts))) => Self::Text(only(texts)?.clone()),
            Self::Ids(Ids(Ok(ids))) => Self::id(*only(ids)?),
            Self::Codes(Codes(codes)) => Self::Code(*only(codes)?),
            Self::Integers(Integers(numbers)) => Self::Integer(*only(numbers)?),
            single => single.clone(),
        })
    }

    /// The approximate memory beside the value itself, in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Texts(Texts(texts)) => {
                texts.iter().flatten().map(|text| size_of_val(text) + text.len()).sum()
            }
            Self::Ids(Ids(ids)) => ids.as_deref().map_or(0, size_of_val),
            Self::Codes(Codes(codes)) => size_of_val(codes.as_slice()),
            Self::Integers(Integers(numbers)) => size_of_val(numbers.as_slice()),
            Self::Bytes(bytes) => bytes.len(),
            Self::Id(_) | Self::Code(_) | Self::Flag(_) | Self::Time(_) | Self::Integer(_) => 0,
        }
    }
}

fn only<T>(values: &[T]) -> Option<&T> {
    match values {
        [value] => Some(value),
        _ => None,
    }
}

impl<DB> QueryFragment<DB> for Bind
where
    DB: Backend
        + HasSqlType<types::Texts>
        + HasSqlType<types::Id>
        + HasSqlType<types::Ids>
        + HasSqlType<types::Codes>
        + HasSqlType<types::Instant>
        + HasSqlType<types::Integers>
        + HasSqlType<Bool>,
    Vec<u8>: ToSql<Binary, DB>,
    String: ToSql<Text, DB>,
    Texts: ToSql<types::Texts, DB>,
    Id: ToSql<types::Id, DB>,
    Ids: ToSql<types::Ids, DB>,
    i16: ToSql<SmallInt, DB>,
    Codes: ToSql<types::Codes, DB>,
    bool: ToSql<Bool, DB>,
    Time: ToSql<types::Instant, DB>,
    i64: ToSql<BigInt, DB>,
    Integers: ToSql<types::Integers, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        match self {
            Self::Text(text) => out.push_bind_param::<Text, _>(text),
            Self::Texts(texts) => out.push_bind_param::<types::Texts, _>(texts),
            Self::Id(id) => out.push_bind_param::<types::Id, _>(id),
            Self::Ids(ids) => out.push_bind_param::<types::Ids, _>(ids),
            Self::Code(code) => out.push_bind_param::<SmallInt, _>(code),
            Self::Codes(codes) => out.push_bind_param::<types::Codes, _>(codes),
            Self::Flag(flag) => out.push_bind_param::<Bool, _>(flag),
            Self::Time(time) => out.push_bind_param::<types::Instant, _>(time),
            Self::Integer(number) => out.push_bind_param::<BigInt, _>(number),
            Self::Integers(numbers) => out.push_bind_param::<types::Integers, _>(numbers),
            Self::Bytes(bytes) => out.push_bind_param::<Binary, _>(bytes),
        }
    }
}
