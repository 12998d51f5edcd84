//! A round from its start to its end, with and without a network.

use image::ImageFormat;
use patrol_tests::{
    DataSet, Running, Store, action_id, company::GUARD, execution_id, pictures, step_id,
};
use serde_json::json;
use tempfile::TempDir;

use super::{
    super::{is_clean, stores, webdriver::Options},
    Browser, complete, due, enter_code, entries, open, open_round, phone, report, store, url,
    wait_for_entries, wait_for_status,
};

#[test]
fn a_round_is_walked_with_and_without_a_network() {
    for empty in stores() {
        let running = Running::on(store(empty, [1]));
        let browser = Browser::with(Options { width: 390, ..Options::default() });
        open(&browser, &running, "E1");
        open_round(&browser, 1);
        browser.find("button", "Start round").click();
        // The code of the other step: the page moves to that one.
        enter_code(&browser, &url(&running, "/guard/scan#PIER%2D1"));
        browser.find("textbox", "Remarks").fill("<b>quiet</b>");
        browser.keys("\t");
        let folder = TempDir::new().expect("a folder");
        let picture = folder.path().join("gate.png");
        std::fs::write(&picture, pictures::black(64, 64, ImageFormat::Png)).expect("a file");
        browser.first("input[type=file]").choose_file(&picture);
        browser.first(".pictures img");
        browser.find("button", "Remove").click();
        browser.wait_for("An answer needs a picture.");
        wait_for_entries(&browser, &running, 1, 4);

        browser.set_offline(true);
        browser.find("button", "No code").click();
        browser.find("radio", "Yes").click();
        browser.find("textbox", "Pressure").fill("7");
        browser.keys("\t");
        browser.wait_for("Outside the bounds.");
        browser.find("button", "Add note").click();
        browser.find("textbox", "Text").fill("A lamp is broken");
        browser.find("button", "Save note").click();
        browser.wait_for("The note is saved.");
        browser.find("button", "Finish round").click();
        browser.wait_for("The round is completed.");
        wait_for_status(&browser, "Offline, 5 waiting");
        // The page starts without a network, too.
        browser.open(&url(&running, "/guard"));
        browser.find("link", "Round 1");
        wait_for_status(&browser, "Offline, 5 waiting");
        browser.set_offline(false);
        wait_for_entries(&browser, &running, 1, 9);

        let found: Vec<_> = entries(&running, 1)
            .iter()
            .map(|entry| {
                json!([entry["type"], entry["outcome"], entry["stepId"], entry["actionId"]])
            })
            .collect();
        let (gate, pier) = (step_id(1, 1), step_id(1, 2));
        assert_eq!(
            found,
            [
                json!(["START", "ACCEPTED", null, null]),
                json!(["SCAN", "ACCEPTED", pier, null]),
                json!(["RESULT", "ACCEPTED", pier, action_id(1, 3)]),
                json!(["RESULT", "ACCEPTED", pier, action_id(1, 4)]),
                json!(["SCAN", "ACCEPTED", gate, null]),
                json!(["RESULT", "ACCEPTED", gate, action_id(1, 1)]),
                json!(["RESULT", "ACCEPTED", gate, action_id(1, 2)]),
                json!(["NOTE", "ACCEPTED", null, null]),
                json!(["COMPLETE", "ACCEPTED", null, null]),
            ]
        );
        let record = running.read(1);
        assert_eq!(record["state"], "COMPLETED");
        assert_eq!(record["steps"][0]["actions"][1]["numberValue"], 7.0);
        assert_eq!(record["steps"][1]["actions"][0]["textValue"], "<b>quiet</b>");
        let medium = record["steps"][1]["actions"][1]["mediaIds"][0].as_str().expect("a medium");
        let sent = running.admin.get(&format!("/media/{medium}")).ok();
        assert_eq!(sent["size"], std::fs::metadata(&picture).expect("the file").len());
        is_clean(&browser, &running);
    }
}

#[test]
fn a_typed_code_that_no_step_has_is_recorded_at_its_step() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    browser.run(
        "window.asked = 0; navigator.storage.persist = async () => { window.asked += 1; return true; };",
    );
    browser.find("button", "Start round").click();
    enter_code(&browser, "OLD-7");
    browser.wait_for("No step has this code. It is recorded at “Gate” as it is.");
    browser.find("button", "No code").click();
    wait_for_entries(&browser, &running, 1, 3);
    for (entry, code) in entries(&running, 1)[1..].iter().zip([json!("OLD-7"), json!(null)]) {
        assert_eq!((&entry["type"], &entry["stepId"]), (&"SCAN".into(), &step_id(1, 1).into()));
        assert_eq!((&entry["technology"], &entry["code"]), (&"QR".into(), &code));
    }
    let shown = browser.text();
    for text in ["Required", "From 1 to 2.5", "<b>Pier</b>", "Порт, склад 3"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert_eq!(browser.run("return window.asked"), 1, "the storage is to be kept");
}

#[test]
fn a_label_leads_to_its_step_and_an_unknown_code_records_nothing() {
    let running = Running::on(store(Store::sqlite(), [1, 2, 3]));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    open(&browser, &running, "E1");
    browser.find("link", "Round 3");
    browser.open(&url(&running, "/guard/scan#GATE-1"));
    browser.wait_for("No round that you have started has this code.");
    browser.find("link", "Round 1");
    // Nobody is at the point when the round is started elsewhere, or when the page is loaded again.
    browser.open_tab(&url(&running, "/guard"));
    open_round(&browser, 1);
    browser.find("button", "Start round").click();
    wait_for_entries(&browser, &running, 1, 1);
    browser.switch_tab(0);
    browser.find("heading", "Which round?");
    browser.reload();
    browser.find("heading", "Which round?");
    browser.find("button", "Round 1");
    assert_eq!(entries(&running, 1).len(), 1);
    browser.open(&url(&running, "/guard"));
    browser.find("heading", "My rounds");
    browser.open(&url(&running, "/guard/scan#GATE-1"));
    browser.find("heading", "Round 1");
    browser.find("button", "Finish step");
    wait_for_entries(&browser, &running, 1, 2);
    browser.wait_for("Code taken: Gate");
    assert_eq!(browser.focused(), ("heading".to_owned(), "Gate".to_owned()), "its step");
    // A person who goes back is not at the point once more.
    browser.back();
    browser.find("heading", "My rounds");
    browser.open(&url(&running, "/guard"));
    open_round(&browser, 2);
    browser.find("button", "Start round").click();
    wait_for_entries(&browser, &running, 2, 1);
    browser.open(&url(&running, "/guard/scan#PIER-1"));
    browser.find("heading", "Which round?");
    browser.find("button", "Round 2").click();
    browser.find("heading", "Round 2");
    wait_for_entries(&browser, &running, 2, 2);
    let types =
        |n| entries(&running, n).iter().map(|entry| entry["type"].clone()).collect::<Vec<_>>();
    assert_eq!(
        (types(1), types(2)),
        (vec![json!("START"), json!("SCAN")], vec![json!("START"), json!("SCAN")])
    );
    browser.open(&url(&running, "/guard/scan#NOWHERE"));
    browser.wait_for("No round that you have started has this code.");
    assert_eq!(types(1).len() + types(2).len(), 4);
    // The round of somebody else is asked for, also when it is the only one.
    complete(&running, 1);
    complete(&running, 2);
    report(&running, 3, &action_id(3, 0), "START");
    browser.open(&url(&running, "/guard"));
    browser.wait_for("Started");
    browser.wait("only the last round", || {
        (!browser.names("link").contains(&"Round 2".to_owned())).then_some(())
    });
    browser.open(&url(&running, "/guard/scan#PIER-1"));
    browser.find("heading", "Which round?");
    browser.find("button", "Round 3").click();
    browser.find("heading", "Round 3");
    wait_for_entries(&browser, &running, 3, 2);
}

#[test]
fn the_page_can_be_installed() {
    let running = Running::on(store(Store::sqlite(), []));
    let browser = Browser::start();
    open(&browser, &running, "E1");
    browser.wait("nothing that forbids to install it", || {
        let found = browser.cdp("Page.getInstallabilityErrors", json!({}));
        (found["installabilityErrors"] == json!([])).then_some(())
    });
}

#[test]
fn the_page_is_loaded_again_without_a_network_right_after_the_sign_in() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    open(&browser, &running, "E1");
    browser.find("link", "Round 1");
    browser.run("navigator.serviceWorker.ready.then(() => { window.isReady = true; })");
    browser
        .wait("a worker", || (browser.run("return window.isReady === true") == true).then_some(()));
    browser.set_offline(true);
    browser.reload();
    open_round(&browser, 1);
    browser.find("button", "Start round").click();
    wait_for_status(&browser, "Offline, 1 waiting");
    browser.reload();
    wait_for_status(&browser, "Offline, 1 waiting");
    browser.find("button", "Finish round");
}

#[test]
fn the_second_press_of_a_finger_that_bounces_does_nothing_else() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    // Both before the page is drawn anew.
    browser.run("const button = document.querySelector('main button.main'); button.click(); button.click();");
    browser.find("button", "No code").click();
    browser.find("button", "Finish step");
    let press = |name: &str, count: u32| {
        browser.run(&format!(
            "[...document.querySelectorAll('button')].find((button) => button.textContent === '{name}')
               .dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true, detail: {count} }}))"
        ))
    };
    press("Finish step", 1);
    press("Finish round", 2);
    browser.wait_for("1 of 2 steps");
    assert!(!browser.text().contains("required answers are missing"), "{}", browser.text());
    press("Finish round", 1);
    browser.wait_for("2 required answers are missing");
    wait_for_entries(&browser, &running, 1, 3);
    assert!(entries(&running, 1).iter().all(|entry| entry["outcome"] == "ACCEPTED"));
}

#[test]
fn a_step_says_how_far_it_is_and_keeps_several_pictures() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    let count = |selector: &str| {
        let found = browser.run(&format!("return document.querySelectorAll('{selector}').length"));
        found.as_u64().expect("a number")
    };
    let states = |expected: &str| {
        let all =
            "[...document.querySelectorAll('.step .state')].map((state) => state.textContent)";
        browser.wait(expected, || {
            (browser.run(&format!("return {all}.join()")) == expected).then_some(())
        });
    };
    browser.wait_for("Along the fence");
    states("Not started,Not started");
    browser.find("button", "Start round").click();
    enter_code(&browser, "PIER-1");
    states("Not started,Open");
    assert_eq!(
        browser.focused(),
        ("heading".to_owned(), "Pier".to_owned()),
        "the page moves to it at once"
    );
    // The camera is offered first, and several pictures are taken one after the other.
    assert_eq!(count("input[type=file][multiple][capture=environment]"), 1);
    let folder = TempDir::new().expect("a folder");
    for height in [16, 20] {
        let picture = folder.path().join(format!("{height}.png"));
        std::fs::write(&picture, pictures::black(32, height, ImageFormat::Png)).expect("a file");
        browser.first("input[type=file]").choose_file(&picture);
        let shown = if height == 16 { 1 } else { 2 };
        browser.wait("a small picture", || (count(".pictures img") == shown).then_some(()));
    }
    browser.find("button", "Remove").click();
    browser.wait("one picture less", || (count(".pictures img") == 1).then_some(()));
    browser.find("button", "Finish step").click();
    states("Not started,Done");
    // The first step is the one that is left: its buttons are the only ones.
    browser.find("button", "No code").click();
    states("Open,Done");
    browser.find("group", "Closed");
    browser.find("radio", "No").click();
    wait_for_entries(&browser, &running, 1, 8);
    let arrived = entries(&running, 1);
    let media: Vec<_> = arrived
        .iter()
        .filter_map(|entry| Some(entry["mediaIds"].as_array()?.len()).filter(|count| *count > 0))
        .collect();
    assert_eq!(media, [1, 2, 1]);
    let last = arrived.last().expect("an entry");
    assert_eq!(last["booleanValue"], false);
}

#[test]
fn a_round_that_another_person_walks_has_no_buttons() {
    let running = Running::on(store(Store::sqlite(), [1]).and(&DataSet::new([due(2, GUARD)])));
    let gus = Browser::start();
    open(&gus, &running, "E2");
    open_round(&gus, 2);
    gus.find("button", "Start round").click();
    gus.find("button", "No code").click();
    wait_for_entries(&gus, &running, 2, 2);
    let browser = phone(&running);
    browser.open(&url(&running, &format!("/guard/rounds/{}", execution_id(2))));
    browser.wait_for("You may look at this round, but not walk it.");
    browser.wait_for("Open");
    assert_eq!(browser.names("button"), ["English", "Русский", "Sign out"]);
    let open = "return document.querySelectorAll('main :is(input, textarea):enabled').length";
    assert_eq!(browser.run(open), 0);
    browser.find("group", "Closed");
}

#[test]
fn the_language_is_that_of_the_person_until_they_choose_another() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = Browser::with(Options { width: 390, language: "ru", ..Options::default() });
    browser.open(&url(&running, "/guard"));
    browser.wait_for("Вы вышли.");
    assert_eq!(browser.run("return document.documentElement.lang"), "ru");
    browser.open(&url(&running, "/sign-in?next=/guard"));
    browser.first("[name=name]").fill("E1");
    browser.first("[name=password]").fill(super::super::PASSWORD);
    browser.find("button", "Войти").click();
    // Eve's record says English.
    browser.find("heading", "My rounds");
    browser.find("link", "Round 1");
    browser.find("button", "Русский").click();
    browser.find("heading", "Мои обходы");
    browser.reload();
    browser.find("heading", "Мои обходы");
}
