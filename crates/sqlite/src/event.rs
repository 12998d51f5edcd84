//! The log of changes.

use async_trait::async_trait;
use diesel::{dsl::max, prelude::*};
use patrol_domain::{
    StoreError, Timestamp,
    data_set::Imported,
    event::{EventList, EventPage, EventQuery, Events, Origin},
};
use patrol_record::Recorded;
use patrol_stored::{
    event::{
        COLUMNS, Change, DELETED_AT_ONCE, Read, ReadTypes, SIZES, Written, last_before,
        last_that_fits, select, until,
    },
    schema::events,
    sql::{Time, time, types},
};

use crate::{
    Store,
    engine::Abort,
    list::{Bind, Select, condition},
};

#[async_trait]
impl Events for Store {
    async fn page(&self, query: EventQuery) -> Result<EventPage, StoreError> {
        Store::page(self, move |conn| page(conn, &query)).await
    }

    async fn newest(&self) -> Result<i64, StoreError> {
        self.read(|conn| Ok(newest(conn)?)).await
    }

    async fn forget(&self, until: Timestamp) -> Result<usize, StoreError> {
        self.write(move |conn| Ok(forget(conn, time(until))?)).await
    }
}

/// Adds the event of a change, if anything changed.
pub(crate) fn append<T: Recorded, E>(
    conn: &mut SqliteConnection,
    change: &Change<'_, T>,
    by: &Origin,
) -> Result<(), Abort<E>> {
    insert(conn, Written::of(change, by)?)
}

/// Adds the event of an import.
pub(crate) fn append_import<E>(
    conn: &mut SqliteConnection,
    done: &Imported,
    by: &Origin,
) -> Result<(), Abort<E>> {
    insert(conn, Written::of_import(done, by))
}

fn insert<E>(conn: &mut SqliteConnection, event: Option<Written>) -> Result<(), Abort<E>> {
    if let Some(event) = event {
        diesel::insert_into(events::table).values(event).execute(conn)?;
    }
    Ok(())
}

/// The greatest position; 0 for an empty log.
fn newest(conn: &mut SqliteConnection) -> QueryResult<i64> {
    let newest: Option<i64> = events::table.select(max(events::position)).first(conn)?;
    Ok(newest.unwrap_or(0))
}

fn page(conn: &mut SqliteConnection, query: &EventQuery) -> Result<EventPage, Abort<StoreError>> {
    let EventQuery { after, limit, condition } = query;
    let first = events::table
        .filter(events::position.gt(after))
        .order(events::position)
        .select(events::position);
    let Some(first) = first.first(conn).optional()? else {
        return Ok(EventPage { events: Vec::new(), next: *after, more: false });
    };
    let newest = newest(conn)?;
    let until = until(condition, first, newest);
    let filter = condition::plain::<EventList>(condition);
    let bounds = |until| (Bind::Integer(*after), Bind::Integer(until));
    let most = Bind::Integer(i64::from(*limit) + 1);
    let sizes = select(SIZES, bounds(until), &filter, most.clone());
    let sizes = <(types::BigInt, types::Integer)>::rows(sizes, conn)?;
    let sizes = sizes.collect::<QueryResult<Vec<(i64, i32)>>>()?;
    let (next, more) = match last_that_fits(&sizes, *limit) {
        Some(last) => (last, true),
        None => (until, until < newest),
    };
    let events = select(COLUMNS, bounds(next), &filter, most);
    let events = ReadTypes::rows(events, conn)?.collect::<QueryResult<Vec<Read>>>()?;
    let events = events.into_iter().map(Read::event).collect::<Result<_, _>>()?;
    Ok(EventPage { events, next, more })
}

fn forget(conn: &mut SqliteConnection, until: Time) -> QueryResult<usize> {
    let oldest = events::table.order(events::position).limit(DELETED_AT_ONCE + 1);
    let oldest: Vec<(i64, Time)> = oldest.select((events::position, events::at)).load(conn)?;
    let Some((last, count)) = last_before(&oldest, until) else { return Ok(0) };
    diesel::delete(events::table.filter(events::position.le(last))).execute(conn)?;
    Ok(count)
}
