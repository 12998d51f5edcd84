//! The port of the executions that are made from schedules.

use async_trait::async_trait;

use super::{DueTask, MadeOccurrence, Round, RoundBatch, RoundCounts, ScheduledTask};
use crate::{
    event::Origin,
    schedule::LocalDateTime,
    shared::{
        error::{EditError, StoreError},
        identified::Identified,
        ids::{ScheduledTaskId, TaskExecutionId},
        timestamp::Timestamp,
    },
};

impl Identified for ScheduledTask {
    type Id = ScheduledTaskId;
    const HAS_VERSIONS: bool = true;
}

/// The executions that are made from schedules. Any number of nodes may use it at once.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Rounds: Send + Sync {
    /// At most 64 tasks with executions to compare, then at most 64 other tasks with an occurrence
    /// that is due at `until` or earlier, the earliest first. The two limits are separate, so that
    /// a client that changes plans all the time cannot delay the rounds of other tasks.
    ///
    /// # Errors
    /// When the store fails.
    async fn due(&self, until: Timestamp) -> Result<Vec<DueTask>, StoreError>;

    /// The executions that change with the plan of the task: PENDING, not edited, with a planned start
    /// after `now`, made from an occurrence with the local start `from` or a later one; in order of the
    /// local start. Returns at most [`super::ROUNDS_AT_ONCE`] executions, and fewer once they have
    /// [`super::PARTS_AT_ONCE`] executions, steps and actions together. An empty result means that
    /// there are none.
    ///
    /// # Errors
    /// When the store fails.
    async fn following(
        &self,
        task: ScheduledTaskId,
        from: LocalDateTime,
        now: Timestamp,
    ) -> Result<Vec<Round>, StoreError>;

    /// The occurrences of the task with the local start `from` or a later one, from which executions
    /// were made, in order of that start.
    ///
    /// # Errors
    /// When the store fails.
    async fn made(
        &self,
        task: ScheduledTaskId,
        from: LocalDateTime,
    ) -> Result<Vec<MadeOccurrence>, StoreError>;

    /// The local start of the occurrence from which this execution was made; `None` if it was not
    /// made from a schedule.
    ///
    /// # Errors
    /// When the store fails.
    async fn occurrence(
        &self,
        execution: TaskExecutionId,
    ) -> Result<Option<LocalDateTime>, StoreError>;

    /// Stores the changes in one transaction. An occurrence from which an execution was made
    /// before is skipped, even if a client deleted the execution. But an occurrence whose
    /// execution is deleted by a batch (`batch.deleted`) is forgotten, so that a later batch may
    /// make its execution again. An execution that has another version than the expected one
    /// stays as it is. Returns how many executions it has created, changed and deleted. Returns
    /// `None` and stores nothing when the task has another version than the expected one, or
    /// another [`RoundProgress`](super::RoundProgress) than `batch.before`.
    ///
    /// # Errors
    /// When the store fails.
    async fn store(&self, batch: RoundBatch, by: Origin) -> Result<Option<RoundCounts>, EditError>;
}
