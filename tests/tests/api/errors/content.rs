//! Content-Type, Content-Encoding and size of bodies.

use patrol_tests::{Refusal, Wire};
use serde_json::json;

use super::{all_operations, check_untouched, operations, running};

/// The default limit of a JSON body.
const LIMIT: usize = 2 * 1024 * 1024;

/// The error names the header and its value.
fn expects(refusal: &Refusal, header: &str, value: &str) {
    refusal.shows(&[]);
    assert_eq!(refusal.body["identifier"], header, "{}", refusal.body);
    assert_eq!(refusal.body["args"], json!([value]), "{}", refusal.body);
}

#[test]
fn a_photo_is_expected_in_a_form() {
    let running = running();
    let path = format!("/users/{}/photo", patrol_tests::company::GUARD);
    for kind in ["application/json", "image/png", "multipart/form-data"] {
        let api = running.admin.with("Content-Type", kind);
        let answer = api.send("POST", &path, Some(b"{}"));
        let refusal = answer.refused(400, "input.data.invalid");
        expects(&refusal, "Content-Type", "multipart/form-data");
    }
}

#[test]
fn another_content_type_is_not_acceptable() {
    let running = running();
    let other = [
        "text/plain",
        "application/jsonx",
        "application/vnd.api+json",
        "application/x-json",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
        "json",
        "text/json",
        "application/*",
        "*/*",
        "application",
    ];
    let before = running.exported();
    for operation in all_operations() {
        let clients = other.iter().map(|kind| running.admin.with("Content-Type", kind));
        for api in clients.chain([running.admin.clone()]) {
            let body = b"{\"name\":\"x\",\"type\":\"TEXT\",\"firstName\":\"x\"}";
            let answer = api.send(operation.method, &operation.path, Some(body));
            let (status, code) = operation.other_media;
            expects(&answer.refused(status, code), "Content-Type", "application/json");
        }
    }
    assert_eq!(running.exported(), before);
    check_untouched(&running);
}

#[test]
fn json_with_any_parameters_passes() {
    let running = running();
    let path = &operations()[1].1;
    for kind in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "application/json; charset=\"utf-8\"; x=y",
        "Application/JSON",
    ] {
        let answer = running.admin.with("Content-Type", kind).send("PATCH", path, Some(b"{}"));
        assert_eq!(answer.status, 200, "{kind}: {}", answer.text());
    }
}

#[test]
fn an_encoded_body_is_not_acceptable() {
    let running = running();
    for operation in all_operations() {
        for encoding in ["gzip", "br", "deflate", "zstd", "x", "gzip, identity"] {
            let api = running.admin.with("Content-Encoding", encoding);
            let answer = api.text(operation.method, &operation.path, "{}");
            let (status, code) = operation.other_media;
            expects(&answer.refused(status, code), "Content-Encoding", "identity");
        }
    }
    let identity = running.admin.with("Content-Encoding", "identity");
    let _ = identity.text("PATCH", &operations()[1].1, "{}").ok();
}

#[test]
fn accept_is_not_looked_at() {
    let running = running();
    for accept in ["text/html", "image/png", "application/json;q=0", "nonsense"] {
        let _ = running.admin.with("Accept", accept).get(&operations()[0].1).ok();
    }
}

/// A JSON object of this many bytes.
fn object(size: usize) -> Vec<u8> {
    let mut body = b"{\"unknown\":\"".to_vec();
    body.resize(size - 2, b'x');
    body.extend(b"\"}");
    body
}

#[test]
fn a_body_above_the_limit_is_too_large() {
    let running = running();
    for operation in all_operations() {
        let answer = operation.send(&running, object(operation.limit + 1));
        answer.refused(413, "payload.too.large").shows(&[]);
        let fits = operation.send(&running, object(operation.limit));
        assert_ne!(fits.status, 413, "{} {}", operation.method, operation.path);
    }
    check_untouched(&running);
    let _ = running.admin.text("PATCH", &operations()[1].1, object(LIMIT)).ok();
}

#[test]
fn a_body_of_unknown_length_is_measured_as_it_comes() {
    let running = running();
    let token = running.store.token(patrol_tests::company::ADMIN);
    let mut wire = Wire::connect(running.server.address());
    wire.send(format!(
        "PATCH /v1{} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        operations()[1].1
    ));
    let mut chunk = b"10000\r\n".to_vec();
    chunk.resize(chunk.len() + 0x10000, b' ');
    chunk.extend(b"\r\n");
    for _ in 0..LIMIT / 0x10000 + 1 {
        wire.send(&chunk);
    }
    assert_eq!(wire.read_status(), 413);
    check_untouched(&running);
}

#[test]
fn a_body_that_is_only_announced_is_refused_by_its_length() {
    let running = running();
    let token = running.store.token(patrol_tests::company::ADMIN);
    for length in [LIMIT + 1, usize::MAX >> 1] {
        let mut wire = Wire::connect(running.server.address());
        wire.send(format!(
            "PATCH /v1{} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            operations()[1].1
        ));
        assert_eq!(wire.read_status(), 413, "{length}");
    }
}

#[test]
fn a_body_that_stays_away_changes_nothing() {
    let running = running();
    let token = running.store.token(patrol_tests::company::ADMIN);
    for half in ["{\"name\":\"x\"", ""] {
        let mut wire = Wire::connect(running.server.address());
        wire.send(format!(
            "PATCH /v1{} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
             Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{half}",
            operations()[1].1
        ));
        wire.finish();
        // A response may be missing, but must not be a success.
        if let Ok(answer) = wire.read_to_end() {
            assert!(!answer.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&answer));
        }
    }
    check_untouched(&running);
}

#[test]
fn no_bytes_break_the_server() {
    let running = running();
    let long =
        format!("GET /v1/task-executions/info HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(40_000));
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /v1/\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/task-executions/info HTTP/1.1\r\nAuthorization: \xff\xfe\r\n\r\n",
        b"PATCH /v1/x HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"PATCH /v1/x HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        long.as_bytes(),
    ] {
        let mut wire = Wire::connect(running.server.address());
        wire.send(bytes);
        wire.finish();
        if let Ok(answer) = wire.read_to_end() {
            assert!(!answer.starts_with(b"HTTP/1.1 5"), "{}", String::from_utf8_lossy(&answer));
        }
    }
    check_untouched(&running);
}
