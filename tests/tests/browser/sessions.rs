//! Sessions: the button Back, two browsers, and a user who becomes INACTIVE.

use patrol_tests::company::EMPLOYEE;
use serde_json::json;

use super::{Browser, is_clean, running, sign_in, stores, url};

#[test]
fn back_shows_nothing_after_signing_out() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::start();
        sign_in(&browser, &running, "A1");
        browser.find("link", "People").click();
        browser.find("heading", "People");
        browser.find("button", "Sign out").click();
        browser.find("heading", "Sign in");
        browser.back();
        browser.find("heading", "Sign in");
        assert!(!browser.text().contains("Eve Ash"), "{}", browser.text());
        is_clean(&browser, &running);
    }
}

#[test]
fn one_browser_signs_the_other_out() {
    for store in stores() {
        let running = running(store);
        let (one, other) = (Browser::start(), Browser::start());
        sign_in(&one, &running, "E1");
        sign_in(&other, &running, "E1");
        one.find("link", "Sessions").click();
        one.find("heading", "Sessions");
        let ends = |name: &&String| name.starts_with("Sign out Chrome");
        assert_eq!(one.names("button").iter().filter(ends).count(), 2, "{:?}", one.names("button"));
        one.find("button", "Sign out everywhere else").click();
        one.wait_for("All other sessions are ended.");
        other.open(&url(&running, "/sessions"));
        other.find("heading", "Sign in");

        let _ = running
            .admin
            .patch(&format!("/users/{EMPLOYEE}"), &json!({ "status": "INACTIVE" }))
            .ok();
        one.open(&url(&running, "/tokens"));
        one.find("heading", "Sign in");
        is_clean(&one, &running);
    }
}
