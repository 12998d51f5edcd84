//! GET of one user, GET of the caller, and POST.

use patrol_tests::{
    Running,
    company::{ADMIN, EMPLOYEE, GUARD, MANAGER, NOBODY, PORT, YARD},
    detail, with,
};
use serde_json::{Value, json};

use super::{everything, guard, path};

/// A body with the required members.
fn required() -> Value {
    json!({ "firstName": "Ivo", "lastName": "Kask", "role": "EMPLOYEE" })
}

fn unique(identifier: &str) -> Value {
    detail("validation.unique.failed", identifier, &[])
}

#[test]
fn a_user_is_read_with_its_version() {
    let running = Running::with([]);
    let read = running.admin.get(&path(GUARD));
    assert_eq!(read.ok(), guard());
    assert_eq!(read.header("Cache-Control"), Some("no-store"));
    let tag = read.etag();
    let known = running.admin.with("If-None-Match", &tag).get(&path(GUARD));
    assert_eq!((known.status, known.etag()), (304, tag.clone()));
    let changed =
        running.admin.with("If-Match", &tag).patch(&path(GUARD), &json!({ "phone": "1" }));
    let _ = changed.ok();
    let next = changed.etag();
    assert_ne!(next, tag);
    assert_eq!(running.admin.with("If-None-Match", &tag).get(&path(GUARD)).etag(), next);
    let stale = running.admin.with("If-Match", &tag).patch(&path(GUARD), &json!({ "phone": "2" }));
    stale.refused(412, "precondition.failed").shows(&[]);
    // What changes nothing keeps the version.
    assert_eq!(running.admin.patch(&path(GUARD), &json!({ "phone": "1" })).etag(), next);
    // A photo and a batch are changes too.
    let _ = running.admin.upload(&format!("/users/{GUARD}/photo"), super::PICTURE).ok();
    let photographed = running.admin.get(&path(GUARD)).etag();
    assert_ne!(photographed, next);
    let _ = running.admin.post(super::BATCH, &json!([{ "id": GUARD, "phone": "3" }])).ok();
    assert_ne!(running.admin.get(&path(GUARD)).etag(), photographed);
    running.admin.get(&path(NOBODY)).refused(404, "not.found").shows(&[]);
    running.admin.get("/users/x").misunderstood(&[detail("data.type.invalid", "id", &["UUID"])]);
}

#[test]
fn the_caller_reads_itself() {
    let running = Running::with([]);
    for user in [ADMIN, MANAGER, EMPLOYEE] {
        let me = running.api(user).get("/me").ok();
        assert_eq!(me["id"], user);
        assert_eq!(me, running.admin.get(&path(user)).ok());
    }
    let _ = running.server.api().get("/me").refused(401, "unauthorized");
}

#[test]
fn a_new_user_has_defaults_and_is_found_where_location_says() {
    let running = Running::with([]);
    let created = running.admin.post("/users", &required());
    let user = created.json(201);
    let id = user["id"].as_str().expect("an id");
    assert_eq!(
        user,
        json!({
            "id": id, "firstName": "Ivo", "middleName": null, "lastName": "Kask", "employeeNo": null,
            "employeePin": null, "email": null, "phone": null, "language": "en", "role": "EMPLOYEE",
            "status": "ACTIVE", "photoId": null, "locationIds": [], "tags": [], "userLinked": false,
        })
    );
    assert_eq!(created.header("Location"), Some(format!("/v1{}", path(id)).as_str()));
    assert_eq!(running.admin.get(&path(id)).ok(), user);
    assert_eq!(running.admin.get("/users?q=kask").ok()["data"], json!([user]));
    let events = running.admin.get(&format!("{}/events", path(id))).ok();
    let event = &events["data"][0];
    assert_eq!((&event["type"], &event["actorId"]), (&json!("user.created"), &json!(ADMIN)));
}

#[test]
fn a_new_user_may_have_every_member_and_an_id_of_the_client() {
    let running = Running::with([]);
    let body = with(everything(), json!({ "id": NOBODY, "locationIds": [YARD, PORT, YARD] }));
    let user = running.admin.post("/users", &body).json(201);
    let expected = json!({ "id": NOBODY, "photoId": null, "userLinked": false });
    assert_eq!(user, with(everything(), expected));
    // The PIN is in no event.
    let events = running.admin.get(&format!("{}/events", path(NOBODY)));
    assert!(!events.text().contains("0042"), "{}", events.text());
    // An id is used once; null means that the service makes one.
    let again = with(required(), json!({ "id": NOBODY }));
    running.admin.post("/users", &again).invalid(&[unique("id")]);
    let made = running.admin.post("/users", &with(required(), json!({ "id": null }))).json(201);
    assert_ne!(made["id"], NOBODY);
}

#[test]
fn the_rules_of_a_new_user_are_those_of_a_change() {
    let running = Running::with([]);
    running.admin.post("/users", &json!({})).invalid(&[
        detail("validation.notnull.failed", "firstName", &[]),
        detail("validation.notnull.failed", "lastName", &[]),
        detail("validation.notnull.failed", "role", &[]),
    ]);
    let wrong = json!({
        "employeeNo": "a1@example.org", "email": "m1@EXAMPLE.org", "role": "KING",
        "locationIds": [PORT, NOBODY],
    });
    running.admin.post("/users", &with(required(), wrong)).invalid(&[
        unique("employeeNo"),
        unique("email"),
        detail("validation.enum.failed", "role", &["EMPLOYEE", "MANAGER", "ADMIN"]),
        detail("validation.reference.failed", "locationIds[1]", &[]),
    ]);
    let types = with(required(), json!({ "id": 5, "tags": "x" }));
    running.admin.post("/users", &types).misunderstood(&[
        detail("data.type.invalid", "id", &["UUID"]),
        detail("data.type.invalid", "tags", &["ARRAY"]),
    ]);
    assert_eq!(running.admin.get("/users?limit=0").ok()["meta"]["count"], 5);
}

#[test]
fn a_manager_makes_no_administrator_and_an_employee_no_user() {
    let running = Running::with([]);
    let (manager, employee) = (running.api(MANAGER), running.api(EMPLOYEE));
    let admin = with(required(), json!({ "role": "ADMIN" }));
    // Before other faults of the body.
    for body in [admin.clone(), with(admin, json!({ "tags": 5 }))] {
        manager.post("/users", &body).refused(403, "access.denied").shows(&[]);
    }
    let _ = manager.post("/users", &with(required(), json!({ "role": "MANAGER" }))).json(201);
    employee.post("/users", &required()).refused(403, "access.denied").shows(&[]);
    assert_eq!(running.admin.get("/users?limit=0").ok()["meta"]["count"], 6);
}

#[test]
fn a_repeated_post_makes_one_user() {
    let running = Running::with([]);
    let keyed = running.admin.with("Idempotency-Key", "a-new-user");
    let first = keyed.post("/users", &required());
    let user = first.json(201);
    let again = keyed.post("/users", &required());
    assert_eq!(again.json(201), user);
    assert_eq!(again.header("Idempotency-Replayed"), Some("true"));
    assert_eq!(again.header("Location"), first.header("Location"));
    assert_eq!(running.admin.get("/users?limit=0").ok()["meta"]["count"], 6);
}

#[test]
fn a_dry_run_of_a_batch_answers_what_would_be_and_stores_nothing() {
    let running = Running::with([]);
    let before = running.admin.get("/users").ok();
    let newest = running.admin.get("/events?limit=1000").ok()["next"].clone();
    let batch =
        json!([{ "id": GUARD, "employeeNo": "E1" }, { "id": EMPLOYEE, "employeeNo": "E2" }]);
    let dry_run = running.admin.post("/users/batch?dryRun=true", &batch);
    let users = dry_run.ok();
    assert_eq!(users[0], with(guard(), json!({ "employeeNo": "E1" })));
    assert_eq!(users[1]["employeeNo"], "E2");
    assert_eq!(dry_run.header("Patrol-Dry-Run"), Some("true"));
    // All checks run.
    let wrong = json!([{ "id": GUARD, "employeeNo": "A1" }]);
    let refused = running.admin.post("/users/batch?dryRun=true", &wrong);
    refused.invalid(&[unique("[0].employeeNo")]);
    let unknown = running.admin.post("/users/batch?dryRun=true", &json!([{ "id": NOBODY }]));
    let _ = unknown.refused(404, "not.found");
    let mistyped = running.admin.post("/users/batch?dryRun=true", &json!([{ "id": 1 }]));
    for refused in [refused, unknown, mistyped] {
        assert_eq!(refused.header("Patrol-Dry-Run"), Some("true"), "{}", refused.text());
    }
    assert_eq!(running.admin.get("/users").ok(), before);
    assert_eq!(running.admin.get("/events?limit=1000").ok()["next"], newest);
    for value in ["", "1", "TRUE"] {
        let answer = running.admin.post(&format!("/users/batch?dryRun={value}"), &batch);
        answer.misunderstood(&[detail("data.type.invalid", "dryRun", &["BOOLEAN"])]);
    }
    let earnest = running.admin.post("/users/batch?dryRun=false", &batch);
    assert_eq!(earnest.ok(), users);
    assert_eq!(earnest.header("Patrol-Dry-Run"), None);
    assert_eq!(running.admin.get(&path(GUARD)).ok(), users[0]);
}
