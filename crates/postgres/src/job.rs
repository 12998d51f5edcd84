//! The leases of jobs.

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Text};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    StoreError,
    job::{JobRun, Jobs, LeaseChange},
};
use patrol_stored::jobs;

use crate::Store;

/// Milliseconds since 1970. The current time instead of the start of the transaction, which may
/// have waited.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

#[async_trait]
impl Jobs for Store {
    async fn change_lease(&self, run: JobRun, change: LeaseChange) -> Result<bool, StoreError> {
        let (statement, time) = jobs::statement(change, NOW);
        self.transaction(async |conn| {
            let rows = diesel::sql_query(&statement)
                .bind::<BigInt, _>(time)
                .bind::<Text, _>(run.job)
                .bind::<Text, _>(run.id.to_string())
                .execute(&mut conn.as_ref())
                .await?;
            Ok(rows > 0)
        })
        .await
    }
}
