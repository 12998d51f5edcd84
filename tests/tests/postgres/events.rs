//! The log of changes on several nodes.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use patrol_tests::{
    Running, Server, Store,
    company::{self, ADMIN},
    execution_id, planned,
};
use serde_json::json;

/// Many executions are changed on two nodes, of which one is killed on the way. A follower that
/// asks the nodes in turn gets every acknowledged change once, in order.
#[test]
fn a_follower_of_two_nodes_misses_no_event_when_one_is_killed() {
    const WRITERS: u32 = 16;
    let records = company::company().and((1..=WRITERS).map(planned));
    let one = Running::on(Store::postgres().and(&records));
    let other = Server::start(&one.store);
    let token = one.store.token(ADMIN);
    let clients = [&one.server, &other].map(|server| server.api().with_token(&token));
    let start = clients[0].get("/events?limit=1000").ok()["next"].as_i64().unwrap();
    let is_over = AtomicBool::new(false);
    let (acknowledged, seen) = thread::scope(|scope| {
        let writers: Vec<_> = (1..=WRITERS)
            .map(|n| {
                let (address, token) = ([one.server.address(), other.address()], &token);
                let address = address.map(str::to_owned);
                scope.spawn(move || {
                    let client = patrol_tests::http().build().unwrap();
                    let mut acknowledged = Vec::new();
                    for change in 0..60_usize {
                        let id = format!("{n}.{change}");
                        let node = &address[change % 2];
                        let path = format!("http://{node}/v1/task-executions/{}", execution_id(n));
                        let sent = client
                            .patch(path)
                            .header("Authorization", token)
                            .header("X-Request-Id", &id)
                            .header("Content-Type", "application/json")
                            .body(json!({ "name": id }).to_string())
                            .send();
                        if sent.is_ok_and(|answer| answer.status() == 200) {
                            acknowledged.push(id);
                        }
                    }
                    acknowledged
                })
            })
            .collect();
        let follower = scope.spawn(|| {
            let (mut after, mut seen, mut calls) = (start, BTreeMap::new(), 0_usize);
            loop {
                let ends = is_over.load(Ordering::Acquire);
                // Once one node is killed, the other one answers alone.
                let client = if ends { &clients[0] } else { &clients[calls % 2] };
                calls += 1;
                let path = format!("/events?after={after}&limit=20");
                let asked =
                    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| client.get(&path)));
                let Ok(answer) = asked else { continue };
                let page = answer.ok();
                for event in page["data"].as_array().unwrap() {
                    let position = event["position"].as_i64().unwrap();
                    assert!(position > after, "{event}");
                    after = position;
                    let id = event["requestId"].as_str().unwrap_or_default().to_owned();
                    *seen.entry(id).or_insert(0) += 1;
                }
                after = page["next"].as_i64().unwrap();
                if page["data"] == json!([]) && page["more"] == false {
                    if ends {
                        return seen;
                    }
                    thread::sleep(Duration::from_millis(5));
                }
            }
        });
        thread::sleep(Duration::from_millis(400));
        other.kill();
        let acknowledged: Vec<_> =
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        is_over.store(true, Ordering::Release);
        (acknowledged, follower.join().unwrap())
    });
    assert!(acknowledged.len() > usize::try_from(WRITERS).unwrap());
    for id in &acknowledged {
        assert_eq!(seen.get(id), Some(&1), "{id}");
    }
    assert!(seen.values().all(|count| *count == 1), "{seen:?}");
}

/// An event of a transaction that is still open holds back later events, so that a follower gets it
/// before them.
#[test]
fn an_open_transaction_holds_later_events_back() {
    let running = Running::on(Store::postgres().and(&company::company().and([planned(1)])));
    let start = running.admin.get("/events?limit=1000").ok()["next"].as_i64().unwrap();
    let path = format!("/task-executions/{}", execution_id(1));
    let types = |page: &serde_json::Value| {
        let data = page["data"].as_array().unwrap().iter();
        data.map(|event| event["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let get = |wait: u32| running.admin.get(&format!("/events?after={start}&wait={wait}")).ok();
    // Waits up to a minute within the database.
    let until = |condition: &str| {
        format!(
            "DO $$ BEGIN FOR i IN 1..1200 LOOP EXIT WHEN EXISTS ({condition}); \
             PERFORM pg_sleep(0.05); END LOOP; END $$"
        )
    };
    running.store.execute("CREATE TABLE ended ()");
    thread::scope(|scope| {
        let open = scope.spawn(|| {
            running.store.execute(&format!(
                "BEGIN; \
                 INSERT INTO events (id, at, type, resource_type, size, changes) \
                 VALUES ('0190a000-0000-7000-8000-0000000000ff', now(), 'dataSet.imported', 'dataSet', 2, '[]'); \
                 SELECT pg_advisory_xact_lock(7); {}; COMMIT",
                until("SELECT FROM ended")
            ));
        });
        running.store.execute(&until(
            "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND objsubid = 1 \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        ));
        let _ = running.admin.patch(&path, &json!({ "name": "Late" })).ok();
        let meanwhile = get(0);
        assert!(!open.is_finished());
        running.store.execute("INSERT INTO ended DEFAULT VALUES");
        assert_eq!(types(&meanwhile), Vec::<String>::new());
        assert_eq!(meanwhile["next"], start);
        open.join().unwrap();
        assert_eq!(types(&get(30)), ["dataSet.imported", "taskExecution.updated"]);
    });
}
