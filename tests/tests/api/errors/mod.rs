//! Errors.

mod bodies;
mod content;
mod ignored;
mod languages;
mod order;
mod request_ids;
mod routes;

use patrol_tests::{
    Answer, Running,
    company::{GATE, GUARD, LOCKED, PORT},
    execution_id, planned,
};

/// The operations on execution 1 that need a body.
fn operations() -> [(&'static str, String); 4] {
    let path = format!("/task-executions/{}", execution_id(1));
    [
        ("PUT", path.clone()),
        ("PATCH", path.clone()),
        ("PUT", format!("{path}/series")),
        ("POST", format!("{path}/copy")),
    ]
}

/// An operation with a JSON body.
struct Operation {
    method: &'static str,
    path: String,
    /// The response to a Content-Type that is not JSON.
    other_media: (u16, &'static str),
    /// The response to malformed JSON.
    malformed: (u16, &'static str),
    /// The JSON type of the body.
    body: &'static str,
    /// The most bytes of the body.
    limit: usize,
}

impl Operation {
    /// Sends a body with the Content-Type of JSON.
    fn send(&self, running: &Running, body: impl AsRef<[u8]>) -> Answer {
        running.admin.text(self.method, &self.path, body)
    }
}

/// All operations with a JSON body, on execution 1 or on records of the company.
fn all_operations() -> Vec<Operation> {
    const INVALID: (u16, &str) = (400, "input.data.invalid");
    const UNACCEPTABLE: (u16, &str) = (406, "not.acceptable");
    const LIMIT: usize = 2 * 1024 * 1024;
    let others = [
        ("PATCH", format!("/users/{GUARD}")),
        ("POST", "/users".to_owned()),
        ("POST", "/users/batch".to_owned()),
        ("POST", "/locations".to_owned()),
        ("PUT", format!("/locations/{PORT}")),
        ("POST", "/locations/points".to_owned()),
        ("PUT", format!("/locations/points/{GATE}")),
        ("PUT", format!("/check-lists/actions/{LOCKED}")),
        ("POST", format!("/task-executions/{}/reports", execution_id(1))),
    ];
    let all = operations().into_iter().chain(others);
    all.map(|(method, path)| {
        let is = |part: &str| path.contains(part);
        let is_array = is("/batch") || is("/reports");
        Operation {
            method,
            other_media: if is("/copy") { INVALID } else { UNACCEPTABLE },
            malformed: if is("/check-lists") { UNACCEPTABLE } else { INVALID },
            body: if is_array { "ARRAY" } else { "OBJECT" },
            limit: if is_array { 4 * LIMIT } else { LIMIT },
            path,
        }
    })
    .collect()
}

/// A server with one execution.
fn running() -> Running {
    Running::with([planned(1)])
}

/// Checks that the execution is unchanged, and the only one.
fn check_untouched(running: &Running) {
    assert_eq!(running.read(1)["edited"], false);
    let count = running.admin.get("/task-executions/info?limit=0").ok()["meta"]["count"].clone();
    assert_eq!(count, 1);
}
