//! Both stores give the same responses, byte for byte, for the same records and requests. Values
//! that a server generates (ids, tokens, times, versions) are named by their first occurrence.

mod recorded;
mod script;

use std::thread;

use patrol_tests::{Description, Running, Server, Store, company, completed, in_progress, planned};
use serde_json::Value;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use recorded::{Known, Recorded};

/// The company of the tests and the demo company, with rounds in every state; and the time of
/// creation.
fn records() -> (String, String) {
    let demo = Store::sqlite();
    let started = now(&Server::run(demo.command(&["serve", "--demo", "--demo-walk=false"])));
    let demo = demo.run(&["export", "-"]).exited(0).stdout;
    assert!(demo.lines().count() > 300, "the demo company is there");
    let ours = company::company().and([planned(1), in_progress(2), completed(3), planned(4)]);
    (format!("{ours}{demo}"), started)
}

/// The current time of a server.
fn now(server: &Server) -> String {
    let refused = server.api().get("/nothing").json(404);
    refused["timestamp"].as_str().expect("a time").to_owned()
}

/// Waits while a round begins, may be late or ends within a minute: answers change by themselves
/// then, and not between the same request to two servers.
fn wait_until_nothing_changes_by_itself(records: &str) {
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut changes = Vec::new();
    for round in records.filter(|record| record["kind"] == "taskExecution") {
        let time = |name: &str| OffsetDateTime::parse(round[name].as_str()?, &Rfc3339).ok();
        changes.extend(time("startAt").into_iter().flat_map(|start| [start, start + LATE_AFTER]));
        changes.extend(time("endAt"));
    }
    assert!(changes.len() > 500, "{}", changes.len());
    changes.sort_unstable();
    for change in changes {
        let left = change - OffsetDateTime::now_utc();
        if left.is_positive() && left < Duration::MINUTE {
            thread::sleep(left.unsigned_abs());
        }
    }
}

/// The default of `PATROL_LATE_AFTER`.
const LATE_AFTER: Duration = Duration::minutes(10);

/// A server with the records. All rounds of this day are among them, so that none is made between
/// two requests.
fn with_records(store: Store, records: &str) -> Running {
    let _ = store.run_with(&["import", "-"], records).exited(0);
    Running::set(
        store,
        &[
            ("PATROL_SCHEDULE_HORIZON", "1d"),
            // Labels of points begin with it.
            ("PATROL_PUBLIC_URL", "https://patrol.example.org"),
        ],
    )
}

/// The result of the script on a store.
struct Run {
    running: Running,
    recorded: Vec<Recorded>,
    known: Known,
}

impl Run {
    fn on(running: Running, (records, started): &(String, String)) -> Self {
        let recorded = script::run(&running);
        let known = Known::of(records, started.clone()..=now(&running.server));
        Self { running, recorded, known }
    }
}

/// Does the same with both at once.
fn both<T: Send, R: Send>(both: [T; 2], run: impl Fn(T) -> R + Sync) -> [R; 2] {
    thread::scope(|scope| both.map(|one| scope.spawn(|| run(one))).map(|run| run.join().unwrap()))
}

#[test]
fn both_stores_say_the_same() {
    let records = records();
    let servers =
        both([Store::sqlite(), Store::postgres()], |store| with_records(store, &records.0));
    wait_until_nothing_changes_by_itself(&records.0);
    let [mut one, mut other] = both(servers, |server| Run::on(server, &records));
    assert!(one.recorded.len() > 400, "{}", one.recorded.len());
    assert_eq!(one.recorded.len(), other.recorded.len());
    for running in [&one.running, &other.running] {
        check_all_succeeded_once(running);
    }
    let exported = [&one, &other].map(|run| run.running.exported());
    // Before a difference is shown, so that no log follows it.
    drop((one.running, other.running));
    for (of_one, of_other) in one.recorded.iter().zip(&other.recorded) {
        check_same(&of_one.told(&mut one.known), &of_other.told(&mut other.known));
    }
    check_same(&one.known.text(&exported[0]), &other.known.text(&exported[1]));
}

/// Shows the first difference, if any.
fn check_same(one: &str, other: &str) {
    let pairs = one.bytes().zip(other.bytes());
    let same = pairs.take_while(|(one, other)| one == other).count();
    let around = |text: &str| {
        let (from, to) = (same.saturating_sub(300), text.len().min(same + 100));
        String::from_utf8_lossy(&text.as_bytes()[from..to]).into_owned()
    };
    let request = one.lines().next().unwrap_or_default();
    assert!(one == other, "{request}\n{}\n{}", around(one), around(other));
}

/// Every operation of the API was requested and has succeeded.
fn check_all_succeeded_once(running: &Running) {
    let anybody = running.server.api();
    let described: Value =
        serde_json::from_slice(&anybody.outside("/openapi.json").body).expect("JSON");
    let metrics = anybody.outside("/metrics");
    let mut operations = 0;
    for (path, method, _) in Description(&described).operations() {
        operations += 1;
        let counted = metrics.text().lines().any(|line| {
            line.starts_with("http_requests_total")
                && line.contains(&format!("method=\"{method}\""))
                && line.contains(&format!("route=\"/v1{path}\""))
                && line.contains("status=\"20")
        });
        assert!(counted, "{method} {path} has not succeeded");
    }
    assert!(operations >= 23, "{operations}");
}
