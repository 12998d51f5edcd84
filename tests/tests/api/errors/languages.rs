//! Messages in English and Russian.

use patrol_tests::{
    Answer,
    company::{ADMIN, EMPLOYEE, GUARD, LOCKED, NOBODY},
    execution_id,
};
use serde_json::{Value, json};

use super::{operations, running};

fn is_russian(answer: &Answer) {
    fn check(entry: &Value) {
        let message = entry["message"].as_str().expect("a message");
        let is_cyrillic = message.chars().any(|c| ('а'..='я').contains(&c.to_ascii_lowercase()));
        assert!(is_cyrillic && !message.ends_with('.'), "{entry}");
    }
    let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let refusal = answer.refused(answer.status, body["code"].as_str().expect("a code"));
    assert_eq!(answer.header("Content-Language"), Some("ru"));
    check(&refusal.body);
    refusal.body["details"].as_array().into_iter().flatten().for_each(check);
}

#[test]
fn the_language_is_the_client_s_choice() {
    let running = running();
    for (accepted, language) in [
        ("ru", "ru"),
        ("RU", "ru"),
        ("ru-RU", "ru"),
        ("ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7", "ru"),
        ("en-US,en;q=0.9,ru;q=0.8", "en"),
        ("en;q=0.5, ru;q=0.6", "ru"),
        ("ru;q=0.5, en;q=0.9", "en"),
        ("de, ru;q=0.1", "ru"),
        ("de;q=1.0, fr;q=0.9", "en"),
        ("ru;q=0", "en"),
        ("ru;q=0, en;q=0", "en"),
        ("*", "en"),
        ("en;q=0, *", "ru"),
        ("", "en"),
        ("ru;q=x", "en"),
        (";;,,=", "en"),
        ("russian", "en"),
    ] {
        let answer = running.admin.with("Accept-Language", accepted).get("/task-executions/x");
        assert_eq!(answer.header("Content-Language"), Some(language), "{accepted}");
        assert_eq!(answer.header("Vary"), Some("Accept-Language"), "{accepted}");
        assert_eq!(answer.refused(400, "data.type.invalid").body["code"], "data.type.invalid");
        if language == "ru" {
            is_russian(&answer);
        }
    }
    let without = running.admin.get("/task-executions/x");
    assert_eq!(without.header("Content-Language"), Some("en"));
}

#[test]
fn every_message_is_there_in_russian() {
    let running = running();
    let russian = running.admin.with("Accept-Language", "ru");
    let path = format!("/task-executions/{}", execution_id(1));
    let (zero, long) = ("\u{0}", "n".repeat(300));
    for answer in [
        // input.data.invalid, data.type.invalid and the other codes at the top.
        russian.text("PUT", &path, "{"),
        russian.put(&path, &json!({ "name": 1 })),
        russian.get("/task-executions/x"),
        russian.put(&path, &json!([])),
        russian.patch(&path, &json!([])),
        russian.get("/unknown"),
        russian.send("POST", &path, None),
        russian.send("PATCH", &path, Some(b"{}")),
        russian.with("If-Match", "\"x\"").patch(&path, &json!({})),
        russian.text("PATCH", &path, vec![b' '; 3_000_000]),
        running.server.api().with("Accept-Language", "ru").get("/task-executions/info"),
        running.api(EMPLOYEE).with("Accept-Language", "ru").delete(&path),
        russian.get("/task-executions/info?limit=x&sort=x&state=x&startAt=x&userId=x"),
        russian.delete(&format!("/locations/points/{NOBODY}")),
        russian.text("PUT", &format!("/check-lists/actions/{LOCKED}"), "{"),
        // All details.
        russian.patch(
            &format!("/users/{GUARD}"),
            &json!({ "employeeNo": "a1", "email": "x", "language": "x", "role": null }),
        ),
        russian.patch(&format!("/users/{ADMIN}"), &json!({ "role": "MANAGER" })),
        russian.post("/users/batch", &json!([{ "id": NOBODY }])),
        russian.post("/locations/points", &json!({ "latitude": 91, "longitude": 0 })),
        russian.upload(&format!("/users/{GUARD}/photo"), b"x"),
        russian.put(&path, &json!({})),
        russian.patch(&path, &json!({ "priority": "x", "name": "", "tags": [zero, long] })),
        russian.patch(&path, &json!({ "locationId": NOBODY })),
        russian.patch(&path, &json!({ "startAt": "9999-01-01T00:00:00Z" })),
    ] {
        is_russian(&answer);
    }
}

#[test]
fn an_answer_that_is_no_error_is_in_no_language() {
    let running = running();
    let (_, path) = &operations()[0];
    let answer = running.admin.with("Accept-Language", "ru").get(path);
    assert_eq!(answer.ok(), running.read(1));
}
