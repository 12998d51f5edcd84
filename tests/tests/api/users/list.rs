//! GET of the list of users.

use patrol_tests::{
    Running,
    company::{self, ADMIN, EMPLOYEE, FORMER, GUARD, MANAGER, PORT},
    detail, with,
};
use serde_json::{Value, json};

use super::{everything, guard, path};

/// A server on which [`GUARD`] has every member.
fn running() -> Running {
    let running = Running::with([]);
    let changed = with(everything(), json!({ "role": "EMPLOYEE", "status": "ACTIVE" }));
    let _ = running.admin.patch(&path(GUARD), &changed).ok();
    running
}

/// The ids of the listed users.
fn ids(running: &Running, query: &str) -> Vec<String> {
    let list = running.admin.get(&format!("/users?{query}")).ok();
    let data = list["data"].as_array().expect("data");
    assert_eq!(list["meta"]["count"], data.len(), "{query}");
    data.iter().map(|user| user["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn a_user_is_listed_with_the_full_record() {
    let running = Running::with([]);
    let list = running.admin.get(&format!("/users?id={GUARD}&sort=lastName,desc")).ok();
    assert_eq!(
        list,
        json!({
            "data": [guard()],
            "meta": {
                "offset": 0, "limit": 2_147_483_647, "count": 1,
                "sort": [{ "property": "lastName", "direction": "desc" }],
            },
            "filter": [{ "property": "id", "value": GUARD }],
        })
    );
    assert_eq!(ids(&running, ""), [ADMIN, MANAGER, EMPLOYEE, GUARD, FORMER]);
}

#[test]
fn users_are_filtered_and_searched() {
    let running = running();
    let all_but_guard = [ADMIN, MANAGER, EMPLOYEE, FORMER];
    for (query, expected) in [
        ("name=анна м. берг", &[GUARD][..]),
        ("name=eq:ADA ASH", &all_but_guard),
        ("name=ne:ada ash", &[GUARD]),
        ("employeeNo=ж-1", &[GUARD]),
        ("employeeNo=in:a1,M1", &[ADMIN, MANAGER]),
        ("email=anna.berg@", &[GUARD]),
        ("email=eq:a1@EXAMPLE.org", &[ADMIN]),
        ("role=EMPLOYEE", &[EMPLOYEE, GUARD, FORMER]),
        ("role=nin:EMPLOYEE,ADMIN", &[MANAGER]),
        ("status=INACTIVE", &[FORMER]),
        (&format!("locationId={PORT}"), &[GUARD]),
        ("tags=in:night,other", &[GUARD]),
        ("tags=ne:night", &all_but_guard),
        ("q=ПОЖ", &[GUARD]),
        ("q=900 000", &[GUARD]),
        ("q=m1", &[MANAGER]),
        // Each field by itself.
        ("q=анна м", &[]),
        ("q=no such text", &[]),
    ] {
        let query = query.replace(' ', "%20");
        assert_eq!(ids(&running, &query), expected, "{query}");
    }
}

#[test]
fn users_are_sorted_with_nulls_last() {
    let running = running();
    for (property, last) in [("middleName", FORMER), ("phone", FORMER)] {
        for direction in ["asc", "desc"] {
            let ids = ids(&running, &format!("sort={property},{direction}"));
            assert_eq!((ids[0].as_str(), ids[4].as_str()), (GUARD, last), "{property} {direction}");
        }
    }
    assert_eq!(ids(&running, "sort=role,desc&limit=9")[0], MANAGER);
    assert_eq!(ids(&running, "sort=role")[0], ADMIN);
    assert_eq!(ids(&running, "sort=firstName,desc")[0], GUARD);
    let _ = running.admin.get("/users?sort=employeePin").refused(400, "input.data.invalid");
    let _ = running.admin.get("/users?sort=tags").refused(400, "input.data.invalid");
    running.admin.get("/users?role=KING").refused(400, "input.data.invalid").shows(&[detail(
        "validation.enum.failed",
        "role",
        &["EMPLOYEE", "MANAGER", "ADMIN"],
    )]);
}

#[test]
fn a_pin_is_null_where_the_caller_may_not_see_it() {
    let running = Running::with([]);
    let pins = |user: &str| -> Vec<String> {
        let api = running.api(user);
        let list = api.get("/users").ok();
        let shown = list["data"].as_array().expect("data").iter();
        let shown = shown.filter(|user| !user["employeePin"].is_null());
        let listed: Vec<_> = shown.map(|user| user["id"].as_str().unwrap().to_owned()).collect();
        for id in [ADMIN, MANAGER, EMPLOYEE, GUARD, FORMER] {
            let read = api.get(&path(id)).ok();
            assert_eq!(!read["employeePin"].is_null(), listed.contains(&id.to_owned()), "{id}");
        }
        listed
    };
    assert_eq!(pins(ADMIN).len(), 5);
    assert_eq!(pins(MANAGER), [MANAGER, EMPLOYEE, GUARD, FORMER]);
    assert_eq!(pins(EMPLOYEE), [EMPLOYEE]);
    assert_eq!(running.api(EMPLOYEE).get("/me").ok()["employeePin"], "Pin271828");
}

#[test]
fn texts_that_an_older_version_has_written_are_found_after_a_start() {
    let store = patrol_tests::Store::with(&company::company());
    // As an older version writes them: without the folded texts, or with outdated ones.
    store.execute(
        "UPDATE users SET first_name = 'Жанна', name_folded = NULL, first_name_folded = NULL \
         WHERE employee_no = 'E1';
         UPDATE users SET last_name = 'Šťastná' WHERE employee_no = 'E2'",
    );
    let running = Running::on(store);
    assert_eq!(ids(&running, "q=жан"), [EMPLOYEE]);
    assert_eq!(ids(&running, "name=жанна%20ash"), [EMPLOYEE]);
    assert_eq!(ids(&running, "name=like:ŠŤAST"), [GUARD]);
    assert_eq!(ids(&running, "sort=firstName,desc")[0], EMPLOYEE);
}

#[test]
fn many_users_are_listed_in_pages() {
    let user = |number: u32| {
        let id = format!("0190a000-0101-7000-8000-{number:012x}");
        company::user(&id, "EMPLOYEE", &format!("N{number}"))
    };
    let running = Running::with((0..300).map(user));
    let mut seen: Vec<Value> = Vec::new();
    for page in 0..4 {
        let list = running.admin.get(&format!("/users?limit=100&offset={}", page * 100)).ok();
        assert_eq!(list["meta"]["count"], 305);
        seen.extend(list["data"].as_array().expect("data").iter().cloned());
    }
    let all = running.admin.get("/users").ok();
    assert_eq!(json!(seen), all["data"]);
    assert_eq!(ids(&running, "q=n299").len(), 1);
}
