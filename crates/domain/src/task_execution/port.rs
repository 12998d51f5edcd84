//! The port of executions.

use async_trait::async_trait;

use super::{ExecutionQuery, ExecutionSummary, TaskExecution};
use crate::{
    event::Origin,
    list::Listing,
    shared::{
        edit::Edit,
        error::{EditError, StoreError},
        ids::TaskExecutionId,
        version::{Version, Versioned},
    },
};

/// Makes a copy of an execution. A store may call the function more than once for the same
/// execution; it stores only the last result.
pub type MakeCopy = Box<dyn Fn(&TaskExecution) -> TaskExecution + Send + Sync + 'static>;

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

    /// The executions that match the query, and their total, from one snapshot.
    fn list(&self, query: ExecutionQuery) -> Listing<ExecutionSummary>;

    /// Loads the execution, calls the change, and stores the result with the next version. Changes
    /// of the same execution run one after another. When the change returns `None`, the record and
    /// its version MUST NOT change.
    ///
    /// # Errors
    /// `Missing` when the execution does not exist, `Stale` when it does not have the version
    /// `expected`, `Refused` with the refusal of the change.
    async fn update(
        &self,
        id: TaskExecutionId,
        expected: Option<Version>,
        edit: Edit<TaskExecution>,
        by: Origin,
    ) -> Result<Versioned<TaskExecution>, EditError>;

    /// Deletes the execution permanently.
    ///
    /// # Errors
    /// `Missing` when the execution does not exist, `Stale` when it does not have the version
    /// `expected`.
    async fn delete(
        &self,
        id: TaskExecutionId,
        expected: Option<Version>,
        by: Origin,
    ) -> Result<(), EditError>;

    /// Copies each execution of `ids` (no duplicates) with `make_copy`. Loads one execution at a
    /// time, because there may be many large ones. Returns the copy of the execution `returned`,
    /// which is one of `ids`. When some of `ids` do not exist, stores nothing and returns their
    /// positions in `ids`. The execution `path` has to exist, also if it is not in `ids`.
    ///
    /// # Errors
    /// `Missing` when `path` does not exist.
    async fn copy(
        &self,
        path: TaskExecutionId,
        ids: Vec<TaskExecutionId>,
        returned: TaskExecutionId,
        make_copy: MakeCopy,
        by: Origin,
    ) -> Result<Result<TaskExecution, Vec<usize>>, EditError>;
}
