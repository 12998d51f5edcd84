//! What the program asks of a store of executions.

use async_trait::async_trait;

use super::{ExecutionQuery, ExecutionSummary, TaskExecution};
use crate::{
    list::Listing,
    shared::{
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        ids::TaskExecutionId,
        version::{Version, Versioned},
    },
};

/// Looks at a record and says what it becomes; none when nothing is to be stored. Pure and
/// repeatable: a store may call it again and stores only the last result.
pub type Change<T> =
    Box<dyn Fn(&T, &Existing) -> Result<Option<T>, Refusal> + Send + Sync + 'static>;

/// A change of one record, with the records that it names.
pub struct Edit<T> {
    /// What the change names: the store looks up which of these exist.
    pub names: References,
    /// The change.
    pub change: Change<T>,
}

/// Makes a copy of an execution. Repeatable: only the last result for each is stored.
pub type Copies = Box<dyn Fn(&TaskExecution) -> TaskExecution + Send + Sync + 'static>;

/// A store of executions.
///
/// Every method is one transaction. What was answered with `Ok` is durable; what was answered with
/// an error has changed nothing.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TaskExecutions: Send + Sync {
    /// The execution, or none.
    async fn get(
        &self,
        id: TaskExecutionId,
    ) -> Result<Option<Versioned<TaskExecution>>, StoreError>;

    /// The executions that meet the query, and how many there are, in one snapshot.
    fn list(&self, query: ExecutionQuery) -> Listing<ExecutionSummary>;

    /// Loads the execution, calls the change, and stores what it returns under the next version;
    /// changes of one execution wait for each other. When the change returns none, the record and
    /// its version MUST stay as they are.
    ///
    /// # Errors
    /// `Missing` when there is none, `Stale` when `expected` is another version, `Refused` with
    /// what the change says.
    async fn update(
        &self,
        id: TaskExecutionId,
        expected: Option<Version>,
        edit: Edit<TaskExecution>,
    ) -> Result<Versioned<TaskExecution>, EditError>;

    /// Removes the execution for good.
    ///
    /// # Errors
    /// `Missing` when there is none, `Stale` when `expected` is another version.
    async fn delete(&self, id: TaskExecutionId, expected: Option<Version>)
    -> Result<(), EditError>;

    /// Reads each of `ids` (none twice) and stores what `copies` makes of it; holds no more than
    /// one of them at a time, since they may be many and big. `path` has to exist as well, whether
    /// it is among them or not. Returns the copy of `answered`, which is one of `ids`; or, when some
    /// of `ids` do not exist, stores nothing and returns their places.
    ///
    /// # Errors
    /// `Missing` when there is no `path`.
    async fn copy(
        &self,
        path: TaskExecutionId,
        ids: Vec<TaskExecutionId>,
        answered: TaskExecutionId,
        copies: Copies,
    ) -> Result<Result<TaskExecution, Vec<usize>>, EditError>;
}
