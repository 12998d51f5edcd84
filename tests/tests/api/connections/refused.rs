//! Malformed requests, and headers of every response.

use patrol_tests::{Running, Wire, execution_id, planned};
use serde_json::Value;

use super::metric;

#[test]
fn bytes_that_are_no_request_are_answered_logged_and_counted() {
    let running = Running::set(
        patrol_tests::Store::with(&patrol_tests::company::company()),
        &[("PATROL_REQUEST_TIMEOUT", "2s")],
    );
    let large = format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}", "x".repeat(200_000));
    for (bytes, status, code) in [
        ("NONSENSE\r\n\r\n", 400, "input.data.invalid"),
        ("GET / HTTP/1.1\r\nno host: x\r\n\r\n", 400, "input.data.invalid"),
        ("GET / HTTP/1.1\r\nHos", 408, "request.timeout"),
        (&large, 431, "request.header.too.large"),
    ] {
        let mut wire = Wire::connect(running.server.address());
        wire.send(bytes);
        let head = wire.read_head();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        for header in [
            "content-type: application/json",
            "x-content-type-options: nosniff",
            "x-request-id: ",
            "connection: close",
            "date: ",
        ] {
            assert!(head.contains(header), "{header} is not in {head}");
        }
        let body = wire.read_to_end().expect("a proper end");
        let body: Value = serde_json::from_slice(&body).expect("a JSON body");
        assert_eq!(body["code"], code);
        let id = head.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap();
        let log = running.server.log_once(|log| log.contains(id));
        let line = log.lines().find(|line| line.contains(id)).expect("a line of the log");
        assert!(line.contains("peer=127.0.0.1:") && line.contains("reason="), "{line}");
        let labels = ["route=\"unmatched\"", &format!("status=\"{status}\"")];
        assert!(metric(&running, "http_requests_total", &labels) >= 1.0, "{status}");
    }
}

#[test]
fn no_answer_lets_a_browser_guess_its_type() {
    let running = Running::with([planned(1)]);
    let path = format!("/v1/task-executions/{}", execution_id(1));
    let etag =
        running.admin.open("GET", &path, None).headers()["etag"].to_str().unwrap().to_owned();
    let cached = running.admin.with("If-None-Match", &etag);
    for (api, method, path, status) in [
        (&running.admin, "GET", path.as_str(), 200),
        (&cached, "GET", &path, 304),
        (&running.admin, "HEAD", &path, 200),
        (&running.admin, "GET", "/v1/task-executions/info", 200),
        (&running.admin, "GET", "/v1/task-executions/x", 400),
        (&running.admin, "GET", "/v1/nothing", 404),
        (&running.admin, "POST", &path, 405),
        (&running.admin, "DELETE", &path, 204),
        (&running.server.api(), "GET", "/v1/locations", 401),
        (&running.server.api(), "GET", "/health/live", 200),
        (&running.server.api(), "GET", "/metrics", 200),
        (&running.server.api(), "GET", "/openapi.json", 200),
        (&running.server.api(), "GET", "/docs/", 200),
    ] {
        let answer = api.open(method, path, None);
        assert_eq!(answer.status(), status, "{method} {path}");
        let header = answer.headers().get("x-content-type-options");
        assert_eq!(header.map(|value| value.as_bytes()), Some(&b"nosniff"[..]), "{method} {path}");
    }
}
