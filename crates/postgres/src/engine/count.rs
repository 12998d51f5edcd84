//! Counts that are known already: without them, the count is what a list page costs (architecture 7).

use std::future::Future;

use diesel::QueryResult;
use moka::future::Cache;
use patrol_domain::StoreError;

use super::{Abort, Connection, error::store_error};

/// How many bytes of counts are kept.
const CAPACITY: u64 = 4 * 1024 * 1024;

/// Names the state of the data that a transaction sees: when the server was started, and the
/// snapshot. NULL where snapshots do not stand for states: on a standby, and on engines that spread
/// rows over several servers. Asked in the transaction itself, since a standby may be promoted while
/// its connections last.
pub(super) const STATE: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() \
    AND version() LIKE 'PostgreSQL %' AND version() NOT LIKE '%-YB-%' \
    AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN \
    extract(epoch FROM pg_postmaster_start_time())::text || ' ' || pg_current_snapshot()::text END";

/// Counts of records, each true for one state of the data.
#[derive(Clone)]
pub(crate) struct Counts {
    known: Cache<(String, State), u64>,
}

/// A state of the data: who sees the same snapshot of the same server, which has not crashed in
/// between, sees the same records.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    generation: u64,
    /// As [`STATE`] names it.
    name: String,
}

impl Counts {
    pub(super) fn new() -> Self {
        let size = |(question, state): &(String, State), _: &u64| {
            u32::try_from(question.len() + state.name.len() + 64).unwrap_or(u32::MAX)
        };
        Self { known: Cache::builder().weigher(size).max_capacity(CAPACITY).build() }
    }

    /// The answer to `question`, which names the statement that counts and all of its values:
    /// either what is known, or what `query` finds, which otherwise does not run. Those who ask for the same at the same time
    /// share one query; when whoever runs it goes away, the next of them runs it again.
    ///
    /// `connection` MUST be within a snapshot ([`super::Store::page`]), and `query` use it.
    ///
    /// # Errors
    /// Those of `query`, told to all who share it.
    pub(crate) async fn count(
        &self,
        connection: &Connection,
        question: String,
        query: impl Future<Output = QueryResult<u64>>,
    ) -> Result<u64, Abort<StoreError>> {
        let Some(state) = state(connection) else {
            return Ok(query.await?);
        };
        // Who counts may leave, and the next begin anew: that does not add up for those who wait.
        let known = connection.in_time(self.known.try_get_with((question, state), query)).await?;
        known.map_err(|error| Abort::Store(store_error(&error)))
    }
}

/// The state that `connection` shows; none where nobody can tell, and after a connection was lost.
fn state(connection: &Connection) -> Option<State> {
    let name = connection.state()?;
    // Asked for afterwards: a connection that was lost until now may have told of a crash.
    Some(State { generation: connection.generation()?, name })
}
