//! Caches counts. Without the cache, counting would dominate the cost of a list page.

use std::sync::Arc;

use diesel::{QueryResult, SqliteConnection, sql_types::BigInt};
use moka::sync::Cache;
use patrol_domain::StoreError;
use patrol_repository::stored::list::{Table, TableQuery, memory::RunningQueries};

use super::{Select, Sql, wait::wait};
use crate::{engine::Abort, revision};

/// The size of the cache in bytes.
const CAPACITY: u64 = 4 * 1024 * 1024;

/// Counts of records, each valid for one state of the data.
#[derive(Clone)]
pub(crate) struct Counts {
    known: Cache<CountKey, u64>,
    running: Arc<RunningQueries<CountKey>>,
}

/// The key of a count: what is counted, and the revision of the data.
#[derive(Clone, PartialEq, Eq, Hash)]
struct CountKey {
    statement: Sql,
    changes: i64,
}

impl Counts {
    pub(crate) fn new() -> Self {
        let size =
            |key: &CountKey, _: &u64| u32::try_from(key.statement.size()).unwrap_or(u32::MAX);
        let known = Cache::builder().weigher(size).max_capacity(CAPACITY).build();
        Self { known, running: Arc::default() }
    }

    /// The number of rows of the query's table that meet `filter`, in the snapshot of `connection`.
    pub(super) fn count(
        &self,
        connection: &mut SqliteConnection,
        query: &TableQuery,
        filter: &Sql,
    ) -> Result<u64, Abort<StoreError>> {
        let statement = Sql::count(query.table, filter);
        if query.condition.has_clock() {
            return Ok(number(connection, statement)?);
        }
        self.number(connection, query.table, statement)
    }

    /// The number that `statement` returns in the snapshot of `connection`, until a record of the
    /// table changes. Threads that need the same number at the same time share one query; if its
    /// thread is cancelled, the next one runs it again.
    pub(super) fn number(
        &self,
        connection: &mut SqliteConnection,
        table: &Table,
        statement: Sql,
    ) -> Result<u64, Abort<StoreError>> {
        let changes = revision::changes(connection, table.kind)?;
        let key = CountKey { statement, changes };
        loop {
            if let Some(number) = self.known.get(&key) {
                return Ok(number);
            }
            let _counting = match self.running.begin(key.clone()) {
                Ok(running) => running,
                Err(ended) => {
                    wait(ended)?;
                    continue;
                }
            };
            // Another thread may have counted it since the first lookup.
            if let Some(number) = self.known.get(&key) {
                return Ok(number);
            }
            let number = number(connection, key.statement.clone())?;
            self.known.insert(key.clone(), number);
            return Ok(number);
        }
    }
}

/// The number that the statement selects.
pub(super) fn number(connection: &mut SqliteConnection, statement: Sql) -> QueryResult<u64> {
    let number = <BigInt as Select<i64>>::rows(statement, connection)?.next();
    // There is one row, and its value is never negative.
    number.map_or(Ok(0), |number| Ok(u64::try_from(number?).unwrap_or(0)))
}
