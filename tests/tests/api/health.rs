//! Health, and how a server stops.

use std::{thread, time::Duration};

use patrol_tests::{
    Running, Server, Store, Wire,
    company::{self, ADMIN},
    execution_id, planned,
};

#[test]
fn a_server_says_that_it_lives_and_is_ready() {
    let running = Running::with([]);
    let anybody = running.server.api();
    for path in ["/health/live", "/health/ready"] {
        assert_eq!(anybody.outside(path).status, 200, "{path}");
        assert_eq!(anybody.open("HEAD", path, None).status(), 200, "{path}");
        let other = anybody.open("POST", path, None);
        assert_eq!(other.status(), 405, "{path}");
    }
}

/// A request whose body is incomplete.
fn half_sent(running: &Running) -> Wire {
    let token = running.store.token(ADMIN);
    let mut wire = Wire::connect(running.server.address());
    wire.send(format!(
        "PATCH /v1/task-executions/{} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
         Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{{\"name\":",
        execution_id(1)
    ));
    // The server has read the head once it has answered another request.
    let _ = running.admin.get("/tokens").ok();
    wire
}

#[test]
fn what_is_in_flight_is_finished_before_the_end() {
    let mut running = Running::with([planned(1)]);
    let mut wire = half_sent(&running);
    running.server.terminate();
    thread::sleep(Duration::from_millis(300));
    wire.send("\"last\"}");
    assert_eq!(wire.read_status(), 200);
    assert_eq!(running.server.wait().code(), Some(0));
    let again = Server::start(&running.store);
    let api = again.api().with_token(&running.store.token(ADMIN));
    let record = api.get(&format!("/task-executions/{}", execution_id(1))).ok();
    assert_eq!(record["name"], "last");
}

#[test]
fn a_server_that_ends_is_not_ready() {
    let store = Store::with(&company::company().and([planned(1)]));
    let mut running = Running::set(store, &[("PATROL_DRAIN", "8s")]);
    let mut ready = Wire::connect(running.server.address());
    ready.send("GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(ready.read_status(), 200);
    let mut wire = half_sent(&running);
    running.server.terminate();
    thread::sleep(Duration::from_secs(2));
    ready.send("GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(ready.read_status(), 503);
    let mut another = Wire::connect(running.server.address());
    another.send("GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(another.read_status(), 503);
    wire.send("\"last\"}");
    assert_eq!(wire.read_status(), 200);
    assert_eq!(running.server.wait().code(), Some(0));
}

#[test]
fn an_idle_server_ends_at_once() {
    let store = Store::empty();
    let mut server = Server::start(&store);
    let idle = Wire::connect(server.address());
    let started = std::time::Instant::now();
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(30));
    drop(idle);
}
