//! The port of executions.

use async_trait::async_trait;

use super::{ExecutionList, TaskExecution};
use crate::{
    event::Origin,
    shared::{
        edit::Known,
        error::EditError,
        identified::Identified,
        ids::TaskExecutionId,
        records::{Create, Delete, Get, List, Update},
    },
};

/// Makes a copy of an execution. A store may call the function more than once for the same
/// execution; it stores only the last result.
pub type MakeCopy = Box<dyn Fn(&TaskExecution) -> TaskExecution + Send + Sync + 'static>;

/// The copies to make of several executions.
pub struct Copies {
    /// The execution in the path of the request. It has to exist, also if it is not in `ids`.
    pub must_exist: TaskExecutionId,
    /// The originals, without duplicates.
    pub ids: Vec<TaskExecutionId>,
    /// The original, one of `ids`, whose copy is returned.
    pub returned: TaskExecutionId,
    /// Makes each copy.
    pub make: MakeCopy,
}

impl Copies {
    /// The origin of the copy of `id`. Only the returned copy is stored as the effect of a request
    /// with an `Idempotency-Key`.
    #[must_use]
    pub fn origin(&self, id: TaskExecutionId, by: Origin) -> Origin {
        if id == self.returned { by } else { by.without_key() }
    }
}

impl Identified for TaskExecution {
    type Id = TaskExecutionId;

    const HAS_VERSIONS: bool = true;
}

/// A store of executions. Every method is one transaction. After `Ok` the change is durable.
#[async_trait]
pub trait TaskExecutions:
    Get<TaskExecution>
    + Create<TaskExecution>
    + Update<TaskExecution>
    + Delete<TaskExecution>
    + List<ExecutionList>
{
    /// Copies each execution of `copy.ids`. Loads one execution at a time, because there may be many
    /// large ones. When some of them do not exist, stores nothing. A copy of a PENDING execution MUST NOT
    /// keep an assignee who is removed at the same time.
    ///
    /// # Errors
    /// `Missing` when `copy.must_exist` does not exist.
    async fn copy(&self, copy: Copies, by: Origin) -> Result<Known<TaskExecution>, EditError>;
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    TaskExecutions: Get<TaskExecution> Create<TaskExecution> Update<TaskExecution>
        Delete<TaskExecution> List<ExecutionList> {
        async fn copy(copy: Copies, by: Origin) -> [Result<Known<TaskExecution>, EditError>];
    }
}
