//! Reads a list, batch by batch.

use std::{pin::pin, sync::Arc, time::Duration};

use diesel::QueryResult;
use futures_util::StreamExt;
use patrol_domain::{
    StoreError,
    list::{Batch, Direction, Page, Part, bytes_of},
};
use patrol_repository::stored::list::{
    Table, TableQuery,
    memory::{FoundPage, Making, Source},
};
use tokio::{sync::Semaphore, time::timeout};

use super::{
    Select, Sql,
    condition::{self, filter},
    memory::{Reader, is_in},
    statement::{ListTable, counted, run, size_of_table},
};
use crate::{
    Store,
    engine::{Abort, Connection, Counts, Sender},
};

/// Up to this many matches, all are found and then sorted, independent of the size of the table.
/// Finding them by an index takes a millisecond.
const MAX_FOUND_FIRST: u64 = 1_000;

/// More matches than this are not sorted.
const MAX_SORTED: u64 = 20_000;

/// If the matches are at least this fraction (1 / 4) of the table, rows are read in the order of the
/// list until the page is full.
const FREQUENT_SHARE: u64 = 4;

/// Sends the rows of the query in order, then the total without limit and offset. `connection` must
/// be in a snapshot. What takes long to make in memory is made in the background.
pub(super) async fn produce<L: ListTable>(
    connection: &Connection,
    query: &Arc<TableQuery>,
    store: &Store,
    sender: &Sender<Part<L::Item>>,
) -> Result<(), Abort<StoreError>> {
    let table = query.table;
    let filter = filter(table, &query.condition, query.search.as_deref());
    let (counts, page) = (store.counts(), query.page);
    let (mut found, mut making) = (None, None);
    if !page.is_long()
        && let Some(mut reader) = Reader::of(connection, table)
    {
        let state = reader.state.clone();
        let source = match sender.is_page() {
            true => store.memory().source(&mut reader, query).await?,
            false => Source::Memory,
        };
        match source {
            Source::Table(begun) => making = begun,
            Source::Memory => {
                found = store.memory().page(reader, state.clone(), query).await?;
                store.last_seen().set(state);
            }
        }
    }
    let (counted, wanted) = match found {
        Some(FoundPage::Rows { total, rows, page, .. }) => {
            (Some(total), Some((is_in(table, rows), page)))
        }
        Some(FoundPage::Many { total }) => (Some(total), None),
        None if is_hard_to_estimate(query) && !page.is_long() => {
            (Some(total(connection, query, counts, &filter).await?), None)
        }
        None => (None, None),
    };
    let of_page = table.page_columns.filter(|_| sender.is_page());
    let columns = of_page.unwrap_or(table.columns.postgres);
    let select = match (&wanted, counted) {
        _ if page.limit == 0 || counted.is_some_and(|total| total <= page.offset) => None,
        (Some((rows, page)), _) => Some(select(query, columns, rows, *page, ListPlan::ByKey)),
        (None, Some(total)) => {
            let plan = plan_of(connection, table, total).await?;
            Some(select(query, columns, &filter, page, plan))
        }
        (None, None) => Some(select(query, columns, &filter, page, ListPlan::Automatic)),
    };
    let (last, sent) = match select {
        None => (Vec::new(), 0),
        Some(select) if table.page_columns.is_some() && !sender.is_page() => {
            rows_of_cursor::<L>(connection, select, sender).await?
        }
        Some(select) => rows::<L>(connection, select, sender).await?,
    };
    let total = match counted.or_else(|| page.known_total(sent)) {
        Some(total) => total,
        None => total(connection, query, counts, &filter).await?,
    };
    // Held back until nothing can fail, because most lists have a single batch.
    if !last.is_empty() {
        send::<L>(sender, last).await?;
    }
    sender.send(Part::Total(total), 0).await?;
    if let Some(making) = making {
        let query = Arc::clone(query);
        store.in_background(|store, connection| async move {
            make(&connection, &query, &store, making).await
        });
    }
    Ok(())
}

/// Makes what the page of the query needs in memory.
async fn make(
    connection: &Connection,
    query: &TableQuery,
    store: &Store,
    making: Making,
) -> Result<(), Abort<StoreError>> {
    let Some(reader) = Reader::of(connection, query.table) else { return Ok(()) };
    let state = reader.state.clone();
    store.memory().make(reader, state.clone(), query, making).await?;
    store.last_seen().set(state);
    Ok(())
}

/// Whether PostgreSQL cannot estimate how many rows it has to read in the requested order until the
/// page is full.
pub(super) fn is_hard_to_estimate(query: &TableQuery) -> bool {
    query.search.is_some() || condition::is_hard_to_estimate(&query.condition, first_key(query))
}

/// The first sort expression.
fn first_key(query: &TableQuery) -> &'static str {
    let asked = query.sort.first().map(|(key, _)| key.sql.postgres);
    asked.or(query.table.ties.first().copied()).unwrap_or_default()
}

/// How the rows of a list are found and sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListPlan {
    /// As PostgreSQL's planner decides.
    Automatic,
    /// Finds the rows by their keys and sorts them. Prevents PostgreSQL from reading all rows in the
    /// requested order until it has found enough of them.
    ByKey,
    /// Finds the ids of all matches by the filter, sorts them, and reads the rows of the page.
    FilterThenSort,
    /// Finds the ids of the page as PostgreSQL's planner decides, then reads the rows. It can read
    /// the ids from an index, without the rows that do not match.
    KeysFirst,
}

/// The plan for a page with `total` matches, which PostgreSQL cannot estimate.
async fn plan_of(connection: &Connection, table: &Table, total: u64) -> QueryResult<ListPlan> {
    if total > MAX_SORTED {
        return Ok(ListPlan::KeysFirst);
    }
    if total <= MAX_FOUND_FIRST {
        return Ok(ListPlan::FilterThenSort);
    }
    let rows = size_of_table(connection, table).await?;
    // The size is 0 before the first ANALYZE.
    Ok(match rows == 0 || total.saturating_mul(FREQUENT_SHARE) <= rows {
        true => ListPlan::FilterThenSort,
        false => ListPlan::KeysFirst,
    })
}

/// Reads rows and sends all parts except the last one, which it returns with the number of rows.
async fn rows<L: ListTable>(
    connection: &Connection,
    select: Sql,
    sender: &Sender<Part<L::Item>>,
) -> Result<(Vec<L::Item>, u64), Abort<StoreError>> {
    let mut reading = Reading::<L>::default();
    if let Some(full) = reading.read(connection, select, sender).await? {
        send::<L>(sender, full).await?;
    }
    connection.has_first_row();
    Ok(reading.into_rest())
}

/// Like [`rows`], for rows of megabytes: fetches only as many at once as fit in a part, judging by
/// the previous rows.
async fn rows_of_cursor<L: ListTable>(
    connection: &Connection,
    select: Sql,
    sender: &Sender<Part<L::Item>>,
) -> Result<(Vec<L::Item>, u64), Abort<StoreError>> {
    let permit = timeout(PATIENCE, LARGE_LISTS.acquire()).await.ok().and_then(Result::ok);
    let Some(_permit) = permit else {
        return Err(StoreError::Unavailable("too many lists at once".to_owned()).into());
    };
    // Each list has a cursor of its own name, because a connection keeps FETCH prepared by its text.
    let cursor = L::FROM;
    let mut declare = Sql::of(&["DECLARE ", cursor, " NO SCROLL CURSOR FOR "]);
    declare.append(&select);
    run(declare, connection).await?;
    let mut reading = Reading::<L>::default();
    let (mut fetch, mut is_large) = ("FETCH 1 FROM ", false);
    loop {
        let (read, bytes) = (reading.read, reading.bytes);
        let sql = Sql::of(&[fetch, cursor]);
        let full = {
            let permit = if is_large { LARGE_FETCHES.acquire().await.ok() } else { None };
            let mut read = pin!(reading.read(connection, sql, sender));
            match timeout(SENDING, read.as_mut()).await {
                Ok(full) => full?,
                // While the database searches for the row and sends nothing, other lists may fetch.
                Err(_) => {
                    drop(permit);
                    read.await?
                }
            }
        };
        connection.has_first_row();
        if let Some(full) = full {
            send::<L>(sender, full).await?;
        }
        let read = reading.read.saturating_sub(read);
        let Some(mean) = reading.bytes.saturating_sub(bytes).checked_div(read) else {
            return Ok(reading.into_rest());
        };
        (fetch, is_large) = match mean {
            0..SMALL_ROW => ("FETCH 256 FROM ", false),
            SMALL_ROW..LARGE_ROW => ("FETCH 16 FROM ", false),
            _ => ("FETCH 1 FROM ", true),
        };
    }
}

/// Smaller rows are fetched by the hundred.
const SMALL_ROW: u64 = 4 * 1024;

/// Larger rows are fetched one by one.
const LARGE_ROW: u64 = 64 * 1024;

/// How many lists with large rows the process reads at once. Each takes up to 30 MiB for rows of 2
/// MiB, and the process has to stay below 256 MB.
static LARGE_LISTS: Semaphore = Semaphore::const_new(5);

/// How long such a list waits for a permit.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many large rows the process fetches at once. While a row is received and parsed there are
/// several copies of it, and one afterwards. The first row of a list, whose size is unknown and
/// which may take long, needs no permit.
static LARGE_FETCHES: Semaphore = Semaphore::const_new(2);

/// How long a fetch keeps its permit. A longer fetch waits for the database to find the row, which
/// needs no memory here. [`LARGE_LISTS`] still limits how many such rows arrive at once.
const SENDING: Duration = Duration::from_secs(1);

/// The rows read so far.
struct Reading<L: ListTable> {
    batch: Batch<L>,
    read: u64,
    /// Their approximate memory in bytes.
    bytes: u64,
}

impl<L: ListTable> Default for Reading<L> {
    fn default() -> Self {
        Self { batch: Batch::default(), read: 0, bytes: 0 }
    }
}

impl<L: ListTable> Reading<L> {
    /// Reads the rows of `sql` and sends each full part, except a part that the last row has
    /// filled: that one is returned.
    async fn read(
        &mut self,
        connection: &Connection,
        sql: Sql,
        sender: &Sender<Part<L::Item>>,
    ) -> Result<Option<Vec<L::Item>>, Abort<StoreError>> {
        let mut rows = L::SqlType::rows(sql, connection).await?;
        let mut full = None;
        while let Some(row) = rows.next().await {
            let row = row?;
            if let Some(full) = full.take() {
                send::<L>(sender, full).await?;
            }
            if L::lacks_large_value(&row) {
                sender.give_up_page().await;
            }
            let item = L::item(row)?;
            if self.read == 0 {
                connection.has_first_row();
            }
            self.read += 1;
            let bytes = u64::try_from(L::bytes(&item)).unwrap_or(u64::MAX);
            self.bytes = self.bytes.saturating_add(bytes);
            full = self.batch.push(item);
        }
        Ok(full)
    }

    /// The items that were not sent, and the number of rows read.
    fn into_rest(self) -> (Vec<L::Item>, u64) {
        (self.batch.into_rest(), self.read)
    }
}

async fn send<L: ListTable>(
    sender: &Sender<Part<L::Item>>,
    items: Vec<L::Item>,
) -> Result<(), Abort<StoreError>> {
    let bytes = bytes_of::<L>(&items);
    sender.send(Part::Rows(items), bytes).await
}

/// The number of matches, cached or counted.
async fn total(
    connection: &Connection,
    query: &TableQuery,
    counts: &Counts,
    filter: &Sql,
) -> Result<u64, Abort<StoreError>> {
    let count = Sql::count(query.table, filter);
    if query.condition.has_clock() {
        return Ok(counted(connection, count).await?);
    }
    let question = format!("{count:?}");
    counts.count(connection, question, counted(connection, count)).await
}

pub(super) fn select(
    query: &TableQuery,
    columns: &'static str,
    filter: &Sql,
    page: Page,
    plan: ListPlan,
) -> Sql {
    let mut sql = Sql::of(&["SELECT ", columns]);
    sql.append(&from(query, filter, page, plan));
    sql
}

/// The statement after the columns.
pub(super) fn from(query: &TableQuery, filter: &Sql, page: Page, plan: ListPlan) -> Sql {
    let table = query.table;
    let mut sql = Sql::of(&[" FROM "]);
    if plan == ListPlan::ByKey {
        // PostgreSQL plans a subquery with an offset separately.
        sql.text("(SELECT * FROM ");
    }
    sql.texts(&[table.from, " WHERE "]);
    match plan {
        ListPlan::ByKey => {
            sql.append(filter);
            sql.texts(&[" OFFSET 0) AS ", table.from]);
        }
        ListPlan::Automatic => sql.append(filter),
        ListPlan::FilterThenSort | ListPlan::KeysFirst => {
            let key = table.ties.last().copied().unwrap_or_default();
            sql.texts(&[key, " = ANY(ARRAY(SELECT ", key, " FROM "]);
            if plan == ListPlan::FilterThenSort {
                sql.text("(SELECT * FROM ");
            }
            sql.texts(&[table.from, " WHERE "]);
            sql.append(filter);
            if plan == ListPlan::FilterThenSort {
                sql.texts(&[" OFFSET 0) AS ", table.from]);
            }
            order(&mut sql, query);
            sql.page(page);
            sql.text("))");
        }
    }
    order(&mut sql, query);
    if matches!(plan, ListPlan::Automatic | ListPlan::ByKey) {
        sql.page(page);
    }
    sql
}

/// Appends the ORDER BY clause.
fn order(sql: &mut Sql, query: &TableQuery) {
    sql.order(" ORDER BY ", query, |sql, key, direction| {
        // For PostgreSQL nulls are the greatest values; here they come last in both directions.
        let direction = match direction {
            Direction::Ascending => "",
            Direction::Descending if key.nullable => " DESC NULLS LAST",
            Direction::Descending => " DESC",
        };
        if let Some(beginning) = key.beginning {
            sql.texts(&[beginning, direction, ", "]);
        }
        sql.expression(key.sql.postgres, query);
        sql.text(direction);
    });
}
