//! JWTs of an external identity provider.

use std::fs;

use patrol_tests::{
    Running, Store,
    company::{self, ADMIN, EMPLOYEE, GUARD},
    planned,
    provider::{JWT_SETTINGS, claims, key, signed, signed_with},
};
use serde_json::{Value, json};

/// Needs a token and has a short response.
const LIST: &str = "/task-executions/info?limit=0";

/// A server that accepts JWTs of the provider with the keys in `keys.json`, if that file has any.
fn trusting(keys: Option<&Value>) -> Running {
    trusting_on(Store::with(&company::company().and([planned(1)])), keys)
}

/// The same with this store.
fn trusting_on(store: Store, keys: Option<&Value>) -> Running {
    if let Some(keys) = keys {
        fs::write(store.path("keys.json"), json!({ "keys": [keys] }).to_string()).unwrap();
    }
    Running::set(store, &JWT_SETTINGS)
}

#[test]
fn a_jwt_speaks_for_its_user_beside_tokens_of_our_own() {
    let (key, public) = key("one");
    let running = trusting(Some(&public));
    let api = |subject: &str, seconds| {
        running.server.api().with_token(&signed(&key, "one", subject, seconds))
    };
    let admin = api(ADMIN, 60);
    let _ = admin.get(LIST).ok();
    let _ = running.admin.get(LIST).ok();
    let employee = api(EMPLOYEE, 60);
    let _ = employee.get(LIST).ok();
    let _ = employee.patch(&format!("/users/{ADMIN}"), &json!({})).refused(403, "access.denied");
    for refused in [api(ADMIN, -1), api("nobody", 60)] {
        let _ = refused.get(LIST).refused(401, "unauthorized");
    }
    let (stranger, _) = self::key("one");
    let forged = running.server.api().with_token(&signed(&stranger, "one", ADMIN, 60));
    let _ = forged.get(LIST).refused(401, "unauthorized");
}

#[test]
fn a_user_is_named_by_number_or_address_too_and_loses_the_way_in_within_five_seconds() {
    let (key, public) = key("one");
    let running = trusting(Some(&public));
    let change = json!({ "employeeNo": "J-1", "email": "Jwt@Patrol.example" });
    let path = format!("/users/{EMPLOYEE}");
    let _ = running.admin.patch(&path, &change).ok();
    let named = ["J-1", "jwt@patrol.example"]
        .map(|subject| running.server.api().with_token(&signed(&key, "one", subject, 600)));
    for api in &named {
        let _ = api.get(LIST).ok();
    }
    let _ = running.admin.patch(&path, &json!({ "status": "INACTIVE" })).ok();
    for api in &named {
        crate::access::refused_within_five_seconds(api);
    }
}

#[test]
fn keys_that_cannot_be_had_are_an_outage_and_no_refusal() {
    let (key, _) = key("one");
    let running = trusting(None);
    let api = running.server.api().with_token(&signed(&key, "one", ADMIN, 60));
    let _ = api.get(LIST).refused(503, "service.unavailable");
    let _ = running.admin.get(LIST).ok();
}

#[test]
fn the_log_says_why_a_jwt_is_refused_and_the_client_is_not_told() {
    let (key, public) = key("one");
    let running = trusting(Some(&public));
    let (stranger, _) = self::key("one");
    let foreign = |claim: &str, value: &str| {
        let mut claims = claims(ADMIN, 60);
        claims[claim] = value.into();
        signed_with(&key, "one", &claims)
    };
    let _ = running.admin.patch(&format!("/users/{GUARD}"), &json!({ "status": "INACTIVE" })).ok();
    let cases = [
        ("expired", signed(&key, "one", ADMIN, -1), "the JWT has expired"),
        ("audience", foreign("aud", "others"), "another audience"),
        ("issuer", foreign("iss", "https://other.example"), "another issuer"),
        (
            "subject",
            signed(&key, "one", "Nobody-17", 60),
            "is not the id, employeeNo or email of any user",
        ),
        ("inactive", signed(&key, "one", GUARD, 60), "is not ACTIVE"),
        ("signature", signed(&stranger, "one", ADMIN, 60), "signature of the JWT is wrong"),
        ("key", signed(&key, "two", ADMIN, 60), "a key that is not among"),
        ("malformed", "secret-nonsense".to_owned(), "malformed"),
    ];
    let mut told = Vec::new();
    for (request_id, token, _) in &cases {
        let api = running.server.api().with_token(token).with("X-Request-Id", request_id);
        let refusal = api.get(LIST).refused(401, "unauthorized");
        let mut body = refusal.body;
        body["timestamp"] = Value::Null;
        told.push(body);
    }
    assert!(told.iter().all(|body| *body == told[0]), "the client learns nothing: {told:?}");
    let log = running.server.log_once(|log| log.matches("status=401").count() >= cases.len());
    for (request_id, token, reason) in &cases {
        let of_request = format!("request_id=\"{request_id}\"");
        let lines: Vec<_> = log.lines().filter(|line| line.contains(&of_request)).collect();
        let reasons = lines.iter().filter(|line| line.contains("rejected"));
        let reasons: Vec<_> = reasons.collect();
        assert_eq!(reasons.len(), 1, "{request_id}: {lines:?}");
        assert!(reasons[0].contains(reason), "{request_id}: {reasons:?}");
        assert!(!log.contains(token.as_str()), "the token is in the log");
    }
    assert!(!log.contains("Nobody-17"), "what a token says is not in the log");
}

#[test]
fn an_ambiguous_subject_speaks_for_no_user() {
    let store = crate::users::names::clashing();
    let (key, public) = key("one");
    let running = trusting_on(store, Some(&public));
    let api = |subject: &str| running.server.api().with_token(&signed(&key, "one", subject, 600));
    let _ = api("A1@example.org").get(LIST).refused(401, "unauthorized");
    let _ = api(ADMIN).get(LIST).ok();
    let log = running.server.log_once(|log| log.contains("is ambiguous"));
    let line = log.lines().find(|line| line.contains("is ambiguous")).unwrap();
    assert!(line.contains(ADMIN) && line.contains(GUARD), "{line}");
}
