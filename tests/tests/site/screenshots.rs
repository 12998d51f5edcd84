//! Pictures of every page, which `make screenshots` writes: light, dark, on a phone and in Russian. Those that the
//! book shows are in `docs/pictures`.

use std::{env, fs, path::PathBuf};

use patrol_tests::{Running, Store};

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
        demo.open(&browser, "/rounds");
        // What the window shows is the picture of the board in the book.
        picture(&browser, &format!("board{suffix}"));
    };
    all("");
    if folder().is_some() {
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
