//! The leases of jobs.

use async_trait::async_trait;
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
        self.transaction(async |conn| {
            let changed = jobs::change_lease(run, change, NOW);
            Ok(changed.execute(&mut conn.as_ref()).await? > 0)
        })
        .await
    }
}
