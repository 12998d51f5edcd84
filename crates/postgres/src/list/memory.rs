//! What the lists in memory read from PostgreSQL.

use std::{cmp::Ordering, sync::Arc};

use diesel::{
    QueryResult,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
};
use event_listener::EventListener;
use futures_util::StreamExt as _;
use patrol_domain::{Resource, StoreError, ids::Uuid, list::Condition};
use patrol_stored::{
    list::{
        Order,
        memory::{self, Changes, Event, EventTypes, Key, MOST_CHANGES, Place, Rows, Sorted, key},
    },
    sql::{Time, types::Instant},
};

use super::{
    ListTable,
    condition::filter,
    statement::{Bind, Select, Sql, size, size_of_table},
};
use crate::engine::{Abort, Connection, snapshot_of};

/// The memory of all lists.
pub(crate) type Memory = memory::Memory<Sql, State>;

/// An empty memory.
pub(crate) fn new() -> Memory {
    Memory::new(size)
}

/// A state of the data: what a snapshot sees.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    /// The server, since it was started and since a connection to it was lost.
    server: Arc<str>,
    /// The snapshot in PostgreSQL's form.
    snapshot: Arc<str>,
    /// The first transaction that had not ended.
    first: u64,
    /// The first transaction that had not begun.
    next: u64,
    /// How many in between had not ended.
    running: usize,
}

impl State {
    /// The state with this name, a result of [`STATE`](crate::engine::STATE); `None` if a connection
    /// was lost since.
    pub(super) fn named(connection: &Connection, name: &str) -> Option<Self> {
        let (server, snapshot) = snapshot_of(connection, name)?;
        let mut parts = snapshot.split(':');
        let first = parts.next()?.parse().ok()?;
        let next = parts.next()?.parse().ok()?;
        let running =
            parts.next()?.split(',').filter(|transaction| !transaction.is_empty()).count();
        Some(Self { server: server.into(), snapshot: snapshot.into(), first, next, running })
    }
}

/// A later snapshot of the same server sees everything that an earlier one sees.
impl PartialOrd for State {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.server != other.server {
            return None;
        }
        // Among snapshots before the same transaction, fewer and fewer have not ended.
        let by_time = self.next.cmp(&other.next).then(other.running.cmp(&self.running));
        match by_time {
            Ordering::Equal if self.snapshot != other.snapshot => None,
            by_time => Some(by_time),
        }
    }
}

/// Reads in one snapshot.
pub(super) struct Reader<'a> {
    connection: &'a Connection,
    /// The kind of record whose events are the changes of rows.
    logged: Resource,
    state: State,
}

impl<'a> Reader<'a> {
    /// `None` when the state of the data is unknown. `connection` must be in a snapshot.
    pub(super) fn new(connection: &'a Connection, logged: Resource) -> Option<Self> {
        let state = State::named(connection, &connection.state()?)?;
        Some(Self { connection, logged, state })
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    async fn keys(&self, sql: Sql) -> QueryResult<Rows> {
        let mut keys = Vec::new();
        let mut rows = <BigInt as Select<i64>>::rows(sql, self.connection).await?;
        while let Some(row) = rows.next().await {
            keys.push(key(row?)?);
        }
        Ok(memory::set(keys))
    }
}

impl<L: ListTable> memory::Reader<L> for Reader<'_> {
    type State = State;
    type Test = Sql;
    type Error = Abort<StoreError>;

    const MOST_SORTED: u64 = 5_000;

    /// An order of these takes three seconds to read.
    const MOST_ROWS: u64 = 2_000_000;

    fn state(&self) -> &State {
        &self.state
    }

    fn test(condition: &Condition<L::Filter>, search: Option<&str>) -> Sql {
        filter::<L>(condition, search)
    }

    async fn size(&mut self) -> Result<u64, Abort<StoreError>> {
        Ok(size_of_table::<L>(self.connection).await?)
    }

    async fn changed_since(&mut self, since: &State) -> Result<Option<Rows>, Abort<StoreError>> {
        let select = changes::<L>(self.logged, since, &self.state);
        let mut events = <EventTypes as Select<Event>>::rows(select, self.connection).await?;
        let mut changed = Changes::default();
        while let Some(event) = events.next().await {
            changed.add(self.logged, event?);
        }
        Ok(changed.rows.filter(|_| changed.read <= MOST_CHANGES))
    }

    async fn found(
        &mut self,
        condition: &Condition<L::Filter>,
        search: Option<&str>,
    ) -> Result<Rows, Abort<StoreError>> {
        let mut sql = memory::select_keys::<L, Bind>();
        sql.append(&filter::<L>(condition, search));
        Ok(self.keys(sql).await?)
    }

    async fn among(&mut self, rows: &Rows, test: &Sql) -> Result<Rows, Abort<StoreError>> {
        let is_one = is_in::<L>(rows);
        Ok(self.keys(memory::select_among::<L, Bind>(&is_one, test)).await?)
    }

    async fn places(
        &mut self,
        sorted: Sorted,
        rows: Option<&Rows>,
        each: &mut (dyn FnMut(u32, Place) + Send),
    ) -> Result<(), Abort<StoreError>> {
        let is_one = rows.map(is_in::<L>);
        let select = memory::select_places::<L, _>(sorted, sorted.key.postgres, is_one.as_ref());
        match sorted.order {
            Order::Ids => {
                type Entry = (i64, Uuid);
                let mut rows =
                    <(BigInt, SqlUuid) as Select<Entry>>::rows(select, self.connection).await?;
                while let Some(row) = rows.next().await {
                    let (row, id) = row?;
                    each(key(row)?, Place { key: Key::Id, id: id.into_bytes() });
                }
            }
            Order::Texts => {
                type Entry = (i64, Uuid, String);
                type Types = (BigInt, SqlUuid, Text);
                let mut rows = <Types as Select<Entry>>::rows(select, self.connection).await?;
                while let Some(row) = rows.next().await {
                    let (row, id, text) = row?;
                    each(key(row)?, Place { key: Key::Text(text), id: id.into_bytes() });
                }
            }
            Order::Times => {
                type Entry = (i64, Uuid, Time);
                type Types = (BigInt, SqlUuid, Instant);
                let mut rows = <Types as Select<Entry>>::rows(select, self.connection).await?;
                while let Some(row) = rows.next().await {
                    let (row, id, time) = row?;
                    each(key(row)?, Place { key: Key::Time(time.millis()), id: id.into_bytes() });
                }
            }
        }
        Ok(())
    }

    async fn wait(&mut self, others: EventListener) -> Result<(), Abort<StoreError>> {
        Ok(self.connection.in_time(others).await?)
    }

    async fn pause(&mut self) -> Result<(), Abort<StoreError>> {
        tokio::task::yield_now().await;
        Ok(())
    }
}

/// Selects the events of the table that `now` sees and `since` does not, and one more than
/// [`MOST_CHANGES`] at most. A server that was restored from a dump has events with numbers of
/// transactions that it has not reached yet.
///
/// Old events are deleted from the beginning. When `since` does not see the first one, others that it
/// does not see may be missing: then the result looks like that of an import.
fn changes<L: ListTable>(logged: Resource, since: &State, now: &State) -> Sql {
    let is_new = |sql: &mut Sql, transaction| {
        sql.text(transaction);
        sql.text(" >= ");
        sql.bind(Bind::Text(since.first.to_string()));
        sql.text("::text::xid8 AND ");
        sql.text(transaction);
        sql.text(" < ");
        sql.bind(Bind::Text(now.next.to_string()));
        sql.text("::text::xid8 AND NOT pg_visible_in_snapshot(");
        sql.text(transaction);
        sql.text(", ");
        sql.bind(Bind::Text(since.snapshot.to_string()));
        sql.text("::text::pg_snapshot)");
    };
    let mut sql = Sql::default();
    sql.text("(");
    sql.append(&memory::select::<L, Bind>());
    is_new(&mut sql, "events.transaction");
    sql.text(" AND events.resource_type = ANY(");
    let kinds = [logged, Resource::DataSet].map(|kind| kind.name().to_owned());
    sql.bind(Bind::Texts(kinds.to_vec()));
    sql.text(") LIMIT ");
    sql.bind(Bind::Integer(MOST_CHANGES + 1));
    sql.text(") UNION ALL SELECT '', ");
    sql.bind(Bind::Text(Resource::DataSet.name().to_owned()));
    sql.text("::text, NULL, NULL FROM (SELECT transaction FROM events ORDER BY position LIMIT 1) AS oldest WHERE ");
    is_new(&mut sql, "oldest.transaction");
    sql
}

/// The condition that a row is one of these.
pub(super) fn is_in<L: ListTable>(rows: impl IntoIterator<Item = u32>) -> Sql {
    let mut sql = Sql::default();
    sql.text(L::KEY);
    sql.text(" = ANY(");
    sql.bind(Bind::Integers(rows.into_iter().map(i64::from).collect()));
    sql.text(")");
    sql
}
