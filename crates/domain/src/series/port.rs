//! What the program asks of a store of series.

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

/// What the executions become, given the one from which the change applies and the PENDING ones of
/// its series that start at or after it. Pure and repeatable.
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
    /// whose startAt is not before its own, by id; calls `split` and stores what it returns, each
    /// under the next version, all in one transaction. `names` are the records that the change
    /// names.
    ///
    /// # Errors
    /// `Missing` when `from` does not exist, `Stale` when `expected` is another version than that
    /// of `from`, `Refused` with what `split` says; in this order.
    async fn split(
        &self,
        from: TaskExecutionId,
        expected: Option<Version>,
        names: References,
        split: Split,
    ) -> Result<(), EditError>;
}
