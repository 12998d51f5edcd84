//! How fast the page is on a slow phone with a slow network. The figures are printed; what fails a test is
//! much slower than the goals of `docs/guard.md`, because test machines are busy. `make bench` prints them
//! for the program as it is released.

use std::time::Duration;

use patrol_tests::{DataSet, Running, Store, action_id, company::EMPLOYEE, step_id, with};
use serde_json::{Value, json};

use super::{Browser, due, store, url};
use crate::webdriver::Options;

/// How many times as slow as the goals a busy test machine may be.
const BUSY: u32 = 4;

/// A processor that is slowed as many times.
const SLOWER: u32 = 4;

/// Notes the time at which each text is seen first, in milliseconds since the page began to load.
const WATCH: &str = "
    window.seen = {};
    const look = () => {
      const text = document.body?.textContent ?? '';
      for (const wanted of window.wanted ?? ['Round 11']) if (text.includes(wanted)) window.seen[wanted] ??= performance.now();
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });";

/// A round with 100 steps and 300 actions.
fn long(n: u32) -> Value {
    let round = due(n, EMPLOYEE);
    let steps = (0..100).map(|step| {
        let actions = [("BOOLEAN", "Closed"), ("NUMBER", "Pressure"), ("TEXT", "Remarks")];
        let actions = (0..).zip(actions).map(|(at, (kind, name))| {
            json!({ "id": action_id(n, step * 3 + at), "name": name, "type": kind, "order": at, "required": false })
        });
        json!({ "id": step_id(n, step), "name": format!("Door {step}"), "order": step, "actions": actions.collect::<Vec<_>>() })
    });
    with(round, json!({ "name": "Long round", "steps": steps.collect::<Vec<_>>() }))
}

/// Slows the processor of the phone.
fn slow_down(browser: &Browser) {
    browser.cdp("Emulation.setCPUThrottlingRate", json!({ "rate": SLOWER }));
}

/// When the page showed this text, since it began to load.
fn seen(browser: &Browser, text: &str) -> Duration {
    let seen = browser.wait(&format!("shown {text:?}"), || {
        browser.run("return window.seen").get(text).and_then(Value::as_f64)
    });
    Duration::from_secs_f64(seen / 1000.0)
}

/// From the press of a button to the moment at which the page shows the text.
fn answer_of(browser: &Browser, press: &str, text: &str) -> Duration {
    browser.run(&format!(
        "window.wanted = ['{text}']; window.seen = {{}}; window.pressed = performance.now(); ({press}).click();"
    ));
    let pressed = browser.run("return window.pressed").as_f64().expect("a time");
    seen(browser, text).saturating_sub(Duration::from_secs_f64(pressed / 1000.0))
}

fn within(what: &str, time: Duration, goal: Duration) {
    println!("{what}: {} ms (goal {} ms)", time.as_millis(), goal.as_millis());
    assert!(time < goal * BUSY, "{what}: {time:?}");
}

#[test]
fn the_page_starts_and_answers_in_time_on_a_slow_phone() {
    let running = Running::on(store(Store::sqlite(), 1..=11).and(&DataSet::new([long(12)])));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    browser.deny("background-sync");
    // The first start is that of a person who has a session, and nothing else.
    browser.open(&url(&running, "/sign-in?next=/tokens"));
    browser.find("textbox", "Employee number or email").fill("E1");
    browser.find("textbox", "Password").fill(super::PASSWORD);
    browser.find("button", "Sign in").click();
    browser.find("heading", "Access tokens");
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH }));
    browser.cdp("Network.enable", json!({}));
    let slow = json!({
        "offline": false, "latency": 100, "downloadThroughput": 1_500_000 / 8, "uploadThroughput": 1_500_000 / 8,
    });
    browser.cdp("Network.emulateNetworkConditions", slow);
    slow_down(&browser);
    browser.open(&url(&running, "/guard"));
    within("first start to the rounds", seen(&browser, "Round 11"), Duration::from_secs(2));

    browser.run("return navigator.serviceWorker.ready.then(() => true)");
    browser.set_offline(true);
    browser.open(&url(&running, "/guard"));
    within("start without a network", seen(&browser, "Round 11"), Duration::from_secs(1));

    let link =
        "[...document.querySelectorAll('a')].find((link) => link.textContent === 'Long round')";
    within(
        "a round of 100 steps opens",
        answer_of(&browser, link, "Door 99"),
        Duration::from_millis(300),
    );
    let button = |text: &str| {
        format!(
            "[...document.querySelectorAll('button')].find((button) => button.textContent === '{text}')"
        )
    };
    within(
        "a press starts it",
        answer_of(&browser, &button("Start round"), "Finish round"),
        Duration::from_millis(100),
    );
    within(
        "a press opens a step",
        answer_of(&browser, &button("No code"), "Finish step"),
        Duration::from_millis(100),
    );
    within(
        "a press ends it",
        answer_of(&browser, &button("Finish step"), "1 of 100 steps"),
        Duration::from_millis(100),
    );
}
