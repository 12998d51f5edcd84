//! The guard's page: its rules without a browser, and rounds that are walked in Chromium.

mod camera;
mod modules;
mod network;
mod nothing_is_lost;
mod people;
mod reach;
mod refusals;
mod round;
mod rounds;
mod tabs;
mod times;

use patrol_tests::{
    DataSet, Running, Store,
    company::{self, EMPLOYEE, GATE, GUARD, PIER},
    execution_id, planned, series_of, with,
};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use super::{Browser, PASSWORD, url, webdriver::Options};

/// A store with two guards, Eve (E1) and Gus (E2), who may sign in, and a round of Eve's for each
/// number, due now. The points of its steps have the codes `GATE-1` and `PIER-1`.
pub(super) fn store(store: Store, rounds: impl IntoIterator<Item = u32>) -> Store {
    let changed = |record: &Value| {
        let changes = match record["id"].as_str().unwrap_or_default() {
            EMPLOYEE => json!({ "password": PASSWORD, "firstName": "Eve", "lastName": "Guard" }),
            GUARD => json!({ "password": PASSWORD, "firstName": "Gus", "lastName": "Guard" }),
            GATE => json!({ "type": "QR", "qrCode": "GATE-1", "rfidCode": "04:a2:5f:11" }),
            PIER => json!({ "type": "QR", "qrCode": "PIER-1", "name": "<b>Pier</b>" }),
            _ => json!({}),
        };
        with(record.clone(), changes)
    };
    let company = DataSet::new(company::company().records().iter().map(changed));
    store.and(&company.and(rounds.into_iter().map(|n| due(n, EMPLOYEE))))
}

/// The round `n`, which is due and assigned to this user.
fn due(n: u32, user: &str) -> Value {
    due_in(n, user, -1)
}

/// The round `n`, which is assigned to this user and begins in so many minutes.
fn due_in(n: u32, user: &str, minutes: i64) -> Value {
    let at = |minutes| {
        let time = OffsetDateTime::now_utc() + Duration::minutes(minutes);
        time.format(&Rfc3339).expect("a time")
    };
    with(
        planned(n),
        json!({ "startAt": at(minutes), "endAt": at(60), "assigneeIds": [user], "orderStepsRequired": false }),
    )
}

/// Signs in and opens the rounds.
pub(super) fn open(browser: &Browser, running: &Running, number: &str) {
    // The worker would send what waits while the page has no network: `set_offline` is for pages.
    browser.deny("background-sync");
    open_at(browser, &url(running, ""), number);
}

/// Signs in at this address, and opens the rounds.
fn open_at(browser: &Browser, address: &str, number: &str) {
    browser.open(&format!("{address}/sign-in?next=/guard"));
    browser.find("textbox", "Employee number or email").fill(number);
    browser.find("textbox", "Password").fill(PASSWORD);
    browser.find("button", "Sign in").click();
    browser.find("heading", "My rounds");
}

/// Opens the page of a round.
pub(super) fn open_round(browser: &Browser, n: u32) {
    browser.find("link", &format!("Round {n}")).click();
    // The list has such a heading, too.
    browser.wait("the page of the round", || {
        let heading = browser.run("return document.querySelector('h1').textContent");
        (heading == format!("Round {n}")).then_some(())
    });
}

/// A phone on the page of the first round, which is Eve's.
pub(super) fn phone(running: &Running) -> Browser {
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    open(&browser, running, "E1");
    open_round(&browser, 1);
    browser
}

/// The same, once the round is started.
fn started(running: &Running) -> Browser {
    let browser = phone(running);
    browser.find("button", "Start round").click();
    wait_for_entries(&browser, running, 1, 1);
    browser
}

/// Waits until the app can open without a network.
fn wait_for_worker(browser: &Browser) {
    browser.run("return navigator.serviceWorker.ready.then(() => true)");
}

/// Types a code.
fn enter_code(browser: &Browser, code: &str) {
    browser.find("button", "Enter code").click();
    browser.find("textbox", "Code").fill(code);
    browser.find("button", "Save").click();
}

/// The office starts or completes the round `n`, with a report of its own.
pub(super) fn report(running: &Running, n: u32, id: &str, kind: &str) {
    let path = format!("/task-executions/{}/reports", execution_id(n));
    let entry = json!([{ "id": id, "type": kind, "at": "2026-11-28T00:00:00Z" }]);
    let _ = running.admin.post(&path, &entry).ok();
}

pub(super) fn complete(running: &Running, n: u32) {
    report(running, n, &series_of(n), "COMPLETE");
}

/// What the service has of the round `n`: type and outcome of each entry in order of arrival.
fn entries(running: &Running, n: u32) -> Vec<Value> {
    let path = format!("/task-executions/{}/reports?limit=1000", execution_id(n));
    let list = running.admin.get(&path).ok();
    list["data"].as_array().expect("a list").clone()
}

/// Waits until the service has as many entries of the round `n`. The status line may be older than the last press.
pub(super) fn wait_for_entries(browser: &Browser, running: &Running, n: u32, count: usize) {
    browser.wait(&format!("{count} entries that have arrived"), || {
        (entries(running, n).len() == count).then_some(())
    });
    wait_for_status(browser, "All sent");
}

/// Waits until the status line says this.
pub(super) fn wait_for_status(browser: &Browser, text: &str) {
    browser.wait(&format!("the status {text:?}"), || (status(browser) == text).then_some(()));
}

/// What the status line says.
fn status(browser: &Browser) -> String {
    let said = browser.run("return document.querySelector('[role=status]')?.textContent ?? ''");
    said.as_str().expect("text").to_owned()
}
