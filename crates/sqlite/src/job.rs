//! The leases of jobs.

use async_trait::async_trait;
use diesel::{
    RunQueryDsl,
    sql_types::{BigInt, Text},
};
use patrol_domain::{
    StoreError,
    job::{JobRun, Jobs, LeaseChange},
};
use patrol_stored::jobs;

use crate::Store;

/// Milliseconds since 1970.
const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

#[async_trait]
impl Jobs for Store {
    async fn change_lease(&self, run: JobRun, change: LeaseChange) -> Result<bool, StoreError> {
        let (statement, time) = jobs::statement(change, NOW);
        self.write(move |conn| {
            let rows = diesel::sql_query(&statement)
                .bind::<BigInt, _>(time)
                .bind::<Text, _>(run.job)
                .bind::<Text, _>(run.id.to_string())
                .execute(conn)?;
            Ok(rows > 0)
        })
        .await
    }
}
