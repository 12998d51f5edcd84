//! Reading a list, batch by batch.

use std::mem;

use diesel::SqliteConnection;
use patrol_domain::{
    StoreError,
    list::{Comparison, Condition, Direction, Page, Part, Query, Test},
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

/// How many rows are rather found by a comparison and then sorted by id than looked for in the order
/// of ids. Those that start after a time are the last ones in that order as well, as a rule.
const FEW: u64 = 50_000;

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
    let mut counted = None;
    if page.limit > 0 {
        if is_by_id(&query) && has_comparison(&query.condition) {
            counted = Some(counts.count::<L>(connection, &filter)?);
        }
        let is_sorted = counted.is_some_and(|total| total <= FEW);
        let select = select::<L>(&query, &filter, is_sorted);
        (last, sent) = rows::<L>(connection, select, page.limit, sender)?;
    }
    let total = match counted.or_else(|| known_total(page, sent)) {
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

/// Whether an index gives the rows in the order asked for, whatever the condition.
fn is_by_id<L: ListTable>(query: &Query<L>) -> bool {
    query.sort.first().is_none_or(|sort| L::TIES.first() == Some(&L::sort(sort.property).sql))
}

/// Whether the condition bounds a time, of which SQLite cannot know how many rows it leaves.
fn has_comparison<P>(condition: &Condition<P>) -> bool {
    match condition {
        Condition::All(all) => all.iter().any(has_comparison),
        Condition::Any(_) => false,
        Condition::Is(_, test) => matches!(
            test,
            Test::Time(
                Comparison::Greater
                    | Comparison::GreaterOrEqual
                    | Comparison::Less
                    | Comparison::LessOrEqual,
                _
            )
        ),
    }
}

/// With `is_sorted`, the rows are found first and then sorted.
pub(super) fn select<L: ListTable>(query: &Query<L>, filter: &Sql, is_sorted: bool) -> Sql {
    let mut sql = Sql::default();
    sql.text("SELECT ");
    sql.text(L::COLUMNS);
    sql.text(" FROM ");
    sql.text(L::FROM);
    sql.text(" WHERE ");
    sql.append(filter);
    // With a sign, SQLite does not take the first key for one that an index sorts by.
    let mut before = if is_sorted { " ORDER BY +" } else { " ORDER BY " };
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
