//! What is asked before it is recorded, and what the service does not accept.

use image::ImageFormat;
use patrol_tests::{Running, Store, pictures};
use serde_json::json;
use tempfile::TempDir;

use super::{
    super::is_clean, complete, enter_code, entries, phone, started, status, store,
    wait_for_entries, wait_for_status,
};

#[test]
fn missing_answers_are_asked_for_and_refused_entries_are_shown() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = started(&running);
    browser.find("button", "Finish round").click();
    browser.find("heading", "2 required answers are missing");
    browser.find("button", "Cancel").click();
    browser.find("button", "No code").click();
    wait_for_entries(&browser, &running, 1, 2);
    // Meanwhile the office completes the round.
    complete(&running, 1);
    browser.find("button", "Finish step").click();
    browser.find("heading", "Not accepted");
    browser.wait_for("Step finished · Gate");
    browser.wait_for("The round was in another state: it was not started, or already completed.");
    assert_eq!(status(&browser), "All sent", "nothing waits any more");
    browser.wait_for("The round is completed.");
    browser.find("button", "Dismiss").click();
    browser.wait("no entry that is not accepted", || {
        (!browser.text().contains("Not accepted")).then_some(())
    });
}

#[test]
fn a_round_is_finished_without_the_answers_that_are_missing() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    browser.find("button", "Start round").click();
    browser.find("button", "Finish round").click();
    browser.find("heading", "2 required answers are missing");
    browser.find("button", "Finish anyway").click();
    browser.wait_for("The round is completed.");
    wait_for_entries(&browser, &running, 1, 2);
    assert_eq!(entries(&running, 1)[1]["outcome"], "ACCEPTED");
    let record = running.read(1);
    assert_eq!((&record["state"], &record["status"]), (&"COMPLETED".into(), &"ERROR".into()));
}

#[test]
fn what_is_not_accepted_says_all_that_was_recorded() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    browser.find("button", "Start round").click();
    browser.find("button", "No code").click();
    browser.find("radio", "Yes");
    wait_for_entries(&browser, &running, 1, 2);
    browser.set_offline(true);
    complete(&running, 1);
    browser.find("radio", "No").click();
    browser.find("textbox", "Pressure").fill("2.5");
    browser.keys("\t");
    browser.wait_for("1 of 2 steps");
    enter_code(&browser, "PIER-1");
    browser.find("textbox", "Remarks").fill("<b>quiet</b>");
    browser.keys("\t");
    let folder = TempDir::new().expect("a folder");
    let picture = folder.path().join("pier.png");
    std::fs::write(&picture, pictures::black(32, 32, ImageFormat::Png)).expect("a file");
    browser.first("input[type=file]").choose_file(&picture);
    browser.find("button", "Remove");
    wait_for_status(&browser, "Offline, 5 waiting");
    browser.set_offline(false);
    browser.find("heading", "Not accepted");
    wait_for_status(&browser, "All sent");
    let listed = browser.run(
        "return [...document.querySelectorAll('.refused li strong')].map((entry) => entry.textContent)",
    );
    assert_eq!(
        listed,
        json!([
            "Answer · Gate · Closed · No",
            "Answer · Gate · Pressure · 2.5",
            "Scan · Pier · PIER-1",
            "Answer · Pier · Remarks · <b>quiet</b>",
            "Answer · Pier · Photo · 1 picture",
        ])
    );
    let shown = "return document.querySelectorAll('.refused img').length";
    browser.wait("the picture", || (browser.run(shown) == 1).then_some(()));
    let said =
        browser.run("return document.querySelector('.refused li p:nth-of-type(2)').textContent");
    assert_eq!(said, "The round was in another state: it was not started, or already completed.");
}

#[test]
fn what_the_service_finds_wrong_is_said_in_its_words_and_the_rest_is_sent() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    browser.find("button", "Start round").click();
    browser.find("button", "No code").click();
    browser.find("radio", "Yes");
    wait_for_entries(&browser, &running, 1, 2);
    // The page sends nothing that is wrong: the service has to be told so.
    browser.run(
        "const own = window.fetch;
         window.fetch = async (path, ...rest) => {
           if (!String(path).endsWith('/reports')) return own(path, ...rest);
           window.fetch = own;
           const fault = { identifier: '[0].numberValue', code: 'validation.odd.failed', message: 'this number is odd' };
           const body = { code: 'input.data.invalid', message: 'invalid input', details: [fault] };
           return new Response(JSON.stringify(body), { status: 400, headers: { 'Content-Type': 'application/json' } });
         };",
    );
    browser.find("textbox", "Pressure").fill("2");
    browser.keys("\t");
    browser.find("heading", "Not accepted");
    browser.wait_for("this number is odd");
    browser.find("radio", "Yes").click();
    wait_for_entries(&browser, &running, 1, 3);
}

#[test]
fn what_was_typed_is_there_until_it_can_be_recorded() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = started(&running);
    browser.find("button", "No code").click();
    browser.wait_for_focus("heading", "Gate");
    browser.find("textbox", "Pressure").fill("22 bar");
    browser.keys("\t");
    browser.wait_for("This is not a number.");
    let field = browser.find("textbox", "Pressure");
    assert_eq!(field.value(), "22 bar");
    field.fill("1 200,5");
    browser.keys("\t");
    wait_for_entries(&browser, &running, 1, 3);
    assert_eq!(entries(&running, 1)[2]["numberValue"], 1_200.5);
    // A text is no evidence: it is refused at once.
    let folder = TempDir::new().expect("a folder");
    let text = folder.path().join("list.txt");
    std::fs::write(&text, "milk").expect("a file");
    browser.find("button", "Add note").click();
    browser.find("textbox", "Text").fill("The lamp is broken.");
    browser.first("#note-files").choose_file(&text);
    browser.wait_for("A file is of a kind that the service does not take.");
    // Left by mistake, and opened again.
    browser.keys("\u{e00c}");
    browser.wait("no dialog", || {
        (browser.run("return document.querySelector('dialog') === null") == true).then_some(())
    });
    browser.find("button", "Add note").click();
    assert_eq!(browser.find("textbox", "Text").value(), "The lamp is broken.");
    browser.find("button", "Save note").click();
    wait_for_entries(&browser, &running, 1, 4);
    browser.find("button", "Add note").click();
    assert_eq!(browser.find("textbox", "Text").value(), "");
    is_clean(&browser, &running);
}

#[test]
fn a_code_and_a_file_that_are_no_good_harm_nothing() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    browser.find("button", "Start round").click();
    let long = "<script>".repeat(500);
    enter_code(&browser, &long);
    browser.wait_for("No step has this code.");
    enter_code(&browser, "PIER-1");
    browser.find("textbox", "Remarks");
    wait_for_entries(&browser, &running, 1, 3);
    let code = entries(&running, 1)[1]["code"].as_str().expect("a code").to_owned();
    assert!(long.starts_with(&code) && code.len() > 100, "{code}");
    // A page with the name of a picture.
    let folder = TempDir::new().expect("a folder");
    let page = folder.path().join("pier.png");
    std::fs::write(&page, "<script>document.title = 'taken'</script>").expect("a file");
    browser.first("input[type=file]").choose_file(&page);
    browser.find("heading", "Not accepted");
    browser.wait_for("Answer · Pier · Photo · 1 picture");
    wait_for_status(&browser, "All sent");
    assert_eq!(entries(&running, 1).len(), 3);
    // What comes after it is sent.
    browser.find("textbox", "Remarks").fill("quiet");
    browser.keys("\t");
    wait_for_entries(&browser, &running, 1, 4);
    is_clean(&browser, &running);
}
