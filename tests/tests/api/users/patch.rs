//! PATCH /users/{id}: effect and response.

use patrol_tests::{
    Running,
    company::{self, ADMIN, AIRPORT, EMPLOYEE, FORMER, GUARD, NOBODY, PORT, YARD},
    detail, with,
};
use serde_json::{Value, json};

use super::{everything, guard, path};

#[test]
fn the_whole_record_is_answered() {
    let running = Running::with([]);
    let answer = running.admin.patch(&path(GUARD), &json!({}));
    assert_eq!(answer.ok(), guard());
    let answer = running.admin.patch(&path(GUARD), &everything());
    assert_eq!(answer.ok(), with(guard(), everything()));
    assert_eq!(running.user(GUARD), with(guard(), everything()), "it is stored");
}

#[test]
fn only_what_is_sent_changes() {
    let running = Running::with([]);
    let mut expected = guard();
    for (name, value) in everything().as_object().unwrap() {
        let change = json!({ name: value });
        expected = with(expected, change.clone());
        assert_eq!(running.admin.patch(&path(GUARD), &change).ok(), expected, "{name}");
    }
    // Other users are not changed.
    let other =
        with(guard(), json!({ "id": EMPLOYEE, "employeeNo": "E1", "email": "E1@example.org" }));
    assert_eq!(running.user(EMPLOYEE), other);
}

#[test]
fn null_clears_what_can_be_null_and_is_a_fault_elsewhere() {
    let running = Running::with([]);
    let _ = running.admin.patch(&path(GUARD), &everything()).ok();
    let mut expected = with(guard(), everything());
    for name in ["middleName", "employeeNo", "employeePin", "email", "phone"] {
        expected[name] = Value::Null;
        let answer = running.admin.patch(&path(GUARD), &json!({ name: null }));
        assert_eq!(answer.ok(), expected, "{name}");
    }
    let required = ["firstName", "lastName", "language", "role", "status", "locationIds", "tags"];
    let fault = |name: &str| detail("validation.notnull.failed", name, &[]);
    for name in required {
        running.admin.patch(&path(GUARD), &json!({ name: null })).invalid(&[fault(name)]);
    }
    let nulls: Value = required.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    running.admin.patch(&path(GUARD), &nulls).invalid(&required.map(fault));
    assert_eq!(running.user(GUARD), expected);
}

#[test]
fn lists_are_sets_that_keep_the_order_sent() {
    let running = Running::with([]);
    let sent = json!({
        "locationIds": [YARD, PORT.to_uppercase(), YARD, AIRPORT, PORT],
        "tags": ["b", "B", "a", "b", "B"],
    });
    let answer = running.admin.patch(&path(GUARD), &sent).ok();
    assert_eq!(answer["locationIds"], json!([YARD, PORT, AIRPORT]));
    assert_eq!(answer["tags"], json!(["b", "B", "a"]));
    let emptied = running.admin.patch(&path(GUARD), &json!({ "locationIds": [], "tags": [] }));
    assert_eq!(emptied.ok(), guard());
}

#[test]
fn members_that_cannot_be_changed_are_ignored() {
    let running = Running::with([]);
    let sent = json!({
        "id": NOBODY, "photoId": NOBODY, "userLinked": true, "password": "x", "unknown": [{}],
    });
    assert_eq!(running.admin.patch(&path(GUARD), &sent).ok(), guard());
    for api in [running.api(GUARD), running.admin.clone()] {
        assert_eq!(api.patch(&path(GUARD), &sent).ok(), guard());
    }
}

#[test]
fn who_has_a_password_is_linked_and_stays_so() {
    let id = "0190a000-0001-7000-8000-0000000000ff";
    let user =
        with(company::user(id, "EMPLOYEE", "L1"), json!({ "password": "correct horse battery" }));
    let running = Running::with([user]);
    assert_eq!(running.user(id)["userLinked"], true);
    let changed = running.admin.patch(&path(id), &json!({ "phone": "1", "userLinked": false }));
    assert_eq!((&changed.ok()["userLinked"], &changed.ok()["phone"]), (&json!(true), &json!("1")));
}

#[test]
fn an_unknown_user_is_not_found() {
    let running = Running::with([]);
    for body in [json!({}), everything(), json!({ "role": null })] {
        running.admin.patch(&path(NOBODY), &body).refused(404, "not.found").shows(&[]);
    }
}

#[test]
fn an_id_that_is_no_uuid_is_named_in_the_details() {
    let running = Running::with([]);
    for id in ["abc", "1", "0190a00000017000800000000000000f", &format!("{GUARD},{ADMIN}")] {
        running.admin.patch(&path(id), &json!({ "role": null })).misunderstood(&[detail(
            "data.type.invalid",
            "id",
            &["UUID"],
        )]);
    }
    let _ = running.admin.patch(&path(&GUARD.to_uppercase()), &json!({})).ok();
}

#[test]
fn an_array_is_no_object() {
    let running = Running::with([]);
    running.admin.patch(&path(GUARD), &json!([{}])).misunderstood(&[detail(
        "data.type.invalid",
        "",
        &["OBJECT"],
    )]);
}

#[test]
fn whoever_is_disabled_has_no_valid_token_any_more() {
    let running = Running::with([]);
    let employee = running.api(EMPLOYEE);
    let _ = employee.get("/tokens").ok();
    let _ = running.admin.patch(&path(EMPLOYEE), &json!({ "status": "INACTIVE" })).ok();
    wait_for(|| employee.get("/tokens").status == 401);
    let _ = running.admin.patch(&path(EMPLOYEE), &json!({ "status": "ACTIVE" })).ok();
    wait_for(|| employee.get("/tokens").status == 200);
    // A user who is ACTIVE again is accepted again.
    let _ = running.admin.patch(&path(FORMER), &json!({ "status": "ACTIVE" })).ok();
    let _ = running.api(FORMER).get("/tokens").ok();
}

#[test]
fn a_new_role_holds_for_the_tokens_that_are_out() {
    let running = Running::with([]);
    let guard = running.api(GUARD);
    let change = json!({ "phone": "1" });
    assert_eq!(guard.patch(&path(EMPLOYEE), &change).status, 403);
    let _ = running.admin.patch(&path(GUARD), &json!({ "role": "MANAGER" })).ok();
    wait_for(|| guard.patch(&path(EMPLOYEE), &change).status == 200);
    let _ = running.admin.patch(&path(GUARD), &json!({ "role": "EMPLOYEE" })).ok();
    wait_for(|| guard.patch(&path(EMPLOYEE), &change).status == 403);
}

/// Waits until it is true; 5 seconds after the change it has to be.
fn wait_for(holds: impl Fn() -> bool) {
    let started = std::time::Instant::now();
    loop {
        let asked = started.elapsed();
        if holds() {
            return;
        }
        assert!(asked.as_secs() < 5, "it does not hold within five seconds");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_changed_user_is_found_by_its_new_names_only() {
    let running = Running::with([]);
    let change = json!({ "employeeNo": "Ж-17", "email": "new@example.org" });
    let _ = running.admin.patch(&path(GUARD), &change).ok();
    for name in ["Ж-17", "ж-17", "NEW@example.org"] {
        let _ = running.store.token(name);
    }
    let gone = ["token", "create", "--user", "E2", "--name", "x"];
    let _ = running.store.run(&gone).exited(1);
}

#[test]
fn no_pin_is_logged_or_told_in_an_error() {
    let running = Running::with([]);
    // With letters, because digits may occur by chance in a time or in a metric.
    let pin = "Nine".repeat(75);
    let answer = running.admin.patch(&path(GUARD), &json!({ "employeePin": pin }));
    answer.invalid(&[detail("validation.length.failed", "employeePin", &["0", "255"])]);
    assert!(!answer.text().contains("Nine"));
    let _ = running.admin.patch(&path(GUARD), &json!({ "employeePin": "Pi314159" })).ok();
    let body = json!([{ "id": GUARD, "employeePin": "Pi314159", "role": "x" }]);
    assert!(!running.admin.post(super::BATCH, &body).text().contains("Pi314159"));
    for secret in ["Pin271828", "Pi314159", "NineNine"] {
        assert!(!running.server.log().contains(secret), "{}", running.server.log());
        assert!(!running.server.api().outside("/metrics").text().contains(secret));
    }
}
