//! PostgreSQL is killed and started again, under load.

use std::{
    slice, thread,
    time::{Duration, Instant},
};

use patrol_test_servers::postgres::Stop;

use super::{database, settle, site};
use crate::{
    cleanup::Cleanup,
    load::Load,
    plan::{ANSWER_WITHIN, Plan, READY_WITHIN, WHOLE_WITHIN, between},
    report::Finding,
    watch::Watch,
};

/// How much the memory may grow from the third restart to the last, in MB.
const GROWTH: f64 = 16.0;

/// Each time, all sessions and uncommitted changes are lost.
pub(crate) fn immediate(cleanup: &Cleanup, plan: &Plan) -> Finding {
    let mut finding = Finding::new("immediate restart of PostgreSQL");
    let server = database();
    let site = site(cleanup, "restart", &server);
    let node = site.node();
    let watch = Watch::start(site.client(&node));
    let load = Load::start(slice::from_ref(&node.address), &site.token);
    let mut memory = Vec::new();
    for _ in 0..plan.restarts {
        thread::sleep(between(Duration::from_millis(300), Duration::from_millis(900)));
        load.service.disturb(|_| true);
        let stopped = Instant::now();
        server.stop(Stop::Immediate);
        thread::sleep(between(Duration::from_millis(100), READY_WITHIN));
        server.resume_service();
        let back = Instant::now();
        finding.round(load.service.wait_until_whole(back, WHOLE_WITHIN), WHOLE_WITHIN);
        if watch.ready_after(back, WHOLE_WITHIN).is_none() {
            finding.wrong("/health/ready does not say that the database is back");
        }
        if watch.failed_after(stopped).is_none_or(|after| after > READY_WITHIN) {
            finding.wrong("/health/ready does not say that the database is gone");
        }
        memory.push(node.memory());
    }
    settle(&mut finding, load, &site.client(&node));
    finding.answers_within(ANSWER_WITHIN);
    let first_three = memory.iter().take(3).copied().fold(0.0, f64::max);
    let last = memory.last().copied().unwrap_or_default();
    finding.note(format!(
        "memory after the third restart {first_three:.0} MB, after the last {last:.0} MB"
    ));
    if last > first_three + GROWTH {
        finding.wrong(format!("memory grows from {first_three:.0} to {last:.0} MB"));
    }
    for what in watch.dead() {
        finding.wrong(what);
    }
    finding.memory(node.peak());
    drop(watch);
    node.stop();
    finding
}
