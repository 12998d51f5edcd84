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

use patrol_tests::{Running, Store, Wire, company, company::ADMIN, execution_id, planned, with};
use serde_json::json;

const LIST: &str = "/v1/task-executions/info";

/// Executions of a list that no buffer between server and client holds as a whole.
const MANY: u32 = 6_000;

/// A store with a long list.
fn many() -> Store {
    let name = "обход ".repeat(40);
    let executions = (1..=MANY).map(|n| with(planned(n), json!({ "name": name })));
    Store::with(&company::company().and(executions))
}

/// The head of a request by an administrator, without the empty line at its end.
fn head(running: &Running, line: &str) -> String {
    let token = running.store.token(ADMIN);
    format!("{line}\r\nHost: x\r\nAuthorization: {token}\r\nContent-Type: application/json\r\n")
}

/// A whole request that gives the execution 1 a name.
fn rename(running: &Running, name: &str) -> String {
    let body = json!({ "name": name }).to_string();
    let head = head(running, &format!("PATCH /v1/task-executions/{} HTTP/1.1", execution_id(1)));
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// Asks for the long list and leaves the answer in the pipe; its head is read.
fn list(running: &Running, version: &str) -> Wire {
    let mut wire = Wire::connect(running.server.address());
    wire.send(format!("{}\r\n", head(running, &format!("GET {LIST} {version}"))));
    assert_eq!(wire.read_status(), 200);
    wire
}

/// The value of a metric, 0 if there is none with these labels.
fn metric(running: &Running, name: &str, labels: &[&str]) -> f64 {
    let answer = running.server.api().outside("/metrics");
    let line = answer.text().lines().find(|line| {
        line.split(['{', ' ']).next() == Some(name)
            && labels.iter().all(|label| line.contains(label))
    });
    line.map_or(0.0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
}
