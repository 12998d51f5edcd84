//! A long round, and how fast the page is on a slow phone with a slow network. `make bench` sets
//! `PATROL_GUARD_TIMES`, slows phone and network down, and prints the figures beside the goals of `docs/guard.md`;
//! beside other tests they would say nothing.

use std::{env, time::Duration};

use patrol_tests::{DataSet, Running, Store, action_id, company::EMPLOYEE, step_id, with};
use serde_json::{Value, json};

use super::{Browser, due, store, url, wait_for_worker};
use crate::webdriver::Options;

/// A processor that is slowed as many times.
const SLOWER: u32 = 4;

/// Notes the time at which each text is seen first, in milliseconds since the page began to load.
const WATCH: &str = "
    window.seen = {};
    const look = () => {
      const text = document.body?.textContent ?? '';
      for (const wanted of window.wanted ?? ['Round 6', 'Round 11', 'Long round']) if (text.includes(wanted)) window.seen[wanted] ??= performance.now();
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

/// Slows the network and the processor of the phone.
fn slow_down(browser: &Browser) {
    let throughput = 1_500_000 / 8;
    let slow = json!({
        "offline": false, "latency": 100, "downloadThroughput": throughput, "uploadThroughput": throughput,
    });
    browser.cdp("Network.enable", json!({}));
    browser.cdp("Network.emulateNetworkConditions", slow);
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

fn report(what: &str, time: Duration, goal: Duration) {
    println!("{what}: {} ms (goal {} ms)", time.as_millis(), goal.as_millis());
}

#[test]
fn a_round_of_100_steps_is_opened_and_walked() {
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
    if env::var_os("PATROL_GUARD_TIMES").is_some() {
        slow_down(&browser);
    }
    browser.open(&url(&running, "/guard"));
    report("first start to the first rounds", seen(&browser, "Round 6"), Duration::from_secs(2));
    report("first start to the eleventh round", seen(&browser, "Round 11"), Duration::from_secs(2));
    println!(
        "first start to the round of 100 steps: {} ms",
        seen(&browser, "Long round").as_millis()
    );

    wait_for_worker(&browser);
    browser.set_offline(true);
    browser.open(&url(&running, "/guard"));
    report("start without a network", seen(&browser, "Round 11"), Duration::from_secs(1));

    let link =
        "[...document.querySelectorAll('a')].find((link) => link.textContent === 'Long round')";
    report(
        "a round of 100 steps opens",
        answer_of(&browser, link, "Door 99"),
        Duration::from_millis(300),
    );
    let button = |text: &str| {
        format!(
            "[...document.querySelectorAll('button')].find((button) => button.textContent === '{text}')"
        )
    };
    report(
        "a press starts it",
        answer_of(&browser, &button("Start round"), "Finish round"),
        Duration::from_millis(100),
    );
    let can_be_scanned = "[...document.querySelectorAll('button')].filter((button) => button.textContent === 'No code').length";
    browser.wait("buttons at each step", || {
        (browser.run(&format!("return {can_be_scanned}")) == 100).then_some(())
    });
    report(
        "a press opens a step",
        answer_of(&browser, &button("No code"), "Finish step"),
        Duration::from_millis(100),
    );
    report(
        "a press ends it",
        answer_of(&browser, &button("Finish step"), "1 of 100 steps"),
        Duration::from_millis(100),
    );
}
