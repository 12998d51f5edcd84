//! Requests with an `Idempotency-Key`: sent again, they take effect once.

use std::{
    collections::BTreeSet,
    thread,
    time::{Duration, Instant},
};

use image::ImageFormat;
use patrol_tests::{
    Answer, Api, Form, Running, Server, Store, Wire,
    company::{
        self, ADMIN, EMPLOYEE, FORMER, GATE, GUARD, LOCKED, MANAGER, PIER, PORT, TEMPERATURE,
    },
    execution_id, planned, series_of,
};
use serde_json::{Value, json};

use patrol_tests::pictures::picture;

/// How long a request that is sent again may get 409.
const PATIENCE: Duration = Duration::from_secs(60);

fn point(name: &str) -> Value {
    json!({ "name": name, "locationId": PORT, "type": "VIRTUAL" })
}

fn keyed(api: &Api, key: &str) -> Api {
    api.with("Idempotency-Key", key)
}

fn is_replayed(answer: &Answer) -> bool {
    answer.header("Idempotency-Replayed") == Some("true")
}

/// Repeats a request until the first one with its key has ended.
fn until_ended(send: impl Fn() -> Answer) -> Answer {
    let until = Instant::now() + PATIENCE;
    loop {
        let answer = send();
        if answer.status != 409 {
            return answer;
        }
        let _ = answer.refused(409, "idempotency.key.in.use");
        assert_eq!(answer.header("Retry-After"), Some("1"));
        assert!(Instant::now() < until, "the first request does not end");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The names of the points that were created.
fn created(running: &Running) -> Vec<String> {
    let events = running.admin.get("/events?type=point.created&limit=1000").ok();
    let name = |event: &Value| {
        let changes = event["changes"].as_array().unwrap();
        let name = changes.iter().find(|change| change["member"] == "name").unwrap();
        name["after"].as_str().unwrap().to_owned()
    };
    events["data"].as_array().unwrap().iter().map(name).collect()
}

/// The status, the body and the headers that are kept.
fn kept(answer: &Answer) -> (u16, Vec<u8>, [Option<String>; 4]) {
    let names = ["Content-Type", "ETag", "Location", "Content-Language"];
    let headers = names.map(|name| answer.header(name).map(str::to_owned));
    (answer.status, answer.body.clone(), headers)
}

#[test]
fn a_request_that_is_sent_again_gets_the_same_answer_and_has_one_effect() {
    let running = Running::with([planned(1), planned(2)]);
    let api = keyed(&running.admin, "first");
    let first = api.post("/locations/points", &point("Lamp"));
    assert_eq!(first.status, 201);
    assert!(!is_replayed(&first));
    let id = first.json(201)["id"].as_str().unwrap().to_owned();
    // The answer stays the same when the record changes.
    let change = point("Renamed");
    let _ = running.admin.put(&format!("/locations/points/{id}"), &change).ok();
    // What was answered is known at once.
    let again = api.post("/locations/points", &point("Lamp"));
    assert!(is_replayed(&again));
    assert_eq!(kept(&again), kept(&first));
    assert_eq!(created(&running), ["Lamp"]);

    let path = format!("/task-executions/{}", execution_id(1));
    let api = keyed(&running.admin, "second");
    let first = api.patch(&path, &json!({ "name": "Night" }));
    for _ in 0..20 {
        let again = api.patch(&path, &json!({ "name": "Night" }));
        assert_eq!((kept(&again), is_replayed(&again)), (kept(&first), true));
        assert_eq!(again.etag(), first.etag());
    }

    let path = format!("/task-executions/{}", execution_id(2));
    let api = keyed(&running.admin, "third");
    api.delete(&path).is_bare(204);
    until_ended(|| api.delete(&path)).is_bare(204);
    let _ = running.admin.delete(&path).refused(404, "not.found");
}

#[test]
fn a_key_belongs_to_its_user_and_to_one_request() {
    let running = Running::with([]);
    let api = keyed(&running.admin, "k");
    let _ = api.post("/locations/points", &point("one")).json(201);
    let other = api.post("/locations/points", &point("two"));
    let _ = other.refused(422, "idempotency.key.reused");
    let _ = api.post("/locations/points?x=1", &point("one")).refused(422, "idempotency.key.reused");
    let _ = api.delete(&format!("/locations/points/{GATE}")).refused(422, "idempotency.key.reused");
    // Another token of the user has the same keys, another user has others.
    let same = keyed(&running.server.api().with_token(&running.store.token(ADMIN)), "k");
    let again = until_ended(|| same.post("/locations/points", &point("one")));
    assert!(is_replayed(&again));
    let manager = keyed(&running.api(MANAGER), "k");
    let _ = manager.post("/locations/points", &point("three")).json(201);
    assert_eq!(created(&running), ["one", "three"]);
    // Reads ignore the header.
    let _ = keyed(&running.admin, "a b").get(&format!("/locations/points/{GATE}")).ok();
}

#[test]
fn a_key_has_1_to_255_visible_characters() {
    let running = Running::with([]);
    let length = json!({
        "code": "validation.length.failed", "identifier": "Idempotency-Key", "args": ["1", "255"]
    });
    let characters =
        json!({ "code": "validation.characters.failed", "identifier": "Idempotency-Key" });
    for (key, detail) in [
        (String::new(), &length),
        ("x".repeat(256), &length),
        ("a b".to_owned(), &characters),
        ("ключ".to_owned(), &characters),
    ] {
        let refused = keyed(&running.admin, &key).post("/locations/points", &point("x"));
        refused.misunderstood(std::slice::from_ref(detail));
    }
    let twice = keyed(&keyed(&running.admin, "a"), "b").post("/locations/points", &point("x"));
    twice.misunderstood(&[characters]);
    // The token and the size of the body come first, the type of the body later.
    let anonymous = keyed(&running.server.api(), "a b");
    let _ = anonymous.post("/locations/points", &point("x")).refused(401, "unauthorized");
    let large = vec![b' '; 3 << 20];
    let refused = keyed(&running.admin, "a b").text("POST", "/locations/points", large);
    let _ = refused.refused(413, "payload.too.large");
    let untyped = keyed(&running.admin, "a b").send("POST", "/locations/points", Some(b"{}"));
    let _ = untyped.refused(400, "input.data.invalid");
    let longest = keyed(&running.admin, &"~".repeat(255));
    let _ = longest.post("/locations/points", &point("x")).json(201);
}

#[test]
fn refusals_are_kept_too() {
    let running = Running::with([planned(1)]);
    let guard = running.api(GUARD);
    let missing = format!("/task-executions/{}", execution_id(9));
    let there = format!("/task-executions/{}", execution_id(1));
    type Sent<'a> = (&'a str, u16, Box<dyn Fn(&Api) -> Answer + 'a>);
    let requests: Vec<Sent<'_>> = vec![
        ("404", 404, Box::new(|api| api.delete(&missing))),
        ("400", 400, Box::new(|api| api.patch(&there, &json!({ "name": 1 })))),
        ("406", 406, Box::new(|api| api.send("PATCH", &there, Some(b"{}")))),
    ];
    for (key, status, send) in requests {
        let api = keyed(&running.admin, key).with("Accept-Language", "ru");
        let first = send(&api);
        assert_eq!(first.status, status);
        let again = send(&keyed(&running.admin, key));
        assert_eq!((kept(&again), is_replayed(&again)), (kept(&first), true), "{key}");
        assert_eq!(again.header("Content-Language"), Some("ru"));
    }
    let api = keyed(&guard, "403");
    let _ = api.delete(&there).refused(403, "access.denied");
    let again = until_ended(|| api.delete(&there));
    assert!(is_replayed(&again) && again.status == 403);
}

#[test]
fn a_token_is_shown_once() {
    let running = Running::with([]);
    let api = keyed(&running.admin, "token");
    let first = api.post("/tokens", &json!({ "name": "x" })).json(201);
    assert!(first["token"].is_string());
    let again = until_ended(|| api.post("/tokens", &json!({ "name": "x" })));
    assert!(is_replayed(&again));
    let mut expected = first.clone();
    expected["token"] = Value::Null;
    assert_eq!(again.json(201), expected);
}

#[test]
fn an_expired_key_is_free_again() {
    let store = Store::with(&company::company());
    let running = Running::set(store, &[("PATROL_IDEMPOTENCY_KEEP", "1s")]);
    let api = keyed(&running.admin, "k");
    let _ = api.post("/locations/points", &point("one")).json(201);
    let until = Instant::now() + PATIENCE;
    while api.post("/locations/points", &point("two")).status != 201 {
        assert!(Instant::now() < until, "the key does not expire");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(created(&running), ["one", "two"]);
}

/// A key, the expected status, and how the request is sent.
type Sent = (&'static str, u16, Box<dyn Fn(&Api) -> Answer>);

/// A request of most operations that change something, each for another record. Tests of their features send
/// again: new executions, new and deleted users, locations, new and replaced scheduled tasks, previews, media.
fn changes(running: &Running) -> Vec<Sent> {
    type Send = Box<dyn Fn(&Api) -> Answer>;
    let json = |method: &'static str, path: String, body: Value| -> Send {
        Box::new(move |api: &Api| api.text(method, &path, body.to_string()))
    };
    let delete = |path: String| -> Send { Box::new(move |api: &Api| api.delete(&path)) };
    let execution = |n| format!("/task-executions/{}", execution_id(n));
    let content = |n, name: &str| {
        let record = running.read(n);
        json!({
            "name": name, "locationId": record["locationId"], "seriesId": record["seriesId"],
            "startAt": record["startAt"], "endAt": record["endAt"], "steps": [],
        })
    };
    let issued = running.admin.post("/tokens", &json!({ "name": "old" })).json(201);
    let token = issued["id"].as_str().unwrap().to_owned();
    let batch = json!([{ "id": GUARD, "phone": "1" }, { "id": FORMER, "phone": "2" }]);
    let photo = |user| format!("/users/{user}/photo");
    let png = picture(ImageFormat::Png);
    let _ = running.admin.upload(&photo(ADMIN), &png).ok();
    let upload = photo(EMPLOYEE);
    let copy = json!({ "taskIds": [execution_id(1), execution_id(3)] });
    let action = json!({ "name": "Closed", "type": "TEXT" });
    let list = || {
        let list = running.admin.post("/check-lists", &json!({ "name": "old" })).json(201);
        format!("/check-lists/{}", list["id"].as_str().unwrap())
    };
    let plans = format!("/locations/{PORT}/graphic-plans");
    let plan = Form::default().field("name", "new").file("image", &png);
    let old = running.admin.form(&plans, &plan).json(201);
    let new = json!({ "name": "new", "type": "TEXT" });
    let put = json!({ "name": "put", "actions": [new] });
    vec![
        ("copy", 200, json("POST", format!("{}/copy", execution(1)), copy)),
        ("put", 200, json("PUT", execution(1), content(1, "put"))),
        ("series", 200, json("PUT", format!("{}/series", execution(2)), content(2, "series"))),
        ("patch", 200, json("PATCH", execution(3), json!({ "name": "patch" }))),
        ("delete", 204, delete(execution(4))),
        ("user", 200, json("PATCH", format!("/users/{MANAGER}"), json!({ "phone": "3" }))),
        ("batch", 200, json("POST", "/users/batch".to_owned(), batch)),
        ("photo", 200, Box::new(move |api| api.upload(&upload, &png))),
        ("no photo", 204, delete(photo(ADMIN))),
        ("point", 201, json("POST", "/locations/points".to_owned(), point("new"))),
        ("put point", 200, json("PUT", format!("/locations/points/{GATE}"), point("gate"))),
        ("delete point", 204, delete(format!("/locations/points/{PIER}"))),
        ("action", 200, json("PUT", format!("/check-lists/actions/{LOCKED}"), action)),
        ("list", 201, json("POST", "/check-lists".to_owned(), json!({ "name": "new" }))),
        ("put list", 200, json("PUT", list(), put)),
        ("new action", 201, json("POST", format!("{}/actions", list()), new)),
        ("plan", 201, Box::new(move |api| api.form(&plans, &plan))),
        (
            "no plan",
            204,
            delete(format!("/locations/graphic-plans/{}", old["id"].as_str().unwrap())),
        ),
        ("no list", 204, delete(list())),
        ("no action", 204, delete(format!("/check-lists/actions/{TEMPERATURE}"))),
        ("token", 201, json("POST", "/tokens".to_owned(), json!({ "name": "new" }))),
        ("no token", 204, delete(format!("/tokens/{token}"))),
    ]
}

#[test]
fn an_answer_that_is_lost_is_made_of_the_record_as_it_is() {
    let mut series = planned(2);
    series["seriesId"] = json!(series_of(1));
    let running = Running::with([planned(1), series, planned(3), planned(4)]);
    let events = || {
        let page = running.admin.get("/events?limit=1000").ok();
        page["data"].as_array().unwrap().len()
    };
    let mut expected = Vec::new();
    let changes = changes(&running);
    for (key, status, send) in &changes {
        let key = key.replace(' ', "-");
        let first = send(&keyed(&running.admin, &key));
        assert_eq!(first.status, *status, "{key}: {}", String::from_utf8_lossy(&first.body));
        expected.push((kept(&until_ended(|| send(&keyed(&running.admin, &key)))), key, send));
    }
    let before = events();
    // As if the process had died after each commit.
    running.store.execute("UPDATE idempotency_keys SET answer = NULL");
    for (expected, key, send) in expected {
        let again = until_ended(|| send(&keyed(&running.admin, &key)));
        assert!(is_replayed(&again), "{key}");
        assert_eq!(kept(&again), expected, "{key}");
    }
    assert_eq!(events(), before);
}

/// Sends a request and closes the connection without reading the answer.
fn send_and_leave(server: &Server, token: &str, key: &str, name: &str) {
    let body = point(name).to_string();
    let mut wire = Wire::connect(server.address());
    wire.send(format!(
        "POST /v1/locations/points HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nIdempotency-Key: {key}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
}

#[test]
fn of_a_hundred_broken_connections_each_has_one_effect() {
    let running = Running::with([]);
    let token = running.store.token(ADMIN);
    for n in 0..100 {
        let name = format!("P{n}");
        send_and_leave(&running.server, &token, &name, &name);
        if n % 3 == 0 {
            thread::sleep(Duration::from_millis(n % 7));
        }
    }
    for n in 0..100 {
        let name = format!("P{n}");
        let api = keyed(&running.admin, &name);
        let answer = until_ended(|| api.post("/locations/points", &point(&name)));
        assert_eq!(answer.json(201)["name"], *name);
    }
    let names = created(&running);
    assert_eq!(names.len(), 100, "{names:?}");
    assert_eq!(names.into_iter().collect::<BTreeSet<_>>().len(), 100);
}

#[test]
fn a_kill_between_commit_and_answer_leaves_one_effect() {
    let store = Store::with(&company::company());
    let token = store.token(ADMIN);
    let mut sent = 0;
    for round in 0..4_u64 {
        let server = Server::start(&store);
        thread::scope(|scope| {
            for _ in 0..25 {
                let (server, token, name) = (&server, &token, format!("P{sent}"));
                sent += 1;
                scope.spawn(move || send_and_leave(server, token, &name, &name));
            }
        });
        thread::sleep(Duration::from_millis(4 * round));
        server.kill();
    }
    let running = Running::on(store);
    for n in 0..sent {
        let name = format!("P{n}");
        let api = keyed(&running.admin, &name);
        let answer = until_ended(|| api.post("/locations/points", &point(&name)));
        assert_eq!(answer.json(201)["name"], *name);
    }
    let names = created(&running);
    assert_eq!(names.len(), sent, "{names:?}");
    assert_eq!(names.into_iter().collect::<BTreeSet<_>>().len(), sent);
}
