//! "My rounds": what the list says, and what stays in it.

use patrol_tests::{
    DataSet, Running, Store,
    company::{EMPLOYEE, GUARD, PORT, YARD},
    execution_id, with,
};
use serde_json::json;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use super::{
    super::webdriver::Options, Browser, due_in, open, open_round, started, store, url,
    wait_for_entries, wait_for_status,
};

#[test]
fn the_list_says_how_far_each_round_is_in_the_time_of_the_phone() {
    let others = DataSet::new([due_in(2, EMPLOYEE, -20), due_in(3, EMPLOYEE, -30)]);
    let running = Running::on(store(Store::sqlite(), [1]).and(&others));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    browser.cdp("Emulation.setTimezoneOverride", json!({ "timezoneId": "Asia/Kathmandu" }));
    open(&browser, &running, "E1");
    open_round(&browser, 3);
    browser.find("button", "Start round").click();
    browser.find("button", "No code").click();
    browser.find("button", "Finish step").click();
    wait_for_entries(&browser, &running, 3, 3);
    browser.find("link", "To my rounds").click();
    let in_kathmandu = Duration::minutes(345);
    for (n, words) in
        [(3, "Started 1 of 2 steps"), (2, "Late 0 of 2 steps"), (1, "Planned 0 of 2 steps")]
    {
        let name = format!("Round {n}");
        browser.find("link", &name);
        let card = browser.run(&format!(
            "return [...document.querySelectorAll('main li')].find((item) => item.querySelector('a').textContent === '{name}').innerText"
        ));
        let card = card.as_str().expect("text").split_whitespace().collect::<Vec<_>>().join(" ");
        let start = running.read(n)["startAt"].as_str().expect("a time").to_owned();
        let start = OffsetDateTime::parse(&start, &Rfc3339).expect("a time") + in_kathmandu;
        let time = format!("{:02}:{:02}", (start.hour() + 11) % 12 + 1, start.minute());
        assert!(card.contains(&time), "{card}: {time}");
        assert!(card.contains(words) && card.contains("Порт, склад 3"), "{card}");
    }
    let mut rounds = browser.names("link");
    rounds.retain(|name| name.starts_with("Round"));
    assert_eq!(rounds, ["Round 3", "Round 2", "Round 1"], "in order of their start");
    // A round that another person gets leaves the list.
    let path = format!("/task-executions/{}", execution_id(2));
    let _ = running.admin.patch(&path, &json!({ "assigneeIds": [GUARD] })).ok();
    browser.find("button", "Refresh").click();
    browser.wait("no round of another", || {
        (!browser.names("link").contains(&"Round 2".to_owned())).then_some(())
    });
}

#[test]
fn a_clock_that_is_wrong_is_said_until_it_is_set() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    open(&browser, &running, "E1");
    browser.find("link", "Round 1");
    let set = |minutes: i32| {
        let script = "window.realNow ??= Date.now; Date.now = () => window.realNow() + ";
        let _ = browser.run(&format!("{script}{};", minutes * 60_000));
        browser.find("button", "Refresh").click();
    };
    set(-15);
    browser.wait_for("The clock of this phone is 15 minutes slow");
    set(0);
    browser.wait("a right clock is not mentioned", || {
        (!browser.text().contains("The clock of this phone")).then_some(())
    });
}

/// A clock that stands still, and a phone that looks for its position, until `window.goOn` is called.
const WAITING: &str = "
    const { now } = Date;
    const begun = now();
    let stands = true;
    Date.now = () => (stands ? begun : now());
    window.goOn = () => { stands = false; };
    navigator.geolocation.getCurrentPosition = () => {};";

#[test]
fn a_round_of_another_person_leaves_the_list_once_nothing_of_it_waits() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WAITING }));
    open(&browser, &running, "E1");
    open_round(&browser, 1);
    // The entry waits for its position, and the rounds are fetched meanwhile.
    browser.find("button", "Start round").click();
    browser.find("button", "Finish round");
    wait_for_status(&browser, "1 waiting");
    let path = format!("/task-executions/{}", execution_id(1));
    let _ = running.admin.patch(&path, &json!({ "assigneeIds": [GUARD] })).ok();
    let later = with(due_in(2, EMPLOYEE, -1), json!({ "steps": [] }));
    let _ = running.admin.post("/task-executions", &later).json(201);
    browser.find("link", "To my rounds").click();
    browser.find("button", "Refresh").click();
    browser.find("link", "Round 2");
    assert!(browser.names("link").contains(&"Round 1".to_owned()), "{}", browser.text());
    // The service does not accept it.
    browser.run("window.goOn()");
    wait_for_status(&browser, "All sent");
    browser.find("link", "Round 1").click();
    browser.find("heading", "Not accepted");
    browser.find("button", "Dismiss").click();
    browser.find("link", "To my rounds").click();
    browser.find("button", "Refresh").click();
    browser.wait("no round of another", || {
        (!browser.names("link").contains(&"Round 1".to_owned())).then_some(())
    });
}

#[test]
fn the_list_has_rounds_of_nobody_at_own_locations_and_what_was_begun_long_ago() {
    let of_nobody = |n, location: &str| {
        let round = with(due_in(n, EMPLOYEE, -1), json!({ "assigneeIds": [], "steps": [] }));
        with(round, json!({ "locationId": location }))
    };
    let unpublished = with(of_nobody(4, PORT), json!({ "published": false }));
    let begun = json!({
        "state": "IN_PROGRESS", "performerId": EMPLOYEE, "startAt": "2026-01-31T08:00:00.000Z",
        "startedAt": "2026-01-31T08:01:00.000Z",
    });
    let begun = with(due_in(5, EMPLOYEE, -1), begun);
    let far = [due_in(6, EMPLOYEE, 25 * 60), due_in(7, EMPLOYEE, -25 * 60)]
        .map(|round| with(round, json!({ "endAt": "2099-01-01T00:00:00.000Z" })));
    let rounds = [of_nobody(2, PORT), of_nobody(3, YARD), unpublished, begun].into_iter();
    let running = Running::on(store(Store::sqlite(), [1]).and(&DataSet::new(rounds.chain(far))));
    let at_the_port = json!({ "locationIds": [PORT] });
    let _ = running.admin.patch(&format!("/users/{EMPLOYEE}"), &at_the_port).ok();
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    open(&browser, &running, "E1");
    for n in [1, 2, 5] {
        browser.find("link", &format!("Round {n}"));
    }
    wait_for_status(&browser, "All sent");
    let mut rounds = browser.names("link");
    rounds.retain(|name| name.starts_with("Round"));
    rounds.sort();
    assert_eq!(rounds, ["Round 1", "Round 2", "Round 5"]);
}

#[test]
fn what_was_not_accepted_outlives_its_round_and_a_sign_out() {
    let running = Running::on(store(Store::sqlite(), [1, 2]));
    let browser = started(&running);
    browser.set_offline(true);
    browser.find("button", "No code").click();
    browser.find("button", "Finish step");
    running.admin.delete(&format!("/task-executions/{}", execution_id(1))).is_bare(204);
    browser.set_offline(false);
    browser.find("heading", "Not accepted");
    // The round is still there to be read, and nobody is asked to walk it.
    browser.wait("a round without buttons", || {
        let buttons = browser.names("button");
        (!buttons.iter().any(|name| ["Start round", "Finish round"].contains(&name.as_str())))
            .then_some(())
    });
    browser.find("link", "To my rounds").click();
    browser.wait_for("Deleted");
    browser.wait_for("1 not accepted");
    browser.find("button", "Sign out").click();
    browser.wait_for("You are signed out.");
    let kept = || {
        browser.run(
        "return new Promise((resolve) => { indexedDB.open('patrol-guard').onsuccess = ({ target: { result } }) => {
           const names = [...result.objectStoreNames];
           const read = result.transaction(names);
           const all = names.map((name) => read.objectStore(name).getAllKeys());
           read.oncomplete = () => { result.close(); resolve(names.map((name, at) => [name, all[at].result.length])); };
         }; })",
    )
    };
    let expected = json!([["kept", 0], ["media", 0], ["queue", 1], ["rounds", 0]]);
    // What waits or was not accepted, and nothing else, once the session is over.
    browser.wait("what the phone keeps", || (kept() == expected).then_some(()));
    open(&browser, &running, "E1");
    browser.find("link", "Round 2");
    browser.find("link", "Round 1").click();
    browser.find("heading", "There is no such round");
    browser.wait_for("The round was deleted.");
    browser.find("button", "Dismiss").click();
    browser.wait("nothing that is not accepted", || {
        (!browser.text().contains("Not accepted")).then_some(())
    });
    browser.open(&url(&running, "/guard"));
    browser.find("link", "Round 2");
    assert!(!browser.names("link").contains(&"Round 1".to_owned()), "{:?}", browser.names("link"));
}
