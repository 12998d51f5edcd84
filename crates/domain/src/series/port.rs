//! The port of series.

use async_trait::async_trait;

use crate::{
    shared::{
        error::EditError,
        existing::{Existing, References},
        fault::Refusal,
        ids::TaskExecutionId,
        version::Version,
    },
    task_execution::TaskExecution,
};

/// Computes the changed executions from the one where the change starts and the PENDING ones of its
/// series that start at or after it. Pure, because a store may call it more than once.
pub type Split = Box<
    dyn Fn(&TaskExecution, &[TaskExecution], &Existing) -> Result<Vec<TaskExecution>, Refusal>
        + Send
        + Sync
        + 'static,
>;

/// A store of series.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Series: Send + Sync {
    /// Loads the execution `from` and the other PENDING executions of its series (if it has one)
    /// whose startAt is not before its own, by id. Calls `split` and stores the results, each under
    /// its next version, all in one transaction. `names` are the records that the change refers to.
    ///
    /// # Errors
    /// In this order: `Missing` when `from` does not exist, `Stale` when `expected` is not the
    /// version of `from`, `Refused` with the refusal of `split`.
    async fn split(
        &self,
        from: TaskExecutionId,
        expected: Option<Version>,
        names: References,
        split: Split,
    ) -> Result<(), EditError>;
}
