//! Reads a list, batch by batch.

use std::sync::Arc;

use diesel::SqliteConnection;
use patrol_domain::{
    StoreError,
    list::{Batch, Comparison, Condition, Direction, Membership, Page, Part, Test, bytes_of},
};
use patrol_repository::stored::list::{
    Column, ListTable, Table, TableQuery,
    memory::{FoundPage, Making, Source},
};

use super::{
    Bind, Select, Sql,
    caches::Caches,
    condition::{FilterOptions, filter},
    memory::{Reader, is_in},
    trigrams::SelectiveTerms,
};
use crate::engine::{Abort, Background, Sender, poll_once};

/// The largest LIMIT that SQLite gets. SQLite sorts a limited result in a tree, which is fast for
/// few rows; for more rows it is faster to sort everything and to stop reading at the limit.
const MAX_SQL_LIMIT: u64 = 100_000;

/// Up to this many matches, rows are found by the filter and then sorted. More matches are read in
/// the requested order.
const MAX_SORTED_ROWS: u64 = 50_000;

/// Sends the rows of the query in order, then the total without limit and offset. `connection` must
/// be in a snapshot. What takes long to make in memory is made in the background.
pub(super) fn produce<L: ListTable<SqlType: Select<L::Row>>>(
    connection: &mut SqliteConnection,
    query: &Arc<TableQuery>,
    caches: &Caches,
    background: &Background,
    sender: &mut Sender<Part<L::Item>>,
) -> Result<(), Abort<StoreError>> {
    let Caches { counts, memory } = caches;
    let table = query.table;
    let (mut counted, mut making) = (None, None);
    if !query.page.is_long()
        && let Some(mut reader) = Reader::of(connection, counts, table)?
    {
        let state = reader.state;
        let source = match sender.is_page() {
            true => poll_once(memory.source(&mut reader, query))?,
            false => Source::Memory,
        };
        let found = match source {
            Source::Table(Some(begun)) => {
                making = Some(begun);
                None
            }
            // Here an order is made in less time than some pages take to read from the table.
            Source::Table(None) | Source::Memory => poll_once(memory.page(reader, state, query))?,
        };
        match found {
            Some(FoundPage::Rows { rows, total, is_sorted, page }) => {
                let select = match is_sorted {
                    true => select_in_order(table, &rows),
                    false => select(
                        query,
                        &is_in(table, rows.iter().copied()),
                        page,
                        ListPlan::FilterThenSort,
                    ),
                };
                let last = match rows.is_empty() {
                    true => Vec::new(),
                    false => rows_of::<L>(connection, select, page.limit, sender)?.0,
                };
                return send_last::<L>(last, total, sender);
            }
            Some(FoundPage::Many { total }) => counted = Some(total),
            None => {}
        }
    }
    let search = query.search.as_deref();
    let selective = SelectiveTerms::of(connection, table, &query.condition, search, counts)?;
    let filter = filter(&query.condition, search, FilterOptions::find(table, &selective));
    let page = query.page;
    let mut last = Vec::new();
    let mut sent = 0;
    if page.limit > 0 {
        if counted.is_none() && needs_count(query) {
            counted = Some(counts.count(connection, query, &filter)?);
        }
        let plan = counted.map_or(ListPlan::Automatic, |total| ListPlan::of(query, total));
        let select = select(query, &planned(query, &selective, plan), page, plan);
        (last, sent) = rows_of::<L>(connection, select, page.limit, sender)?;
    }
    let total = match counted.or_else(|| page.known_total(sent.into())) {
        Some(total) => total,
        None => {
            // The count after the rows has the same time limit as a row.
            if sent > 0 {
                sender.note_row();
            }
            counts.count(connection, query, &filter)?
        }
    };
    send_last::<L>(last, total, sender)?;
    if let Some(making) = making {
        let (query, caches) = (Arc::clone(query), caches.clone());
        background.run(move |connection| make(connection, &query, &caches, making));
    }
    Ok(())
}

/// Makes what the page of the query needs in memory.
fn make(
    connection: &mut SqliteConnection,
    query: &TableQuery,
    Caches { counts, memory }: &Caches,
    making: Making,
) -> Result<(), Abort<StoreError>> {
    let Some(reader) = Reader::of(connection, counts, query.table)? else { return Ok(()) };
    let state = reader.state;
    poll_once(memory.make(reader, state, query, making))
}

/// Sends the last batch and the total. The last batch is sent only when the total is known. Most
/// lists have a single batch, so if the count fails, they fail before anything is sent.
fn send_last<L: ListTable>(
    last: Vec<L::Item>,
    total: u64,
    sender: &mut Sender<Part<L::Item>>,
) -> Result<(), Abort<StoreError>> {
    if !last.is_empty() {
        let bytes = bytes_of::<L>(&last);
        sender.send(Part::Rows(last), bytes)?;
    }
    sender.send(Part::Total(total), 0)
}

/// Reads up to `limit` rows and sends all batches except the last one, which it returns with the
/// number of rows.
fn rows_of<L: ListTable<SqlType: Select<L::Row>>>(
    connection: &mut SqliteConnection,
    select: Sql,
    limit: u32,
    sender: &mut Sender<Part<L::Item>>,
) -> Result<(Vec<L::Item>, u32), Abort<StoreError>> {
    let mut batch = Batch::<L>::default();
    let mut read = 0;
    for row in L::SqlType::rows(select, connection)? {
        // Diesel would start again after an error, so the first error has to end the loop.
        let item = L::item(row?)?;
        sender.note_row();
        if let Some(full) = batch.push(item) {
            let bytes = bytes_of::<L>(&full);
            sender.send(Part::Rows(full), bytes)?;
        }
        read += 1;
        if read == limit {
            break;
        }
    }
    Ok((batch.into_rest(), read))
}

/// How the rows of a list are found and sorted. SQLite cannot estimate how many rows a time
/// condition or a value selects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListPlan {
    /// As SQLite's planner decides.
    Automatic,
    /// Finds all rows by the filter, then sorts them.
    FilterThenSort,
    /// Reads rows in the requested order until enough of them match, without indexes on columns
    /// with few values.
    InOrder,
}

impl ListPlan {
    /// The plan for `total` matches.
    pub(super) fn of(query: &TableQuery, total: u64) -> Self {
        let is_many = total > MAX_SORTED_ROWS;
        match (is_many, is_by_id(query)) {
            (true, _) if gives_order(query) => Self::Automatic,
            (true, _) => Self::InOrder,
            (false, true) => Self::FilterThenSort,
            (false, false) => Self::Automatic,
        }
    }
}

/// Whether the plan depends on the number of matches.
fn needs_count(query: &TableQuery) -> bool {
    (is_by_id(query) && has_comparison(&query.condition))
        || (has_low_cardinality(&query.condition) && !gives_order(query))
}

/// Whether the list is sorted by its id, whose index gives the order for any condition.
fn is_by_id(query: &TableQuery) -> bool {
    query.table.ties.first() == Some(&first_key(query))
}

/// The first sort expression.
fn first_key(query: &TableQuery) -> &'static str {
    let asked = query.sort.first().map(|(key, _)| key.sql.sqlite);
    asked.or(query.table.ties.first().copied()).unwrap_or(query.table.key)
}

/// Whether the condition fixes a column of few values, and an index gives the rows of that value in
/// the requested order.
fn gives_order(query: &TableQuery) -> bool {
    let key = first_key(query);
    let gives = |condition: &Condition<Column>| match condition {
        Condition::Is(Column::LowCardinality { then, .. }, test) => {
            is_one_value(test) && then.contains(&key)
        }
        _ => false,
    };
    match &query.condition {
        Condition::All(all) => all.iter().any(gives),
        one => gives(one),
    }
}

fn is_one_value(test: &Test) -> bool {
    match test {
        Test::Flag(_) => true,
        Test::Codes(Membership::Any, codes) => codes.len() == 1,
        Test::Ids(Membership::Any, ids) => ids.len() == 1,
        _ => false,
    }
}

/// Whether the condition uses a column of few values.
fn has_low_cardinality(condition: &Condition<Column>) -> bool {
    match condition {
        Condition::All(all) => all.iter().any(has_low_cardinality),
        Condition::Any(_) => false,
        Condition::Is(column, _) => matches!(column, Column::LowCardinality { .. }),
    }
}

/// Whether the condition compares a time, whose selectivity SQLite cannot estimate.
fn has_comparison(condition: &Condition<Column>) -> bool {
    match condition {
        Condition::All(all) => all.iter().any(has_comparison),
        Condition::Any(_) => false,
        Condition::Is(_, test) => matches!(
            test,
            Test::Time(comparison, _) | Test::Clock(comparison, _)
                if !matches!(comparison, Comparison::Equal | Comparison::NotEqual)
        ),
    }
}

/// The WHERE clause for this plan.
pub(super) fn planned(query: &TableQuery, selective: &SelectiveTerms, plan: ListPlan) -> Sql {
    let in_order = plan == ListPlan::InOrder;
    let options = FilterOptions {
        ignores_low_cardinality: in_order,
        tests_links: in_order,
        ..FilterOptions::find(query.table, selective)
    };
    filter(&query.condition, query.search.as_deref(), options)
}

/// The SELECT statement for these rows, in this order: SQLite reads them in a loop over their keys.
pub(super) fn select_in_order(table: &Table, rows: &[u32]) -> Sql {
    let mut sql = Sql::of(&[
        "SELECT ",
        table.columns.sqlite,
        " FROM (SELECT value AS wanted FROM json_each(",
    ]);
    sql.bind(Bind::integers(rows.iter().copied()));
    sql.texts(&[")) CROSS JOIN ", table.from, " ON ", table.key, " = wanted"]);
    sql
}

/// The SELECT statement for a page of the rows that meet `filter`.
pub(super) fn select(query: &TableQuery, filter: &Sql, page: Page, plan: ListPlan) -> Sql {
    let table = query.table;
    let mut sql = Sql::of(&["SELECT ", table.columns.sqlite, " FROM ", table.from, " WHERE "]);
    sql.append(filter);
    // A unary plus keeps SQLite from using an index for the sort.
    let order = if plan == ListPlan::FilterThenSort { " ORDER BY +" } else { " ORDER BY " };
    sql.order(order, query, |sql, key, direction| {
        if key.few && direction == Direction::Descending {
            sql.text("+");
        }
        sql.expression(key.sql.sqlite, query);
        // For SQLite nulls are the smallest values; here they come last in both directions.
        sql.text(match direction {
            Direction::Ascending if key.nullable => " ASC NULLS LAST",
            Direction::Ascending => "",
            Direction::Descending => " DESC",
        });
    });
    if page.offset > 0 || u64::from(page.limit) <= MAX_SQL_LIMIT {
        sql.page(page);
    }
    sql
}
