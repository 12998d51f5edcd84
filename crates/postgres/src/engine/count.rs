//! Caches counts. Without the cache, counting would dominate the cost of a list page.

use std::future::Future;

use diesel::QueryResult;
use moka::future::Cache;
use patrol_domain::StoreError;

use super::{Abort, Connection, error::store_error};

/// The size of the cache in bytes.
const CAPACITY: u64 = 4 * 1024 * 1024;

/// Notes in a new session whether snapshots identify states: not on engines that spread rows over several
/// servers. Looked up once, because it would be most of the work of [`STATE`].
pub(super) const SNAPSHOTS: &str = "SELECT set_config('patrol.snapshots', (version() LIKE 'PostgreSQL %' \
    AND version() NOT LIKE '%-YB-%' \
    AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'))::text, false)";

/// Identifies the state of the data that a transaction sees: the start time of the server, and the
/// snapshot. NULL where snapshots do not identify states: on a standby, and on the engines that
/// [`SNAPSHOTS`] knows. Queried in the transaction itself, because a standby may be promoted while its
/// connections stay open.
pub(crate) const STATE: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() \
    AND current_setting('patrol.snapshots', true) = 'true' THEN \
    extract(epoch FROM pg_postmaster_start_time())::text || ' ' || pg_current_snapshot()::text END";

/// Counts of records, each valid for one state of the data.
#[derive(Clone)]
pub(crate) struct Counts {
    known: Cache<(String, State), u64>,
}

/// A state of the data: transactions with the same snapshot of the same server, without a crash in
/// between, see the same records.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    generation: u64,
    /// The result of [`STATE`].
    name: String,
}

impl Counts {
    pub(super) fn new() -> Self {
        let size = |(question, state): &(String, State), _: &u64| {
            u32::try_from(question.len() + state.name.len() + 64).unwrap_or(u32::MAX)
        };
        Self { known: Cache::builder().weigher(size).max_capacity(CAPACITY).build() }
    }

    /// The answer to `question`, which contains the counting statement and all its values: from the
    /// cache, or from `query`. Concurrent callers with the same question share one query; if the
    /// caller that runs it is dropped, the next one runs it again.
    ///
    /// `connection` MUST be in a snapshot ([`super::Store::page`]), and `query` MUST use it.
    ///
    /// # Errors
    /// Those of `query`, for all callers that share it.
    pub(crate) async fn count(
        &self,
        connection: &Connection,
        question: String,
        query: impl Future<Output = QueryResult<u64>>,
    ) -> Result<u64, Abort<StoreError>> {
        let Some(state) = state(connection) else {
            return Ok(query.await?);
        };
        // The limit covers the whole wait, even when several callers start the count and are
        // dropped.
        let known = connection.in_time(self.known.try_get_with((question, state), query)).await?;
        known.map_err(|error| Abort::Store(store_error(&error)))
    }
}

/// The server and the snapshot in a result of [`STATE`] from `connection`; `None` after a connection
/// was lost.
pub(crate) fn snapshot_of<'a>(connection: &Connection, name: &'a str) -> Option<(String, &'a str)> {
    let generation = connection.generation()?;
    let (started, snapshot) = name.split_once(' ')?;
    Some((format!("{generation} {started}"), snapshot))
}

/// The state that `connection` sees; `None` if it is unknown, or after a connection was lost.
fn state(connection: &Connection) -> Option<State> {
    let name = connection.state()?;
    // Read last: a connection lost until now may mean that the server has crashed.
    Some(State { generation: connection.generation()?, name })
}
