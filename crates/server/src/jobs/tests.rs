//! Tests of jobs, with leases in memory that expire like those of a store.

use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use patrol_domain::{StoreError, ids::Uuid, job::LeaseChange};

use super::*;
use crate::system::{SystemClock, TimedIds};

const TIMES: LeaseTimes = LeaseTimes {
    length: Duration::from_secs(2),
    renewal: Duration::from_millis(100),
    check: Duration::from_millis(20),
};
const TIMEOUT: Duration = Duration::from_secs(20);

/// The lease of one job.
#[derive(Default)]
struct Leases {
    holder: Mutex<Option<(Uuid, Instant)>>,
    fails: AtomicBool,
}

impl Leases {
    fn ask(&self) -> Result<(), StoreError> {
        let fails = self.fails.load(Ordering::Relaxed);
        if fails { Err(StoreError::Unavailable("away".to_owned())) } else { Ok(()) }
    }
}

#[async_trait]
impl Jobs for Leases {
    async fn change_lease(&self, run: JobRun, change: LeaseChange) -> Result<bool, StoreError> {
        self.ask()?;
        let mut holder = self.holder.lock().unwrap();
        let is_own = holder.is_some_and(|(id, _)| id == run.id);
        let (is_possible, until) = match change {
            LeaseChange::Acquire(lease) => {
                (holder.is_none_or(|(_, until)| until <= Instant::now()), Some(lease))
            }
            LeaseChange::Renew(lease) => (is_own, Some(lease)),
            LeaseChange::Release(_) => (is_own, None),
        };
        if is_possible {
            *holder = until.map(|lease| (run.id, Instant::now() + lease));
        }
        Ok(is_possible)
    }
}

/// The number of runs in progress, the greatest such number so far, and the number of runs started.
#[derive(Default)]
struct Work {
    now: AtomicUsize,
    most: AtomicUsize,
    begun: AtomicUsize,
}

/// One run in progress.
struct AtWork(Arc<Work>);

impl AtWork {
    fn begin(work: &Arc<Work>) -> Self {
        work.begun.fetch_add(1, Ordering::SeqCst);
        let now = work.now.fetch_add(1, Ordering::SeqCst) + 1;
        work.most.fetch_max(now, Ordering::SeqCst);
        Self(Arc::clone(work))
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A job that takes `length` for each run.
fn job(work: &Arc<Work>, runs_on: RunsOn, length: Duration) -> Job {
    let work = Arc::clone(work);
    Job {
        name: "work",
        period: Duration::from_millis(1),
        runs_on,
        on_failure: "nothing works",
        work: Box::new(move || {
            let work = Arc::clone(&work);
            Box::pin(async move {
                let _at_work = AtWork::begin(&work);
                sleep(length).await;
                Ok(())
            })
        }),
    }
}

fn start(job: Job, leases: &Arc<Leases>) -> RunningJobs {
    let clock = Arc::new(SystemClock);
    let ids = Arc::new(TimedIds::new(clock.clone()));
    Scheduler { leases: leases.clone(), times: TIMES, clock, ids }.start(vec![job])
}

async fn wait_until(is_done: impl Fn() -> bool) {
    let asked = Instant::now();
    while !is_done() {
        assert!(asked.elapsed() < TIMEOUT, "it does not happen");
        sleep(Duration::from_millis(5)).await;
    }
}

fn metric(jobs: &RunningJobs, name: &str) -> f64 {
    let metrics = jobs.monitored().metrics();
    metrics.iter().find(|metric| metric.name == name).expect("the metric").value
}

#[actix_web::test]
async fn a_single_node_job_runs_on_one_node_at_a_time() {
    let (work, leases) = (Arc::new(Work::default()), Arc::new(Leases::default()));
    let length = Duration::from_millis(30);
    let nodes: Vec<_> =
        (0..3).map(|_| start(job(&work, RunsOn::OneNode, length), &leases)).collect();
    wait_until(|| work.begun.load(Ordering::SeqCst) >= 5).await;
    assert_eq!(work.most.load(Ordering::SeqCst), 1);
    for node in nodes {
        node.stop().await;
    }
    assert_eq!(work.now.load(Ordering::SeqCst), 0);
}

#[actix_web::test]
async fn an_every_node_job_runs_on_all_nodes() {
    let (work, leases) = (Arc::new(Work::default()), Arc::new(Leases::default()));
    let length = Duration::from_secs(3600);
    let nodes: Vec<_> =
        (0..3).map(|_| start(job(&work, RunsOn::EveryNode, length), &leases)).collect();
    wait_until(|| work.now.load(Ordering::SeqCst) == 3).await;
    for node in nodes {
        node.stop().await;
    }
}

#[actix_web::test]
async fn a_long_run_keeps_its_lease() {
    let (work, leases) = (Arc::new(Work::default()), Arc::new(Leases::default()));
    let length = Duration::from_secs(3600);
    let nodes: Vec<_> =
        (0..2).map(|_| start(job(&work, RunsOn::OneNode, length), &leases)).collect();
    wait_until(|| work.begun.load(Ordering::SeqCst) == 1).await;
    sleep(TIMES.length * 2).await;
    let begun = work.begun.load(Ordering::SeqCst);
    // Only if this process was suspended for longer than a lease may a run have been cancelled.
    assert!(begun == 1 || nodes.iter().any(|node| metric(node, "patrol_job_failures_total") > 0.0));
    assert_eq!(work.most.load(Ordering::SeqCst), 1);
    for node in nodes {
        node.stop().await;
    }
}

#[actix_web::test]
async fn a_run_ends_with_its_lease() {
    let (work, leases) = (Arc::new(Work::default()), Arc::new(Leases::default()));
    let node = start(job(&work, RunsOn::OneNode, Duration::from_secs(3600)), &leases);
    wait_until(|| work.now.load(Ordering::SeqCst) == 1).await;
    leases.fails.store(true, Ordering::Relaxed);
    wait_until(|| work.now.load(Ordering::SeqCst) == 0).await;
    assert!(metric(&node, "patrol_job_failures_total") > 0.0);
    node.stop().await;
}

#[actix_web::test]
async fn a_stopping_node_releases_its_lease() {
    let (work, leases) = (Arc::new(Work::default()), Arc::new(Leases::default()));
    let node = start(job(&work, RunsOn::OneNode, Duration::from_secs(3600)), &leases);
    wait_until(|| work.now.load(Ordering::SeqCst) == 1).await;
    node.stop().await;
    assert_eq!(work.now.load(Ordering::SeqCst), 0);
    assert!(leases.holder.lock().unwrap().is_none());
}

#[actix_web::test]
async fn a_failure_is_counted_and_retried() {
    let leases = Arc::new(Leases::default());
    let failing = Job {
        name: "fail",
        period: Duration::from_millis(1),
        runs_on: RunsOn::OneNode,
        on_failure: "it fails",
        work: Box::new(|| Box::pin(async { Err("no".into()) })),
    };
    let node = start(failing, &leases);
    wait_until(|| metric(&node, "patrol_job_failures_total") >= 2.0).await;
    assert!(metric(&node, "patrol_job_last_success_timestamp_seconds") < 1.0);
    node.stop().await;
}

#[actix_web::test]
async fn a_panic_ends_one_run_and_not_the_job() {
    let leases = Arc::new(Leases::default());
    let panicking = Job {
        name: "panic",
        period: Duration::from_millis(1),
        runs_on: RunsOn::EveryNode,
        on_failure: "it panics",
        work: Box::new(|| Box::pin(async { panic!("a test") })),
    };
    let node = start(panicking, &leases);
    wait_until(|| metric(&node, "patrol_job_failures_total") >= 2.0).await;
    node.stop().await;
}
