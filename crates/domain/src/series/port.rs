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

/// Computes the changed executions from the one where the change starts and the PENDING ones of its
/// series that start at or after it. Pure, because a store may call it more than once.
pub type Split = Box<
    dyn Fn(&TaskExecution, &[TaskExecution], &Existing) -> Result<Vec<TaskExecution>, Refusal>
        + Send
        + Sync
        + 'static,
>;

/// Runs `split` on the executions `found`, of which the first is where the change starts. Returns
/// each changed execution with the index in `found` of the one that it replaces.
///
/// # Errors
/// Those of `split`; `Internal` when it returns an execution that is not in `found`.
pub fn split_changes(
    split: &Split,
    found: &[TaskExecution],
    existing: &Existing,
) -> Result<Vec<(usize, TaskExecution)>, EditError> {
    let Some((from, following)) = found.split_first() else { return Ok(Vec::new()) };
    let places: HashMap<_, _> = found.iter().map(|execution| execution.id).zip(0..).collect();
    let changed = split(from, following, existing)?.into_iter();
    let placed = changed.map(|new| match places.get(&new.id) {
        Some(place) => Ok((*place, new)),
        None => {
            let cause = "a split returned an execution that it was not given";
            Err(StoreError::Internal(cause.to_owned()).into())
        }
    });
    placed.collect()
}

/// A store of series, which exist only as the `series_id` of executions.
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
        by: Origin,
    ) -> Result<(), EditError>;
}
