//! Reads a page in one round trip while the data stays the same: memory knows which rows are on it in
//! the last state that was seen. The statement that reads them also asks for the state, and they are
//! the page if the state is still the same.

use diesel::sql_types::{Nullable, Text};
use event_listener::EventListener;
use futures_util::{FutureExt as _, StreamExt as _};
use patrol_domain::{
    StoreError,
    list::{Condition, PART_BYTES, Query},
};
use patrol_stored::list::memory::{self, Found, Place, Rows, Sorted};

use super::{
    ListTable,
    condition::filter,
    last_seen::LastSeen,
    memory::{Memory, State, is_in},
    produce::{ListPlan, from},
    statement::{Select, Sql},
};
use crate::engine::{Abort, Connection, STATE};

/// Larger pages would delay reads by id over the same connection.
const MOST_ROWS: u32 = 100;

/// A page that is to be read at once.
pub(super) struct Expected {
    state: State,
    sql: Sql,
    total: u64,
    rows: usize,
}

/// The page, if it is short and memory knows its rows.
pub(super) fn expected<L: ListTable>(
    query: &Query<L>,
    memory: &Memory,
    last: &LastSeen,
) -> Option<Expected> {
    if L::LOGGED.is_none() || L::LARGE.is_some() || query.page.limit > MOST_ROWS {
        return None;
    }
    let state = last.get()?;
    // What would wait for others is not in memory either.
    let found = memory.page(Remembered(state.clone()), query).now_or_never();
    let Some(Ok(Some(Found::Rows { total, rows, page }))) = found else {
        last.was(false);
        return None;
    };
    let mut sql = Sql::default();
    sql.text("SELECT (");
    sql.text(STATE);
    sql.text(")");
    let wanted = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let rows = if rows.is_empty() {
        0
    } else {
        let offset = usize::try_from(page.offset).unwrap_or(usize::MAX);
        let number = rows.len().saturating_sub(offset);
        sql.text(", ");
        sql.text(L::COLUMNS.postgres);
        sql.append(&from(query, &is_in::<L>(rows), page, ListPlan::ByKey));
        number.min(wanted)
    };
    Some(Expected { state, sql, total, rows })
}

impl Expected {
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
                // Read from a snapshot, such a page counts as a long list.
                if bytes > PART_BYTES {
                    return Ok(None);
                }
                items.push(item);
                seen = name;
            }
        }
        let seen = seen.and_then(|name| State::named(connection, &name));
        let is_same = seen.as_ref() == Some(&self.state) && items.len() == self.rows;
        last.was(is_same);
        Ok(is_same.then_some((items, self.total)))
    }
}

/// Reads nothing: what is not in memory is missing.
struct Remembered(State);

/// Something is not in memory.
struct Missing;

impl From<StoreError> for Missing {
    fn from(_: StoreError) -> Self {
        Self
    }
}

impl<L: ListTable> memory::Reader<L> for Remembered {
    type State = State;
    type Test = Sql;
    type Error = Missing;

    /// More rows than these are not sorted over a shared connection.
    const MOST_SORTED: u64 = 1_000;

    /// Nothing is made here.
    const MOST_ROWS: u64 = 0;

    fn state(&self) -> &State {
        &self.0
    }

    fn test(condition: &Condition<L::Filter>, search: Option<&str>) -> Sql {
        filter::<L>(condition, search)
    }

    async fn size(&mut self) -> Result<u64, Missing> {
        Err(Missing)
    }

    async fn changed_since(&mut self, _state: &State) -> Result<Option<Rows>, Missing> {
        Err(Missing)
    }

    async fn found(
        &mut self,
        _condition: &Condition<L::Filter>,
        _search: Option<&str>,
    ) -> Result<Rows, Missing> {
        Err(Missing)
    }

    async fn among(&mut self, _rows: &Rows, _test: &Sql) -> Result<Rows, Missing> {
        Err(Missing)
    }

    async fn places(
        &mut self,
        _sorted: Sorted,
        _rows: Option<&Rows>,
        _each: &mut (dyn FnMut(u32, Place) + Send),
    ) -> Result<(), Missing> {
        Err(Missing)
    }

    async fn wait(&mut self, _others: EventListener) -> Result<(), Missing> {
        Err(Missing)
    }

    /// A page that takes long is read from a snapshot.
    async fn pause(&mut self) -> Result<(), Missing> {
        Err(Missing)
    }
}
