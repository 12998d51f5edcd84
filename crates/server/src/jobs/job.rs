//! A periodic job.

use std::{error::Error, time::Duration};

use futures_util::future::BoxFuture;

/// Work that is repeated at a fixed period.
pub(crate) struct Job {
    /// The name, for example `tidy-photos`. It is stored with the lease and is a label of metrics.
    pub(crate) name: &'static str,
    /// The time from the end of one run to the start of the next.
    pub(crate) period: Duration,
    pub(crate) runs_on: RunsOn,
    /// What a failure means for users, for the log.
    pub(crate) on_failure: &'static str,
    pub(crate) work: Work,
}

/// Starts one run.
pub(crate) type Work = Box<dyn Fn() -> BoxFuture<'static, WorkResult> + Send>;

/// Work of which each run gets a clone of `service`.
pub(crate) fn repeat<S, R>(service: S, run: impl Fn(S) -> R + Send + 'static) -> Work
where
    S: Clone + Send + 'static,
    R: Future<Output = WorkResult> + Send + 'static,
{
    Box::new(move || Box::pin(run(service.clone())))
}

/// The result of a run.
pub(crate) type WorkResult = Result<(), Box<dyn Error + Send + Sync>>;

/// On which nodes a job runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RunsOn {
    /// On every node, because it concerns the memory of the process.
    EveryNode,
    /// On one node at a time, because it concerns the store.
    OneNode,
}
