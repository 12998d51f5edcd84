//! Reads a page in one round trip while the data does not change. Memory knows the rows of the page in
//! the last state that was seen. One statement reads these rows and the present state; if the state is
//! the same, the rows are the page.

use diesel::sql_types::{Nullable, Text};
use event_listener::EventListener;
use futures_util::{FutureExt as _, StreamExt as _};
use patrol_domain::{
    StoreError,
    list::{Condition, PART_BYTES},
};
use patrol_repository::stored::list::{
    Column, Table, TableQuery,
    memory::{self, FoundPage, Rows, SortOrder, SortPosition},
};

use super::{
    Select, Sql,
    condition::filter,
    last_seen::LastSeen,
    memory::{Memory, State, is_in},
    produce::{ListPlan, from},
    statement::ListTable,
};
use crate::engine::{Abort, Connection, STATE};

/// Larger pages would delay reads by id over the same connection.
const MAX_ROWS: u32 = 100;

/// A page whose rows memory knows for the last state that was seen.
pub(super) struct ExpectedPage {
    state: State,
    sql: Sql,
    total: u64,
    rows: usize,
}

/// The page, if it is short and memory knows its rows.
pub(super) fn expected(
    query: &TableQuery,
    memory: &Memory,
    last: &LastSeen,
) -> Option<ExpectedPage> {
    let table = query.table;
    let is_kept = table.logged.is_some() && !query.condition.has_clock();
    if !is_kept || table.page_columns.is_some() || query.page.limit > MAX_ROWS {
        return None;
    }
    let state = last.get()?;
    // A lookup that would wait for another request counts as not in memory.
    let found = memory.page(MemoryOnly(table), state.clone(), query).now_or_never();
    let Some(Ok(Some(FoundPage::Rows { total, rows, page, .. }))) = found else {
        last.record(false);
        return None;
    };
    let mut sql = Sql::default();
    sql.texts(&["SELECT (", STATE, ")"]);
    let wanted = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let rows = if rows.is_empty() {
        0
    } else {
        let offset = usize::try_from(page.offset).unwrap_or(usize::MAX);
        let number = rows.len().saturating_sub(offset);
        sql.texts(&[", ", table.columns.postgres]);
        sql.append(&from(query, &is_in(table, rows), page, ListPlan::ByKey));
        number.min(wanted)
    };
    Some(ExpectedPage { state, sql, total, rows })
}

impl ExpectedPage {
    /// The rows and the total; `None` if the data has changed, or the page is too large.
    pub(super) async fn read<L: ListTable>(
        &self,
        connection: &Connection,
        last: &LastSeen,
    ) -> Result<Option<(Vec<L::Item>, u64)>, Abort<StoreError>> {
        let mut items = Vec::with_capacity(self.rows);
        let (mut seen, mut bytes) = (None, 0);
        let sql = self.sql.clone();
        if self.rows == 0 {
            let mut rows =
                <Nullable<Text> as Select<Option<String>>>::rows(sql, connection).await?;
            while let Some(name) = rows.next().await {
                seen = name?;
            }
        } else {
            let mut rows = L::WithState::rows(sql, connection).await?;
            while let Some(row) = rows.next().await {
                let (name, row) = row?;
                let item = L::item(row)?;
                bytes += L::bytes(&item);
                // The page is read again from a snapshot, in parts like a long list.
                if bytes > PART_BYTES {
                    return Ok(None);
                }
                items.push(item);
                seen = name;
            }
        }
        let seen = seen.and_then(|name| State::named(connection, &name));
        let is_same = seen.as_ref() == Some(&self.state) && items.len() == self.rows;
        last.record(is_same);
        Ok(is_same.then_some((items, self.total)))
    }
}

/// Finds a page in memory only: every read of the data fails with [`NotInMemory`].
struct MemoryOnly(&'static Table);

/// A set or an order is not in memory in this state.
struct NotInMemory;

impl From<StoreError> for NotInMemory {
    fn from(_: StoreError) -> Self {
        Self
    }
}

impl memory::Reader for MemoryOnly {
    type State = State;
    type Test = Sql;
    type Error = NotInMemory;

    /// More rows than these are not sorted over a shared connection.
    const MAX_SORTED: u64 = 1_000;

    /// No set or order is made here.
    const MAX_ROWS: u64 = 0;

    fn test(&self, condition: &Condition<Column>, search: Option<&str>) -> Sql {
        filter(self.0, condition, search)
    }

    async fn size(&mut self) -> Result<u64, NotInMemory> {
        Err(NotInMemory)
    }

    async fn changed_since(&mut self, _state: &State) -> Result<Option<Rows>, NotInMemory> {
        Err(NotInMemory)
    }

    async fn find(
        &mut self,
        _condition: &Condition<Column>,
        _search: Option<&str>,
    ) -> Result<Rows, NotInMemory> {
        Err(NotInMemory)
    }

    async fn test_rows(&mut self, _rows: &Rows, _test: &Sql) -> Result<Rows, NotInMemory> {
        Err(NotInMemory)
    }

    async fn sort_positions(
        &mut self,
        _order: SortOrder,
        _rows: Option<&Rows>,
        _each: &mut (dyn FnMut(u32, SortPosition) + Send),
    ) -> Result<(), NotInMemory> {
        Err(NotInMemory)
    }

    /// A page that takes long is read from a snapshot instead.
    async fn pause(&mut self, _ended: Option<EventListener>) -> Result<(), NotInMemory> {
        Err(NotInMemory)
    }
}
