//! Runs the jobs of the shared ports.

use futures_util::StreamExt as _;
use patrol_domain::{StoreError, ids::Uuid};
use patrol_repository::{Engine, Job, JobArguments, JobOutput};

use super::{
    error::lost,
    job_connection::{JobConnection, poll_once},
    store::Store,
};

impl Engine for Store {
    type Connection<'c> = JobConnection<'c>;

    async fn read<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Self::read(self, move |conn| poll_once(job(&JobConnection::of(conn), &arguments))).await
    }

    async fn page<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        in_snapshot(self, true, arguments, job).await
    }

    async fn long_read<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        in_snapshot(self, false, arguments, job).await
    }

    /// One writer runs all changes, so those of one record need no order of their own.
    async fn write<A: JobArguments, T: JobOutput, E: JobOutput + From<StoreError>>(
        &self,
        _: Option<Uuid>,
        arguments: A,
        job: Job<Self, A, T, E>,
    ) -> Result<T, E> {
        Self::write(self, move |conn| poll_once(job(&JobConnection::of(conn), &arguments))).await
    }
}

/// What `job` returns. It runs again when a page is slow and moves to another thread.
async fn in_snapshot<A: JobArguments, T: JobOutput>(
    store: &Store,
    is_page: bool,
    arguments: A,
    job: Job<Store, A, T, StoreError>,
) -> Result<T, StoreError> {
    let mut parts = store.produced(is_page, move |conn, sender| {
        sender.send(poll_once(job(&JobConnection::of(conn), &arguments))?, 0)
    });
    parts.next().await.unwrap_or_else(|| Err(lost()))
}
