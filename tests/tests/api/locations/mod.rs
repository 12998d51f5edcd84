//! Locations: the list, and one location.

mod answer;
mod filters;
mod paging;
mod records;
mod refusals;

use patrol_tests::{
    Answer, Running, Store,
    company::{EMPLOYEE, location, people, plan},
    escaped, with,
};
use serde_json::{Value, json};

const LIST: &str = "/locations";

/// The id of location `n`.
fn location_id(n: u32) -> String {
    format!("0190a000-0002-7000-8000-{n:012x}")
}

/// The id of plan `plan` of location `n`.
fn plan_id(n: u32, plan: u32) -> String {
    format!("0190a000-0009-7000-8{plan:03x}-{n:012x}")
}

/// The list with these parameters, in this order.
fn list(running: &Running, parameters: &[(&str, &str)]) -> Answer {
    let query: Vec<_> =
        parameters.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    running.admin.get(&format!("{LIST}?{}", query.join("&")))
}

/// The numbers of the locations in a response, in its order.
fn numbers(answer: &Answer) -> Vec<u32> {
    let body = answer.ok();
    let items = body["data"].as_array().expect("data is an array");
    items
        .iter()
        .map(|item| {
            let id = item["id"].as_str().expect("an id");
            u32::from_str_radix(&id[24..], 16).expect("an id of the tests' own")
        })
        .collect()
}

/// Six locations that differ in everything that can be filtered and sorted by; 1 has two plans, 4
/// has one.
fn places() -> Vec<Value> {
    let place = |n: u32, name: &str, address: &str, position: Value, tags: Value| {
        let position = json!({
            "latitude": position[0], "longitude": position[1], "address": address, "tags": tags,
        });
        with(location(&location_id(n), name), position)
    };
    vec![
        place(1, "Порт, склад 3", "1 Quay Rd", json!([59.93, 30.25]), json!(["port", "fire"])),
        place(2, "airport", "", json!([-33.9, 151.2]), json!([])),
        place(3, "Yard 50%", "Двор, 7", json!([null, null]), json!(["Fire"])),
        place(4, "порт 2", "2 QUAY RD", json!([0, -180]), json!(["port"])),
        place(5, "a_b", "x:y", json!([90, 180]), json!(["день"])),
        place(6, "Ёлка", "back\\slash", json!([null, null]), json!(["a%b"])),
        plan(&plan_id(1, 2), &location_id(1)),
        plan(&plan_id(4, 1), &location_id(4)),
        plan(&plan_id(1, 1), &location_id(1)),
    ]
}

/// A server with the six locations.
fn running() -> Running {
    Running::on(Store::with(&people().and(places())))
}

#[test]
fn everybody_may_read_it() {
    let running = running();
    let answer = running.api(EMPLOYEE).get(LIST);
    assert_eq!(numbers(&answer), [1, 2, 3, 4, 5, 6]);
    let _ = running.server.api().get(LIST).refused(401, "unauthorized");
}
