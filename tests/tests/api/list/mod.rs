//! GET /task-executions/info.

mod answer;
mod bounds;
mod dates;
mod filters;
mod late;
mod long_lists;
mod memory;
mod paging;
mod refusals;
mod search;
mod sorting;
mod streaming;

use patrol_tests::{
    Answer, Running, Store, Template, action_id,
    company::{ADMIN, AIRPORT, EMPLOYEE, GUARD, TOWER, YARD, company},
    completed, escaped, execution_id, in_progress, planned, series_of, with,
};
use serde_json::{Value, json};

const LIST: &str = "/task-executions/info";

/// The list with these parameters, in this order.
fn list(running: &Running, parameters: &[(&str, &str)]) -> Answer {
    let query: Vec<_> =
        parameters.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    running.admin.get(&format!("{LIST}?{}", query.join("&")))
}

/// The numbers of the executions in a response, in its order.
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

/// Six rounds that differ in everything that can be filtered and sorted by.
///
/// | n | state, status        | users                 | where             | tags          |
/// |---|----------------------|-----------------------|-------------------|---------------|
/// | 1 | PENDING              | GUARD                 | PORT: GATE, PIER  | fire          |
/// | 2 | IN_PROGRESS, ERROR   | performed by GUARD    | PORT: GATE, PIER  | night, fire   |
/// | 3 | COMPLETED, SUCCESS   | EMPLOYEE, by GUARD    | AIRPORT: TOWER    |               |
/// | 4 | COMPLETED, WARNING   | ADMIN, by EMPLOYEE    | PORT: GATE, PIER  | day_1         |
/// | 5 | PENDING              |                       | YARD              | Fire, a%b     |
/// | 6 | PENDING              | GUARD, EMPLOYEE       | AIRPORT: PIER     | пожар         |
///
/// They start at 8:00 on the first to the sixth of January and last two hours, except the sixth,
/// which starts with the fifth and lasts ten days.
fn rounds() -> [Value; 6] {
    let on = |n: u32, last: u32| {
        json!({
            "startAt": format!("2026-01-{n:02}T08:00:00.000Z"),
            "endAt": format!("2026-01-{last:02}T10:00:00.000Z"),
        })
    };
    let mut tower = completed(3);
    tower["steps"].as_array_mut().unwrap().truncate(1);
    tower["steps"][0]["pointId"] = json!(TOWER);
    let mut warning = completed(4);
    warning["steps"][0]["actions"][1]["numberValue"] = json!(99);
    warning["steps"][1]["actions"][0]["id"] = json!(action_id(4, 9));
    let mut pier = planned(6);
    pier["steps"].as_array_mut().unwrap().remove(0);
    [
        with(
            with(planned(1), on(1, 1)),
            json!({
                "name": "Alpha", "priority": "MINOR", "tags": ["fire"], "assigneeIds": [GUARD],
                "description": "Nothing",
            }),
        ),
        with(
            with(in_progress(2), on(2, 2)),
            json!({
                "name": "beta", "priority": "NORMAL", "tags": ["night", "fire"],
                "assigneeIds": [], "seriesId": series_of(7), "description": "50_50",
            }),
        ),
        with(
            with(tower, on(3, 3)),
            json!({
                "name": "Бета", "priority": "MAJOR", "tags": [], "assigneeIds": [EMPLOYEE],
                "locationId": AIRPORT, "published": false, "deadlined": false,
                "startedAt": "2026-01-03T09:00:00.000Z", "endedAt": "2026-01-03T09:00:05.000Z",
            }),
        ),
        with(
            with(warning, on(4, 4)),
            json!({
                "name": "бЕТА 50%", "priority": "CRITICAL", "tags": ["day_1"],
                "assigneeIds": [ADMIN], "performerId": EMPLOYEE, "description": null,
                "startedAt": "2026-01-04T09:00:00.000Z", "endedAt": "2026-01-04T09:00:01.000Z",
            }),
        ),
        with(
            with(planned(5), on(5, 5)),
            json!({
                "name": "ёлка_x, y", "tags": ["Fire", "a%b"], "assigneeIds": [], "steps": [],
                "locationId": YARD, "published": false, "description": "Тёплый СКЛАД",
            }),
        ),
        with(
            with(pier, on(5, 15)),
            json!({
                "name": "in: \\ 'q' \"d\" x:y", "tags": ["пожар"], "locationId": AIRPORT,
                "seriesId": series_of(3), "priority": "NORMAL",
            }),
        ),
    ]
}

/// A server with the six rounds.
fn running() -> Running {
    Running::with(rounds())
}

/// A round without steps, for long lists.
fn plain(n: u32) -> Value {
    with(planned(n), json!({ "steps": [], "id": execution_id(n) }))
}

/// Enough that no buffer between server and client can hold the whole list.
const MANY: u32 = 20_000;

/// A store with a long list.
fn many() -> Store {
    static MANY_ROUNDS: Template = Template::new(|| company().and((1..=MANY).map(plain)));
    Store::copy_of(&MANY_ROUNDS)
}
