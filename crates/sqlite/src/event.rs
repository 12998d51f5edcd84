//! The log of changes.

use async_trait::async_trait;
use diesel::{dsl::max, prelude::*};
use patrol_domain::{
    StoreError, Timestamp,
    data_set::Imported,
    event::{EventFilter, EventList, EventPage, EventQuery, Events, Origin},
    list::Condition,
};
use patrol_record::Recorded;
use patrol_stored::{
    event::{
        COLUMNS, Change, DELETED_AT_ONCE, Read, ReadTypes, SIZES, Written, last_before,
        last_that_fits, names_record, select, until,
    },
    schema::events,
    sql::{Time, time, types},
};

use crate::{
    Store,
    engine::Abort,
    list::{Bind, Select, Sql, condition},
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
    let search = Search { condition, first };
    let until = search.until(newest);
    let mut sizes: Vec<(i64, i32)> = Vec::new();
    let most = i64::from(*limit) + 1;
    for (from, to) in search.parts(until) {
        let missing = most.saturating_sub(i64::try_from(sizes.len()).unwrap_or(most));
        if missing == 0 {
            break;
        }
        let part = search.select(SIZES, (from, to), missing);
        for size in <(types::BigInt, types::Integer)>::rows(part, conn)? {
            sizes.push(size?);
        }
    }
    let (next, more) = match last_that_fits(&sizes, *limit) {
        Some(last) => (last, true),
        None => (until, until < newest),
    };
    let events = search.select(COLUMNS, (first, next), most);
    let events = ReadTypes::rows(events, conn)?.collect::<QueryResult<Vec<Read>>>()?;
    let events = events.into_iter().map(Read::event).collect::<Result<_, _>>()?;
    Ok(EventPage { events, next, more })
}

/// Finds the events of a page.
pub(crate) struct Search<'a> {
    pub(crate) condition: &'a Condition<EventFilter>,
    /// The first position that the page may have.
    pub(crate) first: i64,
}

/// The index finds the events of one record in groups of 2^10 positions.
const GROUP_BITS: u32 = 10;

/// The groups that the first statement for the events of one record searches; each further one
/// searches four times as many. So a page of a record with many events reads few of them.
const FIRST_GROUPS: i64 = 16;

/// The most positions that one page of one record searches: 4,096 groups.
const MOST_SEARCHED: i64 = 4_096 << GROUP_BITS;

impl Search<'_> {
    /// The last position to search.
    fn until(&self, newest: i64) -> i64 {
        let until = until(self.condition, self.first, newest);
        until.min(self.first.saturating_add(MOST_SEARCHED))
    }

    /// The first and the last position of each statement, up to `until`.
    fn parts(&self, until: i64) -> impl Iterator<Item = (i64, i64)> {
        let is_whole = !names_record(self.condition);
        let (mut from, mut groups) = (self.first, FIRST_GROUPS);
        std::iter::from_fn(move || {
            if from > until {
                return None;
            }
            let groups_end = (((from >> GROUP_BITS) + groups) << GROUP_BITS) - 1;
            let part = (from, if is_whole { until } else { until.min(groups_end) });
            (from, groups) = (part.1 + 1, groups.saturating_mul(4));
            Some(part)
        })
    }

    /// Selects events from the first to the last of these positions, in order.
    pub(crate) fn select(&self, columns: &'static str, (from, to): (i64, i64), most: i64) -> Sql {
        let mut filter = condition::plain::<EventList>(self.condition);
        if names_record(self.condition) {
            filter.text(" AND (position >> 10) IN (WITH RECURSIVE groups (number) AS (SELECT ");
            filter.bind(Bind::Integer(from >> GROUP_BITS));
            filter.text(" UNION ALL SELECT number + 1 FROM groups WHERE number < ");
            filter.bind(Bind::Integer(to >> GROUP_BITS));
            filter.text(") SELECT number FROM groups)");
        }
        let bounds = (Bind::Integer(from - 1), Bind::Integer(to));
        select(columns, bounds, &filter, Bind::Integer(most))
    }
}

fn forget(conn: &mut SqliteConnection, until: Time) -> QueryResult<usize> {
    let oldest = events::table.order(events::position).limit(DELETED_AT_ONCE + 1);
    let oldest: Vec<(i64, Time)> = oldest.select((events::position, events::at)).load(conn)?;
    let Some((last, count)) = last_before(&oldest, until) else { return Ok(0) };
    diesel::delete(events::table.filter(events::position.le(last))).execute(conn)?;
    Ok(count)
}
