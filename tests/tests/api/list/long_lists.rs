//! How many long lists one user reads at once.

use std::time::{Duration, Instant};

use patrol_tests::{
    DataSet, Running, Server, Wire,
    company::{ADMIN, MANAGER},
};

use super::{LIST, MANY, many, plain};

/// Lists may stall for as long as the test needs.
const PATIENT: [(&str, &str); 2] =
    [("PATROL_REQUEST_TIMEOUT", "10m"), ("PATROL_DATABASE_POOL", "40")];

fn running() -> (Running, String, String) {
    let store = many();
    let (first, second) = (store.token(ADMIN), store.token(ADMIN));
    (Running::set(store, &PATIENT), first, second)
}

fn ask(server: &Server, method: &str, query: &str, token: &str) -> Wire {
    let mut wire = Wire::connect(server.address());
    wire.send(format!(
        "{method} /v1{LIST}{query} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\r\n"
    ));
    wire
}

/// Four long lists that were started and are not read further.
fn four(running: &Running, token: &str) -> Vec<Wire> {
    let mut lists: Vec<_> = (0..4).map(|_| ask(&running.server, "GET", "", token)).collect();
    for list in &mut lists {
        assert_eq!(list.read_status(), 200);
    }
    lists
}

#[test]
fn the_fifth_waits_five_seconds_and_is_refused_whatever_the_token() {
    let (running, token, other) = running();
    let held = four(&running, &token);
    for (method, query) in [("GET", ""), ("GET", "?limit=1001"), ("HEAD", "")] {
        let asked = Instant::now();
        let head = ask(&running.server, method, query, &other).read_head();
        assert!(head.starts_with("HTTP/1.1 429 "), "{method} {query}: {head}");
        assert!(head.to_lowercase().contains("\r\nretry-after: 5\r\n"), "{head}");
        let waited = asked.elapsed();
        assert!(waited >= Duration::from_secs(5), "{waited:?}");
    }
    // Pages and counts do not wait, and neither does another user.
    let _ = running.admin.get(&format!("{LIST}?limit=1000")).ok();
    let _ = running.admin.get(&format!("{LIST}?limit=0")).ok();
    let manager = running.api(MANAGER);
    assert_eq!(manager.get(&format!("{LIST}?limit=1001")).status, 200);
    drop(held);
}

#[test]
fn a_page_of_more_than_a_mebibyte_counts_as_a_long_list() {
    let tags: Vec<_> = (0..100).map(|tag| format!("{tag:03}{}", "ж".repeat(97))).collect();
    let heavy = (MANY + 1..MANY + 100).map(|number| {
        let mut record = plain(number);
        record["tags"] = tags.clone().into();
        record
    });
    let store = many().and(&DataSet::new(heavy));
    let token = store.token(ADMIN);
    let running = Running::set(store, &PATIENT);
    let page = "?tags=000xx&limit=100".replace("xx", &"ж".repeat(97));
    assert_eq!(running.admin.get(&format!("{LIST}{page}")).status, 200);
    let held = four(&running, &token);
    let asked = Instant::now();
    assert_eq!(running.admin.get(&format!("{LIST}{page}")).status, 429);
    assert!(asked.elapsed() >= Duration::from_secs(5));
    let manager = running.api(MANAGER);
    assert_eq!(manager.get(&format!("{LIST}{page}")).status, 200);
    drop(held);
}

#[test]
fn a_list_that_is_given_up_lets_the_next_one_run() {
    let (running, token, _) = running();
    let mut held = four(&running, &token);
    let mut next = ask(&running.server, "GET", "", &token);
    std::thread::sleep(Duration::from_millis(500));
    let gone = held.pop();
    drop(gone);
    assert_eq!(next.read_status(), 200);
    drop((held, next));
    // A list that was read to its end frees its place.
    for _ in 0..6 {
        let _ = running.admin.get(&format!("{LIST}?limit=1001")).ok();
    }
}

#[test]
fn a_request_that_goes_away_while_it_waits_gives_up_its_place() {
    let (running, token, _) = running();
    let mut held = four(&running, &token);
    let waiting: Vec<_> = (0..20).map(|_| ask(&running.server, "GET", "", &token)).collect();
    std::thread::sleep(Duration::from_millis(500));
    drop(waiting);
    std::thread::sleep(Duration::from_millis(1_500));
    held.pop();
    let mut next = ask(&running.server, "GET", "", &token);
    assert_eq!(next.read_status(), 200);
}
