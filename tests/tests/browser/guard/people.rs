//! Several people on one phone: what one has fetched is not shown to the next, and what waits is
//! sent for the person who recorded it.

use patrol_tests::{Running, SiteClient, Store, company::GUARD, execution_id};
use serde_json::json;

use super::{
    super::{is_clean, stores},
    Browser, PASSWORD, complete, due, entries, open, open_round, phone, started, store, url,
    wait_for_entries, wait_for_status,
};

#[test]
fn what_waits_is_kept_over_a_sign_out_and_sent_for_its_person() {
    for empty in stores() {
        let running =
            Running::on(store(empty, [1]).and(&patrol_tests::DataSet::new([due(2, GUARD)])));
        let browser = Browser::start();
        open(&browser, &running, "E1");
        open_round(&browser, 1);
        browser.set_offline(true);
        browser.find("button", "Start round").click();
        wait_for_status(&browser, "Offline, 1 waiting");
        browser.find("button", "Sign out").click();
        browser.find("heading", "Sign out?");
        browser.wait_for("1 entry is not sent yet.");
        browser.find("button", "Cancel").click();
        browser.find("button", "No code").click();
        wait_for_status(&browser, "Offline, 2 waiting");
        browser.find("button", "Sign out").click();
        browser.wait_for("2 entries are not sent yet.");
        // The one of the dialog, which hides the other from the person, is the last of the page.
        browser.first("dialog .confirm").click();
        browser.wait_for("Sign in to send 2 entries");
        wait_for_status(&browser, "2 waiting");
        let shown = browser.text();
        assert!(!shown.contains("Eve") && !shown.contains("Round 1"), "{shown}");

        // With a network, the session is ended before anything else.
        browser.set_offline(false);
        let _ = running.server.log_once(|log| log.contains("route=\"/sign-out\""));
        browser.wait_for("Sign in to send 2 entries");
        open(&browser, &running, "E2");
        browser.find("link", "Round 2");
        wait_for_status(&browser, "2 of Eve Guard wait");
        assert!(!browser.text().contains("Round 1"), "{}", browser.text());
        browser.open(&url(&running, &format!("/guard/rounds/{}", execution_id(1))));
        browser.wait_for("You may look at this round, but not walk it.");
        assert_eq!(browser.names("button"), ["English", "Русский", "Sign out"]);
        open_round_of_another(&browser, &running);
        assert_eq!(entries(&running, 1), [json!(null); 0], "nothing is sent under another name");

        let count = |log: &str| log.matches("route=\"/sign-out\"").count();
        let before = count(&running.server.log());
        browser.find("button", "Sign out").click();
        browser.wait_for("You are signed out.");
        let _ = running.server.log_once(|log| count(log) > before);
        open(&browser, &running, "E1");
        wait_for_entries(&browser, &running, 1, 2);
        let users: Vec<_> =
            entries(&running, 1).iter().map(|entry| entry["type"].clone()).collect();
        assert_eq!(users, ["START", "SCAN"]);
        is_clean(&browser, &running);
    }
}

/// Walks the beginning of the other person's round.
fn open_round_of_another(browser: &Browser, running: &Running) {
    browser.open(&url(running, "/guard"));
    open_round(browser, 2);
    browser.find("button", "Start round").click();
    browser.find("button", "Finish round");
    browser.wait("an entry of Gus", || (entries(running, 2).len() == 1).then_some(()));
    wait_for_status(browser, "2 of Eve Guard wait");
}

#[test]
fn a_sign_out_closes_what_is_open_in_another_tab_and_hides_what_was_not_accepted() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = started(&running);
    complete(&running, 1);
    browser.find("button", "No code").click();
    browser.find("heading", "Not accepted");
    browser.find("button", "Add note").click();
    browser.find("textbox", "Text").fill("For Eve alone");
    browser.open_tab(&url(&running, "/guard"));
    browser.find("button", "Sign out").click();
    browser.wait_for("You are signed out.");
    browser.switch_tab(0);
    browser.wait_for("You are signed out.");
    // A dialog that is closed leaves the page with the next frame.
    browser.wait("no dialog", || {
        (browser.run("return document.querySelector('dialog')").is_null()).then_some(())
    });
    let html = browser.run("return document.body.innerHTML");
    let html = html.as_str().expect("text");
    for own in ["<dialog", "Round 1", "Gate", "The service did not accept"] {
        assert!(!html.contains(own), "{own}: {html}");
    }
    open(&browser, &running, "E2");
    browser.open(&url(&running, &format!("/guard/rounds/{}", execution_id(1))));
    browser.wait_for("You may look at this round, but not walk it.");
    assert!(!browser.text().contains("Not accepted"), "{}", browser.text());
}

/// As when the same person has signed out and in again on other pages of the site.
#[test]
fn a_sign_out_ends_the_session_that_the_browser_has_by_now() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    let signed_in = browser.run(&format!(
        "return (async () => {{
            const send = async (page, to, fields) => {{
                const html = await (await fetch(page)).text();
                const token = new DOMParser().parseFromString(html, 'text/html').querySelector('[name=token]').value;
                return (await fetch(to, {{ method: 'POST', body: new URLSearchParams({{ token, ...fields }}) }})).ok;
            }};
            return await send('/sessions', '/sign-out', {{}})
                && await send('/sign-in', '/sign-in', {{ name: 'E1', password: '{PASSWORD}' }});
        }})()"
    ));
    assert_eq!(signed_in, true);
    browser.find("button", "Sign out").click();
    browser.wait_for("You are signed out.");
    browser.wait("no session", || {
        let status = browser.run("return fetch('/guard/session').then((answer) => answer.status)");
        (status == 401).then_some(())
    });
}

#[test]
fn a_session_that_ends_stops_nothing_but_the_sending() {
    for empty in stores() {
        let running = Running::on(store(empty, [1]));
        let browser = Browser::start();
        open(&browser, &running, "E1");
        open_round(&browser, 1);
        browser.find("button", "Start round").click();
        wait_for_entries(&browser, &running, 1, 1);
        let mut elsewhere = SiteClient::new(running.server.address()).signed_in("E1", PASSWORD);
        let page = elsewhere.open("/sessions");
        let _ = elsewhere.submit(&page, "/sessions/end-others", &[]);
        browser.find("button", "No code").click();
        browser.wait_for("Sign in to send 1 entry");
        browser.find("radio", "Yes").click();
        browser.wait_for("Sign in to send 2 entries");
        let target = browser.run("return document.querySelector('.alert a').getAttribute('href')");
        assert_eq!(target, "/sign-in?next=/guard");
        browser.find("link", "Sign in to send 2 entries").click();
        open(&browser, &running, "E1");
        wait_for_entries(&browser, &running, 1, 3);
    }
}
