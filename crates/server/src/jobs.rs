//! Periodic jobs of a server. A job runs on every node, or on one node at a time, which holds a
//! lease in the store.

mod tallies;

use std::{
    error::Error,
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use actix_web::rt::{self, task::JoinHandle};
use futures_util::{FutureExt as _, future::BoxFuture};
use patrol_domain::{
    Clock, Ids, Monitored,
    job::{JobRun, Jobs},
};
use tokio::{
    select,
    sync::watch,
    time::{Instant, sleep},
};

use tallies::{JobTallies, Tallies};

/// A failed job is retried after this time, or after its period if that is shorter.
const RETRY: Duration = Duration::from_secs(60);

/// The timing of leases. When a node dies, another one takes over within `length` plus `check`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeaseTimes {
    /// How long a lease lasts without renewal.
    pub(crate) length: Duration,
    /// How often a node renews its lease.
    pub(crate) renewal: Duration,
    /// How often a node checks whether a single-node job is due.
    pub(crate) check: Duration,
}

/// The timing of a server: another node takes over within 25 s.
pub(crate) const LEASE_TIMES: LeaseTimes = LeaseTimes {
    length: Duration::from_secs(15),
    renewal: Duration::from_secs(5),
    check: Duration::from_secs(10),
};

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

/// Starts jobs, and holds what they share.
#[derive(Clone)]
pub(crate) struct Scheduler {
    pub(crate) leases: Arc<dyn Jobs>,
    pub(crate) times: LeaseTimes,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
}

/// The running jobs of this process.
pub(crate) struct RunningJobs {
    tasks: Vec<JoinHandle<()>>,
    stop: watch::Sender<()>,
    tallies: Arc<Tallies>,
}

impl Scheduler {
    pub(crate) fn start(&self, all: Vec<Job>) -> RunningJobs {
        let tallies = all.iter().map(|job| Arc::new(JobTallies::new(job.name))).collect();
        let tallies = Arc::new(Tallies(tallies));
        let (stop, stopped) = watch::channel(());
        let tasks = all.into_iter().zip(&tallies.0).map(|(job, tallies)| {
            let (tallies, stopped) = (Arc::clone(tallies), stopped.clone());
            rt::spawn(Runner { job, scheduler: self.clone(), tallies, stopped }.repeat())
        });
        let tasks = tasks.collect();
        RunningJobs { tasks, stop, tallies }
    }
}

impl RunningJobs {
    /// The metrics of the jobs.
    pub(crate) fn monitored(&self) -> Arc<dyn Monitored> {
        self.tallies.clone()
    }

    /// Cancels the running jobs and releases their leases.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        for task in self.tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, "a job ended unexpectedly; report this");
            }
        }
    }
}

/// Repeats one job until the server stops.
struct Runner {
    job: Job,
    scheduler: Scheduler,
    tallies: Arc<JobTallies>,
    stopped: watch::Receiver<()>,
}

impl Runner {
    async fn repeat(self) {
        loop {
            let pause = match self.job.runs_on {
                RunsOn::EveryNode => self.until_stopped(self.run()).await,
                RunsOn::OneNode => {
                    self.run_alone().await;
                    Some(self.job.period.min(self.scheduler.times.check))
                }
            };
            let Some(pause) = pause else { return };
            if self.until_stopped(sleep(pause)).await.is_none() {
                return;
            }
        }
    }

    /// The result of `work`, or `None` when the server stops first.
    async fn until_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut stopped = self.stopped.clone();
        select! {
            biased;
            // Nothing is ever sent; the change is that the sender was dropped.
            _ = stopped.changed() => None,
            result = work => Some(result),
        }
    }

    /// Runs the work once and returns the pause before the next run.
    async fn run(&self) -> Duration {
        self.tallies.runs.increment();
        // A panic ends one run, not the job.
        let work = AssertUnwindSafe((self.job.work)()).catch_unwind();
        match work.await.unwrap_or_else(|_| Err("a panic; the line before says where".into())) {
            Ok(()) => {
                self.tallies.note_success(self.scheduler.clock.as_ref());
                self.job.period
            }
            Err(error) => {
                self.tallies.failures.increment();
                let Job { name, on_failure, .. } = self.job;
                tracing::warn!(job = name, %error, "{on_failure}; trying again");
                self.job.period.min(RETRY)
            }
        }
    }

    /// Runs the work once, if it is due and this node gets the lease.
    async fn run_alone(&self) {
        let name = self.job.name;
        let run = JobRun { job: name, id: self.scheduler.ids.next() };
        let length = self.scheduler.times.length;
        let ends = Instant::now() + length;
        // A lease that is granted while the server stops ends by itself.
        match self.until_stopped(self.scheduler.leases.acquire(run, length)).await {
            Some(Ok(true)) => {}
            Some(Ok(false)) | None => return,
            Some(Err(error)) => {
                tracing::warn!(job = name, %error, "no lease for a job; trying again");
                return;
            }
        }
        let pause = match self.until_stopped(self.run_under_lease(run, ends)).await {
            Some(Some(pause)) => pause,
            Some(None) => {
                self.tallies.failures.increment();
                tracing::warn!(
                    job = name,
                    "the lease of a job could not be renewed in time: it was cut short, and another \
                     node or the next run goes on"
                );
                return;
            }
            None => Duration::ZERO,
        };
        if let Err(error) = self.scheduler.leases.release(run, pause).await {
            tracing::warn!(job = name, %error, "a lease is not given back; it ends by itself");
        }
    }

    /// Runs the work and renews the lease meanwhile. Returns `None` when the lease ended first: the
    /// work is then cancelled, so that it does not run at the same time as on another node.
    async fn run_under_lease(&self, run: JobRun, mut ends: Instant) -> Option<Duration> {
        let mut work = pin!(self.run());
        loop {
            let renewed = async {
                sleep(self.scheduler.times.renewal).await;
                let asked = Instant::now();
                (asked, self.scheduler.leases.renew(run, self.scheduler.times.length).await)
            };
            select! {
                biased;
                done = unless_over(ends, work.as_mut()) => return done,
                (asked, renewed) = renewed => match renewed {
                    Ok(true) => ends = asked + self.scheduler.times.length,
                    Ok(false) => return None,
                    Err(error) => {
                        tracing::warn!(job = run.job, %error, "a lease is not renewed; trying again");
                    }
                },
            }
        }
    }
}

/// The result of `work`, or `None` after `end`. The time is checked before each poll, so that a
/// process that was suspended does not continue after its lease.
async fn unless_over<F: Future + Unpin>(end: Instant, mut work: F) -> Option<F::Output> {
    let mut over = pin!(tokio::time::sleep_until(end));
    poll_fn(|context| {
        if Instant::now() >= end || over.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        pin!(&mut work).poll(context).map(Some)
    })
    .await
}

#[cfg(test)]
mod tests;
