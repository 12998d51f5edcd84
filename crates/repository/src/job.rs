//! The leases of jobs.

use async_trait::async_trait;
use patrol_domain::{
    StoreError,
    job::{JobRun, Jobs, LeaseChange},
};

use crate::{Dialect, Engine, Repository, stored::jobs};

#[async_trait]
impl<S: Engine> Jobs for Repository<S> {
    async fn change_lease(&self, run: JobRun, change: LeaseChange) -> Result<bool, StoreError> {
        let statement = |(run, change): &_| {
            jobs::change_lease(*run, *change, <S::Connection<'static> as Dialect>::NOW)
        };
        Ok(self.execute((run, change), statement).await? > 0)
    }
}
