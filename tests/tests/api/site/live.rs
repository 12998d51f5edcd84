//! The streams of changes that open pages listen to.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{Running, SiteClient, execution_id};
use serde_json::json;

use super::{PASSWORD, admin, board::running, browser};

/// How long a change may take to reach an open page. The contract says 2 s; here a debug build shares busy
/// cores with other tests.
const IN_TIME: Duration = Duration::from_secs(10);

/// The lines of a stream of changes.
pub(super) fn stream(
    running: &Running,
    browser: &SiteClient,
    path: &str,
) -> impl Iterator<Item = String> + use<> {
    let session = browser.cookie("patrol_session").expect("a session").to_owned();
    let address = running.server.address();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nCookie: patrol_session={session}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    BufReader::new(stream).lines().map_while(Result::ok)
}

#[test]
fn a_stream_that_a_tab_closes_is_logged_once_with_its_whole_time() {
    let running = running();
    let admin = admin(&running);
    let mut lines = stream(&running, &admin, "/rounds/live");
    assert!(lines.any(|line| line == "event: beat"));
    let opened = Instant::now();
    thread::sleep(Duration::from_millis(1_500));
    let log = running.server.log();
    assert!(!log.contains("/rounds/live"), "not before its end: {log}");
    drop(lines);
    let log = running.server.log_once(|log| log.contains("/rounds/live"));
    let open = opened.elapsed();
    let of_stream: Vec<_> = log.lines().filter(|line| line.contains("/rounds/live")).collect();
    let [line] = of_stream.as_slice() else { panic!("{of_stream:?}") };
    assert!(line.contains("INFO") && line.contains("answered"), "{line}");
    assert!(line.contains("status=200") && line.contains("request_id="), "{line}");
    let micros = line.split_once("micros=").unwrap().1.split(' ').next().unwrap();
    let micros = Duration::from_micros(micros.parse().unwrap());
    assert!(micros >= Duration::from_millis(1_500) && micros <= open + Duration::from_secs(5));
    assert!(!log.contains("broken off"), "{log}");
    let metrics = running.server.api().outside("/metrics");
    let metrics = metrics.text();
    assert!(!metrics.contains("http_answers_broken_total{route=\"/rounds/live\""), "{metrics}");
}

#[test]
fn a_change_is_told_to_the_stream_which_ends_with_the_session() {
    let running = running();
    let mut admin = admin(&running);
    let mut lines = stream(&running, &admin, "/rounds/live");
    let mut next = |wanted: &str| {
        let found = lines.find(|line| line.to_ascii_lowercase().contains(wanted));
        found.unwrap_or_else(|| panic!("the stream ends without {wanted}"))
    };
    for header in ["http/1.1 200", "text/event-stream", "event: beat"] {
        next(header);
    }
    let id = execution_id(1);
    let patched =
        running.admin.patch(&format!("/task-executions/{id}"), &json!({ "tags": ["changed"] }));
    assert_eq!(patched.status, 200);
    next("event: change");
    assert!(next("data: ").contains(&id));
    let page = admin.open("/sessions");
    admin.submit(&page, "/sign-out", &[]).leads_to("/sign-in");
    next("event: end");
}

#[test]
fn a_hundred_open_boards_are_told_of_a_change_in_time_and_cost_little_at_rest() {
    let running = running();
    let browsers = ["A1", "M1", "E1"].map(|name| browser(&running).signed_in(name, PASSWORD));
    let browsers = browsers.iter().cycle().take(100);
    let mut boards: Vec<_> =
        browsers.map(|browser| stream(&running, browser, "/rounds/live")).collect();
    for board in &mut boards {
        assert!(board.any(|line| line == "event: beat"));
    }
    let id = execution_id(1);
    let path = format!("/task-executions/{id}");
    let changed = Instant::now();
    assert_eq!(running.admin.patch(&path, &json!({ "tags": ["changed"] })).status, 200);
    for board in &mut boards {
        let mut in_time = board.by_ref().take_while(|_| changed.elapsed() < IN_TIME);
        assert!(in_time.any(|line| line == "event: change"), "{:?}", changed.elapsed());
        assert_eq!(board.next(), Some(format!("data: {id}")));
    }
    // The contract says 10 % of a core; a debug build needs more, and may still do what follows its start.
    #[cfg(target_os = "linux")]
    assert!((0..3).any(|_| load_at_rest(&running, &mut boards[0]) < 0.3));
}

/// The share of a core that the server uses while nothing changes, over two heartbeats or more.
#[cfg(target_os = "linux")]
fn load_at_rest(running: &Running, board: &mut impl Iterator<Item = String>) -> f64 {
    let server = running.server.process();
    let used = || patrol_tests::bench::machine::processor_time(server).unwrap();
    let (begun, before) = (Instant::now(), used());
    while begun.elapsed() < Duration::from_secs(8) {
        assert!(board.any(|line| line == "event: beat"));
    }
    let load = (used() - before).as_secs_f64() / begun.elapsed().as_secs_f64();
    eprintln!("100 boards at rest: {:.1} % of a core", load * 100.0);
    load
}
