//! The engine of a store: where it runs reads and changes.

use std::future::Future;

use futures_util::future::BoxFuture;
use patrol_domain::{
    List, StoreError,
    access::TokenList,
    check_list::CheckListList,
    graphic_plan::GraphicPlanList,
    ids::Uuid,
    location::LocationList,
    point::{HistoryList, PointList},
    report::ReportList,
    scheduled_task::ScheduledTaskList,
    task_execution::ExecutionList,
    user::UserList,
};

use crate::{dialect::Dialect, stored::Abort};

/// A function of a connection and arguments, run by an [`Engine`]. It may run several times; only
/// its last result counts.
pub type Job<S, A, T, E> =
    for<'a, 'c> fn(&'a <S as Engine>::Connection<'c>, &'a A) -> BoxFuture<'a, Result<T, Abort<E>>>;

/// The arguments of a job. They are borrowed, because the job may run again, and on another thread.
pub trait JobArguments: Send + Sync + 'static {}

impl<A: Send + Sync + 'static> JobArguments for A {}

/// The result of a job. It is sent to the caller from another thread.
pub trait JobOutput: Send + 'static {}

impl<T: Send + 'static> JobOutput for T {}

/// Runs jobs on the connections of a store, and answers all lists.
pub trait Engine:
    Clone
    + Send
    + Sync
    + 'static
    + List<CheckListList>
    + List<ExecutionList>
    + List<GraphicPlanList>
    + List<HistoryList>
    + List<LocationList>
    + List<PointList>
    + List<ReportList>
    + List<ScheduledTaskList>
    + List<TokenList>
    + List<UserList>
{
    /// The connection of a job.
    type Connection<'c>: Dialect;

    /// Runs a read by key: few statements, each with its own snapshot.
    ///
    /// # Errors
    /// Those of the job; `Unavailable` when the store cannot be reached or too many callers wait.
    fn read<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs a read of several records in one snapshot. The job has to bound its memory itself.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    fn page<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs a read of many records that may take seconds, in one snapshot, among the long lists: other
    /// requests do not wait for it. The job has to bound its memory itself.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    fn long_read<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs a change in a transaction, and returns when it is durable. On PostgreSQL, changes with
    /// the same `record`, the id of the record to change, wait for each other before they take a
    /// connection.
    ///
    /// # Errors
    /// Those of the job, after everything that it did is undone; `Unavailable` as for
    /// [`Self::read`], or when the result of the commit is unknown.
    fn write<A: JobArguments, T: JobOutput, E: JobOutput + From<StoreError>>(
        &self,
        record: Option<Uuid>,
        arguments: A,
        job: Job<Self, A, T, E>,
    ) -> impl Future<Output = Result<T, E>> + Send;

    /// Like [`Self::write`], for a small job of which many come at once, each for another `record`: the engine may
    /// run several in one transaction. The job MUST lock only its record, and refuse before it writes, because
    /// what it wrote is then stored with the changes of the others.
    ///
    /// # Errors
    /// Those of [`Self::write`].
    fn write_with_others<A: JobArguments, T: JobOutput, E: JobOutput + From<StoreError>>(
        &self,
        record: Uuid,
        arguments: A,
        job: Job<Self, A, T, E>,
    ) -> impl Future<Output = Result<T, E>> + Send {
        self.write(Some(record), arguments, job)
    }
}
