//! The port of series.

use std::collections::HashMap;

use async_trait::async_trait;

use super::PlanMove;
use crate::{
    event::Origin,
    shared::{
        edit::Target,
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        version::Version,
    },
    task_execution::TaskExecution,
};

/// Computes the changed executions. Its arguments are the first execution to change, and the other
/// PENDING executions of its series with the same or a later planned start. Pure, because a store may
/// call the function more than once.
pub type SplitChange = Box<
    dyn Fn(&TaskExecution, &[TaskExecution], &Existing) -> Result<Vec<TaskExecution>, Refusal>
        + Send
        + Sync
        + 'static,
>;

/// A change of an execution and the later ones of its series.
pub struct Split {
    /// The first execution to change.
    pub from: Target<TaskExecution>,
    /// The records that the change refers to.
    pub references: References,
    /// Computes the changed executions.
    pub change: SplitChange,
    /// How the plan of the series changes, if it has one.
    pub plan: Option<PlanMove>,
}

impl Split {
    /// Whether the plan was computed from another version of the execution or of the task.
    #[must_use]
    pub fn is_outdated(&self, execution: Version, task: Option<Version>) -> bool {
        let plan = self.plan.as_ref();
        plan.is_some_and(|plan| plan.execution != execution || plan.task.expected != task)
    }

    /// Runs the change on `found`, whose first element is the first execution to change. `record`
    /// returns the execution in an element. Returns the changed executions, each paired with the
    /// element that it replaces.
    ///
    /// # Errors
    /// Those of the change; `Internal` when it returns an execution that is not in `found`.
    pub fn changes<F>(
        &self,
        found: Vec<F>,
        record: impl Fn(&F) -> &TaskExecution,
        existing: &Existing,
    ) -> Result<Vec<(F, TaskExecution)>, EditError> {
        let records: Vec<_> = found.iter().map(|found| record(found).clone()).collect();
        let Some((from, following)) = records.split_first() else { return Ok(Vec::new()) };
        let changed = (self.change)(from, following, existing)?.into_iter();
        let ids = records.iter().map(|execution| execution.id);
        let mut found: HashMap<_, _> = ids.zip(found).collect();
        let paired = changed.map(|new| match found.remove(&new.id) {
            Some(old) => Ok((old, new)),
            None => {
                let cause = "a series update changed an execution outside its arguments";
                Err(StoreError::Internal(cause.to_owned()).into())
            }
        });
        paired.collect()
    }
}

/// A store of series. A series has no record of its own: it is the executions with its id.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Series: Send + Sync {
    /// Loads the execution `split.from`, and the other PENDING executions of its series with the same or
    /// a later startAt, in order of id. Calls the change and stores each result with its next version.
    /// If there is a plan and an execution changed, also stores the plan that [`PlanMove::apply`]
    /// returns, and moves the stored occurrences of the task from the local start `plan.from` on, so
    /// that no execution is made for them again. If an earlier stored occurrence already has the new
    /// start, it stays and the moved one is deleted. Everything is one transaction.
    ///
    /// Returns false and stores nothing when the plan was computed from another version of the task
    /// or of the execution, and while executions have yet to be compared with the previous plan.
    ///
    /// # Errors
    /// In this order: `Missing` when `from` does not exist, `Stale` when it has another
    /// version than the expected one, `Refused` with the refusal of the change.
    async fn split(&self, split: Split, by: Origin) -> Result<bool, EditError>;
}
