//! Clients that do not speak TLS, or do not go on.

use std::time::Duration;

use patrol_tests::{Store, Wire, company, planned, with};
use serde_json::{Value, json};

use super::{Secure, path};

const LIVE: &str = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";
/// Long enough for a handshake on a busy machine.
const SHORT: &[(&str, &str)] = &[("PATROL_REQUEST_TIMEOUT", "5s")];

/// The start of a handshake: a record of 512 bytes that never come.
const PART_OF_A_HANDSHAKE: &[u8] = &[0x16, 0x03, 0x01, 0x02, 0x00, 0x01];

/// A server with a list that no buffer between it and a client can hold.
fn with_a_long_list() -> Secure {
    let name = "обход ".repeat(40);
    let executions = (1..=6_000).map(|n| with(planned(n), json!({ "name": name })));
    Secure::on(Store::with(&company::company().and(executions)), SHORT)
}

/// Requests the long list, reads the head and leaves the body unread.
fn list(secure: &Secure) -> Wire {
    let mut wire = secure.wire();
    let token = &secure.token;
    wire.send(format!(
        "GET /v1/task-executions/info HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\r\n"
    ));
    assert_eq!(wire.read_status(), 200);
    wire
}

#[test]
fn http_without_tls_is_answered_and_harms_nothing() {
    let secure = Secure::set(&[]);
    for request in [LIVE, "GET / HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut wire = Wire::connect(secure.server.address());
        wire.send(request);
        let head = wire.read_head();
        assert!(head.starts_with("HTTP/1.1 400 ") && head.contains("connection: close"), "{head}");
        let body: Value = serde_json::from_slice(&wire.read_to_end().unwrap()).unwrap();
        assert_eq!(body["code"], "input.data.invalid");
    }
    let _ = secure.server.log_once(|log| log.contains("HTTP without TLS"));
    assert_eq!(secure.admin().get(&path()).status, 200);
}

#[test]
fn bytes_that_are_no_handshake_are_refused_and_logged() {
    let secure = Secure::set(&[]);
    for bytes in [&b"\0\0\0\0\0\0\0\0"[..], b"nonsense", &[0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5]] {
        let mut wire = Wire::connect(secure.server.address());
        wire.send(bytes);
        // At most an alert, and no HTTP.
        assert!(!wire.read_to_end_within(Duration::from_secs(60)).starts_with(b"HTTP"));
    }
    // A load balancer that only checks the port is not worth a line.
    drop(Wire::connect(secure.server.address()));
    let log = secure.server.log_once(|log| log.matches("the TLS handshake failed").count() == 3);
    assert!(log.lines().any(|line| line.contains("peer=127.0.0.1:")), "{log}");
    assert_eq!(secure.admin().get(&path()).status, 200);
}

#[test]
fn a_client_that_does_not_trust_the_certificate_is_logged() {
    let secure = Secure::set(&[]);
    let other = patrol_tests::Certificate::issue();
    let config = other.client(&[], rustls::ALL_VERSIONS);
    assert!(Wire::try_secure(secure.server.address(), &config).is_err());
    let _ = secure.server.log_once(|log| log.contains("the TLS handshake failed"));
}

#[test]
fn a_handshake_that_does_not_end_is_a_connection_and_is_closed() {
    let secure = Secure::set(SHORT);
    let mut silent = Wire::connect(secure.server.address());
    let mut slow = Wire::connect(secure.server.address());
    slow.send(PART_OF_A_HANDSHAKE);
    for wire in [&mut silent, &mut slow] {
        let rest = wire.read_to_end().expect("the server closes the connection");
        assert!(rest.is_empty(), "{rest:?}");
    }
    let log = secure.server.log_once(|log| log.contains("the TLS handshake failed"));
    assert!(log.contains("timed out"), "{log}");
    assert_eq!(secure.admin().get(&path()).status, 200);
}

#[test]
fn handshakes_count_towards_the_limit_of_connections_and_make_room() {
    let secure = Secure::set(&[("PATROL_CONNECTIONS", "4")]);
    let held = [(); 4].map(|()| Wire::connect(secure.server.address()));
    assert_eq!(secure.admin().get(&path()).status, 200);
    let _ = secure.server.log_once(|log| log.contains("too many connections"));
    drop(held);
    let _ = secure.server.log_once(|log| log.contains("accepted as usual again"));
    assert_eq!(secure.admin().get(&path()).status, 200);
}

#[test]
fn a_head_that_does_not_arrive_gets_408() {
    let secure = Secure::set(SHORT);
    let mut wire = secure.wire();
    wire.send("GET /health/live HTTP/1.1\r\nHos");
    assert_eq!(wire.read_status(), 408);
    let body = wire.read_to_end().expect("a proper end of TLS");
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["code"], "request.timeout");
}

#[test]
fn a_malformed_request_gets_our_error_and_a_proper_end() {
    let secure = Secure::set(&[]);
    let large = format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}", "x".repeat(200_000));
    for (bytes, status) in [("NONSENSE\r\n\r\n", 400), (&*large, 431)] {
        let mut wire = secure.wire();
        wire.send(bytes);
        let head = wire.read_head();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        let body = wire.read_to_end().expect("a proper end of TLS");
        assert!(serde_json::from_slice::<Value>(&body).unwrap()["code"].is_string());
    }
}

#[test]
fn a_long_list_arrives_whole_and_ends_with_a_client_that_leaves_or_reads_nothing() {
    let secure = with_a_long_list();
    let all = secure.admin().get("/task-executions/info").ok();
    assert_eq!(all["data"].as_array().unwrap().len(), 6_000);
    drop(list(&secure));
    let log = secure.server.log_once(|log| log.contains("broken off"));
    assert!(log.contains("client_left"), "{log}");
    let wire = list(&secure);
    let log = secure.server.log_once(|log| log.matches("broken off").count() == 2);
    assert!(log.contains("client_too_slow"), "{log}");
    drop(wire);
}

#[test]
fn nothing_after_connection_close_is_executed() {
    let secure = Secure::set(&[]);
    let mut wire = secure.wire();
    let token = &secure.token;
    let item = format!("/v1{} HTTP/1.1", path());
    let head = format!("\r\nHost: x\r\nAuthorization: {token}\r\n");
    wire.send(format!("GET {item}{head}Connection: close\r\n\r\nDELETE {item}{head}\r\n"));
    assert_eq!(wire.read_status(), 200);
    let _ = wire.read_to_end().expect("a proper end of TLS");
    assert_eq!(secure.admin().get(&path()).status, 200);
}
