//! The log of changes.

use std::sync::Arc;

use async_trait::async_trait;
use diesel::{dsl::max, prelude::*};
use diesel_async::RunQueryDsl;
use futures_util::TryStreamExt as _;
use patrol_domain::{
    Reference, StoreError, Timestamp,
    event::{EventPage, EventQuery, Events},
};
use patrol_stored::{
    event::{
        self, COLUMNS, Read, ReadTypes, SIZES, SizeTypes, Written, in_columns, last_before, select,
        until,
    },
    schema::events,
    sql::{Time, time, types},
};

use crate::{
    Store,
    engine::{Abort, Connection},
    list::{Bind, Select, Sql, plain},
    reference,
};

#[async_trait]
impl Events for Store {
    async fn page(&self, query: EventQuery) -> Result<EventPage, StoreError> {
        // Before the snapshot of the page begins: then the page sees all events up to there.
        let newest = self.newest().await?;
        let query = Arc::new(query);
        Store::page_of(self, move |conn| {
            let query = Arc::clone(&query);
            async move { page(&conn, &query, newest).await }
        })
        .await
    }

    async fn is_stored(&self, record: Reference) -> Result<bool, StoreError> {
        let Reference { kind, id, .. } = record;
        let find =
            async |conn: Arc<Connection>| reference::records(&conn, kind, vec![id], false).await;
        let found = self.read(find).await?;
        Ok(found.iter().any(|found| record.accepts_parent(found.parent)))
    }

    async fn newest(&self) -> Result<i64, StoreError> {
        self.read(async |conn| Ok(newest(&conn).await?)).await
    }

    async fn delete_before(&self, until: Timestamp) -> Result<usize, StoreError> {
        self.transaction(async |conn| Ok(delete_before(&conn, time(until)).await?)).await
    }
}

/// Stores the events. The statement for one of them stays prepared.
pub(crate) async fn insert(mut conn: &Connection, written: Vec<Written>) -> QueryResult<()> {
    let into = diesel::insert_into(events::table);
    match <[Written; 1]>::try_from(written) {
        Ok([one]) => into.values(one).execute(&mut conn).await?,
        Err(none) if none.is_empty() => 0,
        Err(many) => into.values(many).execute(&mut conn).await?,
    };
    Ok(())
}

/// The last position that was given out.
const LAST: &str = "SELECT last_value FROM events_position";

/// The lower 31 bits of the positions that running transactions hold; the migration of the log
/// explains them.
const HELD: &str = "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' \
    AND objsubid = 2 AND classid = 'events'::regclass \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// The newest event up to which every event is committed; 0 without any. A transaction that is not
/// seen in the second statement has ended, or takes only positions after the result of the first.
async fn newest(mut conn: &Connection) -> QueryResult<i64> {
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
    let mut sql = Sql::default();
    sql.text(statement);
    let rows = <types::BigInt as Select<i64>>::rows(sql, conn).await?;
    rows.try_collect().await
}

async fn page(
    mut conn: &Connection,
    query: &EventQuery,
    newest: i64,
) -> Result<EventPage, Abort<StoreError>> {
    let EventQuery { after, limit, condition } = query;
    let Some(first) = event::first(*after, newest).first(&mut conn).await.optional()? else {
        return Ok(EventPage { events: Vec::new(), next: *after, more: false });
    };
    let until = until(condition, first, newest);
    let filter = plain(&in_columns(condition));
    let bounds = |until| (Bind::Integer(*after), Bind::Integer(until));
    let most = Bind::Integer(i64::from(*limit) + 1);
    let sizes = select(SIZES, bounds(until), &filter, most.clone());
    let sizes = <SizeTypes as Select<(i64, i32)>>::rows(sizes, conn).await?;
    let sizes: Vec<_> = sizes.try_collect().await?;
    let mut page = event::page(&sizes, *limit, until, newest);
    let events = select(COLUMNS, bounds(page.next), &filter, most);
    let mut rows = ReadTypes::rows(events, conn).await?;
    while let Some(read) = rows.try_next().await? {
        page.events.push(Read::event(read)?);
    }
    Ok(page)
}

async fn delete_before(mut conn: &Connection, until: Time) -> QueryResult<usize> {
    let oldest: Vec<_> = event::oldest().load(&mut conn).await?;
    let Some((last, count)) = last_before(&oldest, until) else { return Ok(0) };
    diesel::delete(events::table.filter(events::position.le(last))).execute(&mut conn).await?;
    Ok(count)
}
