//! Errors (interface 7, decisions 1 and 2).

mod bodies;
mod content;
mod languages;
mod order;
mod request_ids;
mod routes;

use patrol_tests::{Running, execution_id, planned};

/// The operations that take a body, on the execution 1.
fn operations() -> [(&'static str, String); 4] {
    let path = format!("/task-executions/{}", execution_id(1));
    [
        ("PUT", path.clone()),
        ("PATCH", path.clone()),
        ("PUT", format!("{path}/series")),
        ("POST", format!("{path}/copy")),
    ]
}

/// A server with one execution.
fn running() -> Running {
    Running::with([planned(1)])
}

/// Checks that the execution is still as it was, and the only one.
fn check_untouched(running: &Running) {
    assert_eq!(running.read(1)["edited"], false);
    let count = running.admin.get("/task-executions/info?limit=0").ok()["meta"]["count"].clone();
    assert_eq!(count, 1);
}
