//! The board, live: a change is seen without moving the focus, and a lost connection is said.

use std::time::{Duration, Instant};

use patrol_tests::{company::PORT, execution_id};
use serde_json::json;

use super::{Browser, is_clean, running, sign_in, stores, url, webdriver::Options};

const DAY: &str = "/rounds?date=2026-01-31";

#[test]
fn a_change_is_seen_where_it_is_and_a_lost_connection_is_said() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::start();
        sign_in(&browser, &running, "A1");
        browser.open(&url(&running, DAY));
        browser.find("heading", "Rounds");
        browser.tab_to("link", "Round 2");
        let search = browser.first("#search");
        let id = execution_id(1);
        let renamed = Instant::now();
        let body = json!({ "name": "Round 1, changed" });
        let path = format!("/task-executions/{id}");
        assert_eq!(running.admin.patch(&path, &body).status, 200);
        browser.find("link", "Round 1, changed");
        // Generous: the test machine is busy. The page itself needs less than 2 s.
        assert!(renamed.elapsed() < Duration::from_secs(20));
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
        assert!(!browser.names("link").contains(&"Early".to_owned()));
        browser.find("button", "1 new round").click();
        browser.find("link", "Early");
        assert_eq!(browser.first("#search").value(), "typed");
        browser.set_offline(true);
        browser.wait_for("Not live since");
        browser.set_offline(false);
        browser.wait("become live again", || {
            (!browser.text().contains("Not live since")).then_some(())
        });
        is_clean(&browser, &running);
    }
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
