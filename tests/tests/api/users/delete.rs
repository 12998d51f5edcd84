//! DELETE of a user.

use patrol_tests::{
    Running,
    company::{ADMIN, EMPLOYEE, GUARD, MANAGER, NOBODY},
    completed, detail, execution_id, planned, with,
};
use serde_json::{Value, json};

use super::{PICTURE, path};

#[test]
fn a_deleted_user_is_gone_and_executions_keep_what_they_prove() {
    let assigned = |record| with(record, json!({ "assigneeIds": [GUARD, EMPLOYEE] }));
    let finished = with(assigned(completed(2)), json!({ "performerId": GUARD }));
    let running = Running::with([assigned(planned(1)), finished]);
    let guard = running.api(GUARD);
    let _ = running.admin.upload(&format!("/users/{GUARD}/photo"), PICTURE).ok();
    let (pending, proof) = (running.read(1), running.read(2));
    let tag = running.admin.get(&format!("/task-executions/{}", execution_id(1))).etag();

    running.admin.delete(&path(GUARD)).is_bare(204);
    running.admin.get(&path(GUARD)).refused(404, "not.found").shows(&[]);
    let _ = running.admin.get(&format!("/users/{GUARD}/photo")).refused(404, "not.found");
    running.admin.delete(&path(GUARD)).refused(404, "not.found").shows(&[]);
    assert_eq!(running.admin.get("/users?limit=0").ok()["meta"]["count"], 4);
    assert_eq!(running.read(1), with(pending, json!({ "assigneeIds": [EMPLOYEE] })));
    assert_ne!(running.admin.get(&format!("/task-executions/{}", execution_id(1))).etag(), tag);
    assert_eq!(running.read(2), proof);
    assert_eq!(proof["performerId"], GUARD);
    // The token of a deleted user is refused within 5 seconds, on a busy machine later.
    let refused = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        guard.get("/me").status == 401
    });
    assert!(refused, "the token is still valid");

    let events = running.admin.get(&format!("/users/{GUARD}/events")).ok();
    let last = events["data"].as_array().expect("events").last().expect("an event").clone();
    assert_eq!((&last["type"], &last["actorId"]), (&json!("user.deleted"), &json!(ADMIN)));
    let all = running.admin.get("/events?limit=1000").ok();
    let same: Vec<_> = all["data"]
        .as_array()
        .expect("events")
        .iter()
        .filter(|event| event["requestId"] == last["requestId"])
        .map(|event| event["type"].clone())
        .collect();
    assert_eq!(json!(same), json!(["taskExecution.updated", "token.deleted", "user.deleted"]));
    // An export with ids of deleted users is imported elsewhere.
    let copy = patrol_tests::Store::empty();
    let _ = copy.run_with(&["import", "-"], running.exported()).exited(0);
}

/// A verified token is remembered for 4 seconds: these operations find out earlier.
#[test]
fn a_request_that_reads_its_deleted_caller_is_unauthorized() {
    let running = Running::with([]);
    let (guard, manager) = (running.api(GUARD), running.api(MANAGER));
    for caller in [&guard, &manager] {
        let _ = caller.get("/me").ok();
    }
    running.admin.delete(&path(GUARD)).is_bare(204);
    running.admin.delete(&path(MANAGER)).is_bare(204);
    let (own, photo) = (path(GUARD), format!("/users/{GUARD}/photo"));
    let token = json!({ "name": "phone" });
    let answers = [
        guard.get("/me"),
        guard.get(&own),
        guard.patch(&own, &json!({ "phone": "1" })),
        guard.get("/tokens"),
        guard.post("/tokens", &token),
        guard.post("/tokens", &with(token, json!({ "userId": GUARD }))),
        guard.post("/tokens", &json!({ "userId": GUARD })),
        guard.get(&photo),
        guard.upload(&photo, PICTURE),
        guard.upload(&photo, b"no image"),
        guard.delete(&photo),
        manager.patch(&path(MANAGER), &json!({ "phone": "1" })),
        manager.post("/users/batch", &json!([{ "id": MANAGER, "phone": "1" }])),
        manager.post("/users/batch?dryRun=true", &json!([{ "id": MANAGER, "phone": "1" }])),
    ];
    for (at, answer) in answers.iter().enumerate() {
        assert_eq!(answer.header("WWW-Authenticate"), Some("Bearer"), "{at}");
        answer.refused(401, "unauthorized").shows(&[]);
    }
}

#[test]
fn only_administrators_delete_users_and_one_of_them_stays() {
    let running = Running::with([]);
    for user in [MANAGER, EMPLOYEE] {
        for id in [GUARD, NOBODY, "x"] {
            running.api(user).delete(&path(id)).refused(403, "access.denied").shows(&[]);
        }
    }
    running.admin.delete(&path("x")).misunderstood(&[detail("data.type.invalid", "id", &["UUID"])]);
    running.admin.delete(&path(NOBODY)).refused(404, "not.found").shows(&[]);
    let last = [detail("state.not.allowed", "role", &[])];
    running.admin.delete(&path(ADMIN)).misunderstood(&last);
    let admin = json!({ "role": "ADMIN" });
    let _ = running.admin.patch(&path(EMPLOYEE), &admin).ok();
    let tag = running.admin.get(&path(ADMIN)).etag();
    let _ = running.admin.patch(&path(ADMIN), &json!({ "phone": "1" })).ok();
    let stale = running.admin.with("If-Match", &tag).delete(&path(ADMIN));
    stale.refused(412, "precondition.failed").shows(&[]);
    running.admin.delete(&path(EMPLOYEE)).is_bare(204);
    running.admin.delete(&path(ADMIN)).misunderstood(&last);
}

#[test]
fn a_repeated_delete_is_answered_as_the_first() {
    let running = Running::with([]);
    let keyed = running.admin.with("Idempotency-Key", "away");
    keyed.delete(&path(GUARD)).is_bare(204);
    let again = keyed.delete(&path(GUARD));
    again.is_bare(204);
    assert_eq!(again.header("Idempotency-Replayed"), Some("true"));
    let names: Vec<Value> = running.admin.get("/users").ok()["data"].as_array().unwrap().clone();
    assert_eq!(names.len(), 4);
}
