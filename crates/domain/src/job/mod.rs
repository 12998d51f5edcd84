//! Periodic jobs. At any time at most one run holds the lease of a job.

use std::time::Duration;

use async_trait::async_trait;

use crate::shared::{error::StoreError, ids::Uuid};

/// One run of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobRun {
    /// The name of the job, for example `tidy-photos`. Stored, so it must never change.
    pub job: &'static str,
    /// A new id for each run.
    pub id: Uuid,
}

/// A change of the lease of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaseChange {
    /// Acquires a lease of this length; see [`Jobs::acquire`].
    Acquire(Duration),
    /// Extends the lease by this time from now; see [`Jobs::renew`].
    Renew(Duration),
    /// Ends the lease; the job is due again after this time. See [`Jobs::release`].
    Release(Duration),
}

/// The leases of jobs. Only the clock of the store is used, so the clocks of the nodes may differ.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Makes the change and returns whether it was possible. [`Self::acquire`], [`Self::renew`] and
    /// [`Self::release`] say when a change is possible.
    ///
    /// # Errors
    /// When the store fails.
    async fn change_lease(&self, run: JobRun, change: LeaseChange) -> Result<bool, StoreError>;

    /// Tries to get a lease of this length for the run; returns whether it succeeded. It succeeds when
    /// the job is due and no other run has a valid lease. A job that never ran is due. When several
    /// runs on any nodes try at the same time, exactly one MUST succeed.
    ///
    /// # Errors
    /// When the store fails.
    async fn acquire(&self, run: JobRun, lease: Duration) -> Result<bool, StoreError> {
        self.change_lease(run, LeaseChange::Acquire(lease)).await
    }

    /// Extends the lease of the run: it ends `lease` from now. Returns false when another run has
    /// taken over the job.
    ///
    /// # Errors
    /// When the store fails.
    async fn renew(&self, run: JobRun, lease: Duration) -> Result<bool, StoreError> {
        self.change_lease(run, LeaseChange::Renew(lease)).await
    }

    /// Ends the lease of the run. The job is due again after `pause`. Does nothing when another run
    /// has taken over the job.
    ///
    /// # Errors
    /// When the store fails.
    async fn release(&self, run: JobRun, pause: Duration) -> Result<(), StoreError> {
        self.change_lease(run, LeaseChange::Release(pause)).await.map(drop)
    }
}
