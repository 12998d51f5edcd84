//! Clients of HTTP/1.0.

use serde_json::Value;

use super::{MANY, head, list, many};
use patrol_tests::{Running, Wire};

#[test]
fn a_long_list_comes_without_chunks_and_ends_with_the_connection() {
    let running = Running::on(many());
    for more in ["", "Connection: keep-alive\r\n"] {
        let mut wire = Wire::connect(running.server.address());
        wire.send(format!(
            "{}{more}\r\n",
            head(&running, &format!("GET {} HTTP/1.0", super::LIST))
        ));
        let head = wire.read_head();
        assert!(head.contains(" 200 OK"), "{head}");
        assert!(!head.contains("transfer-encoding") && !head.contains("keep-alive"), "{head}");
        let body = wire.read_to_end().expect("a proper end");
        let list: Value = serde_json::from_slice(&body).expect("the body is JSON and no more");
        assert_eq!(list["data"].as_array().map(Vec::len), Some(MANY as usize));
    }
}

#[test]
fn a_list_without_chunks_that_breaks_off_does_not_look_complete() {
    let store = many();
    let mut running = Running::set(store, &[("PATROL_REQUEST_TIMEOUT", "2s")]);
    let mut wire = list(&running, "HTTP/1.0");
    running.server.terminate();
    assert_eq!(running.server.wait().code(), Some(0));
    let end = wire.read_to_end();
    assert!(end.is_err(), "a proper end after {} bytes", end.unwrap_or_default().len());
}

#[test]
fn a_connection_is_kept_if_the_client_asks_for_it() {
    let running = Running::with([]);
    let mut wire = Wire::connect(running.server.address());
    for _ in 0..2 {
        wire.send("GET /nothing HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        let head = wire.read_head();
        assert!(head.contains(" 404 ") && head.contains("connection: keep-alive"), "{head}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut left: usize = length.expect("a length").parse().unwrap();
        while left > 0 {
            left -= wire.read(left).unwrap().len();
        }
    }
    wire.send("GET /nothing HTTP/1.0\r\n\r\n");
    let end = wire.read_to_end().expect("a proper end");
    assert!(String::from_utf8_lossy(&end).contains(" 404 "));
}
