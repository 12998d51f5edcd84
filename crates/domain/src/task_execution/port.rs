//! The port of executions.

use async_trait::async_trait;

use super::{ExecutionQuery, ExecutionSummary, TaskExecution};
use crate::{
    event::Origin,
    list::Listing,
    shared::{
        error::EditError,
        ids::TaskExecutionId,
        records::{Delete, Get, Identified, Update},
    },
};

/// Makes a copy of an execution. A store may call the function more than once for the same
/// execution; it stores only the last result.
pub type MakeCopy = Box<dyn Fn(&TaskExecution) -> TaskExecution + Send + Sync + 'static>;

impl Identified for TaskExecution {
    type Id = TaskExecutionId;

    const HAS_VERSIONS: bool = true;
}

/// A store of executions. Every method is one transaction. After `Ok` the change is durable; after an
/// error nothing has changed.
#[async_trait]
pub trait TaskExecutions:
    Get<TaskExecution> + Update<TaskExecution> + Delete<TaskExecution>
{
    /// The executions that match the query, and their total, from one snapshot.
    fn list(&self, query: ExecutionQuery) -> Listing<ExecutionSummary>;

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

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    TaskExecutions: Get<TaskExecution> Update<TaskExecution> Delete<TaskExecution> {
        async fn copy(
            path: TaskExecutionId,
            ids: Vec<TaskExecutionId>,
            returned: TaskExecutionId,
            make_copy: MakeCopy,
            by: Origin
        ) -> [Result<Result<TaskExecution, Vec<usize>>, EditError>];
        fn list(query: ExecutionQuery) -> [Listing<ExecutionSummary>];
    }
}
