//! `/rounds` and its stream of changes.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    time::Duration,
};

use patrol_tests::{
    Running, SiteClient, Store,
    company::{PORT, company as records},
    execution_id, planned, with,
};
use serde_json::{Value, json};

use super::{PASSWORD, admin, browser, company, people};

/// Rounds around the night of 31 January.
fn running() -> Running {
    let at = |n, state: Value| with(planned(n), state);
    let rounds = [
        at(1, json!({})),
        // Over midnight.
        at(2, json!({ "startAt": "2026-01-30T23:00:00Z", "endAt": "2026-01-31T01:00:00Z" })),
        // Planned for the day before, ended on this one.
        at(
            3,
            json!({
                "startAt": "2026-01-30T20:00:00Z", "endAt": "2026-01-30T21:00:00Z",
                "state": "COMPLETED", "startedAt": "2026-01-30T20:30:00Z",
                "endedAt": "2026-01-31T00:30:00Z",
            }),
        ),
        // Still under way, for a day that is long over.
        at(
            4,
            json!({
                "startAt": "2026-01-29T20:00:00Z", "endAt": "2026-01-29T21:00:00Z",
                "state": "IN_PROGRESS", "startedAt": "2026-01-29T20:00:00Z",
            }),
        ),
        at(5, json!({ "startAt": "2026-02-01T00:00:00Z", "endAt": "2026-02-01T01:00:00Z" })),
        at(6, json!({ "startAt": "2026-01-30T22:00:00Z", "endAt": "2026-01-31T00:00:00Z" })),
    ];
    let people = people();
    let all = records();
    let others =
        all.records().iter().filter(|one| people.iter().all(|user| user["id"] != one["id"]));
    let others: Vec<_> = others.cloned().collect();
    Running::on(Store::with(&company().and(others).and(rounds)))
}

/// The names of the rounds on a page, in order.
fn rounds(text: &str) -> Vec<&str> {
    let rows = text.split("<th scope=\"row\">").skip(1);
    rows.filter_map(|row| row.split_once("\">")?.1.split_once("</a>"))
        .map(|(name, _)| name)
        .collect()
}

/// The number of the day with this class.
fn number(text: &str, class: &str) -> u64 {
    let start = format!("id=\"count-{class}\">");
    let rest = text.split_once(&start).unwrap_or_else(|| panic!("{class}: {text}")).1;
    rest.split_once('<').unwrap().0.parse().unwrap()
}

#[test]
fn the_board_has_the_rounds_of_one_day() {
    let running = running();
    let mut admin = admin(&running);
    let text = admin.open("/rounds?date=2026-01-31").text;
    assert_eq!(rounds(&text), ["Round 4", "Round 3", "Round 2", "Round 1"]);
    for (class, count) in
        [("planned", 4), ("in-progress", 1), ("completed", 1), ("late", 3), ("missed", 3)]
    {
        assert_eq!(number(&text, class), count, "{class}");
    }
    assert_eq!(number(&text, "flagged"), 0);
    let of = |query: &str| format!("/rounds?date=2026-01-31&{query}");
    for (query, expected) in [
        ("state=MISSED", &["Round 4", "Round 2", "Round 1"][..]),
        ("state=LATE", &["Round 3", "Round 2", "Round 1"]),
        ("state=COMPLETED", &["Round 3"]),
        ("search=round+2", &["Round 2"]),
        ("flagged=true", &[]),
        ("sort=-name", &["Round 4", "Round 3", "Round 2", "Round 1"]),
        (&format!("location={PORT}&state=IN_PROGRESS"), &["Round 4"]),
        ("person=nobody&state=COMPLETED", &["Round 3"]),
    ] {
        assert_eq!(rounds(&admin.open(&of(query)).text), expected, "{query}");
    }
    assert_eq!(rounds(&admin.open("/rounds?date=2026-02-01").text), ["Round 4", "Round 5"]);
    // In this zone the day is over an hour earlier than in UTC.
    admin.set_cookie("patrol_browser_zone", "Europe/Berlin");
    let text = admin.open("/rounds?date=2026-01-31").text;
    assert_eq!(rounds(&text), ["Round 4", "Round 3", "Round 6", "Round 2", "Round 1"]);
}

#[test]
fn everybody_with_a_session_sees_the_board_and_planners_may_make_rounds() {
    let running = running();
    browser(&running).get("/rounds").leads_to("/sign-in");
    let new = "href=\"/rounds/new\"";
    for (name, may_plan) in [("A1", true), ("M1", true), ("E1", false)] {
        let text = browser(&running).signed_in(name, PASSWORD).open("/rounds").text;
        assert_eq!(text.contains(new), may_plan, "{name}");
    }
    let part = admin(&running).with("Patrol-Part", "live").open("/rounds?date=2026-01-31").text;
    assert!(part.starts_with("<div data-live=") && part.contains("Round 1"), "{part}");
}

/// The lines of a stream of changes.
pub(super) fn stream(
    running: &Running,
    browser: &SiteClient,
    path: &str,
) -> impl Iterator<Item = String> + use<> {
    let session = browser.cookie("patrol_session").expect("a session");
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
