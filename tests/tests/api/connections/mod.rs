//! Connections: how they end, and what a client cannot do with them.

mod bodies;
mod closing;
mod drain;
mod interim;
mod leaving;
mod limit;
mod old_clients;
mod refused;
mod slow;

use patrol_tests::{
    Running, Store, Template, Wire, company, company::ADMIN, execution_id, planned, with,
};
use serde_json::json;

const LIST: &str = "/v1/task-executions/info";

/// Enough executions that no buffer between server and client can hold the whole list.
const MANY: u32 = 6_000;

/// A store with a long list.
fn many() -> Store {
    static MANY_ROUNDS: Template = Template::new(|| {
        let name = "обход ".repeat(40);
        let executions = (1..=MANY).map(|n| with(planned(n), json!({ "name": name })));
        company::company().and(executions)
    });
    Store::copy_of(&MANY_ROUNDS)
}

/// The head of an administrator's request, without the empty line at its end.
fn head(running: &Running, line: &str) -> String {
    let token = running.store.token(ADMIN);
    format!("{line}\r\nHost: x\r\nAuthorization: {token}\r\nContent-Type: application/json\r\n")
}

/// A complete request that renames execution 1.
fn rename(running: &Running, name: &str) -> String {
    let body = json!({ "name": name }).to_string();
    let head = head(running, &format!("PATCH /v1/task-executions/{} HTTP/1.1", execution_id(1)));
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// Requests the long list, reads the head and leaves the body unread.
fn list(running: &Running, version: &str) -> Wire {
    let mut wire = Wire::connect(running.server.address());
    wire.send(format!("{}\r\n", head(running, &format!("GET {LIST} {version}"))));
    assert_eq!(wire.read_status(), 200);
    wire
}

/// The value of a metric with these labels; 0 if there is none.
fn metric(running: &Running, name: &str, labels: &[&str]) -> f64 {
    running.metric(name, labels).unwrap_or(0.0)
}
