//! With the keyboard alone.

use super::{Browser, PASSWORD, is_clean, running, stores, url};

/// The key Enter, in the private use area of WebDriver 17.4.2.
const ENTER: &str = "\u{e007}";

#[test]
fn a_token_is_generated_and_revoked_with_the_keyboard() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::start();
        browser.open(&url(&running, "/sign-in?next=/tokens"));
        browser.find("heading", "Sign in");
        assert_eq!(
            browser.focused().1,
            "Employee number or email",
            "the first field has the focus"
        );
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
