//! PUT /task-executions/{id}: effect and response.

use patrol_tests::{
    Running,
    company::{AIRPORT, GUARD, MANAGER, NOBODY, ROUND},
    completed, detail, execution_id, in_progress, planned, with,
};
use serde_json::{Value, json};

use super::{MALFORMED, path, small};

#[test]
fn the_content_is_replaced_and_the_subset_answered() {
    let running = Running::with([planned(1), planned(2)]);
    let body = json!({
        "assigneeIds": [MANAGER, GUARD, MANAGER],
        "locationId": AIRPORT,
        "name": "Обход ночной",
        "description": "",
        "startAt": "2026-02-01T10:00:00.000Z",
        "endAt": "2026-02-01T10:00:00.000Z",
        "priority": "CRITICAL",
        "orderStepsRequired": false,
        "strictTimeRequired": true,
        "deadlined": false,
        "tags": ["b", "a", "b"],
        "steps": [],
    });
    let answer = running.admin.put(&path(1), &body);
    let expected = json!({
        "id": execution_id(1),
        "scheduledTaskId": ROUND,
        "performerId": null,
        "assigneeIds": [MANAGER, GUARD],
        "name": "Обход ночной",
        "state": "PENDING",
        "status": null,
        "startAt": "2026-02-01T10:00:00.000Z",
        "endAt": "2026-02-01T10:00:00.000Z",
        "totalExecutedTimeInMillis": 0,
        "priority": "CRITICAL",
        "stepCount": 0,
        "executedStepCount": 0,
    });
    assert_eq!(answer.ok(), expected, "exactly these members");
    let read = running.admin.get(&path(1));
    let content = with(body, json!({ "assigneeIds": [MANAGER, GUARD], "tags": ["b", "a"] }));
    let record = with(super::planned_record(1), with(content, json!({ "edited": true })));
    assert_eq!(read.ok(), record);
    assert_eq!(read.etag(), answer.etag(), "the answer and the record are of one version");
    assert_eq!(running.read(2), super::planned_record(2), "no other execution changes");
}

#[test]
fn absent_and_null_members_take_their_defaults() {
    let running = Running::with([planned(1), planned(2)]);
    let nulls = json!({
        "assigneeIds": null, "description": null, "priority": null, "orderStepsRequired": null,
        "strictTimeRequired": null, "deadlined": null, "tags": null,
    });
    let _ = running.admin.put(&path(1), &small()).ok();
    let _ = running.admin.put(&path(2), &with(small(), nulls)).ok();
    let defaults = json!({
        "assigneeIds": [], "description": null, "priority": "NORMAL", "orderStepsRequired": false,
        "strictTimeRequired": false, "deadlined": false, "tags": [], "edited": true,
    });
    for n in [1, 2] {
        let expected = with(with(super::planned_record(n), small()), defaults.clone());
        assert_eq!(running.read(n), expected);
    }
}

#[test]
fn what_was_read_can_be_sent_back_and_only_edited_changes() {
    let running = Running::with([planned(1), in_progress(2)]);
    for n in [1, 2] {
        let before = running.read(n);
        let etag = running.admin.get(&path(n)).etag();
        let answer = running.admin.put(&path(n), &before);
        let _ = answer.ok();
        assert_eq!(running.read(n), with(before.clone(), json!({ "edited": true })));
        assert_ne!(answer.etag(), etag, "the record has changed");
        let _ = running.admin.put(&path(n), &before).ok();
        assert_eq!(running.read(n)["edited"], true, "PUT always sets it");
    }
}

#[test]
fn what_the_content_does_not_hold_stays() {
    let series = patrol_tests::series_of(1);
    let running = Running::with([with(in_progress(1), json!({ "seriesId": series }))]);
    let before = running.read(1);
    let claims = json!({
        "id": execution_id(9), "scheduledTaskId": NOBODY, "seriesId": null, "performerId": null,
        "state": "PENDING", "published": false, "startedAt": null, "edited": false,
    });
    let _ = running.admin.put(&path(1), &with(small(), claims)).ok();
    let after = running.read(1);
    for member in
        ["id", "scheduledTaskId", "seriesId", "performerId", "state", "published", "startedAt"]
    {
        assert_eq!(after[member], before[member], "{member}");
    }
    assert_eq!(after["status"], Value::Null, "the steps with results are gone");
}

#[test]
fn times_are_stored_in_utc_and_cut_to_milliseconds() {
    let running = Running::with([planned(1)]);
    for (sent, stored) in [
        ("2026-01-31T08:00:00Z", "2026-01-31T08:00:00.000Z"),
        ("2026-01-31T08:00:00.9Z", "2026-01-31T08:00:00.900Z"),
        ("2026-01-31T08:00:00.123999999Z", "2026-01-31T08:00:00.123Z"),
        ("2026-01-31T00:30:00.000+05:45", "2026-01-30T18:45:00.000Z"),
        ("2026-01-31T23:30:00-01:00", "2026-02-01T00:30:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ] {
        let answer =
            running.admin.put(&path(1), &with(small(), json!({ "startAt": sent, "endAt": sent })));
        assert_eq!(answer.ok()["startAt"], stored, "{sent}");
        assert_eq!(running.read(1)["endAt"], stored, "{sent}");
    }
    for sent in [
        "2026-01-31",
        "2026-01-31T08:00:00",
        "2026-02-30T08:00:00Z",
        "2026-01-31T25:00:00Z",
        "",
        "0000-01-01T00:00:00Z",
        "10000-01-01T00:00:00Z",
        "1769846400000",
        "2026-01-31T08:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "2026-01-31T08:00:00Z ",
    ] {
        running
            .admin
            .put(&path(1), &with(small(), json!({ "startAt": sent })))
            .misunderstood(&[detail("data.type.invalid", "startAt", &["TIMESTAMP"])]);
    }
}

#[test]
fn a_version_that_has_passed_is_not_replaced() {
    let running = Running::with([planned(1)]);
    let old = running.admin.get(&path(1)).etag();
    let new = running.admin.with("If-Match", &old).put(&path(1), &small()).etag();
    for stale in [old, "\"other\"".to_owned(), format!("W/{new}")] {
        let _ = running
            .admin
            .with("If-Match", &stale)
            .put(&path(1), &with(small(), json!({ "name": "Late" })))
            .refused(412, "precondition.failed");
        assert_eq!(running.read(1)["name"], "New round", "{stale}");
    }
    for good in [format!("\"other\", {new}"), "*".to_owned()] {
        let _ = running.admin.with("If-Match", &good).put(&path(1), &small()).ok();
    }
}

#[test]
fn several_resources_are_not_allowed() {
    let running = Running::with([planned(1), planned(2)]);
    let etag = running.admin.get(&path(1)).etag();
    for body in [json!([]), json!([small()]), json!([small(), small()]), json!([1])] {
        let refusal =
            running.admin.put(&path(1), &body).refused(400, "multiple.resources.not.allowed");
        refusal.shows(&[]);
    }
    let both = format!("/task-executions/{},{}", execution_id(1), execution_id(2));
    let _ = running.admin.put(&both, &small()).refused(400, "multiple.resources.not.allowed");
    assert_eq!(running.admin.get(&path(1)).etag(), etag);
}

#[test]
fn an_id_of_another_form_has_the_wrong_type() {
    let running = Running::with([planned(1)]);
    let half = format!("{},x", execution_id(1));
    for id in MALFORMED.into_iter().chain([half.as_str()]) {
        let refusal = running
            .admin
            .put(&format!("/task-executions/{id}"), &small())
            .refused(400, "data.type.invalid");
        assert_eq!(refusal.body["identifier"], "id", "{id}");
        assert_eq!(refusal.body["args"], json!(["UUID"]), "{id}");
    }
}

#[test]
fn an_unknown_id_is_not_found() {
    let running = Running::with([]);
    let unknown = format!("/task-executions/{NOBODY}");
    let _ = running.admin.put(&unknown, &small()).refused(404, "not.found");
    // Existence is checked after the types, before the condition and the rules.
    let _ =
        running.admin.with("If-Match", "\"x\"").put(&unknown, &json!({})).refused(404, "not.found");
    let _ = running.admin.put(&unknown, &json!({ "name": 1 })).refused(400, "input.data.invalid");
}

#[test]
fn what_a_completed_execution_proves_does_not_change() {
    let running = Running::with([completed(1)]);
    let answer = running.admin.get(&path(1));
    for body in [small(), answer.ok(), json!({})] {
        running.admin.put(&path(1), &body).misunderstood(&[detail(
            "state.not.allowed",
            "state",
            &[],
        )]);
    }
    let after = running.admin.get(&path(1));
    assert_eq!((after.etag(), after.ok()), (answer.etag(), answer.ok()));
}

#[test]
fn unknown_members_are_ignored() {
    let running = Running::with([planned(1)]);
    let body = json!({
        "colour": "red", "steps": [{ "name": "s", "weight": 1, "actions": [
            { "name": "a", "type": "TEXT", "x": { "y": [] } },
        ] }],
    });
    let _ = running.admin.put(&path(1), &with(small(), body)).ok();
    let record = running.read(1);
    assert!(record.get("colour").is_none() && record["steps"][0].get("weight").is_none());
    assert_eq!(record["steps"][0]["actions"][0]["name"], "a");
    assert_eq!(record["assigneeIds"], json!([]));
}
