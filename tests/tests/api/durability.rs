//! Acknowledged changes stay when the process is killed.

use std::{
    io::Write,
    path::Path,
    process::Stdio,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    DataSet, Running, Server, Store, company, company::ADMIN, execution_id, http, planned,
};
use serde_json::json;

use crate::concurrency::soak;

/// Writes to 32 records until the server is killed, this long after each was acknowledged once.
/// Returns the last acknowledged round and the last sent one of each.
fn write_until_killed(server: Server, token: &str, after: Duration) -> Vec<(u32, u32)> {
    let root = format!("http://{}", server.address());
    let stop = AtomicBool::new(false);
    let rounds: Vec<_> = (0..32).map(|_| (AtomicU32::new(0), AtomicU32::new(0))).collect();
    let server = Mutex::new(Some(server));
    let client = http().build().expect("a client");
    thread::scope(|scope| {
        for (n, (acknowledged, sent)) in (1..).zip(&rounds) {
            let (root, stop, client) = (&root, &stop, client.clone());
            scope.spawn(move || {
                let url = format!("{root}/v1/task-executions/{}", execution_id(n));
                while !stop.load(Ordering::Relaxed) {
                    let round = sent.fetch_add(1, Ordering::Relaxed) + 1;
                    let answer = client
                        .patch(&url)
                        .header("Authorization", token)
                        .header("Content-Type", "application/json")
                        .body(json!({ "name": round.to_string() }).to_string())
                        .send();
                    match answer {
                        Ok(answer) if answer.status() == 200 => {
                            acknowledged.store(round, Ordering::Relaxed);
                        }
                        Ok(answer) => panic!("{answer:?}"),
                        // The server has been killed.
                        Err(_) => return,
                    }
                }
            });
        }
        let begun = Instant::now();
        let waits =
            || rounds.iter().any(|(acknowledged, _)| acknowledged.load(Ordering::Relaxed) == 0);
        while waits() && begun.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(after);
        server.lock().unwrap().take().expect("it was not killed before").kill();
        stop.store(true, Ordering::Relaxed);
    });
    rounds
        .into_iter()
        .map(|(acknowledged, sent)| (acknowledged.into_inner(), sent.into_inner()))
        .collect()
}

#[test]
fn a_kill_loses_nothing_that_was_acknowledged() {
    let store = Store::with(&company::company().and((1..=32).map(planned)));
    let token = store.token(ADMIN);
    let until = Instant::now() + soak();
    let delays = [300, 700, 1100].into_iter().cycle();
    for after in delays.take_while(|_| Instant::now() < until) {
        let server = Server::start(&store);
        let rounds = write_until_killed(server, &token, Duration::from_millis(after));
        assert!(rounds.iter().all(|(acknowledged, _)| *acknowledged > 0), "{rounds:?}");
        store.check_integrity();
        let server = Server::start(&store);
        let api = server.api().with_token(&token);
        for (n, (acknowledged, sent)) in (1..).zip(rounds) {
            let record = api.get(&format!("/task-executions/{}", execution_id(n))).ok();
            let round: u32 = record["name"].as_str().unwrap().parse().expect("a round");
            assert!((acknowledged..=sent).contains(&round), "{n}: {acknowledged} {round} {sent}");
        }
        // The list, which is read from other columns, gives the same result.
        for item in api.get("/task-executions/info").ok()["data"].as_array().unwrap() {
            let id = item["id"].as_str().unwrap();
            let record = api.get(&format!("/task-executions/{id}")).ok();
            assert_eq!(item["name"], record["name"]);
        }
    }
}

#[test]
fn an_import_that_is_killed_leaves_nothing() {
    let store = Store::with(&company::company());
    let before = store.run(&["export", "-"]).exited(0).stdout;
    let mut import = store
        .command(&["import", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    let records = DataSet::new((1..=6000).map(planned)).to_string();
    input.write_all(records.as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(200));
    import.kill().unwrap();
    let _ = import.wait().unwrap();
    drop(input);
    store.check_integrity();
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, before);
    let _ = store.import(&DataSet::new([planned(1)])).exited(0);
}

/// An import that has the database for itself writes pages to their final place before it commits.
#[test]
fn what_an_import_that_is_killed_has_written_is_taken_back() {
    let store = Store::sqlite().and(&company::company());
    let before = store.run(&["export", "-"]).exited(0).stdout;
    let length = |path: &Path| path.metadata().map_or(0, |file| file.len());
    let (database, journal) = (store.database(), store.path("patrol.db-journal"));
    let small = length(&database);
    let mut import = store
        .command(&["import", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    let has_written = || length(&journal) > 0 && length(&database) > small;
    for thousand in 0..100 {
        if has_written() {
            break;
        }
        let records = (1..=1000).map(|n| planned(thousand * 1000 + n));
        input.write_all(DataSet::new(records).to_string().as_bytes()).unwrap();
    }
    import.kill().unwrap();
    let _ = import.wait().unwrap();
    drop(input);
    assert!(has_written(), "{} {small} {}", length(&database), length(&journal));
    store.check_integrity();
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, before);
    assert_eq!((length(&database), length(&journal)), (small, 0));
    let _ = store.import(&DataSet::new([planned(1)])).exited(0);
}

#[test]
fn an_error_changes_nothing() {
    let running = Running::with((1..=3).map(planned));
    let before = running.store.run(&["export", "-"]).exited(0).stdout;
    let path = format!("/task-executions/{}", execution_id(1));
    let copies = json!({ "taskIds": [execution_id(2), company::NOBODY] });
    for answer in [
        running.admin.post(&format!("{path}/copy"), &copies),
        running.admin.patch(&path, &json!({ "name": "x", "priority": "LOW" })),
        running.admin.put(&path, &json!({ "name": "x", "tags": ["new"] })),
        running.admin.with("If-Match", "\"x\"").delete(&path),
    ] {
        assert!((400..500).contains(&answer.status), "{}", answer.text());
    }
    assert_eq!(running.store.run(&["export", "-"]).exited(0).stdout, before);
}
