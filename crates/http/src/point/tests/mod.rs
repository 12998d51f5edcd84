//! Points over HTTP: reading bodies, writing records, responses.

mod answers;
mod bodies;
mod changes;
mod history;
pub(crate) mod store;

use serde_json::{Value, json};

use crate::tests::{TestAnswer, request, with_member};
use store::Store;

const GATE: &str = "0190a000-0000-7000-8000-000000000c01";
const CELLAR: &str = "0190a000-0000-7000-8000-000000000c02";
const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000fff";
const HARBOUR: &str = "0190a000-0000-7000-8000-000000000001";
const PLAN: &str = "0190a000-0000-7000-8000-000000000701";

/// Sends `METHOD path`; the path follows `/v1/locations/points`.
async fn send(store: &Store, what: &str, body: Value) -> TestAnswer {
    let (method, path) = what.split_once(' ').unwrap();
    let what = format!("{method} /locations/points{path}");
    store.server().send(request(&what, body.to_string())).await
}

/// The smallest body for POST and PUT.
fn least() -> Value {
    json!({"locationId": HARBOUR, "name": "New", "type": "VIRTUAL"})
}

fn text(answer: TestAnswer) -> String {
    String::from_utf8(answer.body).unwrap()
}
