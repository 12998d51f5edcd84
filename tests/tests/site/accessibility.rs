//! Every page: no finding of axe-core, no sideways scrolling at 320 pixels, nothing from other hosts.

use patrol_tests::company::{PORT, ROUND};

use super::{Browser, axe, is_clean, round, running, sign_in, stores, url, webdriver::Options};

/// Checks the page that is open.
pub(super) fn check(browser: &Browser, name: &str) {
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        let findings = axe::findings(browser);
        assert!(findings.is_empty(), "{name}, {scheme}:\n{}", findings.join("\n"));
    }
}

/// Checks that a page needs no sideways scrolling.
pub(super) fn fits(browser: &Browser, name: &str) {
    let wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth");
    assert!(wide.as_i64().expect("a number") <= 0, "{name} is {wide} pixels too wide");
}

#[test]
fn every_page_is_accessible_and_fits() {
    let narrow = Options { width: 320, ..Options::default() };
    // Each width on one store: the pages do not depend on it.
    for (store, options) in stores().into_iter().zip([Options::default(), narrow]) {
        let running = running(store);
        let invite = || {
            let link = running.store.run(&["user", "invite", "E2"]).exited(0).stdout;
            format!("/invitation/{}", link.trim().rsplit('/').next().expect("a code"))
        };
        // The second one makes the first void.
        let (void, invitation) = (invite(), invite());
        let browser = Browser::with(options);
        let visit = |path: &str| {
            browser.open(&url(&running, path));
            check(&browser, path);
            fits(&browser, path);
        };
        for path in ["/sign-in", &invitation, &void, "/invitation/unknown", "/nowhere"] {
            visit(path);
        }
        browser.open(&url(&running, "/sign-in"));
        browser.find("textbox", "Employee number or email").fill("somebody");
        browser.find("textbox", "Password").fill("wrong");
        browser.find("button", "Sign in").click();
        browser.wait_for("Sign-in failed");
        check(&browser, "a refused sign-in");
        sign_in(&browser, &running, "A1");
        browser.find("textbox", "Name").fill("a token with quite a long name");
        browser.find("button", "Generate token").click();
        browser.find("textbox", "New token");
        check(&browser, "a new token");
        fits(&browser, "a new token");
        let labels = format!("/locations/{PORT}/labels");
        let plan = format!("/plans/{ROUND}");
        round::walk(&running);
        let round = round::path(1);
        let [edit, copy, delete] =
            ["edit", "copy", "delete"].map(|part| format!("{}/{part}", round::path(2)));
        for path in [
            "/rounds?date=2026-01-31",
            "/rounds/new",
            &round,
            &edit,
            &copy,
            &delete,
            "/tokens",
            "/tokens?user=all",
            "/import",
            "/people",
            "/password",
            "/sessions",
            &labels,
            "/plans",
            "/plans/new",
            "/figures?from=2026-01-01&to=2026-01-31",
            "/figures?from=yesterday",
            &plan,
            "/nowhere",
        ] {
            visit(path);
        }
        browser.open(&url(&running, "/people?search=eve"));
        browser.find("button", "Invite Eve Ash").click();
        browser.find("textbox", "Invitation link");
        check(&browser, "an invitation");
        fits(&browser, "an invitation");
        browser.open(&url(&running, "/tokens"));
        browser.find("button", "Revoke a token with quite a long name").click();
        browser.find("button", "Revoke");
        check(&browser, "the dialog");
        is_clean(&browser, &running);
    }
}
