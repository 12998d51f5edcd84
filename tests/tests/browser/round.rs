//! A round: its page is live, and it is made, changed, copied and deleted by clicking.

use std::time::{Duration, Instant};

use patrol_tests::{
    Form, Running, action_id,
    company::{GATE, GUARD, PIER, PORT},
    execution_id, pictures, step_id, with,
};
use serde_json::{Value, json};

use super::{Browser, accessibility, is_clean, running, sign_in, stores, url, webdriver::Options};

const PHOTO: &str = "0190a000-000e-7000-8000-000000000001";

pub(super) fn path(n: u32) -> String {
    format!("/rounds/{}", execution_id(n))
}

/// Sends an entry about round 1, of which `n` is the number.
fn report(running: &Running, n: u32, kind: &str, members: Value) {
    let id = format!("0190a000-000c-7000-8000-{n:012x}");
    let entry = json!({ "id": id, "type": kind, "at": "2026-01-31T08:01:00Z" });
    let path = format!("/task-executions/{}/reports", execution_id(1));
    let answer = running.api(GUARD).post(&path, &json!([with(entry, members)])).ok();
    assert_eq!(answer["entries"][0]["outcome"], "ACCEPTED", "{answer}");
}

/// Gives a point other members.
fn change(running: &Running, point: &str, members: Value) {
    let path = format!("/locations/points/{point}");
    let point = with(running.admin.get(&path).ok(), members);
    assert_eq!(running.admin.put(&path, &point).status, 200);
}

/// Walks round 1 with flags, a photo, a note and positions, over a location with a picture of a plan.
pub(super) fn walk(running: &Running) {
    let picture = pictures::picture(image::ImageFormat::Png);
    let plan = Form::default().field("name", "Quay").file("image", &picture);
    let plan = running.admin.form(&format!("/locations/{PORT}/graphic-plans"), &plan).json(201);
    let place = json!([{ "id": plan["id"], "x": 0.25, "y": 0.5 }]);
    change(running, GATE, json!({ "latitude": 51.5, "longitude": -0.1, "graphicPlans": place }));
    change(running, PIER, json!({ "latitude": 51.501, "longitude": -0.101 }));
    let photo = Form::default().field("id", PHOTO).file("file", &picture);
    let _ = running.api(GUARD).form("/media", &photo).json(201);
    let at = |latitude: f64| json!({ "latitude": latitude, "longitude": -0.1, "accuracy": 8 });
    let (gate, pier) = (step_id(1, 1), step_id(1, 2));
    report(running, 1, "START", json!({ "position": at(51.4999) }));
    let scan = json!({ "stepId": gate, "technology": "QR", "code": "X", "position": at(51.5) });
    report(running, 2, "SCAN", scan);
    let value = json!({ "stepId": gate, "actionId": action_id(1, 2), "numberValue": 7 });
    report(running, 3, "RESULT", value);
    report(running, 4, "NOTE", json!({ "textValue": "Rain", "position": at(51.5005) }));
    let photo = json!({ "stepId": pier, "actionId": action_id(1, 4), "mediaIds": [PHOTO] });
    report(running, 5, "RESULT", photo);
}

#[test]
fn a_change_is_seen_on_the_page_of_a_round_where_it_is() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::start();
        sign_in(&browser, &running, "A1");
        browser.open(&url(&running, &path(1)));
        browser.find("heading", "Round 1");
        browser.tab_to("link", "Pier");
        let has_focus = || assert_eq!(browser.focused(), ("link".to_owned(), "Pier".to_owned()));
        let reported = Instant::now();
        report(&running, 1, "START", json!({}));
        browser.wait_for("Round started");
        browser.wait_for("In progress");
        // Generous: the test machine is busy. The page itself needs less than 2 s.
        assert!(reported.elapsed() < Duration::from_secs(20));
        has_focus();
        // The heading, what a round is made of, and the map follow.
        let api = format!("/task-executions/{}", execution_id(1));
        assert_eq!(running.admin.patch(&api, &json!({ "name": "Renamed" })).status, 200);
        browser.find("heading", "Renamed");
        browser.wait("have the name in its title", || {
            (browser.run("return document.title") == "Renamed · Patrol").then_some(())
        });
        change(&running, GATE, json!({ "name": "Gate, north", "latitude": 51.5, "longitude": 0 }));
        browser.find("link", "Gate, north");
        browser.first("svg.map .mark");
        has_focus();
        browser.find("link", "Print");
        browser.set_offline(true);
        browser.wait_for("Not live since");
        browser.set_offline(false);
        browser.wait("become live again", || {
            (!browser.text().contains("Not live since")).then_some(())
        });
        has_focus();
        assert_eq!(running.admin.delete(&api).status, 204);
        browser.find("heading", "Page not found");
        is_clean(&browser, &running);
    }
}

#[test]
fn a_reader_of_the_timeline_is_not_moved() {
    let [store, _] = stores();
    let running = running(store);
    walk(&running);
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    sign_in(&browser, &running, "A1");
    browser.open(&url(&running, &path(1)));
    browser.wait_for("Rain");
    let _ = browser.run("scrollTo(0, document.body.scrollHeight)");
    let top = || {
        let note = "return document.querySelector('.timeline .note').getBoundingClientRect().top";
        browser.run(note).as_f64().expect("a number")
    };
    let before = top();
    // The step above gets its last entry, and the list of flags another one.
    let code = json!({ "stepId": step_id(1, 2), "technology": "QR", "code": "Y" });
    report(&running, 6, "SCAN", code);
    browser.wait_for("Pier: code read by QR code");
    assert!((top() - before).abs() < 2.0, "{before} {}", top());
    accessibility::check(&browser, "a round");
    accessibility::fits(&browser, "a round");
}

#[test]
fn a_round_is_made_by_hand_changed_copied_and_deleted() {
    for (store, javascript) in stores().into_iter().zip([true, false]) {
        let running = running(store);
        let browser = Browser::with(Options { javascript, ..Options::default() });
        // As people type it in the field of an English browser.
        let enter = |field: &str, day: &str, clock: &str| {
            browser.first(&format!("[name={field}]")).fill(&format!("{day}\u{e004}{clock}"));
        };
        sign_in(&browser, &running, "A1");
        browser.open(&url(&running, "/rounds"));
        browser.find("link", "New round").click();
        browser.find("heading", "New round");
        browser.find("textbox", "Name").fill("Extra round");
        enter("startAt", "01052099", "1000PM");
        enter("endAt", "01052099", "1130PM");
        browser.find("combobox", "Location").choose("Порт, склад 3");
        browser.find("button", "Add step").click();
        browser.find("combobox", "Point").choose("Pier");
        browser.find("combobox", "Check-list").choose("Cold store");
        browser.find("button", "Add a step for each point").click();
        browser.find("button", "Move up Gate").click();
        browser.find("button", "Move down Gate");
        if javascript {
            accessibility::check(&browser, "the form of a round");
            accessibility::fits(&browser, "the form of a round");
        }
        browser.find("button", "Save").click();
        browser.find("heading", "Extra round");
        for text in ["None: made by hand", "Temperature", "Round made"] {
            browser.wait_for(text);
        }
        let id = browser.url().rsplit('/').next().expect("an id").to_owned();
        let round = || running.admin.get(&format!("/task-executions/{id}")).ok();
        let names = ["Gate", "Pier"].map(Value::from);
        for (at, name) in names.iter().enumerate() {
            assert_eq!(&round()["steps"][at]["name"], name);
        }

        browser.find("link", "Edit").click();
        browser.find("heading", "Edit Extra round");
        browser.find("textbox", "Name").fill("Moved round");
        enter("endAt", "01062099", "1200AM");
        browser.find("button", "Save").click();
        browser.find("heading", "Moved round");
        assert_eq!(round()["name"], "Moved round");

        browser.find("link", "Copy").click();
        browser.find("heading", "Copy Moved round");
        enter("startAt", "02012099", "0900AM");
        browser.find("button", "Copy").click();
        browser.wait_for("Round copied to Sun 1 Feb 2099, 09:00");

        browser.find("link", "Delete").click();
        browser.find("heading", "Delete “Moved round”?");
        browser.find("button", "Delete").click();
        browser.find("heading", "Rounds");
        browser.wait_for("There are no rounds on this day.");
        assert_eq!(round()["state"], "PENDING", "the first one is kept");
        is_clean(&browser, &running);
    }
}
