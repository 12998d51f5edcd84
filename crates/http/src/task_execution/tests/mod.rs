//! Executions over HTTP: reading bodies, writing records, responses.

mod answers;
mod bodies;
mod changes;
mod conditions;
pub(crate) mod fixture;
mod records;
pub(crate) mod store;

use actix_web::{http::header::ContentType, test::TestRequest};
use serde_json::{Value, json};

use crate::tests::{self, TestAnswer, as_admin, code, detail, with_member};
use fixture::{completed, pending};
use store::Store;

const COMPLETED: &str = "0190a000-0000-7000-8000-000000000e01";
const PENDING: &str = "0190a000-0000-7000-8000-000000000e02";
const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000fff";
const MISSING_ID: &str = "0190a000-0000-7000-8000-000000000999";

fn store() -> Store {
    Store::of(vec![completed(), pending()])
}

/// Sends `METHOD path`; the path follows `/v1/task-executions`.
async fn send(store: &Store, what: &str, body: Value) -> TestAnswer {
    store.server().send(request(what, body.to_string())).await
}

fn request(what: &str, body: String) -> TestRequest {
    let (method, path) = what.split_once(' ').unwrap();
    tests::request(&format!("{method} /task-executions{path}"), body)
}

/// The smallest body for PUT and a series update.
fn content() -> Value {
    json!({"seriesId": "0190a000-0000-7000-8000-000000000d01",
        "locationId": "0190a000-0000-7000-8000-000000000001", "name": "New",
        "startAt": "2026-02-01T00:00:00Z", "endAt": "2026-02-01T01:00:00Z", "steps": []})
}
