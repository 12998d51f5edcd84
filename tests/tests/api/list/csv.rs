//! Lists as CSV.

use std::time::{Duration, Instant};

use patrol_tests::{
    Answer, Api, Running, Store, Wire,
    company::{ADMIN, PORT, company, point, user},
    with,
};
use serde_json::{Value, json};

use super::{LIST, MANY, many, rounds};

/// The lists that are answered as CSV.
const LISTS: [&str; 4] = [LIST, "/users", "/locations/points", "/scheduled-tasks"];

/// Texts that a spreadsheet or a parser could misread.
const HOSTILE: [&str; 10] = [
    "=HYPERLINK(\"x\")",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\"quoted\", \"twice\"",
    "line\nbreak\r\nand more",
    "\u{202e}עברית;\u{2066}",
    "'=1",
];

/// A company with a task and rounds, in which everything has a hostile text.
fn running() -> Running {
    let people = HOSTILE.iter().zip(1..).map(|(text, n): (_, u32)| {
        with(
            user(&format!("0190a000-0004-7000-8000-0000000009{n:02}"), "EMPLOYEE", &n.to_string()),
            json!({"firstName": text, "phone": "+49 30", "tags": [text, "plain"], "locationIds": [PORT]}),
        )
    });
    let points = HOSTILE.iter().zip(1..).map(|(text, n): (_, u32)| {
        with(
            point(&format!("0190a000-0003-7000-8000-0000000009{n:02}"), PORT, text),
            json!({"latitude": -33.5, "longitude": f64::from(n), "qrCode": format!("{text}{n}")}),
        )
    });
    let rounds =
        rounds().into_iter().zip(HOSTILE).map(|(round, text)| with(round, json!({"name": text})));
    Running::on(Store::with(&company().and(people).and(points).and(rounds)))
}

fn csv(api: &Api, path: &str) -> Answer {
    let answer = api.with("Accept", "text/csv").get(path);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    assert_eq!(answer.header("Content-Type"), Some("text/csv; charset=utf-8"));
    assert!(answer.header("Vary").is_some_and(|vary| vary.contains("Accept")));
    answer
}

/// The rows with their header, as a reader sees them.
fn rows(answer: &Answer) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&*answer.body);
    reader.deserialize().collect::<Result<_, _>>().expect("CSV")
}

/// The cell that a value of the JSON has.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => {
            format!("'{text}")
        }
        Value::String(text) => text.clone(),
        Value::Array(items) if !items.iter().any(Value::is_object) => {
            items.iter().map(cell).collect::<Vec<_>>().join(";")
        }
        other => other.to_string(),
    }
}

#[test]
fn csv_has_the_items_of_the_json() {
    let running = running();
    let _ = running.admin.post(
        "/scheduled-tasks",
        &json!({
            "name": "=plan", "locationId": PORT, "enabled": false,
            "schedule": {
                "timeZone": "Europe/Berlin", "start": "2026-12-01T22:00:00", "durationMinutes": 60,
                "rrule": "FREQ=DAILY", "exdates": [], "rdates": [], "pauses": [],
            },
        }),
    ).json(201);
    for list in LISTS {
        for query in [
            "",
            "?sort=name,desc&sort=lastName,desc&sort=id",
            "?limit=3&offset=1",
            "?limit=0",
            "?q=1",
        ] {
            let query = match list {
                "/users" => query.replace("name,desc&sort=", ""),
                _ => query.replace("&sort=lastName,desc", ""),
            };
            let path = format!("{list}{query}");
            let json = running.admin.get(&path).ok();
            let items = json["data"].as_array().expect("data");
            let answer = csv(&running.admin, &path);
            let rows = rows(&answer);
            assert_eq!(rows.len(), items.len() + 1, "{path}");
            assert!(answer.text().ends_with("\r\n") && answer.text().starts_with("id,"), "{path}");
            for (row, item) in rows[1..].iter().zip(items) {
                let members = item.as_object().expect("an object");
                for ((cells, column), (name, value)) in row.iter().zip(&rows[0]).zip(members) {
                    assert_eq!(column, name, "{path}");
                    // The time of a round in progress goes on.
                    if name != "totalExecutedTimeInMillis" {
                        assert_eq!(cells, &cell(value), "{path} {name}");
                    }
                }
                assert_eq!(row.len(), members.len(), "{path}");
            }
        }
    }
}

#[test]
fn csv_is_sent_only_if_it_is_preferred() {
    let running = Running::on(Store::with(&company()));
    for list in LISTS {
        for (accept, is_csv) in [
            ("text/csv", true),
            ("TEXT/CSV;charset=utf-8, */*;q=0.1", true),
            ("application/json, text/csv;q=0.9", false),
            ("*/*", false),
            ("text/html", false),
        ] {
            let answer = running.admin.with("Accept", accept).get(list);
            let kind = answer.header("Content-Type").expect("a type");
            assert_eq!(kind.starts_with("text/csv"), is_csv, "{list} {accept}");
            assert!(answer.header("Vary").is_some(), "{list}");
        }
        let asking = running.admin.with("Accept", "text/csv");
        let head = asking.send("HEAD", list, None);
        assert_eq!(head.header("Content-Type"), Some("text/csv; charset=utf-8"));
        let refused = asking.get(&format!("{list}?limit=x"));
        let _ = refused.refused(400, "input.data.invalid");
    }
    // Other lists and records are JSON.
    for path in ["/locations", "/check-lists", "/me", "/locations/points/history"] {
        let _ = running.admin.with("Accept", "text/csv").get(path).ok();
    }
    let _ = running.server.api().with("Accept", "text/csv").get(LIST).refused(401, "unauthorized");
}

#[test]
fn a_pin_is_not_in_the_csv_of_who_may_not_see_it() {
    let pin = with(
        user("0190a000-0004-7000-8000-000000000977", "EMPLOYEE", "77"),
        json!({"employeePin": "4711"}),
    );
    let running = Running::on(Store::with(&company().and([pin])));
    assert!(csv(&running.admin, "/users").text().contains("4711"));
    let employee = running.api(patrol_tests::company::EMPLOYEE);
    assert!(!csv(&employee, "/users").text().contains("4711"));
}

#[test]
fn a_long_list_is_streamed_and_admitted_like_json() {
    let running = Running::set(many(), &[("PATROL_REQUEST_TIMEOUT", "10m")]);
    let answer = csv(&running.admin, LIST);
    assert_eq!(rows(&answer).len(), MANY as usize + 1);
    let token = running.store.token(ADMIN);
    let ask = || {
        let mut wire = Wire::connect(running.server.address());
        wire.send(format!(
            "GET /v1{LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nAccept: text/csv\r\n\r\n"
        ));
        wire
    };
    let mut stalled: Vec<_> = (0..4).map(|_| ask()).collect();
    for list in &mut stalled {
        assert_eq!(list.read_status(), 200);
    }
    let fifth = running.server.api().with_token(&token).with("Accept", "text/csv").get(LIST);
    let _ = fifth.refused(429, "too.many.requests");
    drop(stalled);
}

/// Prints the times of both with `--no-capture`. The bound is wide, because a debug build measures on a busy machine.
#[test]
fn csv_takes_less_than_four_times_as_long_as_json() {
    let running = Running::on(many());
    let time = |api: &Api| {
        let begun = Instant::now();
        assert_eq!(api.get(LIST).status, 200);
        begun.elapsed()
    };
    let with_csv = running.admin.with("Accept", "text/csv");
    let mut best = [Duration::MAX; 2];
    for _ in 0..5 {
        best = [best[0].min(time(&running.admin)), best[1].min(time(&with_csv))];
    }
    println!("{MANY} rows: JSON {:?}, CSV {:?}", best[0], best[1]);
    assert!(best[1] < 4 * best[0], "{best:?}");
}
