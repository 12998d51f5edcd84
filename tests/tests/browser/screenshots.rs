//! Pictures of every page, which `make screenshots` writes: light, dark, on a phone and in Russian. Those that the
//! book shows are in `docs/pictures`.

use std::{env, fs, path::PathBuf};

use patrol_tests::{Running, Store, with};
use serde_json::json;

use super::{Browser, guard, pages::Demo, running, sign_in, stores, url, webdriver::Options};

/// The folder for the pictures. Without one the tests only open the pages.
fn folder() -> Option<PathBuf> {
    env::var_os("PATROL_SCREENSHOTS").map(PathBuf::from)
}

/// Takes a picture of the window, light and dark.
pub(super) fn picture(browser: &Browser, name: &str) {
    take(browser, name, false);
}

fn take(browser: &Browser, name: &str, whole: bool) {
    let Some(folder) = folder() else { return };
    for (scheme, suffix) in [("light", ""), ("dark", "-dark")] {
        browser.prefer(scheme);
        let file = folder.join(format!("{name}{suffix}.jpg"));
        fs::write(file, browser.screenshot(whole)).expect("the folder is there");
    }
    browser.prefer("light");
}

#[test]
fn every_page_of_the_guard_has_a_picture_in_both_themes() {
    let running = Running::on(guard::store(Store::sqlite(), [1, 2]));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    guard::open(&browser, &running, "E1");
    browser.find("link", "Round 1");
    picture(&browser, "guard-rounds");
    guard::open_round(&browser, 1);
    browser.find("button", "Start round").click();
    browser.find("button", "No code");
    guard::wait_for_status(&browser, "All sent");
    picture(&browser, "guard-round");
    browser.find("button", "No code").click();
    browser.find("radio", "Yes").click();
    browser.find("textbox", "Pressure");
    guard::wait_for_entries(&browser, &running, 1, 3);
    guard::wait_for_status(&browser, "All sent");
    picture(&browser, "guard-step");
    browser.set_offline(true);
    browser.find("button", "Finish step").click();
    guard::wait_for_status(&browser, "Offline, 1 waiting");
    picture(&browser, "guard-offline");
    browser.set_offline(false);
    browser.find("button", "Русский").click();
    guard::wait_for_status(&browser, "Всё отправлено");
    picture(&browser, "guard-step-russian");
    browser.find("button", "English").click();
    for (button, dialog) in [("Enter code", "guard-code"), ("Add note", "guard-note")] {
        browser.find("button", button).click();
        browser.first("dialog :is(input, textarea)");
        picture(&browser, dialog);
        browser.find("button", "Cancel").click();
    }
    browser.find("button", "Finish round").click();
    browser.find("button", "Finish anyway");
    picture(&browser, "guard-question");
    browser.find("button", "Cancel").click();
    browser.open(&url(&running, "/guard/scan#NOWHERE"));
    browser.wait_for("No round that you have started has this code.");
    picture(&browser, "guard-scan-none");
    browser.open(&url(&running, "/guard"));
    guard::open_round(&browser, 2);
    browser.find("button", "Start round").click();
    guard::wait_for_entries(&browser, &running, 2, 1);
    browser.open(&url(&running, "/guard/scan#PIER-1"));
    browser.find("button", "Round 2");
    picture(&browser, "guard-scan");
    browser.find("button", "Round 1").click();
    browser.find("textbox", "Remarks");
    guard::wait_for_entries(&browser, &running, 1, 5);
    guard::complete(&running, 1);
    browser.find("textbox", "Remarks").fill("The door was open");
    browser.keys("\t");
    browser.find("heading", "Not accepted");
    guard::wait_for_status(&browser, "All sent");
    browser.run("document.querySelector('#refused').scrollIntoView()");
    picture(&browser, "guard-refused");
}

#[test]
fn every_page_of_the_office_has_a_picture_in_both_themes_on_a_phone_and_in_russian() {
    let demo = Demo::start();
    let browser = Browser::start();
    demo.sign_in(&browser);
    let all = |suffix: &str| {
        for (name, path) in &demo.pages {
            demo.open(&browser, path);
            take(&browser, &format!("{name}{suffix}"), true);
        }
        // What the window shows is in the book.
        demo.open(&browser, demo.path("round"));
        picture(&browser, &format!("round-window{suffix}"));
        demo.open(&browser, "/rounds");
        picture(&browser, &format!("board{suffix}"));
    };
    all("");
    if folder().is_some() {
        for width in [1280, 1920] {
            browser.set_width(Some(width));
            all(&format!("-{width}"));
        }
        browser.set_width(Some(390));
        all("-phone");
        browser.set_width(None);
        browser.find("button", "Русский").click();
        browser.find("heading", "Обходы");
        all("-russian");
    }
}

#[test]
fn what_is_shown_once_has_a_picture_in_both_themes() {
    let [store, _] = stores();
    let running = running(store);
    let browser = Browser::start();
    browser.open(&url(&running, "/sign-in"));
    picture(&browser, "sign-in");
    sign_in(&browser, &running, "A1");
    browser.find("textbox", "Name").fill("night shift");
    browser.find("button", "Generate token").click();
    browser.find("textbox", "New token");
    picture(&browser, "new-token");
    browser.open(&url(&running, "/people"));
    browser.find("button", "Invite Eve Ash").click();
    let link = browser.find("textbox", "Invitation link").value();
    picture(&browser, "invite");
    browser.open(&link);
    picture(&browser, "invitation");
}

#[test]
fn what_a_form_answers_has_a_picture_in_both_themes() {
    let demo = Demo::start();
    let browser = Browser::start();
    demo.sign_in(&browser);
    let press = |button: &str| browser.find("button", button).click();
    demo.open(&browser, "/plans/new");
    press("Add step");
    press("Save");
    browser.first(".faults");
    take(&browser, "form-refused", true);
    let plans = demo.running.admin.get("/scheduled-tasks").ok();
    let mut plans = plans["data"].as_array().expect("plans").iter();
    let plan = plans.find(|plan| !plan["schedule"].is_null()).expect("a plan with a schedule");
    let plan = format!("/plans/{}/edit", plan["id"].as_str().expect("an id"));
    demo.open(&browser, &plan);
    press("Preview");
    browser.wait_for("Local start");
    take(&browser, "form-preview", true);
    demo.open(&browser, &plan);
    browser.field("Duration").fill("35");
    press("Save");
    browser.find("button", "Change");
    take(&browser, "form-consequences", true);
    demo.open(&browser, demo.path("location-edit"));
    browser.find("textbox", "Name").fill("Mine");
    let location = demo.path("location");
    let theirs = with(demo.running.admin.get(location).ok(), json!({ "name": "Theirs" }));
    assert_eq!(demo.running.admin.put(location, &theirs).status, 200);
    press("Save");
    browser.wait_for("somebody has changed the record meanwhile");
    take(&browser, "form-conflict", true);
    demo.open(&browser, &format!("{location}/delete"));
    press("Delete");
    browser.wait_for("It is still needed by");
    take(&browser, "form-in-use", true);
}
