//! PATCH /task-executions/{id}.

use patrol_tests::{
    Running,
    company::{ADMIN, AIRPORT, NOBODY, PORT},
    completed, detail, execution_id, in_progress, planned, with,
};
use serde_json::{Value, json};

use super::{MALFORMED, path, planned_record};

fn members() -> [Value; 13] {
    [
        json!({ "name": "Renamed" }),
        json!({ "description": "Inside" }),
        json!({ "description": null }),
        json!({ "locationId": AIRPORT }),
        json!({ "assigneeIds": [ADMIN] }),
        json!({ "startAt": "2026-01-31T07:00:00.000Z" }),
        json!({ "endAt": "2026-01-31T10:00:00.000Z" }),
        json!({ "priority": "MINOR" }),
        json!({ "orderStepsRequired": false }),
        json!({ "strictTimeRequired": true }),
        json!({ "deadlined": false }),
        json!({ "tags": [] }),
        json!({ "published": false }),
    ]
}

#[test]
fn every_member_can_be_changed_alone() {
    let running = Running::with((1..=13).map(planned));
    for (n, change) in (1..).zip(members()) {
        let before = running.admin.get(&path(n)).etag();
        let answer = running.admin.patch(&path(n), &change);
        let summary = answer.ok();
        let mut expected = with(with(planned_record(n), change.clone()), json!({ "edited": true }));
        if change["published"] == json!(false) {
            expected = with(expected, json!({ "late": false, "missed": false }));
        }
        assert_eq!(running.read(n), expected, "{change}");
        assert_ne!(answer.etag(), before, "{change}");
        assert_eq!(running.admin.get(&path(n)).etag(), answer.etag(), "{change}");
        assert_eq!(running.summary(n), summary, "the answer is the summary: {change}");
    }
}

#[test]
fn several_members_change_at_once_and_the_summary_is_answered() {
    let running = Running::with([in_progress(1)]);
    let change = json!({
        "startAt": "2026-03-01T10:00:00+02:00", "endAt": "2026-03-01T10:30:00.5Z",
        "assigneeIds": [ADMIN, ADMIN], "deadlined": false,
    });
    let mut summary = running.admin.patch(&path(1), &change).ok();
    assert!(summary["totalExecutedTimeInMillis"].as_i64().unwrap() > 0);
    summary["totalExecutedTimeInMillis"] = json!(0);
    let expected = json!({
        "id": execution_id(1),
        "scheduledTaskId": patrol_tests::company::ROUND,
        "performerId": patrol_tests::company::GUARD,
        "assigneeIds": [ADMIN],
        "locationId": PORT,
        "name": "Round 1",
        "state": "IN_PROGRESS",
        "status": "ERROR",
        "startAt": "2026-03-01T08:00:00.000Z",
        "endAt": "2026-03-01T10:30:00.500Z",
        "startedAt": "2026-01-31T08:01:00.000Z",
        "endedAt": null,
        "totalExecutedTimeInMillis": 0,
        "errorCount": 1,
        "warningCount": 1,
        "priority": "MAJOR",
        "seriesId": null,
        "assigned": true,
        "orderStepsRequired": true,
        "deadlined": false,
        "published": true,
        "edited": true,
        "tags": ["night", "fire"],
        "flagCount": 0,
        "late": false,
        "missed": true,
        "stepCount": 2,
        "executedStepCount": 1,
    });
    assert_eq!(summary, expected);
}

#[test]
fn a_patch_that_changes_nothing_leaves_the_version() {
    let running = Running::with([planned(1)]);
    let etag = running.admin.get(&path(1)).etag();
    let same = json!({
        "name": "Round 1", "startAt": "2026-01-31T10:00:00+02:00", "tags": ["night", "fire", "night"],
        "description": "Along the fence", "published": true,
    });
    for body in [json!({}), same, json!({ "state": "COMPLETED", "steps": [], "status": "ERROR" })] {
        let answer = running.admin.patch(&path(1), &body);
        assert_eq!((answer.ok()["edited"].clone(), answer.etag()), (json!(false), etag.clone()));
        assert_eq!(running.read(1), planned_record(1));
    }
}

#[test]
fn null_is_refused_where_nothing_can_be_null() {
    let running = Running::with([planned(1)]);
    let order = [
        "name",
        "locationId",
        "assigneeIds",
        "startAt",
        "endAt",
        "priority",
        "orderStepsRequired",
        "strictTimeRequired",
        "deadlined",
        "tags",
        "published",
    ];
    let nulls: Value = order.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    let details = order.map(|name| detail("validation.notnull.failed", name, &[]));
    running.admin.patch(&path(1), &nulls).invalid(&details);
    assert_eq!(running.read(1), planned_record(1));
}

#[test]
fn wrong_types_are_named_all_at_once() {
    let running = Running::with([planned(1)]);
    let wrong = |identifier: &str, kind: &str| detail("data.type.invalid", identifier, &[kind]);
    let body = json!({
        "assigneeIds": {}, "locationId": "port", "name": 1, "description": 2, "startAt": 3,
        "endAt": "later", "priority": 4, "orderStepsRequired": 0, "strictTimeRequired": "",
        "deadlined": {}, "tags": [5], "published": "yes",
    });
    running.admin.patch(&path(1), &body).misunderstood(&[
        wrong("name", "STRING"),
        wrong("description", "STRING"),
        wrong("locationId", "UUID"),
        wrong("assigneeIds", "ARRAY"),
        wrong("startAt", "TIMESTAMP"),
        wrong("endAt", "TIMESTAMP"),
        wrong("priority", "STRING"),
        wrong("orderStepsRequired", "BOOLEAN"),
        wrong("strictTimeRequired", "BOOLEAN"),
        wrong("deadlined", "BOOLEAN"),
        wrong("tags[0]", "STRING"),
        wrong("published", "BOOLEAN"),
    ]);
}

#[test]
fn rules_hold_for_what_is_sent_together_with_what_is_there() {
    let running = Running::with([planned(1)]);
    let period = [detail("validation.period.failed", "endAt", &[])];
    let late = json!({ "startAt": "2026-01-31T09:00:00.001Z" });
    running.admin.patch(&path(1), &late).invalid(&period);
    running.admin.patch(&path(1), &json!({ "endAt": "2026-01-31T07:59:59.999Z" })).invalid(&period);
    let _ = running.admin.patch(&path(1), &json!({ "startAt": "2026-01-31T09:00:00Z" })).ok();
    let body = json!({
        "tags": [""], "priority": "LOW", "name": "", "locationId": NOBODY, "assigneeIds": [NOBODY],
        "description": "\u{0}",
    });
    running.admin.patch(&path(1), &body).invalid(&[
        detail("validation.length.failed", "name", &["1", "255"]),
        detail("validation.characters.failed", "description", &[]),
        detail("validation.reference.failed", "locationId", &[]),
        detail("validation.reference.failed", "assigneeIds[0]", &[]),
        detail("validation.enum.failed", "priority", &["MINOR", "NORMAL", "MAJOR", "CRITICAL"]),
        detail("validation.length.failed", "tags[0]", &["1", "100"]),
    ]);
}

#[test]
fn several_resources_are_not_allowed() {
    let running = Running::with([planned(1), planned(2)]);
    for body in [json!([]), json!([{ "name": "x" }]), json!([{}, {}])] {
        running.admin.patch(&path(1), &body).misunderstood(&[detail(
            "multiple.resources.not.allowed",
            "",
            &[],
        )]);
    }
    let both = format!("/task-executions/{},{}", execution_id(1), execution_id(2));
    running.admin.patch(&both, &json!({ "name": "x" })).misunderstood(&[detail(
        "multiple.resources.not.allowed",
        "id",
        &[],
    )]);
    assert_eq!(running.read(1), planned_record(1));
}

#[test]
fn an_id_of_another_form_has_the_wrong_type() {
    let running = Running::with([planned(1)]);
    for id in MALFORMED {
        running
            .admin
            .patch(&format!("/task-executions/{id}"), &json!({}))
            .misunderstood(&[detail("data.type.invalid", "id", &["UUID"])]);
    }
}

#[test]
fn an_unknown_id_is_not_found() {
    let running = Running::with([]);
    let unknown = format!("/task-executions/{NOBODY}");
    let _ = running.admin.patch(&unknown, &json!({ "name": "" })).refused(404, "not.found");
    let _ = running.admin.patch(&unknown, &json!({ "name": 1 })).refused(400, "input.data.invalid");
}

#[test]
fn of_a_completed_execution_only_published_and_tags_change() {
    let running = Running::with([completed(1)]);
    let before = running.admin.get(&path(1)).etag();
    for change in members() {
        let free = change.get("tags").is_some() || change.get("published").is_some();
        if !free {
            let refused = [detail("state.not.allowed", "state", &[])];
            running.admin.patch(&path(1), &change).misunderstood(&refused);
            let with_tags = with(change, json!({ "tags": ["x"] }));
            running.admin.patch(&path(1), &with_tags).misunderstood(&refused);
        }
    }
    assert_eq!(running.admin.get(&path(1)).etag(), before);
    let change = json!({ "published": false, "tags": ["audited"] });
    let summary = running.admin.patch(&path(1), &change).ok();
    assert_eq!((&summary["published"], &summary["edited"]), (&json!(false), &json!(true)));
    assert_eq!(running.read(1)["tags"], json!(["audited"]));
}

#[test]
fn a_version_that_has_passed_is_not_changed() {
    let running = Running::with([planned(1)]);
    let old = running.admin.get(&path(1)).etag();
    let new = running.admin.with("If-Match", &old).patch(&path(1), &json!({ "name": "a" })).etag();
    for stale in [old, "\"other\"".to_owned(), format!("W/{new}")] {
        let _ = running
            .admin
            .with("If-Match", &stale)
            .patch(&path(1), &json!({ "name": "b" }))
            .refused(412, "precondition.failed");
        assert_eq!(running.read(1)["name"], "a", "{stale}");
    }
    for good in [format!("\"other\", {new}"), "*".to_owned()] {
        let _ = running.admin.with("If-Match", &good).patch(&path(1), &json!({ "name": "c" })).ok();
    }
    // The condition is checked before the rules.
    let _ = running
        .admin
        .with("If-Match", "\"other\"")
        .patch(&path(1), &json!({ "name": "" }))
        .refused(412, "precondition.failed");
}
