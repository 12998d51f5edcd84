//! Reading a list, batch by batch.

use std::mem;

use diesel::SqliteConnection;
use patrol_domain::{
    StoreError,
    list::{Direction, Page, Part, Query},
};

use super::{
    Counts, ListTable,
    condition::filter,
    statement::{Bind, Select as _, Sql},
};
use crate::engine::{Abort, Sender};

/// How many rows the first batch has, which somebody waits for.
const FIRST_BATCH: usize = 64;

/// How many rows the others have.
const BATCH: usize = 256;

/// The greatest part of a list that SQLite is to cut out. It sorts a limited result in a tree, which
/// is fast while few rows stay in it; beyond that, sorting everything and reading on is faster.
const CUT: u64 = 100_000;

/// Sends the rows that meet the query in order, and then how many there are without limit and
/// offset. `connection` has to be within a snapshot.
pub(crate) fn produce<L: ListTable>(
    connection: &mut SqliteConnection,
    query: Query<L>,
    counts: &Counts,
    sender: &mut Sender<Part<L::Item>>,
) -> Result<(), Abort<StoreError>> {
    let filter = filter::<L>(&query.condition, query.search.as_deref());
    let page = query.page;
    let mut last = Vec::new();
    let mut sent = 0;
    if page.limit > 0 {
        (last, sent) = rows::<L>(connection, select::<L>(&query, &filter), page.limit, sender)?;
    }
    let total = match known_total(page, sent) {
        Some(total) => total,
        None if sender.is_abandoned() => return Ok(()),
        None => counts.count::<L>(connection, &filter)?,
    };
    // Held back until nothing can fail any more: most lists are one batch.
    if !last.is_empty() {
        sender.send(Part::Rows(last))?;
    }
    sender.send(Part::Total(total))
}

/// Reads up to `limit` rows and sends all batches but the last, which it returns with the number of
/// rows that were read.
fn rows<L: ListTable>(
    connection: &mut SqliteConnection,
    select: Sql,
    limit: u32,
    sender: &mut Sender<Part<L::Item>>,
) -> Result<(Vec<L::Item>, u32), Abort<StoreError>> {
    let mut batch = Vec::new();
    let mut size = FIRST_BATCH;
    let mut read = 0;
    for row in L::SqlType::rows(select, connection)? {
        // Diesel would begin anew after an error, so that the first one has to be the end.
        let item = L::item(row?)?;
        if batch.len() == size {
            size = BATCH;
            sender.send(Part::Rows(mem::replace(&mut batch, Vec::with_capacity(BATCH))))?;
        }
        batch.push(item);
        read += 1;
        if read == limit {
            break;
        }
    }
    Ok((batch, read))
}

/// The total, when the rows that were read tell it.
fn known_total(page: Page, read: u32) -> Option<u64> {
    let is_end = read < page.limit && (read > 0 || page.offset == 0);
    is_end.then(|| page.offset.saturating_add(u64::from(read)))
}

fn select<L: ListTable>(query: &Query<L>, filter: &Sql) -> Sql {
    let mut sql = Sql::default();
    sql.text("SELECT ");
    sql.text(L::COLUMNS);
    sql.text(" FROM ");
    sql.text(L::FROM);
    sql.text(" WHERE ");
    sql.append(filter);
    let mut before = " ORDER BY ";
    for sort in &query.sort {
        let key = L::sort(sort.property);
        sql.text(before);
        // `:now` is a value, which has to be bound in its place.
        for (at, part) in key.sql.split(":now").enumerate() {
            if at > 0 {
                sql.bind(Bind::Integer(query.now.millis()));
            }
            sql.text(part);
        }
        // Nulls are the least values for SQLite, and come last in both directions here.
        sql.text(match sort.direction {
            Direction::Ascending if key.nullable => " ASC NULLS LAST",
            Direction::Ascending => "",
            Direction::Descending => " DESC",
        });
        before = ", ";
    }
    for tie in L::TIES {
        sql.text(before);
        sql.text(tie);
        before = ", ";
    }
    let Page { limit, offset } = query.page;
    if offset > 0 || u64::from(limit) <= CUT {
        sql.text(" LIMIT ");
        sql.bind(Bind::Integer(i64::from(limit)));
        sql.text(" OFFSET ");
        // An offset that SQLite cannot take is beyond the end of any list.
        sql.bind(Bind::Integer(i64::try_from(offset).unwrap_or(i64::MAX)));
    }
    sql
}
