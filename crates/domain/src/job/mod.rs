//! Periodic jobs, of which one node at a time runs each.

use std::time::Duration;

use async_trait::async_trait;

use crate::shared::{error::StoreError, ids::Uuid};

/// One run of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobRun {
    /// The job, for example `tidy-photos`. The name is stored, so it never changes.
    pub job: &'static str,
    /// A new id for each run.
    pub id: Uuid,
}

/// The leases of jobs. All times count by the clock of the store, so that the clocks of the nodes may
/// differ.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Gives the run a lease of this length, and says whether it got one. A run gets a lease when its
    /// job is due and no other run has a lease that is still valid. A job that the store does not
    /// know is due. Of several runs that ask at once, on any node, one MUST get the lease.
    ///
    /// # Errors
    /// When the store fails.
    async fn acquire(&self, run: JobRun, lease: Duration) -> Result<bool, StoreError>;

    /// Makes the lease of the run end this long from now. False when another run has taken over.
    ///
    /// # Errors
    /// When the store fails.
    async fn renew(&self, run: JobRun, lease: Duration) -> Result<bool, StoreError>;

    /// Ends the lease of the run; its job is due again after `pause`. Does nothing when another run
    /// has taken over.
    ///
    /// # Errors
    /// When the store fails.
    async fn release(&self, run: JobRun, pause: Duration) -> Result<(), StoreError>;
}
