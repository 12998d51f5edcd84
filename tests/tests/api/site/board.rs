//! `/rounds` and its stream of changes.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Running, SiteClient, Store,
    company::{AIRPORT, EMPLOYEE, GUARD, MANAGER, PORT, company as records},
    completed, execution_id, in_progress, planned, with,
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
    running_with(rounds)
}

/// A company whose people may sign in, with these rounds.
pub(super) fn running_with(rounds: impl IntoIterator<Item = Value>) -> Running {
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
    assert!(
        part.starts_with("<div class=\"board\" data-live=") && part.contains("Round 1"),
        "{part}"
    );
}

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

/// 120 rounds of 29 March 2026 in Berlin, which has 23 hours, and rounds just outside of it.
fn many() -> Vec<Value> {
    const HOUR: i64 = 3_600;
    // 00:00 in Berlin, in seconds of the UTC day before.
    const FIRST: i64 = 23 * HOUR;
    let time = |seconds: i64| {
        let (day, of_day) = (28 + seconds.div_euclid(24 * HOUR), seconds.rem_euclid(24 * HOUR));
        let (hour, minute) = (of_day / HOUR, of_day % HOUR / 60);
        format!("2026-03-{day}T{hour:02}:{minute:02}:{:02}.000Z", of_day % 60)
    };
    let round = |n: u32| {
        let start = FIRST + i64::from(n) * 11 * 60;
        let times = json!({ "startAt": time(start), "endAt": time(start + HOUR) });
        // Every third start is late.
        let started = start + if n.is_multiple_of(3) { HOUR / 2 } else { 60 };
        let started_at = json!({ "startedAt": time(started) });
        let ended_at = json!({ "endedAt": time(started + 20 * 60) });
        let round = match n % 4 {
            0 => planned(n),
            1 => with(in_progress(n), started_at),
            _ => with(with(completed(n), started_at), ended_at),
        };
        let place = json!({
            "locationId": if n.is_multiple_of(5) { AIRPORT } else { PORT },
            "assigneeIds": if n.is_multiple_of(7) { json!([MANAGER]) } else { json!([GUARD, EMPLOYEE]) },
            "published": !n.is_multiple_of(11),
            "name": format!("Round {}", n * 7919 % 1_000),
        });
        with(with(round, times), place)
    };
    let outside = |n, start: i64, end: i64| {
        with(planned(n), json!({ "startAt": time(start), "endAt": time(end) }))
    };
    let last = FIRST + 23 * HOUR;
    (0..120)
        .map(|n| round(n + 1))
        .chain([outside(201, FIRST - HOUR, FIRST), outside(202, last, last + HOUR)])
        .collect()
}

/// The ids of the rounds on a page, in order.
fn ids(text: &str) -> Vec<String> {
    let rows = text.split("<th scope=\"row\"><a href=\"/rounds/").skip(1);
    rows.map(|row| row.split('"').next().unwrap().to_owned()).collect()
}

/// The rounds on all pages of a list, which are counted on each.
fn all_pages(browser: &mut SiteClient, path: &str) -> Vec<String> {
    let (mut all, mut next) = (Vec::new(), Some(path.to_owned()));
    while let Some(path) = next {
        let text = browser.open(&path).text;
        let shown = ids(&text);
        let counted = text.split_once("<span class=\"quiet\">").filter(|_| !shown.is_empty());
        let first = all.len() + 1;
        all.extend(shown.iter().cloned());
        if let Some((_, rest)) = counted {
            let start = format!("{first}–{} of ", all.len());
            assert!(text.contains(&start), "{path}: {start} is not in {rest}");
        }
        let link = text.split_once("\" rel=\"next\">Next page");
        next = link.map(|(before, _)| {
            assert_eq!(shown.len(), 50, "{path}");
            let href = before.rsplit_once("href=\"").unwrap().1;
            href.replace("&#38;", "&").replace("&amp;", "&")
        });
        if next.is_none() {
            let end = format!("of {}<", all.len());
            assert!(all.is_empty() || text.contains(&end), "{path}: {end}");
        }
    }
    all
}

#[test]
fn numbers_filters_sorts_and_pages_agree_with_the_api() {
    let running = running_with(many());
    // Entries after the planned end are flagged.
    for n in [3, 20, 57, 77] {
        let path = format!("/task-executions/{}/reports", execution_id(n));
        let note = json!([{
            "id": format!("0190a000-00ee-7000-8000-{n:012}"), "type": "NOTE",
            "at": "2026-03-30T12:00:00.000Z", "textValue": "afterwards",
        }]);
        let answer = running.admin.post(&path, &note).ok();
        assert_eq!(answer["entries"][0]["outcome"], json!("ACCEPTED"), "{answer}");
    }
    let mut browser = admin(&running);
    browser.set_cookie("patrol_browser_zone", "Europe/Berlin");
    let day = "/rounds?date=2026-03-29";
    let (from, until) = ("2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z");
    let is_of_day = |item: &Value| {
        let after = |member: &str| item[member].as_str().is_some_and(|at| at > from);
        after("endAt") || after("endedAt") || item["state"] == "IN_PROGRESS"
    };
    let api = |query: &str| -> Vec<String> {
        let path = format!("/task-executions/info?limit=1000&startAt=lt:{until}&{query}");
        let answer = running.admin.get(&path).ok();
        let items = answer["data"].as_array().unwrap().iter().filter(|item| is_of_day(item));
        items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };

    let all = api("sort=startAt");
    assert_eq!(all.len(), 120);
    assert_eq!(all_pages(&mut browser, day), all);

    let page = browser.open(day).text;
    for (class, filter, query) in [
        ("planned", "", ""),
        ("in-progress", "&state=IN_PROGRESS", "state=IN_PROGRESS"),
        ("completed", "&state=COMPLETED", "state=COMPLETED"),
        ("late", "&state=LATE", "late=true"),
        ("missed", "&state=MISSED", "missed=true"),
        ("flagged", "&flagged=true", "flagged=true"),
    ] {
        let expected = api(&format!("{query}&sort=startAt"));
        assert!(!expected.is_empty(), "{class}");
        assert_eq!(number(&page, class), u64::try_from(expected.len()).unwrap(), "{class}");
        // The link of the number leads to its rounds.
        let link = page.split_once(&format!("aria-describedby=\"count-{class}\"")).unwrap().0;
        let link = link.rsplit_once("href=\"").unwrap().1.split('"').next().unwrap();
        let link = link.replace("&#38;", "&").replace("&amp;", "&");
        assert_eq!(link, format!("{day}{filter}"));
        assert_eq!(all_pages(&mut browser, &link), expected, "{class}");
    }

    for (filter, query) in [
        ("state=PENDING", "state=PENDING"),
        ("search=round+9", "q=round+9"),
        (&*format!("location={AIRPORT}"), &*format!("locationId={AIRPORT}")),
        (&*format!("person={MANAGER}"), &*format!("userId={MANAGER}")),
        (&*format!("person={GUARD}&state=LATE"), &*format!("userId={GUARD}&late=true")),
        (
            &*format!("location={PORT}&flagged=true&state=COMPLETED"),
            &*format!("locationId={PORT}&flagged=true&state=COMPLETED"),
        ),
    ] {
        let expected = api(&format!("{query}&sort=startAt"));
        assert!(!expected.is_empty() && expected.len() < 120, "{filter}: {}", expected.len());
        let page = browser.open(&format!("{day}&{filter}")).text;
        assert_eq!(all_pages(&mut browser, &format!("{day}&{filter}")), expected, "{filter}");
        assert_eq!(number(&page, "planned"), 120, "the numbers of the day do not change");
    }

    for (heading, sort, property) in [
        ("Round", "name", "name"),
        ("Planned", "start", "startAt"),
        ("Started", "started", "startedAt"),
        ("Ended", "ended", "endedAt"),
        ("Steps", "steps", "executedStepCount"),
        ("State", "state", "state"),
        ("Flags", "flags", "flagCount"),
    ] {
        let link = format!("<a href=\"{day}&#38;sort={sort}\">{heading}</a>");
        assert!(page.contains(&link), "{link}");
        for (sort, order) in [(sort.to_owned(), ""), (format!("-{sort}"), ",desc")] {
            let path = format!("{day}&sort={sort}");
            let expected = api(&format!("sort={property}{order}"));
            assert_eq!(all_pages(&mut browser, &path), expected, "{sort}");
        }
    }
}
