//! Permissions of the roles.

use std::{
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Api, Running, Server,
    company::{ADMIN, EMPLOYEE, FORMER, MANAGER},
    execution_id, planned,
};
use serde_json::json;

const LIST: &str = "/task-executions/info?limit=0";

fn path() -> String {
    format!("/task-executions/{}", execution_id(1))
}

/// The methods and paths below `/v1` in the API description.
pub(crate) fn documented(api: &Api) -> Vec<(String, String)> {
    let document = api.outside("/openapi.json").ok();
    assert_eq!(document["servers"][0]["url"], "/v1");
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("a path item").keys() {
            if ["get", "put", "post", "patch", "delete"].contains(&method.as_str()) {
                routes.push((method.to_uppercase(), path.replace("{id}", &execution_id(1))));
            }
        }
    }
    routes
}

#[test]
fn every_route_asks_for_a_token() {
    let running = Running::with([planned(1)]);
    let anybody = running.server.api();
    let mut routes = documented(&anybody);
    let id = execution_id(1);
    let expected = [
        ("GET", path()),
        ("PUT", path()),
        ("PATCH", path()),
        ("DELETE", path()),
        ("PUT", format!("{}/series", path())),
        ("POST", format!("{}/copy", path())),
        ("GET", "/task-executions/info".to_owned()),
        ("PATCH", format!("/users/{id}")),
        ("POST", "/users/batch".to_owned()),
        ("POST", format!("/users/{id}/photo")),
        ("GET", format!("/users/{id}/photo")),
        ("DELETE", format!("/users/{id}/photo")),
        ("GET", "/locations".to_owned()),
        ("POST", "/locations/points".to_owned()),
        ("GET", format!("/locations/points/{id}")),
        ("PUT", format!("/locations/points/{id}")),
        ("DELETE", format!("/locations/points/{id}")),
        ("GET", "/locations/points/history".to_owned()),
        ("PUT", format!("/check-lists/actions/{id}")),
        ("DELETE", format!("/check-lists/actions/{id}")),
        ("GET", "/tokens".to_owned()),
        ("POST", "/tokens".to_owned()),
        ("DELETE", format!("/tokens/{}", execution_id(1))),
    ];
    for (method, path) in expected {
        let route = (method.to_owned(), path);
        assert!(routes.contains(&route), "{route:?} is not documented");
    }
    routes.push(("HEAD".to_owned(), path()));
    for (method, path) in routes {
        let answer = anybody.text(&method, &path, "{}");
        assert_eq!(answer.status, 401, "{method} {path}");
        assert_eq!(answer.header("WWW-Authenticate"), Some("Bearer"), "{method} {path}");
        if method != "HEAD" {
            answer.refused(401, "unauthorized").shows(&[]);
        }
    }
    assert_eq!(running.read(1)["edited"], false);
}

#[test]
fn whatever_is_wrong_with_a_token_the_answer_is_one_and_the_same() {
    let running = Running::with([planned(1)]);
    let token = running.store.token(ADMIN);
    let (_, secret) = token.split_at(4);
    let swapped = secret.to_uppercase();
    let mut answers = vec![running.server.api().get(&path())];
    for value in [
        "",
        "Bearer",
        "Bearer ",
        "x",
        "Bearer x",
        &format!("Basic {token}"),
        &format!("Bearer {token}x"),
        &format!("Bearer {}", &token[..token.len() - 1]),
        &format!("Bearer {secret}"),
        &format!("Bearer ptl_{swapped}"),
        &format!("Bearer {token} {token}"),
        &format!("Bearer Bearer {token}"),
        &format!("Token {token}"),
        &format!("ptl_{}", "0".repeat(10_000)),
        "Bearer ptl_",
        "Bearer пароль",
    ] {
        answers.push(running.server.api().with("Authorization", value).get(&path()));
    }
    for answer in answers {
        let refusal = answer.refused(401, "unauthorized");
        let members: Vec<_> = refusal.body.as_object().unwrap().keys().collect();
        assert_eq!(members, ["message", "code", "timestamp"]);
        assert_eq!(answer.header("WWW-Authenticate"), Some("Bearer"));
        assert_eq!(refusal.body["message"], running.server.api().get(LIST).json(401)["message"]);
    }
}

#[test]
fn a_token_comes_with_or_without_its_scheme_in_any_case() {
    let running = Running::with([planned(1)]);
    let token = running.store.token(ADMIN);
    for scheme in ["Bearer ", "", "bearer ", "BEARER ", "bEARER "] {
        let api = running.server.api().with("Authorization", &format!("{scheme}{token}"));
        assert_eq!(api.get(&path()).status, 200, "{scheme}");
        assert_eq!(api.patch(&path(), &json!({})).status, 200, "{scheme}");
        assert_eq!(api.get("/tokens").status, 200, "{scheme}");
    }
}

#[test]
fn a_token_is_a_prefix_and_256_random_bits() {
    let running = Running::with([]);
    let (one, other) = (running.store.token(EMPLOYEE), running.store.token(EMPLOYEE));
    assert_ne!(one, other);
    for token in [&one, &other] {
        let secret = token.strip_prefix("ptl_").expect("the prefix");
        assert!(secret.len() >= 43, "43 digits in base 62 hold 256 bits: {}", secret.len());
        assert!(secret.chars().all(|c| c.is_ascii_alphanumeric()));
    }
    assert!(!running.store.holds(&one[4..24]), "the store keeps a digest, not the token");
}

#[test]
fn tokens_and_pins_are_not_logged() {
    let running = Running::with([planned(1)]);
    let token = running.store.token(ADMIN);
    let api = running.server.api().with_token(&token);
    let _ = api.get(&path()).ok();
    let _ = running.server.api().with_token(&format!("{token}x")).get(&path()).json(401);
    let issued = api.post("/tokens", &json!({ "name": "x" })).json(201);
    let log = running.server.log_once(|log| log.contains("/v1/tokens"));
    for secret in [&token[4..24], &issued["token"].as_str().unwrap()[4..24], "Pin271828"] {
        assert!(!log.contains(secret), "a secret is in the log:\n{log}");
    }
}

#[test]
fn roles_may_what_they_may() {
    let running = Running::with([planned(1), planned(2)]);
    let (manager, employee) = (running.api(MANAGER), running.api(EMPLOYEE));
    // All roles may read.
    for api in [&running.admin, &manager, &employee] {
        let _ = api.get(&path()).ok();
        let _ = api.get(LIST).ok();
    }
    // An employee may not change an execution, even with an unchanged body.
    let whole = running.read(1);
    for (method, path) in [
        ("PUT", path()),
        ("PATCH", path()),
        ("DELETE", path()),
        ("PUT", format!("{}/series", path())),
        ("POST", format!("{}/copy", path())),
        ("PATCH", "/task-executions/x".to_owned()),
    ] {
        for body in [whole.to_string(), "{".to_owned()] {
            let answer = employee.text(method, &path, body);
            answer.refused(403, "access.denied").shows(&[]);
        }
    }
    assert_eq!(running.read(1), whole);
    // The other roles may make all changes.
    for (api, n) in [(&running.admin, 1), (&manager, 2)] {
        let path = format!("/task-executions/{}", execution_id(n));
        let _ = api.put(&path, &running.read(n)).ok();
        let _ = api.patch(&path, &json!({ "name": "x" })).ok();
        let _ = api.post(&format!("{path}/copy"), &json!({ "taskIds": [execution_id(n)] })).ok();
        let _ = api.put(&format!("{path}/series"), &json!({})).refused(400, "input.data.invalid");
        api.delete(&path).is_bare(204);
    }
}

/// Waits until the token is refused; 5 seconds after the change it has to be.
pub(crate) fn refused_within_five_seconds(api: &Api) {
    let started = Instant::now();
    loop {
        let asked = started.elapsed();
        if api.get(LIST).status == 401 {
            break;
        }
        assert!(asked < Duration::from_secs(5), "the token still passes");
        thread::sleep(Duration::from_millis(50));
    }
    for _ in 0..5 {
        assert_eq!(api.get(LIST).status, 401);
    }
}

#[test]
fn a_token_that_was_revoked_ends_within_five_seconds() {
    let running = Running::with([planned(1)]);
    let employee = running.api(EMPLOYEE);
    let _ = employee.get(LIST).ok();
    let listed = running.store.run(&["token", "list", "--user", EMPLOYEE]).exited(0);
    let id = listed.stdout.split('\t').next().unwrap().to_owned();
    let _ = running.store.run(&["token", "revoke", &id]).exited(0);
    refused_within_five_seconds(&employee);
    let _ = running.admin.get(LIST).ok();
}

#[test]
fn a_token_ends_when_it_expires() {
    let running = Running::with([planned(1)]);
    let arguments =
        ["token", "create", "--user", EMPLOYEE, "--name", "short", "--expires-in", "10s"];
    let token = running.store.run(&arguments).exited(0).stdout.trim().to_owned();
    let started = Instant::now();
    let employee = running.server.api().with_token(&token);
    let _ = employee.get(LIST).ok();
    thread::sleep(Duration::from_secs(10).saturating_sub(started.elapsed()));
    assert_eq!(employee.get(LIST).status, 401, "not a moment longer");
}

#[test]
fn nobody_who_has_left_gets_a_token() {
    let running = Running::with([]);
    let refused = running.store.run(&["token", "create", "--user", FORMER, "--name", "x"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    let answer = running.admin.post("/tokens", &json!({ "name": "x", "userId": FORMER }));
    answer.invalid(&[patrol_tests::detail("validation.reference.failed", "userId", &[])]);
}

#[test]
fn only_wrong_tokens_are_counted_and_refused() {
    let store = patrol_tests::Store::with(&patrol_tests::company::company());
    let token = store.token(ADMIN);
    let mut command = store.command(&["serve"]);
    command.env("PATROL_FAILED_AUTHENTICATIONS", "5");
    let server = Server::run(command);
    let wrong = server.api().with_token("ptl_wrong");
    for _ in 0..20 {
        assert_eq!(server.api().get(LIST).status, 401, "no token is no wrong token");
    }
    for _ in 0..5 {
        assert_eq!(wrong.get(LIST).status, 401);
    }
    let answer = wrong.get(LIST);
    answer.refused(429, "too.many.requests").shows(&[]);
    let wait: u64 = answer.header("Retry-After").expect("Retry-After").parse().expect("seconds");
    assert!((1..=60).contains(&wait));
    let _ = server.api().with_token(&token).get(LIST).ok();
    assert_eq!(server.api().get(LIST).status, 401);
    assert_eq!(server.api().outside("/health/live").status, 200);
}

#[test]
fn the_last_use_is_kept_to_the_minute() {
    let mut running = Running::with([planned(1)]);
    let _ = running.admin.get(LIST).ok();
    // The server stores the last uses before it ends.
    running.server.terminate();
    assert!(running.server.wait().success());
    let listed = running.store.run(&["token", "list"]).exited(0).stdout;
    let used = listed.split('\t').nth(4).unwrap();
    assert!(used.ends_with(":00.000Z"), "{listed}");
}
