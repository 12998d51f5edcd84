//! After `Connection: close`, in a request or a response, later requests are not executed.

use patrol_tests::{Running, Wire, execution_id, planned};

use super::{head, rename};

/// Sends a request followed by another one, and returns all responses.
fn answers(running: &Running, first: &str, second: &str) -> String {
    let mut wire = Wire::connect(running.server.address());
    wire.send(format!("{first}{second}"));
    let answers = wire.read_to_end().expect("the connection ends properly");
    String::from_utf8(answers).expect("answers are text")
}

#[test]
fn what_follows_the_last_request_is_not_carried_out() {
    let running = Running::with([planned(1)]);
    let path = format!("/v1/task-executions/{}", execution_id(1));
    let get = |version: &str, more: &str| {
        format!("{}{more}\r\n", head(&running, &format!("GET {path} {version}")))
    };
    let patch = format!("PATCH {path} HTTP/1.1\r\nHost: x\r\n");
    let large = head(&running, &format!("PATCH {path} HTTP/1.1"));
    for (first, status) in [
        (get("HTTP/1.1", "Connection: close\r\n"), 200),
        (get("HTTP/1.1", "Connection: keep-alive, close\r\n"), 200),
        (get("HTTP/1.0", ""), 200),
        ("GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_owned(), 404),
        (format!("{patch}Connection: close\r\nContent-Length: 2\r\n\r\n{{}}"), 401),
        // The body is missing: the response closes the connection.
        (format!("{patch}Content-Length: 100000\r\n\r\n"), 401),
        (format!("{patch}Transfer-Encoding: chunked\r\n\r\nFFFFF\r\n"), 401),
        (format!("{large}Content-Length: 99999999\r\n\r\n"), 413),
        (format!("GET {path} HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "x".repeat(40_000)), 413),
    ] {
        let answers = answers(&running, &first, &rename(&running, "carried out"));
        assert_eq!(answers.matches("HTTP/1.").count(), 1, "{first}\n{answers}");
        assert_eq!(answers.split(' ').nth(1), Some(&*status.to_string()), "{answers}");
        assert_ne!(running.read(1)["name"], "carried out", "{first}");
    }
}

#[test]
fn requests_that_keep_the_connection_follow_each_other() {
    let running = Running::with([planned(1)]);
    let close = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let renamed = [rename(&running, "one"), rename(&running, "two")].concat();
    let answers = answers(&running, &renamed, close);
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 3, "{answers}");
    assert_eq!(running.read(1)["name"], "two");
}

#[test]
fn a_large_answer_arrives_whole_before_its_connection_closes() {
    let running = Running::with([planned(1)]);
    for version in ["HTTP/1.0", "HTTP/1.1"] {
        let mut wire = Wire::connect(running.server.address());
        wire.send(format!("GET /openapi.json {version}\r\nHost: x\r\nConnection: close\r\n\r\n"));
        let answer = wire.read_to_end().expect("the connection ends properly");
        let answer = String::from_utf8(answer).expect("an answer is text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let length = format!("content-length: {}\r\n", body.len());
        assert!(format!("{head}\r\n").to_ascii_lowercase().contains(&length), "{head}");
        assert!(body.len() > 256 << 10, "several pieces: {}", body.len());
    }
}
