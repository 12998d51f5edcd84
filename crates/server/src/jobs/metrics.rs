//! Metrics of jobs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use patrol_domain::{Clock, Counter, Metric, Monitored, TimeCounter};

use super::job::RunsOn;

/// Metrics of all jobs.
pub(super) struct AllJobMetrics(pub(super) Vec<Arc<JobMetrics>>);

/// The metrics of one job.
pub(super) struct JobMetrics {
    job: &'static str,
    runs_on: RunsOn,
    pub(super) runs: Counter,
    pub(super) failures: Counter,
    /// The time of all runs that have ended by themselves.
    pub(super) run_time: TimeCounter,
    /// Requests for a lease, or for its renewal, that the store did not answer.
    pub(super) lease_failures: Counter,
    /// Whether this node holds the lease.
    has_lease: AtomicBool,
    /// Milliseconds since 1970; 0 before the first success.
    succeeded_at: AtomicU64,
}

/// The lease of a job, held until dropped.
pub(super) struct LeaseHeld<'a>(&'a AtomicBool);

impl Drop for LeaseHeld<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl JobMetrics {
    pub(super) fn new(job: &'static str, runs_on: RunsOn) -> Self {
        Self {
            job,
            runs_on,
            runs: Counter::default(),
            failures: Counter::default(),
            run_time: TimeCounter::default(),
            lease_failures: Counter::default(),
            has_lease: AtomicBool::new(false),
            succeeded_at: AtomicU64::new(0),
        }
    }

    /// Records a successful run.
    pub(super) fn note_success(&self, clock: &dyn Clock) {
        let now = u64::try_from(clock.now().millis()).unwrap_or_default();
        self.succeeded_at.store(now, Ordering::Relaxed);
    }

    /// Records that this node has got the lease.
    pub(super) fn note_lease(&self) -> LeaseHeld<'_> {
        self.has_lease.store(true, Ordering::Relaxed);
        LeaseHeld(&self.has_lease)
    }

    fn metrics(&self) -> Vec<Metric> {
        // Not `job`, which Prometheus sets itself.
        let label = Some(("name", self.job));
        let succeeded_at = Duration::from_millis(self.succeeded_at.load(Ordering::Relaxed));
        let mut metrics = vec![
            self.runs.metric(
                "patrol_job_runs_total",
                "Runs of periodic jobs that this node began.",
                label,
            ),
            self.failures.metric(
                "patrol_job_failures_total",
                "Runs of periodic jobs on this node that failed.",
                label,
            ),
            self.run_time.metric(
                "patrol_job_seconds_total",
                "Time that runs of periodic jobs on this node took.",
                label,
            ),
            Metric::gauge(
                "patrol_job_last_success_timestamp_seconds",
                "When this node last ran a periodic job with success; 0 before.",
                label,
                succeeded_at.as_secs_f64(),
            ),
        ];
        if self.runs_on == RunsOn::OneNode {
            metrics.push(Metric::gauge(
                "patrol_job_lease_held",
                "1 while this node holds the lease of a job that runs on one node at a time.",
                label,
                f64::from(u8::from(self.has_lease.load(Ordering::Relaxed))),
            ));
            metrics.push(self.lease_failures.metric(
                "patrol_job_lease_failures_total",
                "Requests for the lease of a job that the store did not answer.",
                label,
            ));
        }
        metrics
    }
}

impl Monitored for AllJobMetrics {
    fn metrics(&self) -> Vec<Metric> {
        self.0.iter().flat_map(|job| job.metrics()).collect()
    }
}
