//! `100 Continue`, and the overhead of chunked bodies.

use std::time::{Duration, Instant};

use patrol_tests::{Running, Wire, execution_id, planned};

use super::{head, rename};

#[test]
fn a_body_is_asked_for_only_if_it_is_read() {
    let running = Running::with([planned(1)]);
    let path = format!("/v1/task-executions/{}", execution_id(1));
    let expect = "Expect: 100-continue\r\nContent-Length: 14\r\n\r\n";
    let json = head(&running, &format!("PATCH {path} HTTP/1.1"));
    let plain = json.replace("application/json", "text/plain");
    for (request, status) in [
        (format!("PATCH {path} HTTP/1.1\r\nHost: x\r\n{expect}"), 401),
        (format!("{plain}{expect}"), 406),
        (format!("{json}{}", expect.replace("14", "99999999")), 413),
        (format!("{}{expect}", json.replace(&path, "/v1/nothing")), 404),
    ] {
        let mut wire = Wire::connect(running.server.address());
        wire.send(&request);
        let head = wire.read_head();
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{request}\n{head}");
        assert!(head.contains("connection: close"), "the body is not read: {head}");
    }
    let mut wire = Wire::connect(running.server.address());
    // Also after another request.
    wire.send(format!("{}{json}{expect}", rename(&running, "first")));
    assert_eq!(wire.read_status(), 200);
    let mut rest = Vec::new();
    while !rest.ends_with(b"HTTP/1.1 100 Continue\r\n\r\n") {
        rest.extend(wire.read(1).expect("the server goes on"));
    }
    wire.send("{\"name\":\"two\"}");
    assert_eq!(wire.read_status(), 200);
    assert_eq!(running.read(1)["name"], "two");

    // With a key the body is read once more, after it has arrived. It may be empty.
    let chunked = "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (key, head, body, status) in
        [("once", expect, "{\"name\":\"key\"}", 200), ("empty", chunked, "0\r\n\r\n", 400)]
    {
        let mut wire = Wire::connect(running.server.address());
        wire.send(format!("{json}Idempotency-Key: {key}\r\n{head}"));
        assert!(wire.read_head().starts_with("HTTP/1.1 100 Continue"));
        wire.send(body);
        assert_eq!(wire.read_status(), status);
        let rest = wire.read_to_end_within(Duration::from_millis(500));
        let rest = String::from_utf8(rest).expect("the body is UTF-8");
        assert!(!rest.contains("HTTP/1.1"), "{rest}");
    }
}

#[test]
fn chunks_carry_little_besides_their_data() {
    let running = Running::with([planned(1)]);
    let patch = head(&running, &format!("PATCH /v1/task-executions/{} HTTP/1.1", execution_id(1)));
    for begin in ["1;", "0\r\nX: "] {
        let mut wire = Wire::connect(running.server.address());
        wire.send(format!("{patch}Transfer-Encoding: chunked\r\n\r\n{begin}"));
        let started = Instant::now();
        let filler = "x".repeat(64 * 1024);
        for _ in 0..32 {
            wire.send(&filler);
        }
        assert_eq!(wire.read_status(), 400, "{begin}");
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    }
    // A body in chunks of one byte.
    let mut wire = Wire::connect(running.server.address());
    let mut request = format!("{patch}Transfer-Encoding: chunked\r\n\r\n");
    let body = format!("{{\"name\":\"small\"{}}}", " ".repeat(300_000));
    for byte in body.chars() {
        request.push_str(&format!("1\r\n{byte}\r\n"));
    }
    wire.send(request + "0\r\n\r\n");
    assert_eq!(wire.read_status(), 200);
    assert_eq!(running.read(1)["name"], "small");
}
