//! The log of changes.

use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Api, DataSet, Running, Server, Store,
    company::{self, ADMIN, EMPLOYEE, GATE, GUARD, MANAGER},
    detail, execution_id, planned,
    round::eventually,
    within,
};
use serde_json::{Value, json};

/// All events after `position`, page by page.
fn after(api: &Api, mut position: i64) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        let page = api.get(&format!("/events?after={position}&limit=1000")).ok();
        events.extend(page["data"].as_array().expect("data").iter().cloned());
        let next = page["next"].as_i64().expect("a position");
        assert!(next >= position, "{page}");
        position = next;
        if page["more"] == false {
            return events;
        }
    }
}

fn newest(api: &Api) -> i64 {
    let last = after(api, 0).last().map(|event| event["position"].as_i64().expect("a position"));
    last.unwrap_or(0)
}

fn path(n: u32) -> String {
    format!("/task-executions/{}", execution_id(n))
}

#[test]
fn a_change_shows_who_made_it_in_which_request_and_what_changed() {
    let running = Running::with([planned(1)]);
    let last = newest(&running.admin);
    let issued = running.admin.post("/tokens", &json!({ "name": "planner" })).json(201);
    let api = running.server.api().with_token(issued["token"].as_str().unwrap());
    let old = running.read(1)["name"].clone();
    let _ = api.with("X-Request-Id", "shift-7").patch(&path(1), &json!({ "name": "Late" })).ok();
    let events = after(&running.admin, last);
    let [token, change] = events.as_slice() else { panic!("{events:#?}") };
    assert_eq!((&token["type"], &token["resourceId"]), (&json!("token.created"), &issued["id"]));
    assert_eq!(token["actorId"], ADMIN);
    assert!(!token.to_string().contains(&issued["token"].as_str().unwrap()[4..]));
    let at = change["at"].as_str().unwrap();
    assert!(at.ends_with('Z') && at.len() == 24, "{at}");
    assert_eq!(change["id"].as_str().unwrap().len(), 36);
    for (member, expected) in [
        ("type", json!("taskExecution.updated")),
        ("resourceType", json!("taskExecution")),
        ("resourceId", json!(execution_id(1))),
        ("actorId", json!(ADMIN)),
        ("tokenId", issued["id"].clone()),
        ("requestId", json!("shift-7")),
    ] {
        assert_eq!(change[member], expected, "{change}");
    }
    let changes = change["changes"].as_array().unwrap();
    let name = json!({ "member": "name", "before": old, "after": "Late" });
    assert!(changes.contains(&name), "{change}");
    let members: Vec<_> = change.as_object().unwrap().keys().collect();
    assert_eq!(members.len(), 10, "{members:?}");
}

#[test]
fn every_operation_that_changes_something_is_in_the_log() {
    let running = Running::with([planned(1), planned(2)]);
    let last = newest(&running.admin);
    let api = &running.admin;
    let of = |n| execution_id(n);
    let copy = json!({ "taskIds": [of(1), of(2)], "published": true });
    let _ = api.post(&format!("{}/copy", path(1)), &copy).ok();
    api.delete(&path(2)).is_bare(204);
    let _ = api.patch(&format!("/users/{GUARD}"), &json!({ "employeePin": "pin-7319" })).ok();
    let batch = json!([{ "id": GUARD, "phone": "1" }, { "id": EMPLOYEE, "phone": "2" }]);
    let _ = api.post("/users/batch", &batch).ok();
    let _ = api.patch(&format!("/users/{GUARD}"), &json!({ "phone": "1" })).ok();
    let point = json!({ "locationId": company::PORT, "name": "Gate 9", "type": "QR" });
    let point = api.post("/locations/points", &point).json(201);
    api.delete(&format!("/locations/points/{}", point["id"].as_str().unwrap())).is_bare(204);
    let events = after(api, last);
    assert!(!json!(events).to_string().contains("pin-7319"), "a PIN is in the log");
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for event in &events {
        *counts.entry(event["type"].as_str().unwrap()).or_default() += 1;
    }
    for (kind, count) in [
        ("taskExecution.created", 2),
        ("taskExecution.deleted", 1),
        ("user.updated", 3),
        ("point.created", 1),
        ("point.deleted", 1),
    ] {
        assert_eq!(counts.get(kind).copied().unwrap_or_default(), count, "{kind} {counts:?}");
    }
}

#[test]
fn an_import_and_a_token_of_the_command_line_have_no_actor() {
    let running = Running::with([]);
    let last = newest(&running.admin);
    let _ = running.store.import(&DataSet::new([planned(7), planned(8)])).exited(0);
    drop(running.store.token(GUARD));
    let events = after(&running.admin, last);
    let kinds: Vec<_> = events.iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["dataSet.imported", "token.created"]);
    let none = json!([null, null, null]);
    for event in &events {
        assert_eq!(json!([event["actorId"], event["tokenId"], event["requestId"]]), none);
    }
    let imported = json!([{ "member": "taskExecution", "before": null, "after": 2 }]);
    assert_eq!(events[0]["changes"], imported);
    assert_eq!(events[0]["resourceId"], Value::Null);
}

#[test]
fn the_log_is_for_administrators_and_managers_and_that_of_a_record_for_all() {
    let running = Running::with([planned(1)]);
    let _ = running.admin.patch(&path(1), &json!({ "name": "Late" })).ok();
    let _ = running.api(MANAGER).get("/events").ok();
    let employee = running.api(EMPLOYEE);
    let _ = employee.get("/events").refused(403, "access.denied");
    let of_record = employee.get(&format!("{}/events", path(1))).ok();
    assert_eq!(of_record["data"].as_array().unwrap().len(), 1);
    assert_eq!(of_record["more"], false);
    let of_point = employee.get(&format!("/locations/points/{GATE}/events")).ok();
    assert_eq!(of_point["data"], json!([]));
}

#[test]
fn a_deleted_record_keeps_its_events() {
    let running = Running::with([planned(1)]);
    running.admin.delete(&path(1)).is_bare(204);
    let events = running.admin.get(&format!("{}/events", path(1))).ok();
    assert_eq!(events["data"][0]["type"], "taskExecution.deleted");
    for unknown in [path(99), format!("/locations/points/{}", execution_id(1))] {
        let _ = running.admin.get(&format!("{unknown}/events")).refused(404, "not.found");
    }
    let _ = running.admin.get("/task-executions/x/events").refused(400, "input.data.invalid");
    let _ = running.admin.post("/events", &json!({})).refused(405, "method.not.allowed");
}

#[test]
fn parameters_are_checked() {
    let running = Running::with([]);
    let get = |query: &str| running.admin.get(&format!("/events?{query}"));
    let range = |name, min, max| detail("validation.range.failed", name, &[min, max]);
    get("limit=0&wait=31&after=-1").misunderstood(&[
        range("limit", "1", "1000"),
        range("wait", "0", "30"),
        range("after", "0", "9223372036854775807"),
    ]);
    get("limit=1001").misunderstood(&[range("limit", "1", "1000")]);
    get("after=x").misunderstood(&[detail("data.type.invalid", "after", &["INTEGER"])]);
    get("actorId=x").misunderstood(&[detail("data.type.invalid", "actorId", &["UUID"])]);
    get("at=x").misunderstood(&[detail("data.type.invalid", "at", &["TIMESTAMP"])]);
    for (name, value) in [("type", "user.burned"), ("resourceType", "planet")] {
        let refusal = get(&format!("{name}={value}")).refused(400, "input.data.invalid");
        let detail = &refusal.body["details"][0];
        assert_eq!(
            (&detail["code"], &detail["identifier"]),
            (&json!("validation.enum.failed"), &json!(name))
        );
    }
    let unknown = get("sort=at&offset=1");
    let _ = unknown.ok();
    assert_eq!(unknown.header("patrol-ignored"), Some("sort,offset"));
    get("after=").misunderstood(&[detail("data.type.invalid", "after", &["INTEGER"])]);
    let answer = get("type=in:user.updated,token.created&resourceType=user&at=");
    let _ = answer.ok();
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[test]
fn the_api_document_has_the_bounds_of_the_log() {
    let running = Running::with([]);
    let document = running.admin.outside("/openapi.json").ok();
    for path in ["/events", "/task-executions/{id}/events", "/locations/points/{id}/events"] {
        let parameters =
            document["paths"][path]["get"]["parameters"].as_array().expect("parameters");
        let limit = parameters.iter().find(|parameter| parameter["name"] == "limit").expect(path);
        assert_eq!(
            (&limit["schema"]["minimum"], &limit["schema"]["maximum"]),
            (&json!(1), &json!(1000))
        );
    }
}

#[test]
fn a_revoked_token_receives_no_event_that_it_waited_for() {
    let running = Running::with([planned(1)]);
    let body = json!({ "name": "x", "userId": MANAGER });
    let token = running.admin.post("/tokens", &body).json(201);
    let manager = running.server.api().with_token(token["token"].as_str().expect("a token"));
    let query = format!("/events?after={}&wait=30&type=taskExecution.updated", newest(&manager));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| manager.get(&query));
        thread::sleep(Duration::from_millis(500));
        let id = token["id"].as_str().expect("an id");
        running.admin.delete(&format!("/tokens/{id}")).is_bare(204);
        // A revocation takes effect within five seconds.
        thread::sleep(Duration::from_secs(6));
        let _ = running.admin.patch(&path(1), &json!({ "name": "Late" })).ok();
        let _ = waiting.join().unwrap().refused(401, "unauthorized");
    });
}

#[test]
fn a_waiting_request_is_answered_as_soon_as_there_is_an_event() {
    let running = Running::with([planned(1)]);
    let last = newest(&running.admin);
    let query = format!("/events?after={last}&wait=30&type=taskExecution.updated");
    thread::scope(|scope| {
        let waiting = scope.spawn(|| (running.admin.get(&query).ok(), Instant::now()));
        thread::sleep(Duration::from_millis(500));
        assert!(!waiting.is_finished());
        // What is filtered out ends no wait.
        let _ = running.admin.post("/tokens", &json!({ "name": "x" })).json(201);
        thread::sleep(Duration::from_secs(1));
        assert!(!waiting.is_finished());
        let changed = Instant::now();
        let _ = running.admin.patch(&path(1), &json!({ "name": "Late" })).ok();
        let (page, answered) = waiting.join().unwrap();
        assert_eq!(page["data"][0]["type"], "taskExecution.updated");
        assert!(answered - changed < Duration::from_secs(10), "{:?}", answered - changed);
    });
    let begun = Instant::now();
    let empty = running.admin.get(&format!("/events?after={}&wait=1", newest(&running.admin))).ok();
    assert_eq!((&empty["data"], &empty["more"]), (&json!([]), &json!(false)));
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_seventeenth_request_waits_only_a_second() {
    let running = Running::with([]);
    let query = format!("/events?after={}&wait=30", newest(&running.admin));
    thread::scope(|scope| {
        let ask = || {
            let begun = Instant::now();
            let answer = running.admin.get(&query);
            (answer, begun.elapsed())
        };
        let mut waiting: Vec<_> = (0..17).map(|_| scope.spawn(ask)).collect();
        let first =
            eventually("an answer", || waiting.iter().position(|asked| asked.is_finished()));
        let (answer, took) = waiting.swap_remove(first).join().unwrap();
        assert_eq!(answer.ok()["data"], json!([]));
        assert!((1..30).contains(&took.as_secs()), "{took:?}");
        assert!(!waiting.iter().any(|asked| asked.is_finished()), "{took:?}");
        // An event ends the wait of the others.
        let _ = running.admin.post("/tokens", &json!({ "name": "x" })).json(201);
    });
}

#[test]
fn a_server_that_stops_answers_waiting_requests() {
    let mut running = Running::with([]);
    let query = format!("/events?after={}&wait=30", newest(&running.admin));
    let admin = &running.admin;
    let begun = Instant::now();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| admin.get(&query));
        thread::sleep(Duration::from_secs(1));
        running.server.terminate();
        assert_eq!(waiting.join().unwrap().ok()["data"], json!([]));
    });
    assert!(running.server.wait().success());
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn old_events_are_deleted() {
    // An import and a new token are events, and no server has run its jobs yet.
    let store = Store::with(&company::company().and([planned(1)]));
    drop(store.token(GUARD));
    thread::sleep(Duration::from_secs(2));
    let running = Running::set(store, &[("PATROL_EVENTS_KEEP", "1s")]);
    let until = Instant::now() + Duration::from_secs(60);
    while after(&running.admin, 0).iter().any(|event| event["type"] == "dataSet.imported") {
        assert!(Instant::now() < until, "old events are still there");
        thread::sleep(Duration::from_millis(200));
    }
    running.server.log_once(|log| log.contains("deleted old events of the log of changes"));
}

/// PATCHes of 32 executions until the server is killed, each with a request id of its own. Returns
/// the ids of the acknowledged ones.
fn change_until_killed(server: Server, token: &str, run: usize) -> Vec<String> {
    let (stop, acknowledged) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let address = server.address().to_owned();
    let server = Mutex::new(Some(server));
    let client = patrol_tests::http().build().expect("a client");
    thread::scope(|scope| {
        for n in 1..=32 {
            let (stop, acknowledged, client, address) =
                (&stop, &acknowledged, client.clone(), &address);
            scope.spawn(move || {
                for change in 0.. {
                    let id = format!("{run}.{n}.{change}");
                    let sent = client
                        .patch(format!("http://{address}/v1{}", path(n)))
                        .header("Authorization", token)
                        .header("X-Request-Id", &id)
                        .header("Content-Type", "application/json")
                        .body(json!({ "name": id }).to_string())
                        .send();
                    match sent {
                        Ok(answer) if answer.status() == 200 => {
                            acknowledged.lock().unwrap().push(id)
                        }
                        Ok(answer) => panic!("{answer:?}"),
                        // The server has been killed.
                        Err(_) => return,
                    }
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
        within(Duration::from_secs(60), "changes are acknowledged", || {
            acknowledged.lock().unwrap().len() >= 64
        });
        server.lock().unwrap().take().expect("it was not killed before").kill();
        stop.store(true, Ordering::Relaxed);
    });
    acknowledged.into_inner().unwrap()
}

#[test]
fn a_kill_loses_and_repeats_no_event() {
    let store = Store::with(&company::company().and((1..=32).map(planned)));
    let token = store.token(ADMIN);
    let mut last = 0;
    for run in 0..2 {
        let acknowledged = change_until_killed(Server::start(&store), &token, run);
        assert!(!acknowledged.is_empty());
        let server = Server::start(&store);
        let api = server.api().with_token(&token);
        let events = after(&api, last);
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut names: HashMap<String, Value> = HashMap::new();
        for event in &events {
            let position = event["position"].as_i64().unwrap();
            assert!(position > last, "{event}");
            last = position;
            if event["type"] == "taskExecution.updated" {
                *seen.entry(event["requestId"].as_str().unwrap().to_owned()).or_default() += 1;
                let mut changed = event["changes"].as_array().unwrap().iter();
                let name = changed.find(|change| change["member"] == "name").unwrap();
                names.insert(
                    event["resourceId"].as_str().unwrap().to_owned(),
                    name["after"].clone(),
                );
            }
        }
        for id in &acknowledged {
            assert_eq!(seen.get(id), Some(&1), "{id}");
        }
        assert!(seen.values().all(|count| *count == 1));
        // The last event of each record has the name that the record has.
        for (record, name) in names {
            assert_eq!(api.get(&format!("/task-executions/{record}")).ok()["name"], name);
        }
        server.kill();
    }
}
