//! The engine of a store: where it runs reads and changes.

use std::future::Future;

use futures_util::future::BoxFuture;
use patrol_domain::{StoreError, ids::Uuid};
use patrol_stored::Abort;

use crate::dialect::Dialect;

/// What an engine runs: a function of a connection and of arguments. It may run several times, and
/// only its last result counts.
pub type Job<S, A, T, E> =
    for<'a, 'c> fn(&'a <S as Engine>::Connection<'c>, &'a A) -> BoxFuture<'a, Result<T, Abort<E>>>;

/// What a job borrows. It is kept while the job may run again, also on another thread.
pub trait Arguments: Send + Sync + 'static {}

impl<A: Send + Sync + 'static> Arguments for A {}

/// What a job returns to its caller, from another thread.
pub trait Answer: Send + 'static {}

impl<T: Send + 'static> Answer for T {}

/// Runs jobs on the connections of a store.
pub trait Engine: Clone + Send + Sync + 'static {
    /// The connection of a job.
    type Connection<'c>: Dialect;

    /// Runs a read by key: few statements, each with its own snapshot.
    ///
    /// # Errors
    /// Those of the job; `Unavailable` when the store cannot be reached or too many callers wait.
    fn read<A: Arguments, T: Answer>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs a read of several records in one snapshot. The job has to bound its memory itself.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    fn page<A: Arguments, T: Answer>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs a change in a transaction, and returns when it is durable. With `record`, the id of the
    /// record to change, changes of the same record wait for each other before they take a
    /// connection.
    ///
    /// # Errors
    /// Those of the job, after everything that it did is undone; `Unavailable` as for
    /// [`Self::read`], or when the result of the commit is unknown.
    fn write<A: Arguments, T: Answer, E: Answer + From<StoreError>>(
        &self,
        record: Option<Uuid>,
        arguments: A,
        job: Job<Self, A, T, E>,
    ) -> impl Future<Output = Result<T, E>> + Send;
}
