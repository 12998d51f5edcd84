//! The port of executions.

use async_trait::async_trait;

use super::{ExecutionQuery, ExecutionSummary, TaskExecution};
use crate::{
    event::Origin,
    list::Listing,
    shared::{
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        ids::TaskExecutionId,
        version::{Version, Versioned},
    },
};

/// Computes the changed record; `None` when nothing is to be stored. Pure: a store may call it
/// again and stores only the last result.
pub type Change<T> =
    Box<dyn Fn(&T, &Existing) -> Result<Option<T>, Refusal> + Send + Sync + 'static>;

/// A change of one record, with the records that it refers to.
pub struct Edit<T> {
    /// The records and values that the store looks up first.
    pub names: References,
    /// Computes the changed record from the stored one and the lookup.
    pub change: Change<T>,
}

/// Makes a copy of an execution. May be called again; only the last result for each execution is
/// stored.
pub type Copies = Box<dyn Fn(&TaskExecution) -> TaskExecution + Send + Sync + 'static>;

/// A store of executions.
///
/// Every method is one transaction. After `Ok` the change is durable; after an error nothing has
/// changed.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TaskExecutions: Send + Sync {
    /// The execution with its version, or `None` when it does not exist.
    async fn get(
        &self,
        id: TaskExecutionId,
    ) -> Result<Option<Versioned<TaskExecution>>, StoreError>;

    /// The executions that match the query, and their total, in one snapshot.
    fn list(&self, query: ExecutionQuery) -> Listing<ExecutionSummary>;

    /// Loads the execution, calls the change, and stores the result under the next version. Changes
    /// of one execution are serialised. When the change returns `None`, the record and its version
    /// MUST stay as they are.
    ///
    /// # Errors
    /// `Missing` when there is no such execution, `Stale` when `expected` is not its version,
    /// `Refused` with the refusal of the change.
    async fn update(
        &self,
        id: TaskExecutionId,
        expected: Option<Version>,
        edit: Edit<TaskExecution>,
        by: Origin,
    ) -> Result<Versioned<TaskExecution>, EditError>;

    /// Removes the execution permanently.
    ///
    /// # Errors
    /// `Missing` when there is no such execution, `Stale` when `expected` is not its version.
    async fn delete(
        &self,
        id: TaskExecutionId,
        expected: Option<Version>,
        by: Origin,
    ) -> Result<(), EditError>;

    /// Copies each execution of `ids` (no duplicates) with `copies`. Loads one at a time, since
    /// they may be many and large. `path` has to exist too, whether `ids` has it or not. Returns
    /// the copy of `answered`, which is one of `ids`. When some of `ids` do not exist, stores
    /// nothing and returns their positions in `ids`.
    ///
    /// # Errors
    /// `Missing` when `path` does not exist.
    async fn copy(
        &self,
        path: TaskExecutionId,
        ids: Vec<TaskExecutionId>,
        answered: TaskExecutionId,
        copies: Copies,
        by: Origin,
    ) -> Result<Result<TaskExecution, Vec<usize>>, EditError>;
}
