//! Task executions, except their list.

mod copy;
mod delete;
mod get;
mod patch;
mod post;
mod put;
mod put_rules;
mod put_steps;
mod series;
mod statuses;

use patrol_tests::{
    company::{EMPLOYEE, GATE, GUARD, PIER, PORT, ROUND},
    execution_id,
};
use serde_json::{Value, json};

/// The path of execution `n`.
fn path(n: u32) -> String {
    format!("/task-executions/{}", execution_id(n))
}

/// Forms of ids that are not accepted, although some UUID parsers accept them.
const MALFORMED: [&str; 6] = [
    "abc",
    "1",
    "0190a00000057000800000000000000f",
    "%7B0190a000-0005-7000-8000-000000000001%7D",
    "urn:uuid:0190a000-0005-7000-8000-000000000001",
    "0190a000-0005-7000-8000-00000000000g",
];

/// The smallest body for PUT.
fn small() -> Value {
    json!({
        "name": "New round",
        "locationId": PORT,
        "startAt": "2026-02-01T10:00:00.000Z",
        "endAt": "2026-02-01T11:00:00.000Z",
        "steps": [],
    })
}

/// The members that the record of [`patrol_tests::planned`] has for the execution itself.
fn planned_record(n: u32) -> Value {
    json!({
        "id": execution_id(n),
        "scheduledTaskId": ROUND,
        "seriesId": null,
        "name": format!("Round {n}"),
        "description": "Along the fence",
        "locationId": PORT,
        "performerId": null,
        "assigneeIds": [GUARD, EMPLOYEE],
        "status": null,
        "state": "PENDING",
        "published": true,
        "startAt": "2026-01-31T08:00:00.000Z",
        "endAt": "2026-01-31T09:00:00.000Z",
        "startedAt": null,
        "endedAt": null,
        "priority": "MAJOR",
        "orderStepsRequired": true,
        "strictTimeRequired": false,
        "deadlined": true,
        "edited": false,
        "flagCount": 0,
        "late": true,
        "missed": true,
        "tags": ["night", "fire"],
        "steps": [
            planned_step(n, 1, GATE, "Gate", [
                planned_action(n, 1, "Closed", "BOOLEAN", 0, true, json!([null, null])),
                planned_action(n, 2, "Pressure", "NUMBER", 1, false, json!([1, 2.5])),
            ]),
            planned_step(n, 2, PIER, "Pier", [
                planned_action(n, 3, "Remarks", "TEXT", 0, false, json!([null, null])),
                planned_action(n, 4, "Photo", "MEDIA", 1, true, json!([null, null])),
            ]),
        ],
    })
}

fn planned_step(n: u32, step: u32, point: &str, name: &str, actions: [Value; 2]) -> Value {
    json!({
        "id": patrol_tests::step_id(n, step), "seriesId": null, "pointId": point, "name": name,
        "order": step - 1, "actualOrder": null, "status": null, "state": "PENDING",
        "startedAt": null, "endedAt": null,
        "actions": actions,
    })
}

fn planned_action(
    n: u32,
    action: u32,
    name: &str,
    kind: &str,
    order: u32,
    required: bool,
    bounds: Value,
) -> Value {
    json!({
        "id": patrol_tests::action_id(n, action), "seriesId": null, "name": name, "type": kind,
        "order": order, "required": required, "status": null, "state": "PENDING",
        "minValue": bounds[0], "maxValue": bounds[1], "numberValue": null, "booleanValue": null,
        "textValue": null, "mediaIds": null,
    })
}
