//! Task executions in the form of the data set.

use serde_json::{Value, json};

use crate::{
    company::{EMPLOYEE, GATE, GUARD, PIER, PORT, ROUND},
    data_set::with,
};

/// The id of the execution `n`.
#[must_use]
pub fn execution_id(n: u32) -> String {
    format!("0190a000-0005-7000-8000-{n:012x}")
}

/// The id of step `step` of the execution `n`.
#[must_use]
pub fn step_id(n: u32, step: u32) -> String {
    format!("0190a000-0006-7000-8{step:03x}-{n:012x}")
}

/// The id of action `action` of the execution `n`; the actions of an execution are numbered across
/// its steps.
#[must_use]
pub fn action_id(n: u32, action: u32) -> String {
    format!("0190a000-0007-7000-8{action:03x}-{n:012x}")
}

/// The series id `n`, of executions, steps or actions.
#[must_use]
pub fn series_of(n: u32) -> String {
    format!("0190a000-0008-7000-8000-{n:012x}")
}

/// A planned execution: two steps, an action of every type.
#[must_use]
pub fn planned(n: u32) -> Value {
    json!({
        "kind": "taskExecution",
        "id": execution_id(n),
        "scheduledTaskId": ROUND,
        "seriesId": null,
        "name": format!("Round {n}"),
        "description": "Along the fence",
        "locationId": PORT,
        "performerId": null,
        "assigneeIds": [GUARD, EMPLOYEE],
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
        "tags": ["night", "fire"],
        "steps": [
            {
                "id": step_id(n, 1), "seriesId": null, "pointId": GATE, "name": "Gate",
                "order": 0, "actualOrder": null, "state": "PENDING",
                "actions": [
                    action(n, 1, "Closed", "BOOLEAN", 0, true),
                    with(
                        action(n, 2, "Pressure", "NUMBER", 1, false),
                        json!({ "minValue": 1, "maxValue": 2.5 }),
                    ),
                ],
            },
            {
                "id": step_id(n, 2), "seriesId": null, "pointId": PIER, "name": "Pier",
                "order": 1, "actualOrder": null, "state": "PENDING",
                "actions": [
                    action(n, 3, "Remarks", "TEXT", 0, false),
                    action(n, 4, "Photo", "MEDIA", 1, true),
                ],
            },
        ],
    })
}

fn action(n: u32, action: u32, name: &str, kind: &str, order: u32, required: bool) -> Value {
    json!({
        "id": action_id(n, action), "seriesId": null, "name": name, "type": kind, "order": order,
        "required": required, "state": "PENDING",
    })
}

/// An execution in progress. The first step is done, with an error on its required action and a
/// warning on the other; the second step has no results.
#[must_use]
pub fn in_progress(n: u32) -> Value {
    let mut execution = with(
        planned(n),
        json!({
            "state": "IN_PROGRESS", "performerId": GUARD,
            "startedAt": "2026-01-31T08:01:00.000Z",
        }),
    );
    let step = &mut execution["steps"][0];
    step["state"] = json!("COMPLETED");
    step["actualOrder"] = json!(0);
    report(&mut step["actions"][0], json!({ "booleanValue": false }));
    report(&mut step["actions"][1], json!({ "numberValue": 3 }));
    execution
}

/// A completed execution with status SUCCESS.
#[must_use]
pub fn completed(n: u32) -> Value {
    let mut execution = with(
        planned(n),
        json!({
            "state": "COMPLETED", "performerId": GUARD,
            "startedAt": "2026-01-31T08:01:00.000Z",
            "endedAt": "2026-01-31T08:31:00.250Z",
        }),
    );
    for (at, step) in execution["steps"].as_array_mut().into_iter().flatten().enumerate() {
        step["state"] = json!("COMPLETED");
        step["actualOrder"] = json!(at);
    }
    report(&mut execution["steps"][0]["actions"][0], json!({ "booleanValue": true }));
    report(&mut execution["steps"][0]["actions"][1], json!({ "numberValue": 1.25 }));
    report(&mut execution["steps"][1]["actions"][0], json!({ "textValue": "all quiet" }));
    report(&mut execution["steps"][1]["actions"][1], json!({ "mediaIds": [series_of(900)] }));
    execution
}

fn report(action: &mut Value, result: Value) {
    let pending = action.take();
    *action = with(with(pending, json!({ "state": "COMPLETED" })), result);
}
