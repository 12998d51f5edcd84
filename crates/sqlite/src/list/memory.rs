//! Reads from SQLite what lists in memory need: sets of rows, orders, and changed rows.

use diesel::{
    QueryResult, SqliteConnection,
    result::Error,
    sql_types::{BigInt, Binary},
};
use event_listener::EventListener;
use patrol_domain::{
    Resource, StoreError,
    list::{Condition, Membership},
};
use patrol_repository::{
    list,
    stored::list::{
        Column, ColumnTest, OrderKind, Table,
        memory::{self, MAX_CHANGES, Rows, SortOrder, SortPosition, SortValue, row_key},
    },
};

use super::{
    Bind, Select, Sql,
    condition::{FilterOptions, filter, is_one_of},
    count::{Counts, number},
    trigrams::SelectiveTerms,
    wait::{check_cancelled, wait},
};
use crate::{
    engine::{Abort, JobConnection},
    revision,
};

/// See [`memory::Reader::MAX_ROWS`].
const MAX_ROWS: u64 = 4_000_000;

/// The memory of all lists.
pub(super) type Memory = memory::Memory<Sql, State>;

/// A state of the data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct State {
    /// The revision of the list's kind of record.
    changes: i64,
    /// The position of the newest event.
    position: i64,
}

impl State {
    /// The state that the snapshot of this connection sees.
    pub(super) fn of(connection: &mut SqliteConnection, table: &Table) -> QueryResult<Self> {
        let changes = revision::changes(connection, table.kind)?;
        Ok(Self { changes, position: revision::newest_event(connection)? })
    }
}

/// Reads in one snapshot.
pub(super) struct Reader<'a> {
    connection: &'a mut SqliteConnection,
    counts: &'a Counts,
    table: &'static Table,
    /// The kind of record whose events are the changes of rows.
    logged: Resource,
    pub(super) state: State,
}

impl<'a> Reader<'a> {
    /// A reader of the table in the open snapshot. `None` when its lists are not kept in memory.
    pub(super) fn of(
        connection: &'a mut SqliteConnection,
        counts: &'a Counts,
        table: &'static Table,
    ) -> QueryResult<Option<Self>> {
        let Some(logged) = table.logged else { return Ok(None) };
        let state = State::of(connection, table)?;
        Ok(Some(Self { connection, counts, table, logged, state }))
    }

    /// Calls `each` with all rows in the order of a time. Its index has no ids, and the index of
    /// the ids no times; reading both takes a tenth of the time of looking each row up.
    fn by_time(
        &mut self,
        order: SortOrder,
        each: &mut (dyn FnMut(u32, SortPosition) + Send),
    ) -> Result<(), Abort<StoreError>> {
        type Id = (i64, Vec<u8>);
        let by_id = memory::select_sort_positions(self.table, SortOrder::BY_ID, "id", None);
        let mut ids = <(BigInt, Binary) as Select<Id>>::rows(by_id, self.connection)?
            .map(|entry| entry.and_then(|(row, id)| Ok((row_key(row)?, bytes(id)?))))
            .collect::<QueryResult<Vec<_>>>()?;
        ids.sort_unstable_by_key(|(row, _)| *row);
        // Emits the rows with the same time, by id.
        let mut emit = |time: Option<i64>, same: &mut Vec<([u8; 16], u32)>| {
            same.sort_unstable();
            for (id, row) in same.drain(..) {
                let value = time.map_or(SortValue::Id, SortValue::Time);
                each(row, SortPosition { value, id });
            }
        };
        let (mut same, mut last) = (Vec::new(), None);
        let select = memory::select_sort_values(self.table, order.column.sqlite, order.direction);
        for entry in <(BigInt, BigInt) as Select<(i64, i64)>>::rows(select, self.connection)? {
            let (row, time) = entry?;
            if last != Some(time) {
                emit(last.replace(time), &mut same);
            }
            let row = row_key(row)?;
            let at = ids.binary_search_by_key(&row, |(row, _)| *row);
            let id = at.ok().and_then(|at| ids.get(at));
            let (_, id) = id.ok_or_else(|| corrupt("an index lacks a row"))?;
            same.push((*id, row));
        }
        emit(last, &mut same);
        Ok(())
    }
}

impl memory::Reader for Reader<'_> {
    type State = State;
    type Test = Sql;
    type Error = Abort<StoreError>;

    const MAX_SORTED: u64 = 50_000;

    /// Reading the order of this many rows takes two seconds.
    const MAX_ROWS: u64 = MAX_ROWS;

    fn test(&self, condition: &Condition<Column>, search: Option<&str>) -> Sql {
        filter(condition, search, FilterOptions::test(self.table))
    }

    async fn size(&mut self) -> Result<u64, Abort<StoreError>> {
        // Keys may have gaps, but there are no more rows than the greatest key.
        let mut sql = Sql::default();
        sql.texts(&["SELECT coalesce(max(", self.table.key, "), 0) FROM ", self.table.from]);
        let greatest = number(self.connection, sql)?;
        if greatest <= MAX_ROWS {
            return Ok(greatest);
        }
        let mut sql = Sql::default();
        sql.texts(&["SELECT count(*) FROM (SELECT 1 FROM ", self.table.from]);
        let most = i64::try_from(MAX_ROWS).unwrap_or(i64::MAX).saturating_add(1);
        sql.fill(" LIMIT ?)", [Bind::Integer(most)]);
        Ok(number(self.connection, sql)?)
    }

    async fn changed_since(&mut self, since: &State) -> Result<Option<Rows>, Abort<StoreError>> {
        let State { changes, position } = self.state;
        if changes == since.changes {
            return Ok(Some(Rows::new()));
        }
        let events = position.saturating_sub(since.position);
        if events > MAX_CHANGES {
            return Ok(None);
        }
        let mut select = memory::select_events(self.table);
        select.fill("events.position > ?", [Bind::Integer(since.position)]);
        let changed =
            list::changes(&JobConnection::of(self.connection), select, self.logged).await?;
        // The events may not show all changes: old events are deleted, and an older version of the
        // program stores no events and adds only 1 to the revision for several changes.
        let is_complete =
            changed.read == events && changed.logged == changes.saturating_sub(since.changes);
        Ok(changed.rows.filter(|_| is_complete))
    }

    async fn find(
        &mut self,
        condition: &Condition<Column>,
        search: Option<&str>,
    ) -> Result<Rows, Abort<StoreError>> {
        let Self { table, counts, .. } = *self;
        let selective = SelectiveTerms::of(self.connection, table, condition, search, counts)?;
        let select = find(table, condition, search, &selective);
        Ok(list::keys(&JobConnection::of(self.connection), select).await?)
    }

    async fn test_rows(&mut self, rows: &Rows, test: &Sql) -> Result<Rows, Abort<StoreError>> {
        let select = memory::select_tested(self.table, &is_in(self.table, rows), test);
        Ok(list::keys(&JobConnection::of(self.connection), select).await?)
    }

    async fn sort_positions(
        &mut self,
        order: SortOrder,
        rows: Option<&Rows>,
        each: &mut (dyn FnMut(u32, SortPosition) + Send),
    ) -> Result<(), Abort<StoreError>> {
        let select = match rows {
            None if order.kind == OrderKind::Times => return self.by_time(order, each),
            rows => {
                let (table, column) = (self.table, order.column.sqlite);
                let among = rows.map(|rows| is_in(table, rows));
                memory::select_sort_positions(table, order, column, among.as_ref())
            }
        };
        let conn = JobConnection::of(self.connection);
        Ok(list::sort_positions(&conn, select, order.kind, each).await?)
    }

    async fn pause(&mut self, ended: Option<EventListener>) -> Result<(), Abort<StoreError>> {
        ended.map_or_else(check_cancelled, wait)
    }
}

/// Selects the keys of the rows that meet the condition and contain the term.
pub(super) fn find(
    table: &Table,
    condition: &Condition<Column>,
    search: Option<&str>,
    selective: &SelectiveTerms,
) -> Sql {
    if let (Condition::Is(Column::Set { table: links, or, .. }, test), None) = (condition, search)
        && let ColumnTest::Among(Membership::Any, values) = test.into()
    {
        let values = Bind::from(values).each();
        let mut sql = Sql::of(&["SELECT row FROM ", links, " WHERE value"]);
        is_one_of(&mut sql, &values);
        if let Some(column) = or {
            sql.texts(&[" UNION ALL SELECT ", table.key, " FROM ", table.from, " WHERE ", column]);
            is_one_of(&mut sql, &values);
        }
        return sql;
    }
    let mut sql = memory::select_keys(table);
    sql.append(&filter(condition, search, FilterOptions::find(table, selective)));
    sql
}

/// The condition that the key of a row is one of `rows`.
pub(super) fn is_in(table: &Table, rows: impl IntoIterator<Item: Into<i64>>) -> Sql {
    let mut sql = Sql::of(&[table.key]);
    sql.fill(" IN (SELECT value FROM json_each(?))", [Bind::integers(rows)]);
    sql
}

fn bytes(id: Vec<u8>) -> QueryResult<[u8; 16]> {
    <[u8; 16]>::try_from(id).map_err(|_| corrupt("an id has another length than 16 bytes"))
}

fn corrupt(what: &str) -> Error {
    Error::DeserializationError(what.into())
}
