//! The web site in a real browser, Chromium, over both stores. Elements are found by their accessible names.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests report by panicking and look at the clock of the machine"
)]

mod accessibility;
mod axe;
mod board;
mod company;
mod guard;
mod invitation;
mod keyboard;
mod labels;
mod pages;
mod places;
mod plain;
mod plans;
mod round;
mod screenshots;
mod sessions;
mod tokens;
mod webdriver;

use patrol_tests::{
    DataSet, Running, Store,
    company::{ADMIN, EMPLOYEE, GUARD, company as records},
    planned, with,
};
use serde_json::{Value, json};

use webdriver::Browser;

/// The password of the users who may sign in.
const PASSWORD: &str = "correct horse battery";

/// The two stores. A browser costs more than a server, so each test runs over both.
fn stores() -> [Store; 2] {
    [Store::sqlite(), Store::postgres()]
}

/// A server with an administrator, Ada Ash, and an employee, Eve Ash, who may both sign in, and
/// Gus Ash, who may not yet.
fn running(store: Store) -> Running {
    let names = [(ADMIN, "Ada"), (EMPLOYEE, "Eve")];
    let named = |record: &Value| match names.iter().find(|(id, _)| record["id"] == **id) {
        _ if record["kind"] == "point" => with(record.clone(), json!({ "qrCode": record["name"] })),
        _ if record["id"] == GUARD => with(record.clone(), json!({ "firstName": "Gus" })),
        Some((_, first)) => {
            with(record.clone(), json!({ "password": PASSWORD, "firstName": first }))
        }
        None => record.clone(),
    };
    let company = DataSet::new(records().records().iter().map(named));
    Running::on(store.and(&company.and((1..=3).map(planned))))
}

fn url(running: &Running, path: &str) -> String {
    format!("http://{}{path}", running.server.address())
}

/// Signs in through the form.
fn sign_in(browser: &Browser, running: &Running, name: &str) {
    browser.open(&url(running, "/sign-in?next=/tokens"));
    browser.find("textbox", "Employee number or email").fill(name);
    browser.find("textbox", "Password").fill(PASSWORD);
    browser.find("button", "Sign in").click();
    browser.find("heading", "Access tokens");
}

/// Checks that the console has no error, and that nothing was loaded from another host.
fn is_clean(browser: &Browser, running: &Running) {
    assert_eq!(browser.complaints(running.server.address()), [""; 0]);
}
