//! Check-lists and their actions.

mod lists;

use patrol_tests::{
    Running,
    company::{CHECK_LIST, EMPLOYEE, LOCKED, MANAGER, NOBODY, TEMPERATURE},
    detail, planned,
};
use serde_json::{Value, json};

fn path(id: &str) -> String {
    format!("/check-lists/actions/{id}")
}

/// The stored check-list.
fn check_list(running: &Running) -> Value {
    let exported = running.exported();
    let line = exported.lines().find(|line| line.contains(CHECK_LIST)).expect("the check-list");
    serde_json::from_str(line).expect("a JSON object a line")
}

#[test]
fn an_action_is_updated_and_answered() {
    let running = Running::with([]);
    let answer = running.admin.put(&path(LOCKED), &json!({ "name": "Закрыто", "type": "TEXT" }));
    assert_eq!(answer.ok(), json!({ "id": LOCKED, "name": "Закрыто", "type": "TEXT" }));
    let stored = &check_list(&running)["actions"][1];
    assert_eq!((&stored["name"], &stored["type"]), (&json!("Закрыто"), &json!("TEXT")));
    for kind in ["BOOLEAN", "MEDIA", "NUMBER", "TEXT"] {
        let answer = running.admin.put(&path(&LOCKED.to_uppercase()), &json!({ "type": kind }));
        // An absent name is not changed.
        assert_eq!(answer.ok(), json!({ "id": LOCKED, "name": "Закрыто", "type": kind }));
    }
}

#[test]
fn what_is_not_named_stays() {
    let running = Running::with([]);
    let before = check_list(&running);
    let body = json!({ "name": "Cold", "type": "NUMBER", "id": NOBODY, "order": 7, "minValue": 0 });
    let _ = running.admin.put(&path(TEMPERATURE), &body).ok();
    let mut expected = before;
    expected["actions"][0]["name"] = json!("Cold");
    assert_eq!(check_list(&running), expected);
    // Only a NUMBER has bounds.
    let _ = running.admin.put(&path(TEMPERATURE), &json!({ "type": "TEXT" })).ok();
    let action = &check_list(&running)["actions"][0];
    assert_eq!((&action["minValue"], &action["maxValue"]), (&Value::Null, &Value::Null));
}

#[test]
fn types_and_rules_are_checked() {
    let running = Running::with([]);
    let before = check_list(&running);
    let put = |body: Value| running.admin.put(&path(LOCKED), &body);
    let missing = |name: &str| detail("validation.notnull.failed", name, &[]);
    put(json!({})).invalid(&[missing("type")]);
    put(json!({ "name": "x", "type": null })).invalid(&[missing("type")]);
    put(json!({ "name": null })).invalid(&[missing("name"), missing("type")]);
    put(json!({ "name": null, "type": "TEXT" })).invalid(&[missing("name")]);
    let kinds = ["BOOLEAN", "MEDIA", "NUMBER", "TEXT"];
    for kind in ["text", "", "SMELL"] {
        put(json!({ "type": kind, "name": "" })).invalid(&[
            detail("validation.length.failed", "name", &["1", "255"]),
            detail("validation.enum.failed", "type", &kinds),
        ]);
    }
    put(json!({ "type": "TEXT", "name": "ж".repeat(256) })).invalid(&[detail(
        "validation.length.failed",
        "name",
        &["1", "255"],
    )]);
    put(json!({ "type": "TEXT", "name": "\u{0}" })).invalid(&[detail(
        "validation.characters.failed",
        "name",
        &[],
    )]);
    let wrong = |identifier: &str, kind: &str| detail("data.type.invalid", identifier, &[kind]);
    put(json!({ "type": 1, "name": [] }))
        .misunderstood(&[wrong("name", "STRING"), wrong("type", "STRING")]);
    for body in [json!([]), json!("x"), json!(null)] {
        put(body).misunderstood(&[wrong("", "OBJECT")]);
    }
    assert_eq!(check_list(&running), before);
    let _ = put(json!({ "type": "TEXT", "name": "ж".repeat(255) })).ok();
}

#[test]
fn malformed_json_is_not_acceptable_here() {
    let running = Running::with([]);
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(64), "]".repeat(64));
    let bodies = ["", " ", "{", "{\"type\":}", "{}x", "{\"type\":\"\\ud800\"}", "{\"x\":1e999}"];
    for body in bodies.iter().chain(&[&*deep]) {
        let answer = running.admin.text("PUT", &path(LOCKED), body);
        assert_eq!(answer.status, 406, "{body}: {}", answer.text());
        answer.refused(406, "not.acceptable").shows_a_place();
    }
    let answer = running.admin.text("PUT", &path(LOCKED), b"{\"x\":\"\xff\"}");
    let _ = answer.refused(406, "not.acceptable");
    for kind in ["text/plain", "application/xml", "multipart/form-data; boundary=x"] {
        let answer =
            running.admin.with("Content-Type", kind).send("PUT", &path(LOCKED), Some(b"{}"));
        answer.refused(406, "not.acceptable").shows(&[]);
    }
    let _ = running.admin.send("PUT", &path(LOCKED), Some(b"{}")).refused(406, "not.acceptable");
    let large = vec![b' '; 3_000_000];
    let _ = running.admin.text("PUT", &path(LOCKED), large).refused(413, "payload.too.large");
}

#[test]
fn a_deleted_action_is_gone() {
    let running = Running::with([]);
    running.admin.delete(&path(TEMPERATURE)).is_bare(204);
    running.admin.delete(&path(TEMPERATURE)).refused(404, "not.found").shows(&[]);
    let body = json!({ "type": "TEXT" });
    running.admin.put(&path(TEMPERATURE), &body).refused(404, "not.found").shows(&[]);
    let left = check_list(&running);
    assert_eq!(left["actions"].as_array().map(Vec::len), Some(1));
    assert_eq!(left["actions"][0]["id"], LOCKED);
    running.admin.delete(&path(LOCKED)).is_bare(204);
    assert_eq!(check_list(&running)["actions"], json!([]));
}

#[test]
fn unknown_and_malformed_ids_are_told_apart() {
    let running = Running::with([]);
    for body in [json!({ "type": "TEXT" }), json!({})] {
        running.admin.put(&path(NOBODY), &body).refused(404, "not.found").shows(&[]);
    }
    running.admin.delete(&path(NOBODY)).refused(404, "not.found").shows(&[]);
    // The id of the list is not the id of an action.
    running.admin.delete(&path(CHECK_LIST)).refused(404, "not.found").shows(&[]);
    let named = [detail("data.type.invalid", "id", &["UUID"])];
    for id in ["abc", "0190a000000b7000800000000000000f"] {
        running.admin.put(&path(id), &json!({})).misunderstood(&named);
        running.admin.delete(&path(id)).misunderstood(&named);
        // The id is checked before the syntax, the Content-Type before the id.
        running.admin.text("PUT", &path(id), "{").misunderstood(&named);
        let _ = running.admin.send("PUT", &path(id), Some(b"{}")).refused(406, "not.acceptable");
    }
}

#[test]
fn an_employee_changes_none_and_a_manager_may() {
    let running = Running::with([]);
    let (employee, manager) = (running.api(EMPLOYEE), running.api(MANAGER));
    let before = check_list(&running);
    employee
        .put(&path(LOCKED), &json!({ "type": "TEXT" }))
        .refused(403, "access.denied")
        .shows(&[]);
    let _ = employee.text("PUT", &path("x"), "{").refused(403, "access.denied");
    employee.delete(&path(LOCKED)).refused(403, "access.denied").shows(&[]);
    assert_eq!(check_list(&running), before);
    let _ = manager.put(&path(LOCKED), &json!({ "type": "TEXT" })).ok();
    manager.delete(&path(LOCKED)).is_bare(204);
}

#[test]
fn executions_stay_as_they_are() {
    let mut execution = planned(1);
    execution["steps"][0]["actions"][0]["id"] = json!(LOCKED);
    let running = Running::with([execution]);
    let before = running.read(1);
    let _ = running.admin.put(&path(LOCKED), &json!({ "name": "x", "type": "TEXT" })).ok();
    assert_eq!(running.read(1), before);
    running.admin.delete(&path(LOCKED)).is_bare(204);
    assert_eq!(running.read(1), before);
}
