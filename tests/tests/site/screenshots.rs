//! Pictures of every page for `docs/site.md`: `make screenshots` writes them.

use std::{env, fs, path::PathBuf, process::Command};

use patrol_tests::{Running, Store, company::PORT};

use super::{Browser, guard, running, sign_in, url, webdriver::Options};

/// Takes a picture of the open page in both themes. Without a folder it is thrown away.
fn picture(browser: &Browser, name: &str) {
    let kept = env::var_os("PATROL_SCREENSHOTS").map(PathBuf::from);
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        let picture = browser.screenshot();
        assert!(picture.starts_with("iVBORw0KGgo"), "{name} is no PNG");
        if let Some(folder) = &kept {
            let file = folder.join(format!("{name}-{scheme}.png"));
            let encoded = file.with_extension("base64");
            fs::write(&encoded, &picture).expect("the folder is there");
            let decode = format!("base64 -d '{}' > '{}'", encoded.display(), file.display());
            assert!(Command::new("sh").args(["-c", &decode]).status().expect("sh").success());
            fs::remove_file(encoded).expect("the file is there");
        }
    }
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
}

#[test]
fn every_page_has_a_picture_in_both_themes() {
    let running = running(Store::sqlite());
    let browser = Browser::start();
    let picture = |name: &str| picture(&browser, name);
    browser.open(&url(&running, "/sign-in"));
    picture("sign-in");
    sign_in(&browser, &running, "A1");
    browser.find("textbox", "Name").fill("night shift");
    browser.find("button", "Generate token").click();
    browser.find("textbox", "New token");
    picture("new-token");
    for page in ["tokens", "people", "sessions", "password", "plans"] {
        browser.open(&url(&running, &format!("/{page}")));
        picture(page);
    }
    browser.open(&url(&running, "/rounds?date=2026-01-31"));
    picture("rounds");
    browser.open(&url(&running, &format!("/locations/{PORT}/labels")));
    picture("labels");
    browser.open(&url(&running, "/people"));
    browser.find("button", "Invite Eve Ash").click();
    let link = browser.find("textbox", "Invitation link").value();
    picture("invite");
    browser.open(&link);
    picture("invitation");
}
