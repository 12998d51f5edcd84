//! With the keyboard alone.

use super::{Browser, PASSWORD, is_clean, running, sign_in, stores, url};

/// The key Enter, in the private use area of WebDriver 17.4.2.
const ENTER: &str = "\u{e007}";

#[test]
fn a_token_is_generated_and_revoked_with_the_keyboard() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::start();
        browser.open(&url(&running, "/sign-in?next=/tokens"));
        browser.find("heading", "Sign in");
        browser.wait_for_focus("textbox", "Employee number or email");
        browser.keys("E1");
        browser.tab_to("textbox", "Password");
        browser.keys(PASSWORD);
        browser.keys(ENTER);
        browser.find("heading", "Access tokens");
        browser.keys("\u{e004}");
        assert_eq!(browser.focused(), ("link".to_owned(), "Skip to the content".to_owned()));
        browser.tab_to("textbox", "Name");
        browser.keys("laptop");
        browser.tab_to("button", "Generate token");
        browser.keys(ENTER);
        browser.find("textbox", "New token");
        browser.tab_to("button", "Revoke laptop");
        browser.keys(ENTER);
        browser.find("heading", "Revoke “laptop”?");
        // The dialog keeps the focus, and Escape closes it.
        browser.keys("\u{e00c}");
        browser.tab_to("button", "Revoke laptop");
        browser.keys(ENTER);
        browser.tab_to("button", "Revoke");
        browser.keys(ENTER);
        browser.wait_for("There are no tokens yet.");
        is_clean(&browser, &running);
    }
}

#[test]
fn a_record_is_made_and_the_board_is_filtered_with_the_keyboard() {
    let [store, _] = stores();
    let running = running(store);
    let browser = Browser::start();
    sign_in(&browser, &running, "A1");
    let press = |role: &str, name: &str, keys: &str| {
        browser.find(role, name);
        browser.tab_to(role, name);
        browser.keys(keys);
    };
    press("link", "Check-lists", ENTER);
    browser.find("heading", "Check-lists");
    press("link", "New check-list", ENTER);
    browser.find("heading", "New check-list");
    press("textbox", "Name", "Doors");
    press("button", "Add action", ENTER);
    press("textbox", "Action name", "Locked");
    press("combobox", "Type", "Y");
    press("checkbox", "Required", " ");
    press("button", "Save", ENTER);
    browser.find("heading", "Doors");
    browser.wait_for("Locked");
    browser.open(&url(&running, "/rounds?date=2026-01-31"));
    browser.find("link", "Round 1");
    press("searchbox", "Search", "Round 2");
    browser.keys(ENTER);
    browser.wait("the rounds that were searched for", || {
        (!browser.names("link").contains(&"Round 1".to_owned())).then_some(())
    });
    assert!(browser.url().ends_with("/rounds?date=2026-01-31&search=Round+2"), "{}", browser.url());
    press("link", "Round 2", ENTER);
    browser.find("heading", "Round 2");
    // A day that nobody has chosen is not in the address: it is another one after midnight.
    browser.open(&url(&running, "/rounds"));
    press("searchbox", "Search", "Round 2");
    browser.keys(ENTER);
    browser.wait("an address without the day", || {
        browser.url().ends_with("/rounds?search=Round+2").then_some(())
    });
    is_clean(&browser, &running);
}
