//! The leases of jobs.

use async_trait::async_trait;
use futures_util::FutureExt as _;
use patrol_domain::{
    StoreError,
    job::{JobRun, Jobs, LeaseChange},
};

use crate::{
    Dialect, Engine, Repository,
    stored::{Abort, jobs},
};

#[async_trait]
impl<S: Engine> Jobs for Repository<S> {
    async fn change_lease(&self, run: JobRun, change: LeaseChange) -> Result<bool, StoreError> {
        self.0
            .write(None, (run, change), |conn, (run, change)| {
                change_lease(conn, *run, *change).boxed()
            })
            .await
    }
}

async fn change_lease<C: Dialect>(
    conn: &C,
    run: JobRun,
    change: LeaseChange,
) -> Result<bool, Abort<StoreError>> {
    Ok(conn.execute(jobs::change_lease(run, change, C::NOW)).await? > 0)
}
