//! Reads for lists in memory. Each function returns a boxed future, because the compiler cannot show of a
//! known connection that the future is `Send` (rust-lang/rust#100013).

use diesel::{QueryResult, result::Error, sql_types::BigInt};
use futures_util::{FutureExt as _, future::BoxFuture};
use patrol_domain::{Resource, ids::Uuid};

use crate::{
    Connection,
    stored::{
        list::{
            BuiltStatement, OrderKind, Sql,
            memory::{Changes, EventTypes, Rows, SortPosition, SortValue, row_key, row_set},
        },
        sql::{Id, Time, types},
    },
};

/// The keys of rows that the statement selects.
///
/// # Errors
/// Those of the database.
pub fn keys(conn: &impl Connection, sql: Sql) -> BoxFuture<'_, QueryResult<Rows>> {
    async move {
        let mut keys = Vec::new();
        let add = |key: i64| {
            keys.push(row_key(key)?);
            Ok(())
        };
        conn.for_each(BuiltStatement::<BigInt>::from(sql), add).await?;
        Ok(row_set(keys))
    }
    .boxed()
}

/// The changed rows, from the events that the statement selects. `logged` is the kind of record
/// that the rows are.
///
/// # Errors
/// Those of the database.
pub fn changes(
    conn: &impl Connection,
    sql: Sql,
    logged: Resource,
) -> BoxFuture<'_, QueryResult<Changes>> {
    async move {
        let mut changes = Changes::default();
        let add = |event| {
            changes.add(logged, event);
            Ok(())
        };
        conn.for_each(BuiltStatement::<EventTypes>::from(sql), add).await?;
        Ok(changes)
    }
    .boxed()
}

/// Calls `each` with the rows that the statement selects for an order of this kind.
///
/// # Errors
/// Those of the database.
pub fn sort_positions<'a>(
    conn: &'a impl Connection,
    sql: Sql,
    kind: OrderKind,
    each: &'a mut (dyn FnMut(u32, SortPosition) + Send),
) -> BoxFuture<'a, QueryResult<()>> {
    let mut add = |row, id: Id, value| {
        let id = id.get::<Uuid>().ok_or_else(|| {
            Error::DeserializationError("an id has another length than 16 bytes".into())
        })?;
        each(row_key(row)?, SortPosition { value, id: id.into_bytes() });
        Ok(())
    };
    async move {
        match kind {
            OrderKind::Ids => {
                let each = |(row, id)| add(row, id, SortValue::Id);
                conn.for_each(BuiltStatement::<(BigInt, types::Id)>::from(sql), each).await
            }
            OrderKind::Texts => {
                let each = |(row, id, text)| add(row, id, SortValue::Text(text));
                let query = BuiltStatement::<(BigInt, types::Id, types::Text)>::from(sql);
                conn.for_each(query, each).await
            }
            OrderKind::Times => {
                let each = |(row, id, at): (_, _, Time)| add(row, id, SortValue::Time(at.millis()));
                let query = BuiltStatement::<(BigInt, types::Id, types::Instant)>::from(sql);
                conn.for_each(query, each).await
            }
        }
    }
    .boxed()
}
