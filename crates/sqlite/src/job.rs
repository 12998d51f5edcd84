//! The leases of jobs.

use std::time::Duration;

use async_trait::async_trait;
use diesel::{
    RunQueryDsl,
    sql_types::{BigInt, Text},
};
use patrol_domain::{
    StoreError,
    job::{JobRun, Jobs},
};
use patrol_stored::jobs;

use crate::Store;

/// Milliseconds since 1970.
const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

#[async_trait]
impl Jobs for Store {
    async fn acquire(&self, run: JobRun, lease: Duration) -> Result<bool, StoreError> {
        self.change_lease(jobs::acquire(NOW), run, lease).await
    }

    async fn renew(&self, run: JobRun, lease: Duration) -> Result<bool, StoreError> {
        self.change_lease(jobs::renew(NOW), run, lease).await
    }

    async fn release(&self, run: JobRun, pause: Duration) -> Result<(), StoreError> {
        self.change_lease(jobs::release(NOW), run, pause).await.map(drop)
    }
}

impl Store {
    /// Runs a statement, and returns whether it wrote a row.
    async fn change_lease(
        &self,
        statement: String,
        run: JobRun,
        time: Duration,
    ) -> Result<bool, StoreError> {
        self.write(move |conn| {
            let rows = diesel::sql_query(&statement)
                .bind::<BigInt, _>(jobs::millis(time))
                .bind::<Text, _>(run.job)
                .bind::<Text, _>(run.id.to_string())
                .execute(conn)?;
            Ok(rows > 0)
        })
        .await
    }
}
