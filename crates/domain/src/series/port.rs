//! The port of series.

use std::collections::HashMap;

use async_trait::async_trait;

use crate::{
    event::Origin,
    shared::{
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        ids::TaskExecutionId,
        version::Version,
    },
    task_execution::TaskExecution,
};

/// Computes the changed executions. Its arguments are the first execution to change, and the other
/// PENDING executions of its series with the same or a later planned start. Pure, because a store may
/// call the function more than once.
pub type Split = Box<
    dyn Fn(&TaskExecution, &[TaskExecution], &Existing) -> Result<Vec<TaskExecution>, Refusal>
        + Send
        + Sync
        + 'static,
>;

/// Runs `split` on the executions `found`, the first execution to change in front. Returns the changed
/// executions, each with the index in `found` of the execution that it replaces.
///
/// # Errors
/// Those of `split`; `Internal` when it returns an execution that is not in `found`.
pub fn split_changes(
    split: &Split,
    found: &[TaskExecution],
    existing: &Existing,
) -> Result<Vec<(usize, TaskExecution)>, EditError> {
    let Some((from, following)) = found.split_first() else { return Ok(Vec::new()) };
    let indices: HashMap<_, _> = found.iter().map(|execution| execution.id).zip(0..).collect();
    let changed = split(from, following, existing)?.into_iter();
    let indexed = changed.map(|new| match indices.get(&new.id) {
        Some(index) => Ok((*index, new)),
        None => {
            let cause = "a series update changed an execution outside its arguments";
            Err(StoreError::Internal(cause.to_owned()).into())
        }
    });
    indexed.collect()
}

/// A store of series. A series has no record of its own: it is the executions with its id.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Series: Send + Sync {
    /// Loads the execution `from`, and the other PENDING executions of its series with the same or a
    /// later startAt, in order of id. Calls `split` and stores each result with its next version.
    /// Everything is one transaction. `names` are the records that the change refers to.
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
        by: Origin,
    ) -> Result<(), EditError>;
}
