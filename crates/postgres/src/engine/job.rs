//! Runs the jobs of the shared ports.

use std::sync::Arc;

use patrol_domain::{StoreError, ids::Uuid};
use patrol_repository::{Engine, Job, JobArguments, JobOutput};

use super::{
    connection::Connection,
    job_connection::JobConnection,
    store::{Store, first_of},
    stream::Sender,
};

impl Engine for Store {
    type Connection<'c> = JobConnection<'c>;

    async fn read<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Self::read(self, async |conn| job(&JobConnection(&conn), &arguments).await).await
    }

    async fn page<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        let arguments = Arc::new(arguments);
        let parts = Self::page(self, move |conn, sender: Sender<T>| {
            let arguments = Arc::clone(&arguments);
            async move { sender.send(job(&JobConnection(&conn), &arguments).await?, 0).await }
        });
        first_of(parts).await
    }

    async fn long_read<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Self::long_read(
            self,
            move |conn| async move { job(&JobConnection(&conn), &arguments).await },
        )
        .await
    }

    async fn write<A: JobArguments, T: JobOutput, E: JobOutput + From<StoreError>>(
        &self,
        record: Option<Uuid>,
        arguments: A,
        job: Job<Self, A, T, E>,
    ) -> Result<T, E> {
        let change = async |conn: Arc<Connection>| job(&JobConnection(&conn), &arguments).await;
        self.transaction(record, change).await
    }

    async fn write_with_others<A: JobArguments, T: JobOutput, E: JobOutput + From<StoreError>>(
        &self,
        record: Uuid,
        arguments: A,
        job: Job<Self, A, T, E>,
    ) -> Result<T, E> {
        let arguments = Arc::new(arguments);
        self.transaction_with_others(record, move |conn: Arc<Connection>| {
            let arguments = Arc::clone(&arguments);
            async move { job(&JobConnection(&conn), &arguments).await }
        })
        .await
    }
}
