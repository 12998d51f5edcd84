//! Reads a list, batch by batch.

use diesel::SqliteConnection;
use futures_util::FutureExt as _;
use patrol_domain::{
    StoreError,
    list::{
        Batch, Comparison, Condition, Direction, Membership, Page, Part, Query, Test, bytes_of,
    },
};
use patrol_stored::list::{Column, memory::FoundPage};

use super::{
    Caches, ListTable,
    condition::{FilterOptions, filter},
    memory::{Reader, is_in},
    statement::{Bind, Select as _, Sql},
    trigrams::Selective,
};
use crate::engine::{Abort, Sender};

/// The largest LIMIT that SQLite gets. It sorts a limited result in a tree, which is fast for few
/// rows; beyond this, sorting everything and reading on is faster.
const MAX_SQL_LIMIT: u64 = 100_000;

/// Up to this many matches, rows are found by the filter and then sorted. More matches are read in
/// the requested order.
const MAX_SORTED_ROWS: u64 = 50_000;

/// Sends the rows of the query in order, then the total without limit and offset. `connection` must
/// be in a snapshot.
pub(crate) fn produce<L: ListTable>(
    connection: &mut SqliteConnection,
    query: &Query<L>,
    caches: &Caches,
    sender: &mut Sender<Part<L::Item>>,
) -> Result<(), Abort<StoreError>> {
    let Caches { counts, memory } = caches;
    let mut counted = None;
    if let Some(logged) = L::LOGGED
        && !query.page.is_long()
    {
        let reader = Reader::new::<L>(connection, counts, logged)?;
        match without_waiting(memory.page(reader, query))? {
            Some(FoundPage::Rows { rows, total, page }) => {
                let last = if rows.is_empty() {
                    Vec::new()
                } else {
                    let select = select(query, &is_in::<L>(rows), page, ListPlan::FilterThenSort);
                    rows_of::<L>(connection, select, page.limit, sender)?.0
                };
                return send_last::<L>(last, total, sender);
            }
            Some(FoundPage::Many { total }) => counted = Some(total),
            None => {}
        }
    }
    let search = query.search.as_deref();
    let selective = Selective::of::<L>(connection, &query.condition, search, counts)?;
    let filter = filter::<L>(&query.condition, search, FilterOptions::find(&selective));
    let page = query.page;
    let mut last = Vec::new();
    let mut sent = 0;
    if page.limit > 0 {
        if counted.is_none() && needs_count(query) {
            counted = Some(counts.count::<L>(connection, &filter)?);
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
            counts.count::<L>(connection, &filter)?
        }
    };
    send_last::<L>(last, total, sender)
}

/// The result of a future that never waits. All futures that read from SQLite are of this kind.
fn without_waiting<T>(
    result: impl Future<Output = Result<T, Abort<StoreError>>>,
) -> Result<T, Abort<StoreError>> {
    result.now_or_never().unwrap_or_else(|| {
        Err(StoreError::Internal("a list on SQLite waited for something".to_owned()).into())
    })
}

/// Sends the last batch and the total. Most lists have a single batch; it is held back until nothing
/// can fail, so that such a list fails without a part.
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
fn rows_of<L: ListTable>(
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
    /// Reads rows in the requested order until enough match, without indexes on columns of few
    /// values.
    InOrder,
}

impl ListPlan {
    /// The plan for `total` matches.
    pub(super) fn of<L: ListTable>(query: &Query<L>, total: u64) -> Self {
        let is_many = total > MAX_SORTED_ROWS;
        match (is_many, is_by_id(query)) {
            (true, _) if gives_order(query) => Self::Automatic,
            (true, _) => Self::InOrder,
            (false, true) => Self::FilterThenSort,
            (false, false) => Self::Automatic,
        }
    }
}

/// Whether the number of rows decides how they are found.
fn needs_count<L: ListTable>(query: &Query<L>) -> bool {
    (is_by_id(query) && has_comparison(&query.condition))
        || (has_few::<L>(&query.condition) && !gives_order(query))
}

/// Whether an index gives the requested order for any condition.
fn is_by_id<L: ListTable>(query: &Query<L>) -> bool {
    L::TIES.first() == Some(&first_key(query))
}

/// The first sort expression.
fn first_key<L: ListTable>(query: &Query<L>) -> &'static str {
    let asked = query.sort.first().map(|sort| L::sort(sort.property).sql.sqlite);
    asked.or(L::TIES.first().copied()).unwrap_or(L::KEY)
}

/// Whether the condition fixes a column of few values, and an index gives the rows of that value in
/// the requested order.
fn gives_order<L: ListTable>(query: &Query<L>) -> bool {
    let key = first_key(query);
    let gives = |condition: &Condition<L::Filter>| match condition {
        Condition::Is(filter, test) if is_one_value(test) => {
            matches!(L::column(*filter), Column::Few { then, .. } if then.contains(&key))
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
fn has_few<L: ListTable>(condition: &Condition<L::Filter>) -> bool {
    match condition {
        Condition::All(all) => all.iter().any(has_few::<L>),
        Condition::Any(_) => false,
        Condition::Is(filter, _) => matches!(L::column(*filter), Column::Few { .. }),
    }
}

/// Whether the condition compares a time, whose selectivity SQLite cannot estimate.
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

/// The WHERE clause for this plan.
pub(super) fn planned<L: ListTable>(
    query: &Query<L>,
    selective: &Selective,
    plan: ListPlan,
) -> Sql {
    let in_order = plan == ListPlan::InOrder;
    let options = FilterOptions { selective, ignores_few_values: in_order, tests_links: in_order };
    filter::<L>(&query.condition, query.search.as_deref(), options)
}

/// The SELECT statement for a page of the rows that meet `filter`.
pub(super) fn select<L: ListTable>(
    query: &Query<L>,
    filter: &Sql,
    page: Page,
    plan: ListPlan,
) -> Sql {
    let mut sql = Sql::default();
    sql.text("SELECT ");
    sql.text(L::COLUMNS.sqlite);
    sql.text(" FROM ");
    sql.text(L::FROM);
    sql.text(" WHERE ");
    sql.append(filter);
    // A unary plus keeps SQLite from using an index for the sort.
    let order = if plan == ListPlan::FilterThenSort { " ORDER BY +" } else { " ORDER BY " };
    sql.order(order, query, |sql, key, direction| {
        if key.few && direction == Direction::Descending {
            sql.text("+");
        }
        sql.expression(key.sql.sqlite, &Bind::Integer(query.now.millis()));
        // For SQLite nulls are the smallest values; here they come last in both directions.
        sql.text(match direction {
            Direction::Ascending if key.nullable => " ASC NULLS LAST",
            Direction::Ascending => "",
            Direction::Descending => " DESC",
        });
    });
    if page.offset > 0 || u64::from(page.limit) <= MAX_SQL_LIMIT {
        sql.page(page, Bind::Integer);
    }
    sql
}
