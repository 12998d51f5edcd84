//! A database that fails under a running server, and comes back.

use std::{
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use patrol_test_servers::postgres::{Durability, Server as Cluster, Stop};
use patrol_tests::{Answer, Form, Running, Store, company, execution_id, planned};
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

/// A photo that differs from the others.
fn photo(name: &str) -> Vec<u8> {
    [b"\xff\xd8\xff\xe0", name.as_bytes(), &[7; 30_000]].concat()
}

/// Sends again after each 503. What was stored although its answer was lost is answered as sent before.
fn until_acknowledged(refused: &AtomicU32, asked: &dyn Fn() -> Answer) -> Answer {
    let mut answer = asked();
    within(BACK + TOLD, "an answer without 503", || {
        let is_refused = answer.status == 503;
        if is_refused {
            refused.fetch_add(1, Ordering::Relaxed);
            answer = asked();
        }
        !is_refused
    });
    answer
}

#[test]
fn photos_and_notes_of_a_round_outlast_databases_that_go_away() {
    let (cluster, running) = site();
    let reports = format!("/task-executions/{}/reports", execution_id(1));
    let id = |kind: &str, phone: u32, n: u32| format!("0190a000-{kind}-7000-8{phone:03x}-{n:012x}");
    let note = |phone, n, members: serde_json::Value| {
        let entry = json!({ "id": id("000c", phone, n), "at": "2026-01-31T08:01:00Z" });
        json!([patrol_tests::with(entry, members)])
    };
    let _ = running.admin.post(&reports, &note(0, 0, json!({ "type": "START" }))).ok();
    let begun = Instant::now();
    let (is_over, refused) = (AtomicBool::new(false), AtomicU32::new(0));
    // Until the end, each phone sends photos and a note with each of them.
    let walk = |phone| {
        (1..)
            .take_while(|_| !is_over.load(Ordering::Relaxed) && begun.elapsed() < 4 * BACK)
            .map(|n| {
                thread::sleep(Duration::from_millis(50));
                let medium = id("000e", phone, n);
                let form = Form::default().file("file", &photo(&medium)).field("id", &medium);
                let sent = until_acknowledged(&refused, &|| running.admin.form("/media", &form));
                assert!([200, 201].contains(&sent.status), "{}", sent.text());
                let members = json!({ "type": "NOTE", "textValue": "Seen", "mediaIds": [medium] });
                let note = note(phone, n, members);
                let told =
                    until_acknowledged(&refused, &|| running.admin.post(&reports, &note)).ok();
                let outcome = told["entries"][0]["outcome"].as_str();
                assert!(["ACCEPTED", "DUPLICATE"].map(Some).contains(&outcome), "{told}");
                medium
            })
            .collect::<Vec<_>>()
    };
    let sent: Vec<_> = thread::scope(|scope| {
        let phones: Vec<_> = (1..=4).map(|phone| scope.spawn(move || walk(phone))).collect();
        for stop in [Stop::Immediate, Stop::Fast, Stop::Immediate] {
            thread::sleep(Duration::from_millis(300));
            cluster.stop(stop);
            thread::sleep(Duration::from_millis(300));
            cluster.resume_service();
            within(BACK, "readiness", || health(&running, "/health/ready") == 200);
        }
        is_over.store(true, Ordering::Relaxed);
        phones.into_iter().flat_map(|phone| phone.join().expect("a phone")).collect()
    });
    assert!(sent.len() > 4 && refused.into_inner() > 0, "{sent:?}");
    let listed = running.admin.get(&format!("{reports}?limit=10000")).ok();
    let notes = listed["data"]
        .as_array()
        .expect("entries")
        .iter()
        .filter(|entry| entry["textValue"] == "Seen");
    let mut noted: Vec<_> = notes.filter_map(|entry| entry["mediaIds"][0].as_str()).collect();
    noted.sort_unstable();
    let mut all: Vec<_> = sent.iter().map(String::as_str).collect();
    all.sort_unstable();
    assert_eq!(noted, all, "each note is there once");
    for medium in all {
        let file = running.admin.get(&format!("/media/{medium}/file"));
        assert!(file.status == 200 && file.body == photo(medium), "{medium}: {}", file.status);
    }
}
