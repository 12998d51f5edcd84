//! Generate, copy, use and revoke a token.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use super::{Browser, is_clean, running, sign_in, stores, url};

#[test]
fn a_token_is_generated_copied_used_and_revoked() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::start();
        sign_in(&browser, &running, "E1");
        browser.find("textbox", "Name").fill("night shift");
        browser.find("combobox", "Expires").choose("7 days");
        browser.find("button", "Generate token").click();
        let token = browser.find("textbox", "New token").value();
        assert!(token.starts_with("ptl_"), "{token}");
        // It says so for two seconds.
        browser.run("window.setTimeout = () => 0");
        browser.find("button", "Copy").click();
        browser.find("button", "Copied");
        // The line that the page shows works in a shell as it stands.
        let line = browser.run("return document.querySelector('pre').textContent");
        let line = format!("{} --silent --fail", line.as_str().expect("a line"));
        let output = Command::new("sh").args(["-c", &line]).output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("\"data\":[{"), "{line}: {text}");

        browser.reload();
        browser.wait_for("This form was sent before");
        assert!(!browser.text().contains(&token));
        browser.open(&url(&running, "/tokens"));
        assert_eq!(
            browser.names("button").iter().filter(|name| *name == "Revoke night shift").count(),
            1
        );
        browser.find("button", "Revoke night shift").click();
        browser.find("button", "Cancel").click();
        browser.find("button", "Revoke night shift").click();
        browser.find("button", "Revoke").click();
        browser.wait_for("There are no tokens yet.");
        let api = running.server.api().with_token(&token);
        let until = Instant::now() + Duration::from_secs(60);
        while api.get("/task-executions/info").status != 401 {
            assert!(Instant::now() < until, "the token goes on");
            std::thread::sleep(Duration::from_millis(50));
        }
        is_clean(&browser, &running);
    }
}
