//! Who may change which user, and when that is checked.

use patrol_tests::{
    Running,
    company::{ADMIN, EMPLOYEE, GUARD, MANAGER, NOBODY},
    detail, with,
};
use serde_json::{Value, json};

use super::{BATCH, everything, path};

#[test]
fn an_employee_changes_its_own_contact_data_and_nothing_else() {
    let running = Running::with([]);
    let employee = running.api(EMPLOYEE);
    let before = running.user(EMPLOYEE);
    let contact = json!({ "email": "me@example.org", "phone": null, "language": "ru" });
    assert_eq!(employee.patch(&path(EMPLOYEE), &contact).ok(), with(before, contact));
    let before = running.user(EMPLOYEE);
    // Any other listed member is forbidden, whatever its value, even the current one.
    for (name, value) in everything().as_object().unwrap() {
        if ["email", "phone", "language"].contains(&name.as_str()) {
            continue;
        }
        for value in [value.clone(), before[name].clone(), Value::Null, json!(5), json!({})] {
            let body = json!({ "phone": "1", name: value });
            employee.patch(&path(EMPLOYEE), &body).refused(403, "access.denied").shows(&[]);
        }
    }
    assert_eq!(running.user(EMPLOYEE), before);
    // Unknown members are ignored as usual.
    let _ = employee.patch(&path(EMPLOYEE), &json!({ "userLinked": true, "x": 1 })).ok();
    // Its own data has to meet the rules.
    employee.patch(&path(EMPLOYEE), &json!({ "email": "e2@example.org" })).invalid(&[detail(
        "validation.unique.failed",
        "email",
        &[],
    )]);
}

#[test]
fn an_employee_changes_nobody_else() {
    let running = Running::with([]);
    let employee = running.api(EMPLOYEE);
    for other in [GUARD, MANAGER, ADMIN, NOBODY] {
        for body in [json!({}), json!({ "phone": "1" }), json!({ "phone": 1 })] {
            employee.patch(&path(other), &body).refused(403, "access.denied").shows(&[]);
        }
    }
    assert_eq!(running.user(GUARD)["phone"], Value::Null);
}

#[test]
fn an_employee_has_no_batch_whatever_it_sends() {
    let running = Running::with([]);
    let employee = running.api(EMPLOYEE);
    let own = json!([{ "id": EMPLOYEE, "phone": "1" }]).to_string();
    for body in ["[]", "{", "", &own] {
        let _ = employee.text("POST", BATCH, body).refused(403, "access.denied");
        let _ = employee.send("POST", BATCH, Some(body.as_bytes())).refused(403, "access.denied");
    }
    assert_eq!(running.user(EMPLOYEE)["phone"], Value::Null);
}

#[test]
fn a_manager_changes_everybody_but_administrators() {
    let running = Running::with([]);
    let manager = running.api(MANAGER);
    let changed = manager.patch(&path(GUARD), &everything()).ok();
    assert_eq!(changed, with(super::guard(), everything()));
    let _ = manager.patch(&path(MANAGER), &json!({ "phone": "1" })).ok();
    let before = running.user(ADMIN);
    for body in [json!({}), json!({ "phone": "1" }), json!({ "status": "INACTIVE" })] {
        manager.patch(&path(ADMIN), &body).refused(403, "access.denied").shows(&[]);
    }
    let batch = json!([{ "id": GUARD, "phone": "2" }, { "id": ADMIN, "phone": "2" }]);
    manager.post(BATCH, &batch).refused(403, "access.denied").shows(&[]);
    assert_eq!(running.user(ADMIN), before);
    assert_eq!(running.user(GUARD), changed, "the batch did nothing");
}

#[test]
fn a_manager_makes_no_administrator() {
    let running = Running::with([]);
    let manager = running.api(MANAGER);
    for user in [GUARD, MANAGER, ADMIN] {
        let body = json!({ "role": "ADMIN" });
        manager.patch(&path(user), &body).refused(403, "access.denied").shows(&[]);
    }
    let batch = json!([{ "id": GUARD }, { "id": EMPLOYEE, "role": "ADMIN" }]);
    manager.post(BATCH, &batch).refused(403, "access.denied").shows(&[]);
    assert_eq!(running.user(EMPLOYEE)["role"], "EMPLOYEE");
    let _ = manager.patch(&path(GUARD), &json!({ "role": "MANAGER" })).ok();
    // An administrator can appoint another one.
    let _ = running.admin.patch(&path(GUARD), &json!({ "role": "ADMIN" })).ok();
}

#[test]
fn checks_come_in_their_order() {
    let running = Running::with([]);
    let (anybody, employee, manager) =
        (running.server.api(), running.api(EMPLOYEE), running.api(MANAGER));
    let own = path(EMPLOYEE);
    // Token, then Content-Type, then the id, then syntax and size.
    let _ = anybody.send("PATCH", "/users/x", Some(b"{")).refused(401, "unauthorized");
    let _ = employee.send("PATCH", "/users/x", Some(b"{")).refused(406, "not.acceptable");
    employee.text("PATCH", "/users/x", "{").misunderstood(&[detail(
        "data.type.invalid",
        "id",
        &["UUID"],
    )]);
    let malformed = employee.text("PATCH", &path(NOBODY), "{");
    malformed.refused(400, "input.data.invalid").shows_a_place();
    let large = vec![b' '; 3_000_000];
    let _ = employee.text("PATCH", &own, &large).refused(413, "payload.too.large");
    // Forbidden members are checked before the types and the record.
    let _ = employee.patch(&own, &json!({ "role": 5 })).refused(403, "access.denied");
    let _ = employee.patch(&path(NOBODY), &json!({})).refused(403, "access.denied");
    let grant = json!({ "role": "ADMIN", "firstName": 5 });
    let _ = manager.patch(&path(NOBODY), &grant).refused(403, "access.denied");
    let grant = json!([{ "id": "x", "role": "ADMIN" }, 7]);
    let _ = manager.post(BATCH, &grant).refused(403, "access.denied");
    // Types are checked before the record.
    running.admin.patch(&path(NOBODY), &json!({ "firstName": 5 })).misunderstood(&[detail(
        "data.type.invalid",
        "firstName",
        &["STRING"],
    )]);
    // The record is checked before the rules.
    let _ =
        running.admin.patch(&path(NOBODY), &json!({ "firstName": "" })).refused(404, "not.found");
    // The state is checked before the rules.
    running
        .admin
        .patch(&path(ADMIN), &json!({ "role": "EMPLOYEE", "firstName": "" }))
        .misunderstood(&[detail("state.not.allowed", "role", &[])]);
}
