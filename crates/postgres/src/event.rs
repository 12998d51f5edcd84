//! The log of changes: which events are committed.

use diesel::{dsl::max, prelude::*};
use diesel_async::RunQueryDsl;
use futures_util::TryStreamExt as _;
use patrol_repository::stored::{schema::events, sql::types};

use crate::{
    engine::Connection,
    list::{Select, Sql},
};

/// The last position that was given out.
const LAST: &str = "SELECT last_value FROM events_position";

/// The lower 31 bits of the positions that running transactions hold; the migration of the log
/// explains them.
const HELD: &str = "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' \
    AND objsubid = 2 AND classid = 'events'::regclass \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// The newest event up to which every event is committed; 0 without any. A transaction that is not
/// seen in the second statement has ended, or takes only positions after the result of the first.
pub(crate) async fn newest(mut conn: &Connection) -> QueryResult<i64> {
    const BITS: i64 = (1 << 31) - 1;
    let last = numbers(conn, LAST).await?.pop().unwrap_or(0);
    let held = numbers(conn, HELD).await?;
    let lowest = held.into_iter().map(|bits| last - ((last - bits) & BITS)).min();
    let settled = events::table.filter(events::position.le(lowest.unwrap_or(last)));
    let newest: Option<i64> = settled.select(max(events::position)).first(&mut conn).await?;
    Ok(newest.unwrap_or(0))
}

/// The numbers that this statement selects.
pub(crate) async fn numbers(conn: &Connection, statement: &'static str) -> QueryResult<Vec<i64>> {
    let sql = Sql::of(&[statement]);
    let rows = <types::BigInt as Select<i64>>::rows(sql, conn).await?;
    rows.try_collect().await
}
