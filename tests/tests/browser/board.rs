//! The board, live: a change is seen without moving the focus, and a lost connection is said.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use patrol_tests::{company::PORT, execution_id};
use serde_json::{Value, json};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use super::{Browser, is_clean, pages::Demo, running, sign_in, stores, url, webdriver::Options};

const DAY: &str = "/rounds?date=2026-01-31";

#[test]
fn on_paper_a_page_says_the_zone_of_its_times() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::start();
        sign_in(&browser, &running, "A1");
        browser.show_print();
        for path in [DAY.to_owned(), format!("/rounds/{}", execution_id(1))] {
            browser.open(&url(&running, &path));
            browser.find("heading", if path == DAY { "Rounds" } else { "Round 1" });
            let text = browser.text();
            assert!(text.contains("Times are in "), "{text}");
            for other in ["Sign out", "Sessions", "Русский"] {
                assert!(!text.contains(other), "{other}: {text}");
            }
        }
        browser.open(&url(&running, "/figures?from=2026-01-31&to=2026-01-31"));
        browser.find("heading", "Figures");
        let text = browser.text();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[..2], ["Figures", "Sat 31 Jan to Sat 31 Jan, UTC"], "{text}");
    }
}

#[test]
fn a_row_is_one_line_and_the_header_of_the_table_stays() {
    let demo = Demo::start();
    let long = "Long ".repeat(40);
    let long = long.trim();
    let admin = &demo.running.admin;
    let place = json!({ "name": long, "address": long, "tags": [&long[..99]] });
    let place =
        admin.post("/locations", &place).json(201)["id"].as_str().expect("an id").to_owned();
    let person = json!({
        "firstName": long, "lastName": long, "role": "EMPLOYEE", "employeeNo": "1234567890123456789",
        "email": format!("{}@example.com", "long".repeat(15)), "locationIds": [place],
    });
    let steps = json!([{ "name": long }]);
    let round = json!({
        "name": long, "locationId": place, "startAt": "2026-01-31T07:00:00Z",
        "endAt": "2026-01-31T08:00:00Z", "steps": steps,
    });
    for (path, body) in [
        ("/users", person),
        (
            "/locations/points",
            json!({ "name": long, "type": "QR", "locationId": place, "qrCode": "1" }),
        ),
        ("/check-lists", json!({ "name": long, "description": long, "actions": [] })),
        ("/tokens", json!({ "name": long })),
        ("/task-executions", round),
    ] {
        let _ = admin.post(path, &body).json(201);
    }
    let browser = Browser::start();
    demo.sign_in(&browser);
    let place = format!("/locations/{place}");
    for width in [1280, 1920] {
        browser.set_width(Some(width));
        for path in [
            "/rounds",
            "/rounds?date=2026-01-31",
            "/plans",
            "/locations",
            &place,
            "/check-lists",
            "/people",
            "/tokens",
            "/sessions",
        ] {
            demo.open(&browser, path);
            let rows = browser.run(
                "return [...document.querySelectorAll('tbody tr')].map((row) => row.offsetHeight)",
            );
            let rows: Vec<_> =
                rows.as_array().expect("rows").iter().filter_map(Value::as_f64).collect();
            assert!(!rows.is_empty(), "{path}");
            let highest = rows.iter().copied().fold(0.0, f64::max);
            assert!(highest < 40.0, "{path} at {width}: {highest} pixels");
            let wide = browser.run("return document.documentElement.scrollWidth");
            assert!(wide.as_f64() <= Some(width.into()), "{path} at {width}: {wide} pixels wide");
        }
        demo.open(&browser, "/people");
        let top = "return document.querySelector('thead th').getBoundingClientRect().top";
        // The list of the demo is shorter than the window.
        browser.run("document.querySelector('main').style.paddingBottom = '200vh'; scrollTo(0, document.querySelector('tbody tr:nth-child(3)').getBoundingClientRect().top)");
        assert_eq!(browser.run(top), 0, "{width}");
    }
}

#[test]
fn a_change_is_seen_where_it_is_and_a_lost_connection_is_said() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::start();
        sign_in(&browser, &running, "A1");
        browser.open(&url(&running, DAY));
        browser.find("heading", "Rounds");
        let planned = || browser.run("return document.querySelector('#count-planned').textContent");
        assert_eq!(planned(), "3");
        browser.tab_to("link", "Round 2");
        let search = browser.first("#search");
        let id = execution_id(1);
        let renamed = Instant::now();
        let body = json!({ "name": "Round 1, changed" });
        let path = format!("/task-executions/{id}");
        assert_eq!(running.admin.patch(&path, &body).status, 200);
        browser.find("link", "Round 1, changed");
        // The contract says 2 s; here a debug build and a browser share busy cores with other tests.
        assert!(renamed.elapsed() < Duration::from_secs(10), "{:?}", renamed.elapsed());
        assert_eq!(browser.focused(), ("link".to_owned(), "Round 2".to_owned()));
        search.fill("typed");
        // Before all others: announced, and not pushed in between.
        let early = json!({
            "name": "Early",
            "locationId": PORT,
            "startAt": "2026-01-31T07:00:00.000Z",
            "endAt": "2026-01-31T07:30:00.000Z",
            "steps": [],
        });
        let made = running.admin.post("/task-executions", &early);
        assert_eq!(made.status, 201, "{made:?}");
        browser.find("button", "1 new round");
        assert_eq!(planned(), "4", "the numbers follow at once");
        assert!(!browser.names("link").contains(&"Early".to_owned()));
        browser.find("button", "1 new round").click();
        browser.find("link", "Early");
        assert_eq!(browser.first("#search").value(), "typed");
        let lost = Instant::now();
        browser.set_offline(true);
        browser.wait_for("Not live since");
        assert!(lost.elapsed() < Duration::from_secs(10), "{:?}", lost.elapsed());
        browser.set_offline(false);
        browser.wait("become live again", || {
            (!browser.text().contains("Not live since")).then_some(())
        });
        // On a phone, what is above a round gets higher, and the round stays where it is.
        browser.set_width(Some(390));
        let top = || {
            let link = "[...document.querySelectorAll('tbody a')].find((link) => link.textContent === 'Round 3')";
            let top = browser.run(&format!("return {link}.getBoundingClientRect().top"));
            top.as_f64().expect("a number")
        };
        browser.run("document.querySelector('main').style.paddingBottom = '200vh'");
        browser.run(&format!("scrollBy(0, {})", top() - 40.0));
        let before = top();
        let long = "Round 1, whose name is much longer than before. ".repeat(5);
        assert_eq!(running.admin.patch(&path, &json!({ "name": long.trim() })).status, 200);
        browser.wait_for("much longer than before");
        assert!((top() - before).abs() < 2.0, "{before} {}", top());
        is_clean(&browser, &running);
    }
}

#[test]
fn a_page_without_heartbeats_says_since_when_it_is_not_live() {
    let [store, _] = stores();
    let running = running(store);
    let browser = Browser::start();
    sign_in(&browser, &running, "A1");
    // Hardly any machine is in this zone, 8 hours and 45 minutes ahead of UTC.
    let _ = browser.run("document.cookie = 'patrol_zone=Australia/Eucla; Path=/'");
    browser.open(&url(&running, DAY));
    let rename = |name: &str| {
        let path = format!("/task-executions/{}", execution_id(1));
        assert_eq!(running.admin.patch(&path, &json!({ "name": name })).status, 200);
        browser.find("link", name);
    };
    rename("Round 1, live");
    // A process that is suspended keeps its connections open.
    let signal = |name: &str| {
        let kill = format!("kill -{name} {}", running.server.process());
        let sent = Command::new("sh").args(["-c", &kill]).status().expect("sh runs");
        assert!(sent.success(), "{kill}");
    };
    signal("STOP");
    let (stopped, silent) = (OffsetDateTime::now_utc(), Instant::now());
    browser.wait_for("Not live since");
    // It is lost after 15 s without a heartbeat, and said within 10 s.
    assert!(silent.elapsed() < Duration::from_secs(25), "{:?}", silent.elapsed());
    let said = browser.run(
        "const time = document.querySelector('[data-live-lost] time');
        return [time.dateTime, time.textContent];",
    );
    let since = OffsetDateTime::parse(said[0].as_str().expect("a time"), &Rfc3339);
    let since = since.expect("a time with an offset or Z");
    let before = (stopped - since).whole_seconds();
    assert!((-5..30).contains(&before), "{before} s before the silence");
    let local = since.to_offset(UtcOffset::from_hms(8, 45, 0).expect("an offset"));
    let local = format!("{:02}:{:02}:{:02}", local.hour(), local.minute(), local.second());
    assert_eq!(said[1], *local);
    signal("CONT");
    browser
        .wait("become live again", || (!browser.text().contains("Not live since")).then_some(()));
    rename("Round 1, live again");
}

#[test]
fn a_page_is_live_again_after_the_service_was_started_anew() {
    let [store, _] = stores();
    let running = running(store);
    let browser = Browser::start();
    sign_in(&browser, &running, "A1");
    browser.open(&url(&running, DAY));
    browser.find("link", "Round 1");
    browser.tab_to("link", "Round 2");
    let running = running.restarted(|| {
        let lost = Instant::now();
        browser.wait_for("Not live since");
        assert!(lost.elapsed() < Duration::from_secs(10), "{:?}", lost.elapsed());
    });
    // What changed meanwhile is shown, too.
    let path = format!("/task-executions/{}", execution_id(1));
    assert_eq!(running.admin.patch(&path, &json!({ "name": "Round 1, changed" })).status, 200);
    browser.find("link", "Round 1, changed");
    browser
        .wait("become live again", || (!browser.text().contains("Not live since")).then_some(()));
    assert_eq!(browser.focused(), ("link".to_owned(), "Round 2".to_owned()));
}

#[test]
fn times_are_in_the_zone_of_the_browser_until_another_is_chosen() {
    let [store, _] = stores();
    let running = running(store);
    let browser = Browser::start();
    // The script of the first page tells the zone to the next one.
    browser.open(&url(&running, "/sign-in"));
    browser.wait_for("Times are in UTC.");
    browser.cdp("Emulation.setTimezoneOverride", json!({ "timezoneId": "Asia/Tokyo" }));
    sign_in(&browser, &running, "A1");
    browser.open(&url(&running, DAY));
    browser.wait_for("Times are in Asia/Tokyo (JST).");
    browser.wait_for("17:00");
    browser.find("combobox", "Time zone").choose("Asia/Dubai");
    browser.find("button", "Choose").click();
    browser.wait_for("Times are in Asia/Dubai (UTC+04:00).");
    browser.wait_for("12:00");
    browser.open(&url(&running, "/plans"));
    browser.wait_for("Times are in Asia/Dubai (UTC+04:00).");
    is_clean(&browser, &running);
}

#[test]
fn the_board_works_without_javascript() {
    let [store, _] = stores();
    let running = running(store);
    let browser = Browser::with(Options { javascript: false, ..Options::default() });
    sign_in(&browser, &running, "A1");
    browser.open(&url(&running, DAY));
    browser.find("link", "Planned");
    browser.find("searchbox", "Search").fill("Round 2");
    browser.find("button", "Filter").click();
    browser.wait("find one round", || {
        (!browser.names("link").contains(&"Round 1".to_owned())).then_some(())
    });
    browser.find("link", "Round 2");
    browser.find("link", "Next day").click();
    browser.wait_for("No round of this day has all of this.");
}
