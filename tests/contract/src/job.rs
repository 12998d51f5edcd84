//! [`Jobs`](patrol_domain::job::Jobs).

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use patrol_domain::{ids::Uuid, job::JobRun};
use tokio::time::sleep;

use crate::{Adapter, Ports};

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);
/// Expires at once.
const SHORT: Duration = Duration::from_millis(1);
/// Enough time for something that takes a millisecond, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(20);

const fn run(number: u128) -> JobRun {
    JobRun { job: "tidy", id: Uuid::from_u128(number) }
}

async fn acquire(ports: &Ports, run: JobRun, lease: Duration) -> bool {
    ports.jobs.acquire(run, lease).await.expect("an answer")
}

async fn renew(ports: &Ports, run: JobRun, lease: Duration) -> bool {
    ports.jobs.renew(run, lease).await.expect("an answer")
}

async fn release(ports: &Ports, run: JobRun, pause: Duration) {
    ports.jobs.release(run, pause).await.expect("an answer");
}

/// Requests the lease until the run gets it.
async fn wait_for(ports: &Ports, run: JobRun) {
    let asked = Instant::now();
    while !acquire(ports, run, LONG).await {
        assert!(asked.elapsed() < PATIENCE, "the lease does not end");
        sleep(Duration::from_millis(2)).await;
    }
}

/// A job that never ran is due. While one run has its lease no other run gets it; other jobs are
/// not affected.
pub async fn one_run_has_the_lease<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    assert!(acquire(&ports, run(1), LONG).await);
    assert!(!acquire(&ports, run(2), LONG).await);
    let other = JobRun { job: "another", ..run(2) };
    assert!(acquire(&ports, other, LONG).await);
    assert!(renew(&ports, run(1), LONG).await);
}

/// Of concurrent runs, one gets the lease.
pub async fn of_many_runs_one_gets_the_lease<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let asked = (1..=16).map(|number| acquire(&ports, run(number), LONG));
    let given = join_all(asked).await;
    assert_eq!(given.iter().filter(|is_given| **is_given).count(), 1);
}

/// A lease that is not renewed ends. The former run can neither renew nor release the lease of the
/// run that took over.
pub async fn a_lease_that_has_ended_is_taken_over<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    assert!(acquire(&ports, run(1), SHORT).await);
    wait_for(&ports, run(2)).await;
    assert!(!renew(&ports, run(1), LONG).await);
    release(&ports, run(1), Duration::ZERO).await;
    assert!(!acquire(&ports, run(3), LONG).await);
    assert!(renew(&ports, run(2), LONG).await);
}

/// A renewed lease lasts longer than the original one.
pub async fn a_renewed_lease_goes_on<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    assert!(acquire(&ports, run(1), SHORT).await);
    assert!(renew(&ports, run(1), LONG).await);
    sleep(Duration::from_millis(50)).await;
    assert!(!acquire(&ports, run(2), LONG).await);
}

/// A job is due again after the pause that its last run requested, and not before.
pub async fn a_released_job_is_due_after_its_pause<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    assert!(acquire(&ports, run(1), LONG).await);
    release(&ports, run(1), SHORT).await;
    wait_for(&ports, run(2)).await;
    release(&ports, run(2), LONG).await;
    assert!(!acquire(&ports, run(3), LONG).await);
}
