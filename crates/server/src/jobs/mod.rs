//! Periodic jobs of a server. A job runs on every node, or on one node at a time: the node that
//! holds the lease in the store.

mod job;
mod metrics;

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use actix_web::rt::{self, task::JoinHandle};
use futures_util::FutureExt as _;
use patrol_domain::{
    Clock, Ids, Monitored,
    job::{JobRun, Jobs},
};
use tokio::{
    select,
    sync::watch,
    time::{Instant, sleep},
};

pub(crate) use job::{Job, RunsOn, repeat};

use metrics::{AllJobMetrics, JobMetrics};

/// A failed job is retried after this time, or after its period if that is shorter. A job that goes on
/// failing is logged as often.
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

/// Starts jobs, and holds the parts that all jobs use.
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
    metrics: Arc<AllJobMetrics>,
}

impl Scheduler {
    pub(crate) fn start(&self, all: Vec<Job>) -> RunningJobs {
        let metrics =
            all.iter().map(|job| Arc::new(JobMetrics::new(job.name, job.runs_on))).collect();
        let metrics = Arc::new(AllJobMetrics(metrics));
        let (stop, stopped) = watch::channel(());
        let tasks = all.into_iter().zip(&metrics.0).map(|(job, metrics)| {
            let (metrics, stopped) = (Arc::clone(metrics), stopped.clone());
            let logged = Cell::new(None);
            rt::spawn(Runner { job, scheduler: self.clone(), metrics, logged, stopped }.repeat())
        });
        let tasks = tasks.collect();
        RunningJobs { tasks, stop, metrics }
    }
}

impl RunningJobs {
    /// The metrics of the jobs.
    pub(crate) fn monitored(&self) -> Arc<dyn Monitored> {
        self.metrics.clone()
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
    metrics: Arc<JobMetrics>,
    /// When a failure was logged; `None` after a success.
    logged: Cell<Option<Instant>>,
    stopped: watch::Receiver<()>,
}

impl Runner {
    async fn repeat(self) {
        loop {
            let pause = match self.job.runs_on {
                RunsOn::EveryNode => self.until_stopped(self.run()).await,
                RunsOn::OneNode => {
                    self.acquire_and_run().await;
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
            // Nothing is ever sent: this ends when the sender is dropped.
            _ = stopped.changed() => None,
            result = work => Some(result),
        }
    }

    /// Runs the work once and returns the pause before the next run.
    async fn run(&self) -> Duration {
        self.metrics.runs.increment();
        // A panic ends one run, not the job.
        let work = AssertUnwindSafe((self.job.work)()).catch_unwind();
        let start = Instant::now();
        let result = work.await;
        self.metrics.run_time.add(start.elapsed());
        match result
            .unwrap_or_else(|_| Err("a panic; the previous log line has its location".into()))
        {
            Ok(()) => {
                self.metrics.note_success(self.scheduler.clock.as_ref());
                if self.logged.take().is_some() {
                    tracing::info!(job = self.job.name, "the job succeeds again");
                }
                self.job.period
            }
            Err(error) => {
                self.metrics.failures.increment();
                let Job { name, on_failure, .. } = self.job;
                if self.logged.get().is_none_or(|logged| logged.elapsed() >= RETRY) {
                    tracing::warn!(job = name, %error, "{on_failure}; trying again");
                    self.logged.set(Some(Instant::now()));
                }
                self.job.period.min(RETRY)
            }
        }
    }

    /// Acquires the lease and runs the work once. Does nothing when the job is not due or another
    /// node holds the lease.
    async fn acquire_and_run(&self) {
        let name = self.job.name;
        let run = JobRun { job: name, id: self.scheduler.ids.next() };
        let length = self.scheduler.times.length;
        let lease_end = Instant::now() + length;
        // A lease that is granted while the server stops expires by itself.
        match self.until_stopped(self.scheduler.leases.acquire(run, length)).await {
            Some(Ok(true)) => {}
            Some(Ok(false)) | None => return,
            Some(Err(error)) => {
                self.metrics.lease_failures.increment();
                tracing::warn!(job = name, %error, "no lease for a job; trying again");
                return;
            }
        }
        let held = self.metrics.note_lease();
        let pause = match self.until_stopped(self.run_and_renew(run, lease_end)).await {
            Some(Some(pause)) => pause,
            Some(None) => {
                self.metrics.failures.increment();
                tracing::warn!(
                    job = name,
                    "the lease of a job could not be renewed in time: the run was cancelled; another \
                     node or the next run continues"
                );
                return;
            }
            None => Duration::ZERO,
        };
        drop(held);
        if let Err(error) = self.scheduler.leases.release(run, pause).await {
            tracing::warn!(job = name, %error, "a lease could not be released; it expires by itself");
        }
    }

    /// Runs the work and renews the lease meanwhile. When the lease ends first, the work is
    /// cancelled, so that it never runs on two nodes at once, and the result is `None`.
    async fn run_and_renew(&self, run: JobRun, mut lease_end: Instant) -> Option<Duration> {
        let mut work = pin!(self.run());
        loop {
            let renewed = async {
                sleep(self.scheduler.times.renewal).await;
                let requested_at = Instant::now();
                (requested_at, self.scheduler.leases.renew(run, self.scheduler.times.length).await)
            };
            select! {
                biased;
                done = until_deadline(lease_end, work.as_mut()) => return done,
                (requested_at, renewed) = renewed => match renewed {
                    Ok(true) => lease_end = requested_at + self.scheduler.times.length,
                    Ok(false) => return None,
                    Err(error) => {
                        self.metrics.lease_failures.increment();
                        tracing::warn!(job = run.job, %error, "a lease could not be renewed; trying again");
                    }
                },
            }
        }
    }
}

/// The result of `work`, or `None` after `end`. The time is checked before each poll, so that a
/// process that was suspended does not continue the work after its lease has ended.
async fn until_deadline<F: Future + Unpin>(end: Instant, mut work: F) -> Option<F::Output> {
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
