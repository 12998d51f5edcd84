//! Runs the jobs of the shared ports.

use patrol_domain::{StoreError, ids::Uuid};
use patrol_repository::{Engine, Job, JobArguments, JobOutput};

use super::{
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
        Self::page(self, move |conn| poll_once(job(&JobConnection::of(conn), &arguments))).await
    }

    async fn long_read<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Self::long_read(self, move |conn| poll_once(job(&JobConnection::of(conn), &arguments)))
            .await
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
