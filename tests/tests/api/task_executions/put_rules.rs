//! PUT /task-executions/{id}: types and rules of its body.

use patrol_tests::{Running, company::NOBODY, detail, planned, with};
use serde_json::{Value, json};

use super::{path, small};

#[test]
fn required_members_must_not_be_missing_or_null() {
    let running = Running::with([planned(1)]);
    let etag = running.admin.get(&path(1)).etag();
    let required = ["locationId", "name", "startAt", "endAt", "steps"];
    let details = required.map(|name| detail("validation.notnull.failed", name, &[]));
    running.admin.put(&path(1), &json!({})).invalid(&details);
    let nulls = required.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    running.admin.put(&path(1), &nulls).invalid(&details);
    for (name, entry) in required.iter().zip(&details) {
        let mut body = small();
        body.as_object_mut().unwrap().remove(*name);
        running.admin.put(&path(1), &body).invalid(std::slice::from_ref(entry));
    }
    let steps = json!([{}, { "name": null, "actions": [{}, { "name": "a", "type": null }] }]);
    running.admin.put(&path(1), &with(small(), json!({ "steps": steps }))).invalid(&[
        detail("validation.notnull.failed", "steps[0].name", &[]),
        detail("validation.notnull.failed", "steps[1].name", &[]),
        detail("validation.notnull.failed", "steps[1].actions[0].name", &[]),
        detail("validation.notnull.failed", "steps[1].actions[0].type", &[]),
        detail("validation.notnull.failed", "steps[1].actions[1].type", &[]),
    ]);
    assert_eq!(running.admin.get(&path(1)).etag(), etag);
}

#[test]
fn every_member_of_the_wrong_type_is_named_with_the_type_expected() {
    let running = Running::with([planned(1)]);
    let body = json!({
        "assigneeIds": ["x", 1, null],
        "locationId": 7,
        "name": 1,
        "description": [],
        "startAt": "yesterday",
        "endAt": 0,
        "priority": {},
        "orderStepsRequired": "true",
        "strictTimeRequired": 1,
        "deadlined": [],
        "tags": ["ok", 2],
        "steps": [
            "s",
            {
                "id": "x", "pointId": false, "name": true, "order": 1.5,
                "actions": [{
                    "id": 1, "name": [], "type": 2, "order": "1", "required": "no",
                    "minValue": "1", "maxValue": true,
                }, null],
            },
            { "actions": {} },
        ],
    });
    let wrong = |identifier: &str, kind: &str| detail("data.type.invalid", identifier, &[kind]);
    running.admin.put(&path(1), &body).misunderstood(&[
        wrong("assigneeIds[0]", "UUID"),
        wrong("assigneeIds[1]", "UUID"),
        wrong("assigneeIds[2]", "UUID"),
        wrong("locationId", "UUID"),
        wrong("name", "STRING"),
        wrong("description", "STRING"),
        wrong("startAt", "TIMESTAMP"),
        wrong("endAt", "TIMESTAMP"),
        wrong("priority", "STRING"),
        wrong("orderStepsRequired", "BOOLEAN"),
        wrong("strictTimeRequired", "BOOLEAN"),
        wrong("deadlined", "BOOLEAN"),
        wrong("tags[1]", "STRING"),
        wrong("steps[0]", "OBJECT"),
        wrong("steps[1].id", "UUID"),
        wrong("steps[1].pointId", "UUID"),
        wrong("steps[1].name", "STRING"),
        wrong("steps[1].order", "INTEGER"),
        wrong("steps[1].actions[0].id", "UUID"),
        wrong("steps[1].actions[0].name", "STRING"),
        wrong("steps[1].actions[0].type", "STRING"),
        wrong("steps[1].actions[0].order", "INTEGER"),
        wrong("steps[1].actions[0].required", "BOOLEAN"),
        wrong("steps[1].actions[0].minValue", "NUMBER"),
        wrong("steps[1].actions[0].maxValue", "NUMBER"),
        wrong("steps[1].actions[1]", "OBJECT"),
        wrong("steps[2].actions", "ARRAY"),
    ]);
    for list in ["assigneeIds", "tags", "steps"] {
        running
            .admin
            .put(&path(1), &with(small(), json!({ list: "x" })))
            .misunderstood(&[wrong(list, "ARRAY")]);
    }
    let id = patrol_tests::execution_id(1).replace('-', "");
    running
        .admin
        .put(&path(1), &with(small(), json!({ "locationId": id })))
        .misunderstood(&[wrong("locationId", "UUID")]);
}

#[test]
fn rules_are_not_looked_at_while_types_are_wrong() {
    let running = Running::with([planned(1)]);
    running
        .admin
        .put(&path(1), &json!({ "name": "", "priority": "URGENT", "tags": "x" }))
        .misunderstood(&[detail("data.type.invalid", "tags", &["ARRAY"])]);
}

#[test]
fn every_broken_rule_is_reported_in_the_order_of_the_fields() {
    let running = Running::with([planned(1)]);
    let body = json!({
        "steps": [{
            "name": "", "pointId": NOBODY,
            "actions": [{ "type": "SMELL", "name": "\u{0}" }],
        }],
        "tags": ["", "x\u{0}"],
        "priority": "URGENT",
        "endAt": "2026-01-31T07:59:59.999Z",
        "startAt": "2026-01-31T08:00:00.000Z",
        "description": "d".repeat(10_001),
        "name": "n".repeat(256),
        "locationId": NOBODY,
        "assigneeIds": [patrol_tests::company::ADMIN, NOBODY],
    });
    running.admin.put(&path(1), &body).invalid(&[
        detail("validation.reference.failed", "assigneeIds[1]", &[]),
        detail("validation.reference.failed", "locationId", &[]),
        detail("validation.length.failed", "name", &["1", "255"]),
        detail("validation.length.failed", "description", &["0", "10000"]),
        detail("validation.period.failed", "endAt", &[]),
        detail("validation.enum.failed", "priority", &["MINOR", "NORMAL", "MAJOR", "CRITICAL"]),
        detail("validation.length.failed", "tags[0]", &["1", "100"]),
        detail("validation.characters.failed", "tags[1]", &[]),
        detail("validation.reference.failed", "steps[0].pointId", &[]),
        detail("validation.length.failed", "steps[0].name", &["1", "255"]),
        detail("validation.characters.failed", "steps[0].actions[0].name", &[]),
        detail(
            "validation.enum.failed",
            "steps[0].actions[0].type",
            &["BOOLEAN", "MEDIA", "NUMBER", "TEXT"],
        ),
    ]);
}

#[test]
fn bounds_count_characters_and_hold_to_the_last() {
    let running = Running::with([planned(1)]);
    let action = |n: usize| json!({ "name": format!("a{n}"), "type": "TEXT" });
    let step = |actions: usize| json!({ "name": "s", "actions": (0..actions).map(action).collect::<Vec<_>>() });
    let steps = |count: usize| (0..count).map(|_| step(0)).collect::<Vec<_>>();
    let tags = |count: usize| (0..count).map(|n| format!("t{n}")).collect::<Vec<_>>();
    let good = json!({
        "name": "😀".repeat(255), "description": "ж".repeat(10_000), "tags": tags(100),
        "steps": steps(500),
    });
    let _ = running.admin.put(&path(1), &with(small(), good)).ok();
    assert_eq!(running.read(1)["steps"].as_array().unwrap().len(), 500);
    let _ = running.admin.put(&path(1), &with(small(), json!({ "steps": [step(200)] }))).ok();
    let _ = running.admin.put(&path(1), &with(small(), json!({ "tags": ["я".repeat(100)] }))).ok();
    for (bad, identifier, args) in [
        (json!({ "name": "😀".repeat(256) }), "name", ["1", "255"]),
        (json!({ "tags": tags(101) }), "tags", ["0", "100"]),
        (json!({ "tags": ["я".repeat(101)] }), "tags[0]", ["1", "100"]),
        (json!({ "steps": steps(501) }), "steps", ["0", "500"]),
        (json!({ "steps": [step(201)] }), "steps[0].actions", ["0", "200"]),
    ] {
        running.admin.put(&path(1), &with(small(), bad)).invalid(&[detail(
            "validation.length.failed",
            identifier,
            &args,
        )]);
    }
    let crowd: Vec<_> = (0..1001).map(|_| patrol_tests::company::ADMIN).collect();
    running
        .admin
        .put(&path(1), &with(small(), json!({ "assigneeIds": crowd })))
        .invalid(&[detail("validation.length.failed", "assigneeIds", &["0", "1000"])]);
}

#[test]
fn names_of_enumerations_are_exact() {
    let running = Running::with([planned(1)]);
    for priority in ["MINOR", "NORMAL", "MAJOR", "CRITICAL"] {
        let answer = running.admin.put(&path(1), &with(small(), json!({ "priority": priority })));
        assert_eq!(answer.ok()["priority"], priority);
    }
    for priority in ["normal", "", " NORMAL"] {
        running.admin.put(&path(1), &with(small(), json!({ "priority": priority }))).invalid(&[
            detail("validation.enum.failed", "priority", &["MINOR", "NORMAL", "MAJOR", "CRITICAL"]),
        ]);
    }
}

#[test]
fn text_is_stored_as_given() {
    let running = Running::with([planned(1)]);
    let names = [" spaced ", "e\u{301}", "\u{feff}x", "a\nb\t", "'\"%_\\;--", "\u{1}\u{7f}", "😀"];
    for name in names {
        let _ = running.admin.put(&path(1), &with(small(), json!({ "name": name }))).ok();
        assert_eq!(running.read(1)["name"], name);
    }
}

#[test]
fn references_that_are_held_are_not_checked_again() {
    // The point of a step may have been deleted, so a data set may refer to a missing one.
    let gone = "0190a000-0003-7000-8000-0000000000ff";
    let mut execution = planned(1);
    execution["steps"][0]["pointId"] = json!(gone);
    let running = Running::with([execution, planned(2)]);
    let _ = running.admin.put(&path(1), &running.read(1)).ok();
    let steps = json!({ "steps": [{ "name": "again there", "pointId": gone }] });
    let _ = running.admin.put(&path(1), &with(small(), steps.clone())).ok();
    assert_eq!(running.read(1)["steps"][0]["pointId"], gone);
    running.admin.put(&path(2), &with(small(), steps)).invalid(&[detail(
        "validation.reference.failed",
        "steps[0].pointId",
        &[],
    )]);
}
