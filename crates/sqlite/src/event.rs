//! The log of changes.

use async_trait::async_trait;
use diesel::{dsl::max, prelude::*};
use patrol_domain::{
    Reference, StoreError, Timestamp,
    event::{EventFilter, EventPage, EventQuery, Events},
    list::Condition,
};
use patrol_stored::{
    event::{
        self, COLUMNS, KEY, Read, ReadTypes, SIZES, SizeTypes, in_columns, last_before,
        last_that_fits, names_record, select, until,
    },
    schema::events,
    sql::{Time, time},
};

use crate::{
    Store,
    engine::Abort,
    list::{Bind, Select, Sql, condition},
    reference,
};

#[async_trait]
impl Events for Store {
    async fn page(&self, query: EventQuery) -> Result<EventPage, StoreError> {
        Store::page(self, move |conn| page(conn, &query)).await
    }

    async fn is_stored(&self, record: Reference) -> Result<bool, StoreError> {
        self.read(move |conn| reference::exists(conn, record)).await
    }

    async fn newest(&self) -> Result<i64, StoreError> {
        self.read(|conn| Ok(newest(conn)?)).await
    }

    async fn delete_before(&self, until: Timestamp) -> Result<usize, StoreError> {
        self.write(move |conn| Ok(delete_before(conn, time(until))?)).await
    }
}

/// The greatest position; 0 for an empty log.
pub(crate) fn newest(conn: &mut SqliteConnection) -> QueryResult<i64> {
    let newest: Option<i64> = events::table.select(max(events::position)).first(conn)?;
    Ok(newest.unwrap_or(0))
}

fn page(conn: &mut SqliteConnection, query: &EventQuery) -> Result<EventPage, Abort<StoreError>> {
    let EventQuery { after, limit, condition } = query;
    let newest = newest(conn)?;
    let Some(first) = event::first(*after, newest).first(conn).optional()? else {
        return Ok(EventPage { events: Vec::new(), next: *after, more: false });
    };
    let search = Search { condition, first };
    let until = search.until(newest);
    let mut sizes: Vec<(i64, i32)> = Vec::new();
    let most = i64::from(*limit) + 1;
    for part in search.parts(until) {
        for size in SizeTypes::rows(search.select(SIZES, part, most), conn)? {
            sizes.push(size?);
        }
        if last_that_fits(&sizes, *limit).is_some() {
            break;
        }
    }
    let mut page = event::page(&sizes, *limit, until, newest);
    let Some((found, _)) = sizes.first() else { return Ok(page) };
    let events = search.select(COLUMNS, (*found, page.next), most);
    for read in ReadTypes::rows(events, conn)? {
        page.events.push(Read::event(read?)?);
    }
    Ok(page)
}

/// Finds the events of a page.
pub(crate) struct Search<'a> {
    pub(crate) condition: &'a Condition<EventFilter>,
    /// The first position that the page may have.
    pub(crate) first: i64,
}

/// The index finds the events of one record in groups of 2^10 positions. The index and the
/// statement have the number as text.
const GROUP_BITS: u32 = 10;

/// The number of groups that the first statement for the events of one record searches. Each
/// further statement searches four times as many, so that a page of a record with many events reads
/// few groups.
const FIRST_GROUPS: i64 = 16;

/// The maximum number of positions that one page of one record searches: 4,096 groups.
const MAX_SEARCHED: i64 = 4_096 << GROUP_BITS;

impl Search<'_> {
    /// The last position to search.
    fn until(&self, newest: i64) -> i64 {
        let until = until(self.condition, self.first, newest);
        until.min(self.first.saturating_add(MAX_SEARCHED - 1))
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
        let mut filter = condition::plain(KEY, &in_columns(self.condition));
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

fn delete_before(conn: &mut SqliteConnection, until: Time) -> QueryResult<usize> {
    let Some((last, count)) = last_before(&event::oldest().load(conn)?, until) else {
        return Ok(0);
    };
    diesel::delete(events::table.filter(events::position.le(last))).execute(conn)?;
    Ok(count)
}
