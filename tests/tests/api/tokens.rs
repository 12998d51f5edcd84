//! `/v1/tokens`.

use std::thread;

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
        // The member is forbidden, whatever its value.
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
    crate::access::refused_within_five_seconds(&revoked);
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

#[test]
fn a_user_has_at_most_a_thousand_tokens_whoever_asks_at_once() {
    let running = Running::with([]);
    let refusal = detail("state.not.allowed", "userId", &[]);
    let issued: usize = thread::scope(|scope| {
        let clients: Vec<_> = (0..16)
            .map(|client| {
                let (employee, refusal) = (running.api(EMPLOYEE).patient(), &refusal);
                scope.spawn(move || {
                    let expires = if client % 2 == 0 { "2999-01-01T00:00:00Z" } else { "" };
                    let body = match expires {
                        "" => json!({ "name": "x" }),
                        at => json!({ "name": "x", "expiresAt": at }),
                    };
                    let mut issued = 0;
                    for _ in 0..65 {
                        let answer = employee.post("/tokens", &body);
                        match answer.status {
                            201 => issued += 1,
                            _ => answer.misunderstood(std::slice::from_ref(refusal)),
                        }
                    }
                    issued
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    // Each of the 16 clients already has a token.
    assert_eq!(issued, 1000 - 16);
    let others = json!({ "name": "x", "userId": EMPLOYEE });
    running.admin.post("/tokens", &others).misunderstood(&[refusal]);
    let create = ["token", "create", "--user", EMPLOYEE, "--name", "x"];
    let refused = running.store.run(&create).exited(1);
    assert!(refused.stderr.contains("1000 tokens"), "{}", refused.stderr);
    // Other users still get tokens, and revoking one allows another.
    let _ = running.admin.post("/tokens", &json!({ "name": "x", "userId": GUARD })).json(201);
    let listed = running.admin.get(&format!("/tokens?userId={EMPLOYEE}&limit=1")).ok();
    assert_eq!(listed["meta"]["count"], 1000);
    let path = format!("/tokens/{}", listed["data"][0]["id"].as_str().unwrap());
    running.admin.delete(&path).is_bare(204);
    let _ = running.admin.post("/tokens", &others).json(201);
}

#[test]
fn no_cache_keeps_tokens_or_users() {
    let running = Running::with([]);
    let admin = &running.admin;
    let is_kept = |answer: &Answer| answer.header("cache-control") != Some("no-store");
    let issued = admin.post("/tokens", &json!({ "name": "x" }));
    let token = format!("/tokens/{}", issued.json(201)["id"].as_str().unwrap());
    let user = format!("/users/{GUARD}");
    let answers = [
        ("POST tokens", issued),
        ("GET tokens", admin.get("/tokens")),
        ("HEAD tokens", admin.send("HEAD", "/tokens", None)),
        ("DELETE token", admin.delete(&token)),
        ("an unknown token", admin.delete(&token)),
        ("no token", running.server.api().get("/tokens")),
        ("PATCH user", admin.patch(&user, &json!({ "phone": "1" }))),
        ("a bad PATCH", admin.patch(&user, &json!({ "role": null }))),
        ("batch", admin.post("/users/batch", &json!([{ "id": GUARD, "phone": "2" }]))),
    ];
    for (name, answer) in &answers {
        assert!(!is_kept(answer), "{name}: {:?}", answer.header("cache-control"));
    }
    assert!(is_kept(&admin.get("/locations")), "others as before");
}
