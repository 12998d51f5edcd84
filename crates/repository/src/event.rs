//! The log of changes.

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    Reference, StoreError, Timestamp,
    event::{EventPage, EventQuery, Events, Origin},
};

use crate::{
    Connection, Dialect, Engine, Entity, Repository,
    reference::exists,
    stored::{
        Abort,
        event::{
            self, COLUMNS, EventColumns, EventRow, EventRowTypes, Portion, RecordChange, SIZES,
            SizeTypes, last_before, last_that_fits, select, until,
        },
        list::BuiltStatement,
        schema::events,
        sql::time,
    },
};

#[async_trait]
impl<S: Engine> Events for Repository<S> {
    async fn page(&self, query: EventQuery) -> Result<EventPage, StoreError> {
        // Read before the snapshot of the page begins, so that the page sees all events up to
        // `newest`.
        let newest = self.newest().await?;
        self.0
            .page((query, newest), |conn, (query, newest)| page(conn, query, *newest).boxed())
            .await
    }

    async fn is_stored(&self, record: Reference) -> Result<bool, StoreError> {
        self.0.read(record, |conn, record| exists(conn, *record).boxed()).await
    }

    async fn newest(&self) -> Result<i64, StoreError> {
        self.0.read((), |conn, ()| async { Ok(conn.newest_event().await?) }.boxed()).await
    }

    async fn delete_before(&self, until: Timestamp) -> Result<usize, StoreError> {
        self.0.write(None, until, |conn, until| delete_before(conn, *until).boxed()).await
    }
}

async fn page<C: Dialect>(
    conn: &C,
    query: &EventQuery,
    newest: i64,
) -> Result<EventPage, Abort<StoreError>> {
    let EventQuery { after, limit, condition } = query;
    let Some(first) = conn.first(event::first(*after, newest)).await? else {
        return Ok(EventPage { events: Vec::new(), next: *after, more: false });
    };
    let search = |columns, (from, to): (i64, i64)| {
        let filter = C::event_filter(condition, (from, to));
        select(columns, (from - 1, to), &filter, i64::from(*limit) + 1)
    };
    let mut sizes: Vec<(i64, i32)> = Vec::new();
    let parts = C::event_parts(condition, (first, until(condition, first, newest)));
    for part in &parts {
        let found = BuiltStatement::<SizeTypes>::from(search(SIZES, *part));
        sizes.extend(conn.load::<(i64, i32), _>(found).await?);
        if last_that_fits(&sizes, *limit).is_some() {
            break;
        }
    }
    let until = parts.last().map_or(newest, |(_, last)| *last);
    let mut page = event::page(&sizes, *limit, until, newest);
    let Some((found, _)) = sizes.first() else { return Ok(page) };
    let events = BuiltStatement::<EventRowTypes>::from(search(COLUMNS, (*found, page.next)));
    for read in conn.load::<EventRow, _>(events).await? {
        page.events.push(read.event()?);
    }
    Ok(page)
}

async fn delete_before(
    conn: &impl Connection,
    until: Timestamp,
) -> Result<usize, Abort<StoreError>> {
    let oldest = conn.load(event::oldest()).await?;
    let Some((last, count)) = last_before(&oldest, time(until)) else { return Ok(0) };
    conn.execute(diesel::delete(events::table.filter(events::position.le(last)))).await?;
    Ok(count)
}

/// Appends the event of each change that changes anything, and counts the changes in the revision of
/// their kind. A change without an event or a history record, such as a PUT of the stored content,
/// is not counted, because the caches of lists stay valid.
pub(crate) async fn append<T: Entity, E: Send>(
    conn: &impl Dialect,
    changes: &[RecordChange<'_, T>],
    by: &Origin,
) -> Result<(), Abort<E>> {
    let events = changes.iter().filter_map(|change| EventColumns::of(change, by).transpose());
    let mut counted = insert(conn, events).await?;
    if T::HAS_HISTORY {
        counted = i64::try_from(changes.len()).unwrap_or(i64::MAX);
    }
    if counted > 0 {
        conn.raise_revision(T::RESOURCE, counted).await?;
    }
    Ok(())
}

/// Stores the events, and returns their number.
pub(crate) async fn insert<E: Send>(
    conn: &impl Connection,
    events: impl Iterator<Item = Result<EventColumns, StoreError>> + Send,
) -> Result<i64, Abort<E>> {
    let (mut portion, mut count) = (Portion::default(), 0);
    for event in events {
        count += 1;
        if let Some(full) = portion.push(event?) {
            insert_portion(conn, full).await?;
        }
    }
    insert_portion(conn, portion.into_rest()).await?;
    Ok(count)
}

async fn insert_portion<E: Send>(
    conn: &impl Connection,
    events: Vec<EventColumns>,
) -> Result<(), Abort<E>> {
    let into = |event| diesel::insert_into(events::table).values(event);
    conn.insert_all(events.into_iter().map(into).collect()).await
}
