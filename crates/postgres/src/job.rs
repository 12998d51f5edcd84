//! The leases of jobs.

use std::time::Duration;

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Text};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    StoreError,
    job::{JobRun, Jobs},
};
use patrol_stored::jobs;

use crate::Store;

/// Milliseconds since 1970. The current time instead of the start of the transaction, which may
/// have waited.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

#[async_trait]
impl Jobs for Store {
    async fn acquire(&self, run: JobRun, lease: Duration) -> Result<bool, StoreError> {
        self.change_lease(&jobs::acquire(NOW), run, lease).await
    }

    async fn renew(&self, run: JobRun, lease: Duration) -> Result<bool, StoreError> {
        self.change_lease(&jobs::renew(NOW), run, lease).await
    }

    async fn release(&self, run: JobRun, pause: Duration) -> Result<(), StoreError> {
        self.change_lease(&jobs::release(NOW), run, pause).await.map(drop)
    }
}

impl Store {
    /// Runs a statement, and returns whether it wrote a row.
    async fn change_lease(
        &self,
        statement: &str,
        run: JobRun,
        time: Duration,
    ) -> Result<bool, StoreError> {
        self.transaction(async |conn| {
            let mut conn = conn.as_ref();
            let rows = diesel::sql_query(statement)
                .bind::<BigInt, _>(jobs::millis(time))
                .bind::<Text, _>(run.job)
                .bind::<Text, _>(run.id.to_string())
                .execute(&mut conn)
                .await?;
            Ok(rows > 0)
        })
        .await
    }
}
