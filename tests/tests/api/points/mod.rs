//! Points and their history.

mod at_once;
mod crud;
mod graphic_plans;
mod history;
mod history_filters;
mod label;
mod list;
mod rules;

use patrol_tests::{
    Running,
    company::{GATE, PLAN, PORT},
};
use serde_json::{Value, json};

const POINTS: &str = "/locations/points";
const HISTORY: &str = "/locations/points/history";

/// The path of a point.
fn path(id: &str) -> String {
    format!("{POINTS}/{id}")
}

/// The smallest body for POST and PUT.
fn small() -> Value {
    json!({ "locationId": PORT, "name": "New gate", "type": "QR" })
}

/// A body with all members.
fn whole() -> Value {
    json!({
        "locationId": PORT, "name": "Ворота 😀", "type": "RFID", "latitude": 59.9386,
        "longitude": -30, "graphicPlans": [{ "id": PLAN, "x": 0.25, "y": 1 }],
        "rfidCode": "04A2", "qrCode": "Ж-1", "tags": ["north", "день"],
    })
}

/// The members of a point without a value in the body.
fn defaults() -> Value {
    json!({
        "latitude": null, "longitude": null, "graphicPlans": [], "rfidCode": null, "qrCode": null,
        "tags": [],
    })
}

/// The complete record of [`GATE`].
fn gate() -> Value {
    let gate = json!({ "id": GATE, "locationId": PORT, "name": "Gate", "type": "VIRTUAL" });
    patrol_tests::with(defaults(), gate)
}

/// Creates a point and returns its id.
fn create(running: &Running, body: &Value) -> String {
    let created = running.admin.post(POINTS, body).json(201);
    created["id"].as_str().expect("an id").to_owned()
}

/// The history of a point, oldest first.
fn history_of(running: &Running, id: &str) -> Vec<Value> {
    let list = running.admin.get(&format!("{HISTORY}?id={id}&sort=historyId")).ok();
    list["data"].as_array().expect("data").clone()
}

/// The operations on a point, oldest first.
fn operations_on(running: &Running, id: &str) -> Vec<String> {
    let records = history_of(running, id);
    records.iter().map(|record| record["operation"].as_str().unwrap().to_owned()).collect()
}
