//! /v1/tokens (decisions 3).

use std::{
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Answer, Running,
    company::{EMPLOYEE, GUARD, MANAGER, NOBODY},
    detail, execution_id,
};
use serde_json::{Value, json};

fn ids(answer: &Answer) -> Vec<Value> {
    let body = answer.ok();
    body["data"].as_array().expect("data").iter().map(|token| token["id"].clone()).collect()
}

#[test]
fn a_token_is_issued_and_shown_once() {
    let running = Running::with([]);
    let employee = running.api(EMPLOYEE);
    let answer = employee.post("/tokens", &json!({ "name": "телефон" }));
    let issued = answer.json(201);
    let token = issued["token"].as_str().expect("the token");
    assert!(token.starts_with("ptl_"));
    assert_eq!((&issued["name"], &issued["userId"]), (&json!("телефон"), &json!(EMPLOYEE)));
    assert_eq!(issued["expiresAt"], Value::Null);
    let own = running.server.api().with_token(token).get("/tokens");
    let listed = own.ok();
    let entry = &listed["data"][1];
    assert_eq!((&entry["id"], &entry["name"]), (&issued["id"], &issued["name"]));
    assert!(!own.text().contains(&token[4..]), "it is shown once");
    assert!(own.text().find("\"token\"").is_none());
    assert_eq!(listed["meta"]["count"], 2);
    assert_eq!(listed["meta"]["offset"], 0);
    assert_eq!(listed["meta"]["limit"], 2_147_483_647);
    assert_eq!(listed["meta"]["sort"], json!([{ "property": "id", "direction": "asc" }]));
}

#[test]
fn a_token_ends_when_it_was_said_to() {
    let running = Running::with([]);
    let body = json!({ "name": "x", "expiresAt": "2999-12-31T23:00:00.0009-01:00" });
    let issued = running.admin.post("/tokens", &body).json(201);
    assert_eq!(issued["expiresAt"], "3000-01-01T00:00:00.000Z");
    let past = json!({ "name": "x", "expiresAt": "2020-01-01T00:00:00Z" });
    let refusal = running.admin.post("/tokens", &past).refused(400, "validation.failed");
    assert_eq!(refusal.body["details"][0]["identifier"], "expiresAt");
}

#[test]
fn bodies_are_checked() {
    let running = Running::with([]);
    let post = |body: Value| running.admin.post("/tokens", &body);
    for body in [json!({}), json!({ "name": null })] {
        post(body).invalid(&[detail("validation.notnull.failed", "name", &[])]);
    }
    post(json!({ "name": "" })).invalid(&[detail(
        "validation.length.failed",
        "name",
        &["1", "255"],
    )]);
    post(json!({ "name": "\u{0}" })).invalid(&[detail(
        "validation.characters.failed",
        "name",
        &[],
    )]);
    post(json!({ "name": "x", "userId": NOBODY })).invalid(&[detail(
        "validation.reference.failed",
        "userId",
        &[],
    )]);
    post(json!({ "name": 1, "userId": "x", "expiresAt": 2 })).misunderstood(&[
        detail("data.type.invalid", "name", &["STRING"]),
        detail("data.type.invalid", "userId", &["UUID"]),
        detail("data.type.invalid", "expiresAt", &["TIMESTAMP"]),
    ]);
    assert_eq!(ids(&running.admin.get("/tokens")).len(), 1, "none was issued");
}

#[test]
fn only_an_administrator_keeps_the_tokens_of_others() {
    let running = Running::with([]);
    let (manager, employee) = (running.api(MANAGER), running.api(EMPLOYEE));
    let issued = running.admin.post("/tokens", &json!({ "name": "x", "userId": GUARD })).json(201);
    assert_eq!(issued["userId"], GUARD);
    let token = format!("/tokens/{}", issued["id"].as_str().unwrap());
    for api in [&manager, &employee] {
        let others = json!({ "name": "x", "userId": GUARD });
        let _ = api.post("/tokens", &others).refused(403, "access.denied");
        // The member counts, whatever is in it.
        let _ = api.get(&format!("/tokens?userId={GUARD}")).refused(403, "access.denied");
        let _ = api.delete(&token).refused(403, "access.denied");
    }
    let _ = employee.post("/tokens", &json!({ "name": "x", "userId": EMPLOYEE })).json(201);
    assert_eq!(ids(&employee.get("/tokens")).len(), 2);
    assert_eq!(ids(&running.admin.get(&format!("/tokens?userId={GUARD}"))), [issued["id"].clone()]);
    assert_eq!(ids(&running.admin.get("/tokens")).len(), 1, "one's own");
    let guard = running.server.api().with_token(issued["token"].as_str().unwrap());
    assert_eq!(ids(&guard.get("/tokens")), [issued["id"].clone()]);
    running.admin.delete(&token).is_bare(204);
}

#[test]
fn a_token_is_revoked() {
    let running = Running::with([]);
    let issued = running.admin.post("/tokens", &json!({ "name": "x" })).json(201);
    let path = format!("/tokens/{}", issued["id"].as_str().unwrap());
    let revoked = running.server.api().with_token(issued["token"].as_str().unwrap());
    assert_eq!(revoked.get("/tokens").status, 200);
    running.admin.delete(&path).is_bare(204);
    let _ = running.admin.delete(&path).refused(404, "not.found");
    let started = Instant::now();
    while revoked.get("/tokens").status != 401 {
        assert!(started.elapsed() < Duration::from_secs(5), "the token still passes");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(ids(&running.admin.get("/tokens")).len(), 1);
    let unknown = format!("/tokens/{}", execution_id(9));
    let _ = running.admin.delete(&unknown).refused(404, "not.found");
    let malformed = running.admin.delete("/tokens/x");
    assert_eq!(malformed.status, 400, "{}", malformed.text());
}

#[test]
fn the_list_pages_and_sorts() {
    let running = Running::with([]);
    for name in ["b", "А", "a"] {
        let _ = running.admin.post("/tokens", &json!({ "name": name })).json(201);
    }
    let body = running.admin.get("/tokens?sort=name,desc&limit=2&offset=1").ok();
    let names: Vec<_> =
        body["data"].as_array().unwrap().iter().map(|t| t["name"].clone()).collect();
    assert_eq!(names, ["test", "b"]);
    assert_eq!(body["meta"]["count"], 4);
    for query in ["limit=x", "offset=-1", "sort=token", "userId=x"] {
        let refusal =
            running.admin.get(&format!("/tokens?{query}")).refused(400, "input.data.invalid");
        let parameter = query.split('=').next().unwrap();
        assert_eq!(refusal.body["details"][0]["identifier"], parameter);
    }
}
