//! POST /task-executions/{id}/copy.

use patrol_tests::{
    Running,
    company::{EMPLOYEE, GATE, GUARD, NOBODY, PIER, ROUND},
    completed, detail, execution_id, in_progress, planned, series_of, with,
};
use serde_json::{Value, json};

use super::{MALFORMED, path};

fn copy(running: &Running, n: u32, body: &Value) -> patrol_tests::Answer {
    running.admin.post(&format!("{}/copy", path(n)), body)
}

fn count(running: &Running) -> Value {
    running.admin.get("/task-executions/info?limit=0").ok()["meta"]["count"].clone()
}

#[test]
fn a_copy_is_a_plan_without_its_history() {
    let mut original = with(completed(1), json!({ "seriesId": series_of(1) }));
    original["steps"][0]["seriesId"] = json!(series_of(2));
    original["steps"][0]["actions"][0]["seriesId"] = json!(series_of(3));
    let running = Running::with([original]);
    let _ = running.admin.patch(&path(1), &json!({ "tags": ["a"] })).ok();
    let before = running.read(1);

    let body = json!({ "taskIds": [execution_id(1)], "published": true });
    let answer = copy(&running, 1, &body).ok();
    let id = answer["id"].as_str().expect("an id").to_owned();
    let action = |name: &str, kind: &str, required: bool| json!({ "name": name, "type": kind, "required": required });
    let expected = json!({
        "id": id, "name": "Round 1", "state": "PENDING", "published": true,
        "startAt": "2026-01-31T08:00:00.000Z", "endAt": "2026-01-31T09:00:00.000Z",
        "assigneeIds": [GUARD, EMPLOYEE],
        "steps": [
            { "pointId": GATE, "name": "Gate", "actions": [
                action("Closed", "BOOLEAN", true), action("Pressure", "NUMBER", false),
            ] },
            { "pointId": PIER, "name": "Pier", "actions": [
                action("Remarks", "TEXT", false), action("Photo", "MEDIA", true),
            ] },
        ],
    });
    assert_eq!(answer, expected, "exactly these members");
    assert_eq!(id.as_bytes()[14], b'7', "a UUID version 7: {id}");

    let record = running.admin.get(&format!("/task-executions/{id}")).ok();
    let mut expected = with(
        super::planned_record(1),
        json!({ "id": id, "tags": ["a"], "scheduledTaskId": ROUND }),
    );
    for (step, copied) in record["steps"].as_array().unwrap().iter().enumerate() {
        assert_ne!(copied["id"], before["steps"][step]["id"]);
        expected["steps"][step]["id"] = copied["id"].clone();
        for (action, copied) in copied["actions"].as_array().unwrap().iter().enumerate() {
            assert_ne!(copied["id"], before["steps"][step]["actions"][action]["id"]);
            expected["steps"][step]["actions"][action]["id"] = copied["id"].clone();
        }
    }
    assert_eq!(record, expected, "as planned, with new ids and bounds");
    assert_eq!(running.read(1), before, "the original stays as it was");
}

#[test]
fn a_copy_is_not_published_unless_it_is_said() {
    let running = Running::with([planned(1)]);
    for body in [json!({}), json!({ "published": null }), json!({ "published": false })] {
        let answer = copy(&running, 1, &with(body, json!({ "taskIds": [execution_id(1)] }))).ok();
        assert_eq!(answer["published"], false);
    }
    assert_eq!(count(&running), 4);
}

#[test]
fn all_named_are_copied_and_that_of_the_path_is_answered() {
    let running = Running::with([planned(1), in_progress(2), planned(3)]);
    let both = json!({ "taskIds": [execution_id(1), execution_id(2)] });
    assert_eq!(copy(&running, 2, &both).ok()["name"], "Round 2");
    assert_eq!(count(&running), 5);
    assert_eq!(copy(&running, 3, &both).ok()["name"], "Round 1", "else that of the first");
    assert_eq!(count(&running), 7, "the path's own is copied only when it is named");
    let names = running.admin.get("/task-executions/info?name=eq:Round%203").ok();
    assert_eq!(names["meta"]["count"], 1);
}

#[test]
fn copies_are_all_or_none() {
    let running = Running::with([planned(1), planned(2)]);
    let one_unknown = json!({ "taskIds": [execution_id(1), NOBODY, execution_id(2)] });
    let unknown = detail("not.found", "taskIds[1]", &[]);
    copy(&running, 1, &one_unknown).refused(404, "not.found").shows(&[unknown]);
    let unknown = format!("/task-executions/{NOBODY}/copy");
    let body = json!({ "taskIds": [execution_id(1)] });
    let _ = running.admin.post(&unknown, &body).refused(404, "not.found");
    assert_eq!(count(&running), 2);
}

#[test]
fn failures_of_the_body_are_invalid_input() {
    let running = Running::with([planned(1)]);
    for body in [json!({}), json!({ "taskIds": null })] {
        copy(&running, 1, &body).misunderstood(&[detail(
            "validation.notnull.failed",
            "taskIds",
            &[],
        )]);
    }
    copy(&running, 1, &json!({ "taskIds": [] })).misunderstood(&[detail(
        "validation.length.failed",
        "taskIds",
        &["1", "1000"],
    )]);
    let ids: Vec<_> = (1..=1001).map(execution_id).collect();
    copy(&running, 1, &json!({ "taskIds": ids })).misunderstood(&[detail(
        "validation.length.failed",
        "taskIds",
        &["1", "1000"],
    )]);
    let body = json!({ "taskIds": ["x", 1, execution_id(1)], "published": "yes" });
    copy(&running, 1, &body).misunderstood(&[
        detail("data.type.invalid", "taskIds[0]", &["UUID"]),
        detail("data.type.invalid", "taskIds[1]", &["UUID"]),
        detail("data.type.invalid", "published", &["BOOLEAN"]),
    ]);
    let twice = json!({ "taskIds": [execution_id(1), execution_id(1)] });
    let refusal = copy(&running, 1, &twice).refused(400, "input.data.invalid");
    assert_eq!(refusal.body["details"][0]["identifier"], "taskIds[1]");
    for id in MALFORMED {
        running
            .admin
            .post(&format!("/task-executions/{id}/copy"), &json!({ "taskIds": [] }))
            .misunderstood(&[detail("data.type.invalid", "id", &["UUID"])]);
    }
    assert_eq!(count(&running), 1);
}

#[test]
fn a_thousand_are_copied_at_once() {
    let running = Running::with((1..=1000).map(planned));
    let ids: Vec<_> = (1..=1000).map(execution_id).collect();
    let _ = copy(&running, 1, &json!({ "taskIds": ids })).ok();
    assert_eq!(count(&running), 2000);
}

#[test]
fn another_content_type_is_invalid_input() {
    let running = Running::with([planned(1)]);
    let body = json!({ "taskIds": [execution_id(1)] }).to_string();
    let target = format!("{}/copy", path(1));
    for api in [running.admin.clone(), running.admin.with("Content-Type", "text/plain")] {
        api.send("POST", &target, Some(body.as_bytes())).misunderstood(&[]);
    }
    assert_eq!(count(&running), 1);
}
