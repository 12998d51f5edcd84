//! POST /users/batch: types, rules and size of its body.

use patrol_tests::{
    Running,
    company::{ADMIN, EMPLOYEE, GUARD, MANAGER, NOBODY},
    detail,
};
use serde_json::json;

use super::{BATCH, guard};

/// The default limit of the body.
const LIMIT: usize = 8 * 1024 * 1024;

#[test]
fn types_are_named_with_their_entry() {
    let running = Running::with([]);
    let wrong = |identifier: &str, kind: &str| detail("data.type.invalid", identifier, &[kind]);
    for body in [json!({}), json!("x"), json!(null), json!({ "id": GUARD })] {
        running.admin.post(BATCH, &body).misunderstood(&[wrong("", "ARRAY")]);
    }
    let batch = json!([
        { "id": "x", "firstName": 1 },
        7,
        { "id": GUARD, "locationIds": ["x"], "tags": 1, "role": "BOSS" },
        null,
        { "id": 1 },
    ]);
    running.admin.post(BATCH, &batch).misunderstood(&[
        wrong("[0].id", "UUID"),
        wrong("[0].firstName", "STRING"),
        wrong("[1]", "OBJECT"),
        wrong("[2].locationIds[0]", "UUID"),
        wrong("[2].tags", "ARRAY"),
        wrong("[3]", "OBJECT"),
        wrong("[4].id", "UUID"),
    ]);
    assert_eq!(running.user(GUARD), guard());
}

#[test]
fn an_id_is_required() {
    let running = Running::with([]);
    let batch = json!([{ "id": GUARD }, { "phone": "1" }, { "id": null }]);
    running.admin.post(BATCH, &batch).invalid(&[
        detail("validation.notnull.failed", "[1].id", &[]),
        detail("validation.notnull.failed", "[2].id", &[]),
    ]);
}

#[test]
fn the_faults_of_all_entries_are_reported_in_their_order() {
    let running = Running::with([]);
    let batch = json!([
        { "id": GUARD, "firstName": "", "employeeNo": "a1" },
        { "id": MANAGER, "phone": "1" },
        { "id": EMPLOYEE, "role": null, "locationIds": [NOBODY], "email": "x" },
    ]);
    running.admin.post(BATCH, &batch).invalid(&[
        detail("validation.length.failed", "[0].firstName", &["1", "255"]),
        detail("validation.unique.failed", "[0].employeeNo", &[]),
        detail("validation.email.failed", "[2].email", &[]),
        detail("validation.notnull.failed", "[2].role", &[]),
        detail("validation.reference.failed", "[2].locationIds[0]", &[]),
    ]);
}

#[test]
fn of_a_clash_the_later_entry_is_named() {
    let running = Running::with([]);
    let batch = json!([
        { "id": GUARD, "employeeNo": "Ж", "email": "x@example.org" },
        { "id": MANAGER, "email": "X@EXAMPLE.ORG" },
        { "id": EMPLOYEE, "employeeNo": "ж" },
    ]);
    running.admin.post(BATCH, &batch).invalid(&[
        detail("validation.unique.failed", "[1].email", &[]),
        detail("validation.unique.failed", "[2].employeeNo", &[]),
    ]);
    // Also when one of the two keeps its value.
    let kept = json!([{ "id": GUARD, "employeeNo": "e1" }, { "id": EMPLOYEE, "phone": "1" }]);
    running.admin.post(BATCH, &kept).invalid(&[detail(
        "validation.unique.failed",
        "[1].employeeNo",
        &[],
    )]);
    // In a clash with a user outside the batch, the only entry is reported.
    let outside = json!([{ "id": MANAGER, "phone": "1" }, { "id": GUARD, "employeeNo": "e1" }]);
    running.admin.post(BATCH, &outside).invalid(&[detail(
        "validation.unique.failed",
        "[1].employeeNo",
        &[],
    )]);
}

#[test]
fn nobody_stands_in_it_twice() {
    let running = Running::with([]);
    let batch = json!([
        { "id": GUARD, "phone": "1" },
        { "id": EMPLOYEE, "phone": "1" },
        { "id": GUARD.to_uppercase(), "phone": "2" },
    ]);
    let refusal = running.admin.post(BATCH, &batch).refused(400, "input.data.invalid");
    let details = refusal.body["details"].as_array().expect("details");
    assert_eq!(details.len(), 1);
    assert_eq!(details[0]["identifier"], "[2].id");
    assert_eq!(running.user(GUARD), guard());
}

#[test]
fn the_last_administrator_is_named_with_its_entry() {
    let running = Running::with([]);
    let batch = json!([{ "id": GUARD, "firstName": "" }, { "id": ADMIN, "role": "MANAGER" }]);
    running.admin.post(BATCH, &batch).misunderstood(&[detail(
        "state.not.allowed",
        "[1].role",
        &[],
    )]);
}

#[test]
fn a_body_may_be_four_times_as_large_as_others() {
    let running = Running::with([]);
    let batch = |size: usize| {
        let mut body = format!("[{{\"id\":\"{GUARD}\",\"unknown\":\"").into_bytes();
        body.resize(size - 3, b'x');
        body.extend(b"\"}]");
        body
    };
    let answer = running.admin.text("POST", BATCH, batch(LIMIT)).ok();
    assert_eq!(answer[0], guard());
    let _ = running.admin.text("POST", BATCH, batch(LIMIT + 1)).refused(413, "payload.too.large");
}

#[test]
fn a_flood_of_faults_is_cut() {
    let running = Running::with([]);
    let batch = vec![json!({ "id": "x" }); 1000];
    let answer = running.admin.post(BATCH, &json!(batch));
    let refusal = answer.refused(400, "input.data.invalid");
    assert_eq!(refusal.body["details"].as_array().map(Vec::len), Some(1000));
    let wide = format!("[{}0]", "0,".repeat(500_000));
    let answer = running.admin.text("POST", BATCH, wide);
    assert_eq!(answer.status, 400);
    assert!(answer.body.len() < 1 << 20, "{} bytes", answer.body.len());
}

#[cfg(target_os = "linux")]
#[test]
fn entries_beyond_the_thousandth_take_no_memory() {
    let running = Running::with([]);
    let before = running.server.peak_memory();
    let flood = format!("[{}{{}}]", "{},".repeat(1_000_000));
    let refusal = running.admin.text("POST", BATCH, flood).refused(400, "validation.failed");
    assert_eq!(refusal.body["details"][0]["code"], "validation.length.failed");
    let grown = running.server.peak_growth(before);
    assert!(grown < 200 << 20, "the process grew by {grown} bytes");
}
