//! Lists of any length, read fast, slowly, or partly.

use std::{
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Api, Running, Server, Store, Wire,
    company::{ADMIN, EMPLOYEE, GUARD, MANAGER},
    execution_id,
};
use serde_json::{Value, json};

use super::{LIST, MANY, many};

/// Lists may stall for as long as the test needs for others; PostgreSQL allows as many at once as
/// SQLite, and more.
const PATIENT: [(&str, &str); 2] =
    [("PATROL_REQUEST_TIMEOUT", "10m"), ("PATROL_DATABASE_POOL", "40")];

/// Tokens of four users, who may read four long lists each.
fn tokens(store: &Store) -> [String; 4] {
    [ADMIN, MANAGER, EMPLOYEE, GUARD].map(|user| store.token(user))
}

/// Requests the whole list on its own connection and leaves the body unread.
fn ask(server: &Server, token: &str) -> Wire {
    let mut wire = Wire::connect(server.address());
    wire.send(format!(
        "GET /v1{LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nConnection: close\r\n\r\n"
    ));
    wire
}

fn check_whole(list: &Value) {
    let items = list["data"].as_array().expect("data");
    assert_eq!(items.len(), MANY as usize);
    for (item, n) in items.iter().zip(1..) {
        assert_eq!(item["id"], execution_id(n));
    }
    assert_eq!(list["meta"]["count"], MANY);
}

fn change(admin: &Api, n: u32, name: &str) {
    let path = format!("/task-executions/{}", execution_id(n));
    let _ = admin.patch(&path, &json!({ "name": name })).ok();
}

#[test]
fn a_long_list_is_whole() {
    let running = Running::on(many());
    check_whole(&running.admin.get(LIST).ok());
    let sorted = running.admin.get(&format!("{LIST}?sort=name,desc&state=PENDING")).ok();
    let names: Vec<_> =
        sorted["data"].as_array().unwrap().iter().map(|item| item["name"].as_str()).collect();
    assert_eq!(names.len(), MANY as usize);
    assert!(names.is_sorted_by(|a, b| a >= b));
    let page = running.admin.get(&format!("{LIST}?limit=2&offset=19990")).ok();
    assert_eq!(page["data"][0]["id"], execution_id(19_991));
    assert_eq!(page["meta"]["count"], MANY);
}

#[test]
fn a_slow_reader_gets_the_state_of_its_beginning_and_holds_nobody_up() {
    let store = many();
    let tokens = tokens(&store);
    let running = Running::set(store, &PATIENT);
    let mut slow: Vec<_> =
        tokens.iter().cycle().take(16).map(|token| ask(&running.server, token)).collect();
    for wire in slow.iter_mut().take(1) {
        assert_eq!(wire.read_status(), 200);
    }
    let started = Instant::now();
    for n in [1, MANY / 2, MANY] {
        change(&running.admin, n, "changed meanwhile");
        assert_eq!(running.read(n)["name"], "changed meanwhile");
    }
    let page = running.admin.get(&format!("{LIST}?limit=5&sort=name")).ok();
    assert_eq!(page["meta"]["count"], MANY);
    assert!(started.elapsed() < Duration::from_secs(20), "others were held up");

    let mut first = slow.remove(0);
    drop(slow);
    let body = dechunked(&first.read_to_end().expect("the answer is whole"));
    let list: Value = serde_json::from_slice(&body).expect("the answer is JSON");
    check_whole(&list);
    for n in [0, MANY as usize / 2 - 1, MANY as usize - 1] {
        assert_ne!(list["data"][n]["name"], "changed meanwhile", "rows of one snapshot");
    }
}

#[test]
fn clients_that_go_away_cost_nothing() {
    let store = many();
    let tokens = tokens(&store);
    let running = Running::set(store, &PATIENT);
    for _ in 0..2 {
        let mut gone: Vec<_> =
            tokens.iter().cycle().take(16).map(|token| ask(&running.server, token)).collect();
        assert_eq!(gone[0].read_status(), 200);
        drop(gone);
    }
    // A cancelled list frees its place: 16 others, the most at once, are identical and complete.
    let readers: Vec<_> = tokens
        .iter()
        .cycle()
        .take(16)
        .map(|token| {
            let api = running.server.api().with_token(token);
            thread::spawn(move || api.get(&format!("{LIST}?limit=2000")))
        })
        .collect();
    let lists: Vec<_> = readers.into_iter().map(|reader| reader.join().unwrap()).collect();
    assert_eq!(lists[0].ok()["data"].as_array().map(Vec::len), Some(2000));
    assert!(lists.iter().all(|list| list.body == lists[0].body));
    change(&running.admin, 1, "still writing");
}

#[test]
fn a_list_that_breaks_off_does_not_look_complete() {
    let store = many();
    let token = store.token(ADMIN);
    let mut command = store.command(&["serve"]);
    command.env("PATROL_REQUEST_TIMEOUT", "1s");
    let mut server = Server::run(command);
    let mut stalled = ask(&server, &token);
    assert_eq!(stalled.read_status(), 200);
    // The server stops, and waits no longer than the request timeout.
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    // Buffered bytes still arrive, but no proper end.
    let whole = stalled.read_to_end().is_ok_and(|body| body.ends_with(b"0\r\n\r\n"));
    assert!(!whole, "a list broke off, and looks complete");
    let again = Server::start(&store);
    check_whole(&again.api().with_token(&token).get(LIST).ok());
}

/// The most memory for a list: much less than its size, which exceeds the buffers.
#[cfg(target_os = "linux")]
const MOST: usize = 8 << 20;

#[cfg(target_os = "linux")]
#[test]
fn many_long_lists_fit_in_little_memory() {
    let store = many();
    let tokens = tokens(&store);
    let running = Running::set(store, &PATIENT);
    let whole = running.admin.get(LIST);
    check_whole(&whole.ok());
    let before = running.server.peak_memory();
    let mut slow: Vec<_> =
        tokens.iter().cycle().take(10).map(|token| ask(&running.server, token)).collect();
    for wire in &mut slow {
        assert_eq!(wire.read_status(), 200);
    }
    // All at once, because the server gives up connections that read nothing for two minutes.
    thread::scope(|scope| {
        for mut wire in slow {
            let whole = &whole.body;
            scope.spawn(move || {
                let body = dechunked(&wire.read_to_end().expect("the answer is whole"));
                assert!(body == *whole, "all of the list");
            });
        }
    });
    let (grown, size) = (running.server.peak_growth(before), whole.body.len());
    assert!(grown < 10 * MOST, "{grown} bytes more for ten lists of {size} bytes");
}

/// The body of a chunked response whose head was read.
fn dechunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = bytes.windows(2).position(|pair| pair == b"\r\n").expect("a chunk has a size");
        let size = std::str::from_utf8(&bytes[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).expect("a size is hexadecimal");
        let data = &bytes[end + 2..];
        if size == 0 {
            assert_eq!(data, b"\r\n", "nothing after the last chunk");
            return body;
        }
        body.extend(&data[..size]);
        bytes = &data[size + 2..];
    }
}
