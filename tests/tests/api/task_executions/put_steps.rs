//! PUT /task-executions/{id}: how steps and actions are matched.

use patrol_tests::{
    Running, action_id, company::GATE, detail, in_progress, planned, step_id, with,
};
use serde_json::{Value, json};

use super::{path, small};

fn put(running: &Running, n: u32, steps: Value) -> patrol_tests::Answer {
    running.admin.put(&path(n), &with(small(), json!({ "steps": steps })))
}

#[test]
fn a_step_without_an_id_is_new_and_one_left_out_is_removed() {
    let running = Running::with([planned(1)]);
    let answer = put(
        &running,
        1,
        json!([
            { "name": "new", "actions": [{ "id": null, "name": "check", "type": "BOOLEAN" }] },
            { "id": step_id(1, 2), "name": "kept" },
            { "id": null, "name": "newer", "pointId": GATE },
        ]),
    );
    assert_eq!(answer.ok()["stepCount"], 3);
    let steps = running.read(1)["steps"].clone();
    assert_eq!(steps[1]["id"], step_id(1, 2));
    assert_eq!((&steps[1]["name"], &steps[1]["actions"]), (&json!("kept"), &json!([])));
    assert_eq!(steps[1]["pointId"], Value::Null, "left out is null");
    let new_ids =
        [&steps[0]["id"], &steps[0]["actions"][0]["id"], &steps[2]["id"]].map(|id| id.to_string());
    for id in &new_ids {
        assert_eq!(id.as_bytes()[15], b'7', "a UUID version 7: {id}");
    }
    assert!(new_ids[0] != new_ids[1] && new_ids[1] != new_ids[2] && new_ids[0] != new_ids[2]);
    let new = json!({
        "name": "check", "type": "BOOLEAN", "order": 0, "required": false, "state": "PENDING",
        "status": null, "seriesId": null, "minValue": null, "maxValue": null,
        "numberValue": null, "booleanValue": null, "textValue": null, "mediaIds": null,
    });
    let action = steps[0]["actions"][0].clone();
    assert_eq!(action, with(new, json!({ "id": action["id"] })));
    assert_eq!(steps[2]["pointId"], GATE);
}

#[test]
fn order_is_the_position_unless_it_is_given() {
    let running = Running::with([planned(1)]);
    let _ = put(
        &running,
        1,
        json!([
            { "name": "c", "order": 5 },
            { "name": "a", "order": -1 },
            { "name": "b" },
            { "name": "d", "order": 5, "actions": [
                { "name": "y", "type": "TEXT" },
                { "name": "x", "type": "TEXT", "order": 0 },
                { "name": "z", "type": "TEXT" },
            ] },
        ]),
    )
    .ok();
    let record = running.read(1);
    let shown: Vec<_> = record["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["name"].as_str().unwrap(), step["order"].as_i64().unwrap()))
        .collect();
    assert_eq!(shown, [("a", -1), ("b", 2), ("c", 5), ("d", 5)]);
    let actions: Vec<_> = record["steps"][3]["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|action| (action["name"].as_str().unwrap(), action["order"].as_i64().unwrap()))
        .collect();
    assert_eq!(actions, [("y", 0), ("x", 0), ("z", 2)]);
}

#[test]
fn results_stay_with_the_ids() {
    let running = Running::with([in_progress(1)]);
    let answer = put(
        &running,
        1,
        json!([
            { "name": "other" },
            { "id": step_id(1, 1), "name": "renamed", "actions": [
                { "id": action_id(1, 2), "name": "renamed too", "type": "NUMBER" },
                { "id": action_id(1, 1), "name": "Closed", "type": "BOOLEAN", "required": false },
            ] },
        ]),
    );
    assert_eq!(answer.ok()["executedStepCount"], 1);
    let step = &running.read(1)["steps"][1];
    assert_eq!((&step["state"], &step["actualOrder"]), (&json!("COMPLETED"), &json!(0)));
    assert_eq!(step["actions"][0]["numberValue"], 3);
    assert_eq!(step["actions"][0]["state"], "COMPLETED");
    assert_eq!(step["actions"][1]["booleanValue"], false);
    assert_eq!(step["actions"][1]["status"], "WARNING", "it is no longer required");
}

#[test]
fn bounds_that_are_left_out_are_kept_and_null_removes_one() {
    let running = Running::with([in_progress(1)]);
    let put_action = |action: Value| {
        let whole = json!({ "name": "Pressure", "type": "NUMBER" });
        let step = json!({ "id": step_id(1, 1), "name": "s", "actions": [with(whole, action)] });
        let _ = put(&running, 1, json!([step])).ok();
        running.read(1)["steps"][0]["actions"][0].clone()
    };
    let known = action_id(1, 2);
    let kept = put_action(json!({ "id": known }));
    assert_eq!((&kept["minValue"], &kept["maxValue"]), (&json!(1), &json!(2.5)));
    let widened = put_action(json!({ "id": known, "maxValue": 3, "minValue": null }));
    assert_eq!((&widened["minValue"], &widened["maxValue"]), (&Value::Null, &json!(3)));
    assert_eq!(widened["status"], "SUCCESS", "the status follows the bounds");
    assert_eq!(running.summary(1)["status"], "SUCCESS", "in lists too");
    let new = put_action(json!({ "minValue": 0.5 }));
    assert_eq!((&new["minValue"], &new["maxValue"]), (&json!(0.5), &Value::Null));
}

#[test]
fn another_type_drops_the_result() {
    let running = Running::with([in_progress(1)]);
    let step = json!({ "id": step_id(1, 1), "name": "s", "actions": [
        { "id": action_id(1, 1), "name": "Closed", "type": "TEXT", "required": true },
        { "id": action_id(1, 2), "name": "Pressure", "type": "NUMBER" },
    ] });
    let _ = put(&running, 1, json!([step])).ok();
    let actions = running.read(1)["steps"][0]["actions"].clone();
    assert_eq!(actions[0]["id"], action_id(1, 1));
    assert_eq!((&actions[0]["state"], &actions[0]["status"]), (&json!("PENDING"), &Value::Null));
    assert_eq!(
        (&actions[0]["booleanValue"], &actions[0]["textValue"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(actions[1]["numberValue"], 3);
}

#[test]
fn an_id_that_is_not_of_this_execution_or_stands_twice_is_refused() {
    let running = Running::with([planned(1), planned(2)]);
    let etag = running.admin.get(&path(1)).etag();
    let action = |id: String| json!({ "id": id, "name": "a", "type": "TEXT" });
    let refused = |identifier: &str| detail("validation.reference.failed", identifier, &[]);
    put(
        &running,
        1,
        json!([
            { "id": step_id(2, 1), "name": "of another execution" },
            { "id": step_id(1, 1), "name": "s", "actions": [
                action(action_id(2, 1)), action(action_id(1, 1)), action(action_id(1, 1)),
            ] },
            { "id": step_id(1, 1), "name": "again" },
            { "id": action_id(1, 2), "name": "an action's" },
        ]),
    )
    .invalid(&[
        refused("steps[0].id"),
        refused("steps[1].actions[0].id"),
        refused("steps[1].actions[2].id"),
        refused("steps[2].id"),
        refused("steps[3].id"),
    ]);
    assert_eq!(running.admin.get(&path(1)).etag(), etag);
}
