//! Who sends, and when: one tab, at once when the network is back.

use patrol_tests::{Running, Store};
use serde_json::json;

use super::{entries, phone, started, store, wait_for_entries, wait_for_status};

#[test]
fn two_tabs_send_each_entry_once_and_show_the_same() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    browser.open_tab(&browser.url());
    browser.find("button", "Start round").click();
    browser.find("button", "No code").click();
    browser.find("button", "Finish step");
    browser.switch_tab(0);
    // What the other tab recorded is shown here, too.
    browser.find("button", "Finish step").click();
    browser.switch_tab(1);
    browser.wait_for("1 of 2 steps");
    wait_for_entries(&browser, &running, 1, 3);
    let types: Vec<_> = entries(&running, 1).iter().map(|entry| entry["type"].clone()).collect();
    assert_eq!(types, ["START", "SCAN", "FINISH_STEP"]);
}

#[test]
fn one_tab_sends_while_others_wait_for_it() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = started(&running);
    browser.open_tab(&browser.url());
    browser.find("button", "No code");
    // A tab that sends, and whose service does not answer.
    browser.run("navigator.locks.request('patrol-guard', () => new Promise((resolve) => { window.answered = resolve; }))");
    browser.wait("its turn to send", || {
        (browser.run("return 'answered' in window") == true).then_some(())
    });
    browser.switch_tab(0);
    browser.find("button", "No code").click();
    browser.find("button", "Finish step").click();
    browser.wait_for("1 of 2 steps");
    let waits = "return navigator.locks.query().then(({ pending }) => pending.length > 0)";
    browser.wait("wait for the other tab", || (browser.run(waits) == true).then_some(()));
    wait_for_status(&browser, "2 waiting");
    assert_eq!(entries(&running, 1).len(), 1);
    browser.switch_tab(1);
    browser.run("window.answered()");
    wait_for_entries(&browser, &running, 1, 3);
}

#[test]
fn what_waits_is_sent_at_once_when_the_network_is_back() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    // By itself the page would try again in an hour.
    browser.run(
        "const { setTimeout } = window;
         window.setTimeout = (work, time, ...rest) => setTimeout(work, time >= 500 ? 3_600_000 : time, ...rest);",
    );
    browser.set_offline(true);
    browser.find("button", "Start round").click();
    wait_for_status(&browser, "Offline, 1 waiting");
    browser.set_offline(false);
    wait_for_entries(&browser, &running, 1, 1);
}

#[test]
fn the_status_says_that_the_page_is_sending() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    // Long enough for a busy machine to look at it.
    browser.set_network(&json!({ "offline": false, "latency": 8000, "throughput": 100_000 }));
    browser.find("button", "Start round").click();
    wait_for_status(&browser, "Sending");
    wait_for_entries(&browser, &running, 1, 1);
}
