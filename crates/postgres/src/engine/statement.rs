//! Diesel's statements in sendable form, and the prepared statements of a connection.

use std::{
    collections::HashMap,
    error::Error,
    fmt,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::{BufMut, Bytes, BytesMut};
use diesel::{
    QueryResult,
    pg::{Pg, PgMetadataLookup, PgQueryBuilder, PgTypeMetadata},
    query_builder::{QueryBuilder, QueryFragment, bind_collector::RawBytesBindCollector},
    result::Error as DieselError,
};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// The maximum number of prepared statements of a connection. Lists have an unbounded number of
/// forms.
const MAX_PREPARED: usize = 256;

/// A statement with its values, independent of its source.
pub(super) struct Statement {
    pub(super) key: Key,
    pub(super) binds: Vec<Bind>,
    /// Whether to keep it prepared.
    pub(super) is_kept: bool,
}

/// The key of a prepared statement.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) sql: String,
    /// The types of its parameters.
    types: Vec<u32>,
}

impl Statement {
    pub(super) fn of<T: QueryFragment<Pg>>(query: &T) -> QueryResult<Self> {
        let mut builder = PgQueryBuilder::default();
        query.to_sql(&mut builder, &Pg)?;
        let mut collected = RawBytesBindCollector::<Pg>::new();
        query.collect_binds(&mut collected, &mut BuiltIn, &Pg)?;
        let RawBytesBindCollector { metadata, binds, .. } = collected;
        let types = metadata
            .iter()
            .map(|of| of.oid().map_err(|error| DieselError::SerializationError(Box::new(error))))
            .collect::<QueryResult<_>>()?;
        let sql = builder.finish();
        // Diesel keeps no UPDATE, because it does not know the set columns before. Here the key is
        // the whole text.
        let is_kept = query.is_safe_to_cache_prepared(&Pg)? || sql.starts_with("UPDATE ");
        let binds = binds.into_iter().map(Bind).collect();
        Ok(Self { key: Key { sql, types }, binds, is_kept })
    }
}

/// The rows of an INSERT in the form for `COPY`. Converted from the statement, so that the form of
/// a row is declared once.
pub(crate) struct Copied {
    sql: String,
    values: Vec<Bind>,
    columns: usize,
}

/// The header of PostgreSQL's binary format ("COPY", File Formats): the signature, no flags and no
/// extension.
pub(super) const BEFORE_ROWS: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// The trailer of that format.
pub(super) const AFTER_ROWS: &[u8] = &[0xff, 0xff];

impl Copied {
    /// The rows of `insert`, which has only a VALUES clause.
    pub(crate) fn of<T: QueryFragment<Pg>>(insert: &T) -> QueryResult<Self> {
        let Statement { key: Key { sql, .. }, binds, .. } = Statement::of(insert)?;
        let target = sql.strip_prefix("INSERT INTO ").and_then(|rest| rest.split_once(" VALUES "));
        let (target, _) = target
            .ok_or_else(|| DieselError::SerializationError("not an INSERT of values".into()))?;
        let columns = target.split(',').count();
        let sql = format!("COPY {target} FROM STDIN (FORMAT binary)");
        Ok(Self { sql, values: binds, columns })
    }

    pub(super) fn statement(&self) -> Statement {
        let key = Key { sql: self.sql.clone(), types: Vec::new() };
        Statement { key, binds: Vec::new(), is_kept: true }
    }

    /// The COPY statement: the same for rows of the same table and columns.
    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    pub(super) fn count(&self) -> u64 {
        u64::try_from(self.values.chunks(self.columns).len()).unwrap_or(u64::MAX)
    }

    /// The rows in binary format.
    pub(super) fn rows(&self) -> QueryResult<Bytes> {
        let too_long = |_| DieselError::SerializationError("a value that is too long".into());
        let columns = i16::try_from(self.columns).map_err(too_long)?;
        let mut out = BytesMut::new();
        for row in self.values.chunks(self.columns) {
            out.put_i16(columns);
            for Bind(value) in row {
                match value {
                    None => out.put_i32(-1),
                    Some(bytes) => {
                        out.put_i32(i32::try_from(bytes.len()).map_err(too_long)?);
                        out.put_slice(bytes);
                    }
                }
            }
        }
        Ok(out.freeze())
    }
}

impl Key {
    /// The types of the values for the driver.
    pub(super) fn types(&self) -> QueryResult<Vec<Type>> {
        let known = |oid: &u32| {
            let unknown = || DieselError::SerializationError("not a built-in type".into());
            Type::from_oid(*oid).ok_or_else(unknown)
        };
        self.types.iter().map(known).collect()
    }
}

/// Only built-in types are used, whose numbers Diesel has.
struct BuiltIn;

impl PgMetadataLookup for BuiltIn {
    fn lookup_type(&mut self, _: &str, _: Option<&str>) -> PgTypeMetadata {
        PgTypeMetadata::new(0, 0)
    }
}

/// A value in PostgreSQL's binary form, or null.
pub(super) struct Bind(Option<Vec<u8>>);

/// The driver requires `Debug` and uses it to log values. They may be secrets, so they are hidden.
impl fmt::Debug for Bind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Bind").finish_non_exhaustive()
    }
}

impl ToSql for Bind {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Self(Some(bytes)) = self else { return Ok(IsNull::Yes) };
        out.extend_from_slice(bytes);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

#[derive(Clone)]
pub(super) struct Prepared {
    pub(super) statement: tokio_postgres::Statement,
    /// The types of its columns.
    pub(super) columns: Arc<[NonZeroU32]>,
}

impl Prepared {
    pub(super) fn new(statement: tokio_postgres::Statement) -> QueryResult<Self> {
        let types = statement.columns().iter().map(|column| NonZeroU32::new(column.type_().oid()));
        let columns = types.collect::<Option<_>>();
        let columns = columns
            .ok_or_else(|| DieselError::DeserializationError("a column without a type".into()))?;
        Ok(Self { statement, columns })
    }
}

/// The prepared statements of a connection.
#[derive(Default)]
pub(super) struct Kept(Mutex<HashMap<Key, Prepared>>);

impl Kept {
    pub(super) fn get(&self, key: &Key) -> Option<Prepared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub(super) fn keep(&self, key: Key, prepared: &Prepared) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_PREPARED {
            kept.clear();
        }
        kept.insert(key, prepared.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_not_shown() {
        let shown = format!("{:?} {:#?}", Bind(Some(b"sesame".to_vec())), Bind(Some(vec![115])));
        assert!(!shown.contains("sesame") && !shown.contains("115"), "{shown}");
    }
}
