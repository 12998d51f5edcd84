//! A database that fails under a running server, and comes back.

use std::time::{Duration, Instant};

use patrol_test_servers::postgres::{Durability, Server as Cluster, Stop};
use patrol_tests::{Answer, Running, Store, company, planned};
use serde_json::json;

use crate::{LIST, path};
use patrol_tests::within;

/// Full service is back this long after the database.
const BACK: Duration = Duration::from_secs(20);

/// A request gets an error within 5 s when the database does not answer. The rest is for a busy
/// machine; without a limit the request would wait as long as the outage.
const TOLD: Duration = Duration::from_secs(15);

fn site() -> (Cluster, Running) {
    let cluster = Cluster::start(Durability::Kept);
    let store = Store::elsewhere(&cluster.url("postgres"));
    let running = Running::on(store.and(&company::company().and([planned(1), planned(2)])));
    (cluster, running)
}

/// One request of each kind: by id, a list, a write, a batch, and the own tokens.
fn requests(running: &Running, name: &str) -> [Answer; 5] {
    let timed = |asked: &dyn Fn() -> Answer| {
        let started = Instant::now();
        let answer = asked();
        assert!(started.elapsed() < TOLD, "{:?}: {}", started.elapsed(), answer.text());
        answer
    };
    let admin = &running.admin;
    let users = json!([{ "id": company::GUARD, "phone": name }]);
    [
        timed(&|| admin.get(&path(1))),
        timed(&|| admin.get(LIST)),
        timed(&|| admin.patch(&path(1), &json!({ "name": name }))),
        timed(&|| admin.post("/users/batch", &users)),
        timed(&|| admin.get("/tokens")),
    ]
}

fn health(running: &Running, path: &str) -> u16 {
    running.server.api().outside(path).status
}

/// All requests fail, readiness fails, and the server is alive.
fn check_gone(running: &Running) {
    for answer in requests(running, "lost") {
        let _ = answer.refused(503, "service.unavailable");
        assert_eq!(answer.header("Retry-After"), Some("1"));
    }
    within(Duration::from_secs(15), "not ready", || health(running, "/health/ready") == 503);
    assert_eq!(health(running, "/health/live"), 200);
}

/// All requests succeed.
fn check_back(running: &Running, name: &str) {
    within(BACK, "full service", || {
        health(running, "/health/ready") == 200
            && requests(running, name).iter().all(|answer| answer.status == 200)
    });
    assert_eq!(running.read(1)["name"], *name);
}

#[test]
fn a_database_that_restarts_is_found_again() {
    let (cluster, running) = site();
    for (round, stop) in [Stop::Immediate, Stop::Fast, Stop::Immediate].into_iter().enumerate() {
        let name = format!("round {round}");
        let _ = running.admin.patch(&path(2), &json!({ "name": name })).ok();
        cluster.stop(stop);
        check_gone(&running);
        cluster.resume_service();
        check_back(&running, &name);
        assert_eq!(running.read(2)["name"], *name, "what was acknowledged is there");
    }
    // A job that runs every 2 s is not logged as often.
    let lines = |log: &str, text: &str| {
        let of_job = |line: &&str| line.contains("make-rounds") && line.contains(text);
        log.lines().filter(of_job).count()
    };
    let failures = |log: &str| lines(log, "rounds are not made from schedules");
    let log = running.server.log_once(|log| lines(log, "succeeds again") == failures(log));
    assert!(failures(&log) <= 3, "{log}");
}

#[test]
fn a_database_that_hangs_holds_nobody_up_for_long() {
    let (cluster, running) = site();
    cluster.freeze();
    check_gone(&running);
    cluster.thaw();
    check_back(&running, "thawed");
}

#[test]
fn sessions_that_are_ended_cost_no_reader_an_error() {
    let (cluster, running) = site();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE application_name = 'patrol'";
    for round in 0..10 {
        assert_eq!(running.read(1)["name"], "Round 1");
        let ended = patrol_test_servers::postgres::query(&cluster.url("postgres"), end);
        assert!(!ended.is_empty(), "the server has a session in round {round}");
        assert_eq!(running.read(1)["name"], "Round 1");
        assert_eq!(running.admin.get(LIST).ok()["meta"]["count"], 2);
        let _ = running.admin.patch(&path(2), &json!({ "name": format!("round {round}") })).ok();
    }
}
