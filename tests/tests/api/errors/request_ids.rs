//! X-Request-Id.

use super::{operations, running};

#[test]
fn every_answer_carries_the_id_of_its_request() {
    let running = running();
    let path = operations()[0].1.clone();
    let long = "x".repeat(64);
    for id in ["1", "abc-DEF_0.9", &long, "..", "-"] {
        let api = running.admin.with("X-Request-Id", id);
        let anybody = running.server.api().with("X-Request-Id", id);
        for answer in [
            api.get(&path),
            api.get("/task-executions/info"),
            api.get("/task-executions/x"),
            api.get("/unknown"),
            api.send("POST", &path, None),
            anybody.get(&path),
            anybody.outside("/health/live"),
            anybody.outside("/nowhere"),
            api.send("HEAD", &path, None),
        ] {
            assert_eq!(answer.header("X-Request-Id"), Some(id));
        }
    }
    let _ = running.server.log_once(|log| log.contains("abc-DEF_0.9"));
}

#[test]
fn an_id_of_another_form_is_replaced() {
    let running = running();
    let path = operations()[0].1.clone();
    let mut seen = vec![running.admin.get(&path).header("X-Request-Id").unwrap().to_owned()];
    for id in ["", "a b", "a/b", "a\tb", "é", &"x".repeat(65), "{}", "a,b"] {
        let answer = running.admin.with("X-Request-Id", id).get(&path);
        let given = answer.header("X-Request-Id").expect("one id").to_owned();
        assert_ne!(given, id);
        assert!((1..=64).contains(&given.len()), "{given}");
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        assert!(given.chars().all(allowed), "{given}");
        assert!(!seen.contains(&given), "an id of its own");
        seen.push(given);
    }
}
