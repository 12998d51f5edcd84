//! POST /users/batch: effect and response.

use patrol_tests::{
    Running,
    company::{self, ADMIN, EMPLOYEE, FORMER, GUARD, MANAGER, NOBODY},
    detail, with,
};
use serde_json::{Value, json};

use super::{BATCH, everything, guard};

#[test]
fn users_are_answered_in_the_order_of_the_request() {
    let running = Running::with([]);
    let batch = json!([
        with(everything(), json!({ "id": GUARD.to_uppercase() })),
        { "id": ADMIN, "phone": "1", "middleName": null },
        { "id": EMPLOYEE },
        { "id": FORMER, "photoId": NOBODY, "unknown": 1 },
    ]);
    let answer = running.admin.post(BATCH, &batch).ok();
    assert_eq!(answer[0], with(guard(), everything()));
    assert_eq!((&answer[1]["id"], &answer[1]["phone"]), (&json!(ADMIN), &json!("1")));
    assert_eq!(answer[2], running.user(EMPLOYEE));
    assert_eq!(answer[3]["photoId"], Value::Null);
    assert_eq!(answer.as_array().unwrap().len(), 4);
    for (user, record) in [GUARD, ADMIN, EMPLOYEE, FORMER].iter().zip(answer.as_array().unwrap()) {
        assert_eq!(running.user(user), *record, "it is stored");
    }
}

#[test]
fn an_empty_batch_is_answered_with_an_empty_list() {
    let running = Running::with([]);
    assert_eq!(running.admin.post(BATCH, &json!([])).ok(), json!([]));
}

#[test]
fn unknown_users_are_all_named_and_nothing_is_done() {
    let running = Running::with([]);
    let batch = json!([
        { "id": NOBODY, "firstName": "" },
        { "id": GUARD, "phone": "1" },
        { "id": company::PORT },
    ]);
    running
        .admin
        .post(BATCH, &batch)
        .refused(404, "not.found")
        .shows(&[detail("not.found", "[0].id", &[]), detail("not.found", "[2].id", &[])]);
    assert_eq!(running.user(GUARD), guard());
}

#[test]
fn one_bad_entry_and_nothing_is_done() {
    let running = Running::with([]);
    let before = running.exported();
    for bad in [
        json!({ "id": EMPLOYEE, "firstName": "" }),
        json!({ "id": EMPLOYEE, "firstName": 1 }),
        json!({ "id": EMPLOYEE, "employeeNo": "A1" }),
        json!({ "id": EMPLOYEE, "locationIds": [NOBODY] }),
        json!({ "id": ADMIN, "status": "INACTIVE" }),
        json!({ "id": GUARD }),
        json!({ "id": NOBODY }),
        json!({}),
    ] {
        let batch = json!([{ "id": GUARD, "phone": "1" }, { "id": MANAGER, "phone": "1" }, bad]);
        let answer = running.admin.post(BATCH, &batch);
        assert!([400, 404].contains(&answer.status), "{bad}: {}", answer.text());
    }
    assert_eq!(running.exported(), before);
}

#[test]
fn two_may_swap_what_is_unique() {
    let running = Running::with([]);
    let swap = json!([
        { "id": EMPLOYEE, "employeeNo": "E2", "email": "E2@example.org" },
        { "id": GUARD, "employeeNo": "E1", "email": "E1@example.org" },
    ]);
    let answer = running.admin.post(BATCH, &swap).ok();
    assert_eq!((&answer[0]["employeeNo"], &answer[1]["employeeNo"]), (&json!("E2"), &json!("E1")));
    // Rotated among several users, in another case.
    let ring = json!([
        { "id": EMPLOYEE, "employeeNo": "m1" },
        { "id": MANAGER, "employeeNo": "e1" },
        { "id": GUARD, "employeeNo": "e2" },
    ]);
    let _ = running.admin.post(BATCH, &ring).ok();
    // One user gets what another gives up, in any order of the entries.
    let handed = json!([
        { "id": GUARD, "employeeNo": "M1" },
        { "id": EMPLOYEE, "employeeNo": null },
    ]);
    let _ = running.admin.post(BATCH, &handed).ok();
    let names: Vec<_> =
        [EMPLOYEE, MANAGER, GUARD].map(|user| running.user(user)["employeeNo"].clone()).into();
    assert_eq!(names, [Value::Null, json!("e1"), json!("M1")]);
}

#[test]
fn the_administrators_of_the_whole_batch_count() {
    let running = Running::with([]);
    // One administrator is appointed and the other demoted.
    let handed = json!([{ "id": ADMIN, "role": "MANAGER" }, { "id": MANAGER, "role": "ADMIN" }]);
    let _ = running.admin.post(BATCH, &handed).ok();
    let admin = running.api(MANAGER);
    let _ = admin.patch(&super::path(ADMIN), &json!({ "role": "ADMIN" })).ok();
    // Both administrators cannot be demoted.
    let batch = json!([
        { "id": GUARD, "phone": "1" },
        { "id": ADMIN, "status": "INACTIVE" },
        { "id": MANAGER, "role": "EMPLOYEE" },
    ]);
    let refusal = admin.post(BATCH, &batch).refused(400, "input.data.invalid");
    assert_eq!(refusal.body["details"][0]["code"], "state.not.allowed");
    assert_eq!(running.user(GUARD)["phone"], Value::Null);
}

#[test]
fn a_thousand_users_are_changed_at_once() {
    let id = |n: u32| format!("0190a000-0001-7000-8000-{:012x}", 0x1000 + n);
    let people = (0..1000).map(|n| company::user(&id(n), "EMPLOYEE", &format!("n{n}")));
    let running = Running::with(people);
    // Each user gets the number of the next one.
    let batch: Vec<_> = (0..1000)
        .map(|n| json!({ "id": id(n), "employeeNo": format!("n{}", (n + 1) % 1000) }))
        .collect();
    let answer = running.admin.post(BATCH, &json!(batch)).ok();
    let answer = answer.as_array().unwrap();
    assert_eq!(answer.len(), 1000);
    for (sent, changed) in batch.iter().zip(answer) {
        assert_eq!((&sent["id"], &sent["employeeNo"]), (&changed["id"], &changed["employeeNo"]));
    }
    let mut more = batch;
    more.push(json!({ "id": GUARD, "phone": "1" }));
    running.admin.post(BATCH, &json!(more)).invalid(&[detail(
        "validation.length.failed",
        "",
        &["0", "1000"],
    )]);
    assert_eq!(running.user(GUARD), guard());
}
