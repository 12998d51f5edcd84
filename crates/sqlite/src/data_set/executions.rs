//! Imports executions.

use diesel::{QueryResult, RunQueryDsl as _, SqliteConnection};
use patrol_domain::{
    StoreError, Timestamp, Version,
    data_set::{ImportError, NewExecution},
};
use patrol_repository::stored::media::insert_use;

use super::{failure::Failure, indexes::DroppedIndexes, occurrences};
use crate::{
    engine::Abort,
    link::DeferredPairs,
    task_execution::{self, PreparedExecution},
};

/// From this number of new executions on, an import drops the indexes and rebuilds them at its end.
/// For fewer executions, adding each one to the indexes is faster.
pub(super) const MIN_FOR_REBUILD: i64 = 4_096;

/// In a large store, an import rebuilds the indexes only if it has at least one new execution for
/// this number of existing executions.
const EXISTING_PER_NEW: i64 = 4;

/// Stores executions.
pub(super) struct Executions {
    /// The row of the first new execution.
    first: i64,
    /// The row of the next execution.
    next: i64,
    /// In bulk mode: the dropped indexes, and the pairs to store later.
    bulk: Option<(DroppedIndexes, DeferredPairs)>,
}

impl Executions {
    pub(super) fn new(conn: &mut SqliteConnection) -> QueryResult<Self> {
        let first = task_execution::next_row(conn)?;
        Ok(Self { first, next: first, bulk: None })
    }

    /// Stores an execution with its occurrence and the media that it names.
    pub(super) fn store(
        &mut self,
        conn: &mut SqliteConnection,
        new: &NewExecution,
        prepared: Option<&PreparedExecution>,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let Some(prepared) = prepared else {
            let cause = "an execution was not serialised before it was stored".to_owned();
            return Err(Abort::from(StoreError::Internal(cause)).into());
        };
        let row = self.insert_row(conn, prepared, Version::of_new(at))?;
        let stored = self.insert_parts(conn, row, prepared);
        stored.map_err(Failure::of_other_row)?;
        let execution = &new.execution;
        for medium in execution.media() {
            let named = insert_use(medium, execution.id).execute(conn);
            named.map_err(|error| Failure::of_other_row(error.into()))?;
        }
        occurrences::insert(conn, new).map_err(|error| Failure::of_other_row(error.into()))
    }

    /// Stores the row of an execution and returns its key.
    pub(super) fn insert_row(
        &mut self,
        conn: &mut SqliteConnection,
        new: &PreparedExecution,
        version: Version,
    ) -> Result<i64, Abort<ImportError>> {
        let row = self.next;
        if row == self.first.saturating_add(MIN_FOR_REBUILD.max(self.first / EXISTING_PER_NEW)) {
            self.bulk = Some((DroppedIndexes::drop(conn, row)?, DeferredPairs::default()));
        }
        if let Some((dropped, _)) = &mut self.bulk {
            dropped.add_texts(conn, row)?;
        }
        task_execution::insert_row(conn, row, new, version)?;
        self.next = row.saturating_add(1);
        Ok(row)
    }

    /// Stores the other rows of an execution.
    pub(super) fn insert_parts(
        &mut self,
        conn: &mut SqliteConnection,
        row: i64,
        new: &PreparedExecution,
    ) -> Result<(), Abort<ImportError>> {
        let deferred = self.bulk.as_mut().map(|(_, deferred)| deferred);
        task_execution::insert_parts(conn, row, new, deferred)
    }

    /// Stores the remaining pairs and rebuilds the indexes.
    pub(super) fn finish(self, conn: &mut SqliteConnection) -> QueryResult<()> {
        let Some((dropped, mut deferred)) = self.bulk else { return Ok(()) };
        deferred.store(conn)?;
        dropped.restore(conn, self.next)
    }
}
