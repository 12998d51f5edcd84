//! Clients that disconnect.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{LIST, list, many, metric};
use patrol_tests::Running;

const LEFT: &str = "reason=\"client_left\"";

/// Waits until this number of responses was counted as `client_left`.
fn wait_for(running: &Running, count: f64, since: Instant) {
    let route = format!("route=\"{LIST}\"");
    while metric(running, "http_answers_broken_total", &[&route, LEFT]) < count {
        assert!(since.elapsed() < Duration::from_secs(20), "not noticed");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_client_that_closes_its_half_has_left() {
    let running = Running::on(many());
    let mut wire = list(&running, "HTTP/1.1");
    wire.finish();
    thread::sleep(Duration::from_secs(1));
    let whole = wire.read_to_end().is_ok_and(|body| body.ends_with(b"0\r\n\r\n"));
    assert!(!whole, "the list was sent to its end");
    wait_for(&running, 1.0, Instant::now());
    let log = running.server.log_once(|log| log.contains("broken off"));
    let line = log.lines().find(|line| line.contains("broken off")).expect("a line of the log");
    for part in [LIST, "reason=\"client_left\"", "bytes=", "request_id=", "user="] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
}

#[test]
fn a_client_that_closes_its_connection_is_noticed_within_a_second() {
    let running = Running::on(many());
    for count in 1..=3 {
        drop(list(&running, "HTTP/1.1"));
        let left = Instant::now();
        wait_for(&running, f64::from(count), left);
        // A busy machine needs time, but every time limit of the server is longer.
        assert!(left.elapsed() < Duration::from_secs(15), "{:?}", left.elapsed());
    }
}
