//! Imports executions.

use diesel::{QueryResult, SqliteConnection};
use patrol_domain::{
    StoreError, Timestamp, Version,
    data_set::{ImportError, NewExecution},
    task_execution::TaskExecution,
};

use super::{failure::Failure, indexes::DroppedIndexes, occurrences};
use crate::{
    engine::Abort,
    task_execution::{self, DeferredPairs, New},
};

/// From this number of new executions on, it is faster to rebuild the indexes.
pub(super) const MANY: i64 = 4_096;

/// With many existing executions, rebuilding pays off from one new execution for this number of
/// existing ones.
const SHARE: i64 = 4;

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

    /// Stores an execution with its occurrence.
    pub(super) fn store(
        &mut self,
        conn: &mut SqliteConnection,
        new: &NewExecution,
        prepared: Option<&New>,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let Some(prepared) = prepared else {
            let cause = "an execution was not serialised before it was stored".to_owned();
            return Err(Abort::from(StoreError::Internal(cause)).into());
        };
        // A deleted execution may have had the same id. Its versions were lower than the current
        // time in milliseconds.
        let row = self.insert_row(conn, prepared, Version(at.millis()))?;
        let stored = self.insert_parts(conn, row, prepared, &new.execution);
        stored.map_err(Failure::beside)?;
        occurrences::insert(conn, new).map_err(|error| Failure::beside(error.into()))
    }

    /// Stores the row of an execution and returns its key.
    pub(super) fn insert_row(
        &mut self,
        conn: &mut SqliteConnection,
        new: &New,
        version: Version,
    ) -> Result<i64, Abort<ImportError>> {
        let row = self.next;
        if row == self.first.saturating_add(MANY.max(self.first / SHARE)) {
            self.bulk = Some((DroppedIndexes::drop(conn, row)?, DeferredPairs::default()));
        }
        if let Some((left_out, _)) = &mut self.bulk {
            left_out.add_texts(conn, row)?;
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
        new: &New,
        execution: &TaskExecution,
    ) -> Result<(), Abort<ImportError>> {
        let later = self.bulk.as_mut().map(|(_, later)| later);
        task_execution::insert_parts(conn, row, new, execution, later)
    }

    /// Stores the remaining pairs and rebuilds the indexes.
    pub(super) fn finish(self, conn: &mut SqliteConnection) -> QueryResult<()> {
        let Some((left_out, mut later)) = self.bulk else { return Ok(()) };
        later.store(conn)?;
        left_out.restore(conn, self.next)
    }
}
