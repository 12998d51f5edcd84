//! Every page: no finding of axe-core on the screen in both colour schemes and on paper, no sideways scrolling at
//! 320 pixels, nothing from other hosts, in both languages.

use std::fs;

use patrol_tests::company::PORT;
use tempfile::TempDir;

use super::{
    Browser, PASSWORD, axe, is_clean, pages::Demo, round, running, stores, url, webdriver::Options,
};

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
    fits_widths(browser, name);
    check_paper(browser, name);
}

/// Checks that a page fits into a phone, and into a screen that is just wide enough for whole tables.
fn fits_widths(browser: &Browser, name: &str) {
    for width in [320, 1280] {
        browser.set_width(Some(width));
        fits(browser, &format!("{name}, {width} pixels"));
    }
    browser.set_width(None);
}

fn check_paper(browser: &Browser, name: &str) {
    browser.show_print();
    none(name, "on paper", &axe::findings(browser));
    browser.prefer("light");
}

/// Checks the page that is open at 320 pixels.
fn check_narrow(browser: &Browser, name: &str) {
    browser.set_width(Some(320));
    check(browser, name);
    fits_widths(browser, name);
    check_paper(browser, name);
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
    for language in ["en", "ru"] {
        let [store, _] = stores();
        let running = running(store);
        let invite = || {
            let link = running.store.run(&["user", "invite", "E2"]).exited(0).stdout;
            format!("/invitation/{}", link.trim().rsplit('/').next().expect("a code"))
        };
        // The second one makes the first void.
        let (void, invitation) = (invite(), invite());
        let browser = Browser::with(Options { language, ..Options::default() });
        let open = |path: &str| browser.open(&url(&running, path));
        let check = |what: &str| check_wide(&browser, &format!("{what} ({language})"));
        let press = |selector: &str| browser.first(selector).click();
        // The button that sends the form of the page.
        let save = "main form[method=post]:not([data-ask]) button:not([name], [formaction], [type=button], .hidden)";
        for path in ["/sign-in", &invitation, &void, "/invitation/unknown", "/nowhere"] {
            open(path);
            check(path);
        }
        let enter = |name: &str, password: &str| {
            open("/sign-in");
            browser.first("[name=name]").fill(name);
            browser.first("[name=password]").fill(password);
            press(save);
        };
        enter("somebody", "wrong");
        browser.first(".alert");
        check("a refused sign-in");
        enter("A1", PASSWORD);
        browser.first(".account");
        assert_eq!(browser.run("return document.documentElement.lang"), language);
        round::walk(&running);
        for path in [&round::path(1), "/rounds?date=2026-01-31", "/figures?from=yesterday"] {
            open(path);
            check(path);
        }
        open("/tokens");
        browser.first("#name").fill("a token with quite a long name");
        press(save);
        browser.first("#new-token");
        check("a new token");
        open("/tokens");
        press("form[data-ask] button");
        browser.first("dialog[open]");
        self::check(&browser, "the dialog");
        open("/people?search=eve");
        press("form[action$='/invite'] button");
        browser.first("#invitation");
        check("an invitation");
        open("/locations/new");
        press(save);
        browser.first(".faults");
        check("a refused form");
        open(&format!("/locations/{PORT}/delete"));
        press(save);
        browser.first(".alert");
        check("a refused deletion");
        open("/plans/new");
        press("button[value=preview]");
        browser.first(".alert");
        check("a refused preview");
        let file = TempDir::new().expect("a folder");
        let file = file.path().join("people.csv");
        fs::write(&file, "firstName,lastName,role\n<b>,,ADMIN\n").expect("a file");
        open("/import");
        browser.first("[type=file]").choose_file(&file);
        press(save);
        browser.first("table, .alert");
        check("a file with faults");
        is_clean(&browser, &running);
    }
}
