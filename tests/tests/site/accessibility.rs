//! Every page: no finding of axe-core on the screen in both colour schemes and on paper, no sideways scrolling at
//! 320 pixels, nothing from other hosts, in both languages.

use super::{Browser, axe, is_clean, pages::Demo, round, running, sign_in, stores, url};

/// Checks the page that is open, in both colour schemes.
pub(super) fn check(browser: &Browser, name: &str) {
    browser.prefer("light");
    none(name, "light", &axe::findings(browser));
    browser.prefer("dark");
    // Nothing but the colours is different.
    none(name, "dark", &axe::contrast(browser));
}

fn none(name: &str, what: &str, findings: &[String]) {
    assert!(findings.is_empty(), "{name}, {what}:\n{}", findings.join("\n"));
}

/// Checks that a page needs no sideways scrolling.
pub(super) fn fits(browser: &Browser, name: &str) {
    let wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth");
    assert!(wide.as_i64().expect("a number") <= 0, "{name} is {wide} pixels too wide");
}

/// Checks the page that is open on the screen and on paper, and that it fits into 320 pixels.
fn check_wide(browser: &Browser, name: &str) {
    check(browser, name);
    browser.set_width(Some(320));
    fits(browser, name);
    browser.set_width(None);
    browser.show_print();
    none(name, "on paper", &axe::contrast(browser));
    browser.prefer("light");
}

/// Checks the page that is open at 320 pixels.
fn check_narrow(browser: &Browser, name: &str) {
    browser.set_width(Some(320));
    check(browser, name);
    fits(browser, name);
    browser.set_width(None);
    browser.show_print();
    none(name, "on paper", &axe::contrast(browser));
    browser.prefer("light");
}

#[test]
fn every_page_is_accessible_and_fits_in_both_languages() {
    let demo = Demo::start();
    let browser = Browser::start();
    demo.sign_in(&browser);
    for (name, path) in &demo.pages {
        demo.open(&browser, path);
        check_wide(&browser, &format!("{name} ({path}) in English"));
    }
    demo.open(&browser, "/tokens");
    browser.find("button", "Русский").click();
    browser.find("heading", "Токены доступа");
    for (name, path) in &demo.pages {
        demo.open(&browser, path);
        // Russian words are the longer ones.
        check_narrow(&browser, &format!("{name} ({path}) in Russian"));
    }
    is_clean(&browser, &demo.running);
}

#[test]
fn what_pages_show_after_a_press_is_accessible_and_fits() {
    let [store, _] = stores();
    let running = running(store);
    let invite = || {
        let link = running.store.run(&["user", "invite", "E2"]).exited(0).stdout;
        format!("/invitation/{}", link.trim().rsplit('/').next().expect("a code"))
    };
    // The second one makes the first void.
    let (void, invitation) = (invite(), invite());
    let browser = Browser::start();
    for path in ["/sign-in", &invitation, &void, "/invitation/unknown", "/nowhere"] {
        browser.open(&url(&running, path));
        check_wide(&browser, path);
    }
    browser.open(&url(&running, "/sign-in"));
    browser.find("textbox", "Employee number or email").fill("somebody");
    browser.find("textbox", "Password").fill("wrong");
    browser.find("button", "Sign in").click();
    browser.wait_for("Sign-in failed");
    check_wide(&browser, "a refused sign-in");
    sign_in(&browser, &running, "A1");
    browser.find("textbox", "Name").fill("a token with quite a long name");
    browser.find("button", "Generate token").click();
    browser.find("textbox", "New token");
    check_wide(&browser, "a new token");
    round::walk(&running);
    for path in [&round::path(1), "/rounds?date=2026-01-31", "/figures?from=yesterday"] {
        browser.open(&url(&running, path));
        check_wide(&browser, path);
    }
    browser.open(&url(&running, "/people?search=eve"));
    browser.find("button", "Invite Eve Ash").click();
    browser.find("textbox", "Invitation link");
    check_wide(&browser, "an invitation");
    browser.open(&url(&running, "/tokens"));
    browser.find("button", "Revoke a token with quite a long name").click();
    browser.find("button", "Revoke");
    check(&browser, "the dialog");
    is_clean(&browser, &running);
}
