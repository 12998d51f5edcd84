//! The leases of jobs.

use async_trait::async_trait;
use diesel::RunQueryDsl;
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
        self.write(move |conn| Ok(jobs::change_lease(run, change, NOW).execute(conn)? > 0)).await
    }
}
