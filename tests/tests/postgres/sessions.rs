//! Nothing stays open in the database for a client that has disconnected.

use std::{thread, time::Duration};

use patrol_test_servers::postgres::query;
use patrol_tests::{
    Running, Server, Store, Wire,
    company::{self, ADMIN},
    execution_id, planned, with,
};
use serde_json::json;

/// Enough that no buffer between server and client can hold the whole list.
const MANY: u32 = 20_000;

/// How long a transaction may outlive its client.
const SOON: Duration = Duration::from_secs(20);

fn many() -> Store {
    let plain = |n| with(planned(n), json!({ "steps": [], "id": execution_id(n) }));
    Store::postgres().and(&company::company().and((1..=MANY).map(plain)))
}

/// Requests the whole list on its own connection, and reads the head of the response.
fn ask(server: &Server, token: &str) -> Wire {
    let mut wire = Wire::connect(server.address());
    wire.send(format!(
        "GET /v1/task-executions/info HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\r\n"
    ));
    assert_eq!(wire.read_status(), 200);
    wire
}

/// The number of sessions with an open transaction or query.
fn open(store: &Store) -> usize {
    let open = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() \
                AND pid <> pg_backend_pid() AND xact_start IS NOT NULL \
                AND backend_type = 'client backend'";
    query(&store.url(), open).len()
}

/// Waits until only the list is open. A job of the server may have a transaction for a moment.
fn one_list_is_read(store: &Store) {
    patrol_tests::within(SOON, "one list is read", || open(store) == 1);
}

fn closed_soon(store: &Store) {
    patrol_tests::within(SOON, "nothing is open", || open(store) == 0);
}

#[test]
fn clients_that_go_away_leave_nothing_open() {
    let store = many();
    let token = store.token(ADMIN);
    let running = Running::set(store, &[("PATROL_REQUEST_TIMEOUT", "10m")]);
    let clients: Vec<_> = (0..4).map(|_| ask(&running.server, &token)).collect();
    patrol_tests::within(SOON, "four lists are read", || open(&running.store) == 4);
    thread::sleep(Duration::from_secs(2));
    patrol_tests::within(SOON, "a list that is being read is one transaction", || {
        open(&running.store) == 4
    });
    drop(clients);
    closed_soon(&running.store);
    let list = running.admin.get("/task-executions/info").ok();
    assert_eq!(list["meta"]["count"], MANY);
    closed_soon(&running.store);
}

#[test]
fn a_client_that_stalls_is_given_up() {
    let store = many();
    let token = store.token(ADMIN);
    let running = Running::set(store, &[("PATROL_REQUEST_TIMEOUT", "3s")]);
    let stalled = ask(&running.server, &token);
    one_list_is_read(&running.store);
    thread::sleep(Duration::from_secs(3));
    closed_soon(&running.store);
    drop(stalled);
}

#[test]
fn a_node_that_ends_leaves_nothing_open() {
    let store = many();
    let token = store.token(ADMIN);
    let running = Running::on(store);
    let _reading = ask(&running.server, &token);
    one_list_is_read(&running.store);
    let Running { server, store, admin: _ } = running;
    server.kill();
    closed_soon(&store);
}
