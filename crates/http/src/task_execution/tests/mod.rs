//! Executions over HTTP: what is read, what is written, what is answered.

mod answers;
mod bodies;
mod changes;
mod conditions;
pub(crate) mod fixture;
mod records;
pub(crate) mod store;

use actix_web::{http::header::ContentType, test::TestRequest};
use serde_json::{Value, json};

use crate::testing::{Told, as_admin};
use fixture::{completed, pending};
use store::Store;

const COMPLETED: &str = "0190a000-0000-7000-8000-000000000e01";
const PENDING: &str = "0190a000-0000-7000-8000-000000000e02";
const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000fff";
const NOBODY_ID: &str = "0190a000-0000-7000-8000-000000000999";

fn store() -> Store {
    Store::of(vec![completed(), pending()])
}

/// Asks `METHOD path`, where the path is what follows `/v1/task-executions`.
async fn ask(store: &Store, what: &str, body: Value) -> Told {
    store.site().ask(request(what, body.to_string())).await
}

fn request(what: &str, body: String) -> TestRequest {
    let (method, path) = what.split_once(' ').unwrap();
    let request = match method {
        "PUT" => TestRequest::put(),
        "PATCH" => TestRequest::patch(),
        "POST" => TestRequest::post(),
        "DELETE" => TestRequest::delete(),
        _ => TestRequest::get(),
    };
    let request = as_admin(request.uri(&format!("/v1/task-executions{path}")));
    request.insert_header(ContentType::json()).set_payload(body)
}

/// The bodies that PUT and a series update need at least.
fn content() -> Value {
    json!({"seriesId": "0190a000-0000-7000-8000-000000000d01",
        "locationId": "0190a000-0000-7000-8000-000000000001", "name": "New",
        "startAt": "2026-02-01T00:00:00Z", "endAt": "2026-02-01T01:00:00Z", "steps": []})
}

fn with(mut body: Value, member: &str, value: Value) -> Value {
    body[member] = value;
    body
}

fn code(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

fn detail(code: &str, identifier: &str, args: &str) -> (String, String, String) {
    (code.to_owned(), identifier.to_owned(), args.to_owned())
}
