//! Metrics of jobs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use patrol_domain::{Clock, Counter, Metric, MetricKind, Monitored};

/// Metrics of all jobs.
pub(super) struct AllJobMetrics(pub(super) Vec<Arc<JobMetrics>>);

/// The metrics of one job.
pub(super) struct JobMetrics {
    job: &'static str,
    pub(super) runs: Counter,
    pub(super) failures: Counter,
    /// Milliseconds since 1970; 0 before the first success.
    succeeded_at: AtomicU64,
}

impl JobMetrics {
    pub(super) fn new(job: &'static str) -> Self {
        Self {
            job,
            runs: Counter::default(),
            failures: Counter::default(),
            succeeded_at: AtomicU64::new(0),
        }
    }

    /// Records a successful run.
    pub(super) fn note_success(&self, clock: &dyn Clock) {
        let now = u64::try_from(clock.now().millis()).unwrap_or_default();
        self.succeeded_at.store(now, Ordering::Relaxed);
    }
}

impl Monitored for AllJobMetrics {
    fn metrics(&self) -> Vec<Metric> {
        let of_one = |metrics: &Arc<JobMetrics>| {
            let JobMetrics { job, runs, failures, succeeded_at } = metrics.as_ref();
            let label = Some(("job", *job));
            let succeeded_at = Duration::from_millis(succeeded_at.load(Ordering::Relaxed));
            [
                runs.metric(
                    "patrol_job_runs_total",
                    "Runs of periodic jobs that this node began.",
                    label,
                ),
                failures.metric(
                    "patrol_job_failures_total",
                    "Runs of periodic jobs on this node that failed.",
                    label,
                ),
                Metric {
                    name: "patrol_job_last_success_timestamp_seconds",
                    help: "When this node last ran a periodic job with success; 0 before.",
                    kind: MetricKind::Gauge,
                    label,
                    value: succeeded_at.as_secs_f64(),
                },
            ]
        };
        self.0.iter().flat_map(of_one).collect()
    }
}
