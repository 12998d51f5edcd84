//! Reads from PostgreSQL what lists in memory need: sets of rows, orders, and changed rows.

use std::{cmp::Ordering, sync::Arc};

use event_listener::EventListener;
use patrol_domain::{Resource, StoreError, list::Condition};
use patrol_repository::{
    list,
    stored::list::{
        Column, Table,
        memory::{self, MAX_CHANGES, Rows, SortOrder, SortPosition},
    },
};

use super::{Bind, Sql, condition::filter, statement::size_of_table};
use crate::engine::{Abort, Connection, JobConnection, snapshot_of};

/// The memory of all lists.
pub(crate) type Memory = memory::Memory<Sql, State>;

/// An empty memory of at most `limit` bytes.
pub(crate) fn new(limit: u64) -> Memory {
    Memory::new(Sql::size, limit)
}

/// A state of the data: what a snapshot sees.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    /// Names the server and its start. Another name after a connection to it was lost.
    server: Arc<str>,
    /// The snapshot in PostgreSQL's form.
    snapshot: Arc<str>,
    /// The first transaction that had not ended.
    first: u64,
    /// The first transaction that had not begun.
    next: u64,
    /// The number of transactions between `first` and `next` that had not ended.
    running: usize,
}

impl State {
    /// The state with this name, a result of [`STATE`](crate::engine::STATE); `None` if a
    /// connection was lost since.
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
        // Of two snapshots before the same transaction, the later one has fewer transactions that have
        // not ended.
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
    table: &'static Table,
    /// The kind of record whose events are the changes of rows.
    logged: Resource,
    pub(super) state: State,
}

impl<'a> Reader<'a> {
    /// A reader of the table in the open snapshot. `None` when its lists are not kept in memory, and when the
    /// state is unknown, after a connection to the server was lost.
    pub(super) fn of(connection: &'a Connection, table: &'static Table) -> Option<Self> {
        let (logged, state) = (table.logged?, State::named(connection, &connection.state()?)?);
        Some(Self { connection, table, logged, state })
    }
}

impl memory::Reader for Reader<'_> {
    type State = State;
    type Test = Sql;
    type Error = Abort<StoreError>;

    const MAX_SORTED: u64 = 5_000;

    /// An order of these takes three seconds to read.
    const MAX_ROWS: u64 = 2_000_000;

    fn test(&self, condition: &Condition<Column>, search: Option<&str>) -> Sql {
        filter(self.table, condition, search)
    }

    async fn size(&mut self) -> Result<u64, Abort<StoreError>> {
        Ok(size_of_table(self.connection, self.table).await?)
    }

    async fn changed_since(&mut self, since: &State) -> Result<Option<Rows>, Abort<StoreError>> {
        let select = changes(self.table, self.logged, since, &self.state);
        let conn = JobConnection(self.connection);
        let changed = list::changes(&conn, select, self.logged).await?;
        Ok(changed.rows.filter(|_| changed.read <= MAX_CHANGES))
    }

    async fn find(
        &mut self,
        condition: &Condition<Column>,
        search: Option<&str>,
    ) -> Result<Rows, Abort<StoreError>> {
        let mut sql = memory::select_keys(self.table);
        sql.append(&filter(self.table, condition, search));
        Ok(list::keys(&JobConnection(self.connection), sql).await?)
    }

    async fn test_rows(&mut self, rows: &Rows, test: &Sql) -> Result<Rows, Abort<StoreError>> {
        let among = is_in(self.table, rows);
        let select = memory::select_tested(self.table, &among, test);
        Ok(list::keys(&JobConnection(self.connection), select).await?)
    }

    async fn sort_positions(
        &mut self,
        order: SortOrder,
        rows: Option<&Rows>,
        each: &mut (dyn FnMut(u32, SortPosition) + Send),
    ) -> Result<(), Abort<StoreError>> {
        let (table, column) = (self.table, order.column.postgres);
        let among = rows.map(|rows| is_in(table, rows));
        let select = memory::select_sort_positions(table, order, column, among.as_ref());
        let conn = JobConnection(self.connection);
        Ok(list::sort_positions(&conn, select, order.kind, each).await?)
    }

    async fn pause(&mut self, ended: Option<EventListener>) -> Result<(), Abort<StoreError>> {
        match ended {
            Some(ended) => self.connection.in_time(ended).await?,
            None => tokio::task::yield_now().await,
        }
        Ok(())
    }
}

/// Selects the events of the table that `now` sees and `since` does not, at most [`MAX_CHANGES`] + 1.
/// The bounds of the transactions exclude events that were restored from a dump: they may have numbers
/// of transactions that this server has not reached yet.
///
/// Old events are deleted, the oldest first. If `since` does not see the oldest remaining event, events
/// before that one may be missing. Then the result contains the event of an import, after which
/// everything is read again.
fn changes(table: &Table, logged: Resource, since: &State, now: &State) -> Sql {
    let is_new = |sql: &mut Sql, transaction| {
        sql.text(transaction);
        sql.fill(" >= ?::text::xid8 AND ", [Bind::Text(since.first.to_string())]);
        sql.text(transaction);
        sql.fill(" < ?::text::xid8 AND NOT ", [Bind::Text(now.next.to_string())]);
        sql.texts(&["pg_visible_in_snapshot(", transaction]);
        sql.fill(", ?::text::pg_snapshot)", [Bind::Text(since.snapshot.to_string())]);
    };
    let mut sql = Sql::default();
    sql.text("(");
    sql.append(&memory::select_events(table));
    is_new(&mut sql, "events.transaction");
    let kinds = [logged, Resource::DataSet].map(|kind| kind.name().to_owned());
    let import = Bind::Text(Resource::DataSet.name().to_owned());
    sql.fill(
        " AND events.resource_type = ANY(?) LIMIT ?) UNION ALL SELECT '', ?::text, NULL, NULL \
        FROM (SELECT transaction FROM events ORDER BY position LIMIT 1) AS oldest WHERE ",
        [Bind::texts(&kinds), Bind::Integer(MAX_CHANGES + 1), import],
    );
    is_new(&mut sql, "oldest.transaction");
    sql
}

/// The condition that a row is one of these.
pub(super) fn is_in(table: &Table, rows: impl IntoIterator<Item = u32>) -> Sql {
    let mut sql = Sql::of(&[table.key]);
    sql.fill(" = ANY(?)", [Bind::integers(rows)]);
    sql
}
