//! Without JavaScript, in a narrow window, and in Russian.

use super::{Browser, PASSWORD, running, sign_in, stores, url, webdriver::Options};

#[test]
fn everything_works_without_javascript() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::with(Options { javascript: false, ..Options::default() });
        sign_in(&browser, &running, "A1");
        browser.find("textbox", "Name").fill("script");
        browser.find("button", "Generate token").click();
        assert!(browser.find("textbox", "New token").value().starts_with("ptl_"));
        assert!(!browser.names("button").contains(&"Copy".to_owned()), "it needs JavaScript");
        browser.find("button", "Revoke script").click();
        browser.find("heading", "Revoke “script”?");
        browser.find("button", "Revoke").click();
        browser.find("button", "Generate token");
        assert!(!browser.names("button").contains(&"Revoke script".to_owned()));
        browser.open(&url(&running, "/people"));
        browser.find("button", "Sign Eve Ash out").click();
        browser.wait_for("Eve Ash: all sessions are ended.");
        browser.find("button", "Remove sign-in of Eve Ash").click();
        browser.wait_for("The sign-in of Eve Ash is removed.");
        browser.find("button", "Invite Eve Ash").click();
        browser.find("textbox", "Invitation link");
        browser.find("button", "Русский").click();
        browser.find("heading", "Сотрудники");
    }
}

#[test]
fn a_russian_browser_sees_russian_until_it_chooses_english() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::with(Options { language: "ru", ..Options::default() });
        browser.open(&url(&running, "/sign-in?next=/tokens"));
        browser.find("heading", "Вход");
        browser.find("textbox", "Табельный номер или эл. почта").fill("E1");
        browser.find("textbox", "Пароль").fill(PASSWORD);
        browser.find("button", "Войти").click();
        browser.find("heading", "Токены доступа");
        browser.find("button", "English").click();
        browser.find("heading", "Access tokens");
        browser.open(&url(&running, "/sessions"));
        browser.find("heading", "Sessions");
    }
}
