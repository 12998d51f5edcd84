//! A plan from its points to its end: make it, preview it, change it, delete it.

use std::time::Duration;

use patrol_tests::{Running, within};

use super::{Browser, accessibility, is_clean, running, sign_in, stores, url, webdriver::Options};

/// The number of rounds that the store has.
fn rounds(running: &Running, plan: &str) -> u64 {
    let path = format!("/task-executions/info?scheduledTaskId={plan}&limit=0");
    running.admin.get(&path).ok()["meta"]["count"].as_u64().expect("a number")
}

#[test]
fn a_plan_is_made_previewed_changed_and_deleted() {
    for (store, javascript) in stores().into_iter().zip([true, false]) {
        let running = running(store);
        let browser = Browser::with(Options { javascript, ..Options::default() });
        sign_in(&browser, &running, "A1");
        browser.open(&url(&running, "/plans"));
        browser.find("link", "New plan").click();
        browser.find("heading", "New plan");
        browser.find("textbox", "Name").fill("Evening round");
        browser.find("combobox", "Location").choose("Порт, склад 3");
        browser.find("button", "Add step").click();
        browser.find("combobox", "Point").choose("Gate");
        browser.find("combobox", "Check-list").choose("Cold store");
        browser.find("button", "Add a step for each point").click();
        browser.find("button", "Move up Pier");
        browser.find("button", "Add step").click();
        browser.first("[name='steps[2].name']").fill("Roof");
        browser.find("button", "Move up Pier").click();
        browser.find("button", "Move down Pier");
        browser.find("button", "Remove Roof").click();
        if javascript {
            // A press chooses a person, another one removes them, and neither changes the others.
            let _ = browser.run(
                "document.querySelector('[name=assigneeIds]').scrollIntoView({ block: 'center' })",
            );
            let chosen = "return document.querySelectorAll('[name=assigneeIds] :checked').length";
            for (nth, count) in [(1, 1), (2, 2), (1, 1), (2, 0)] {
                let option = format!("[name=assigneeIds] option:nth-child({nth})");
                browser.first(&option).click_beside(0, 0);
                assert_eq!(browser.run(chosen), count);
            }
        }
        browser.find("combobox", "Repeats").choose("Weekly");
        browser.find("checkbox", "Monday").click();
        browser.find("checkbox", "Wednesday").click();
        // As people type it in the field of an English browser.
        browser.first("[name='schedule.start']").fill("01052026\u{e004}1000PM");
        browser.find("textbox", "Duration").fill("90");
        browser.find("button", "Preview").click();
        browser.wait_for("Local start");
        if javascript {
            assert_eq!(browser.run("return document.querySelectorAll('tbody tr').length"), 20);
            accessibility::check(&browser, "the form of a plan");
            accessibility::fits(&browser, "the form of a plan");
        }
        browser.find("button", "Save").click();
        browser.find("heading", "Evening round");
        browser.wait_for("Every week: Mon, Wed");
        let text = browser.text();
        assert!(text.contains("1. Pier") && text.contains("2. Gate"), "{text}");
        assert!(!text.contains("Roof"), "{text}");
        let id = browser.url().rsplit('/').next().expect("an id").to_owned();
        within(Duration::from_secs(60), "the plan has rounds", || rounds(&running, &id) > 0);

        browser.find("link", "Edit").click();
        browser.find("checkbox", "Wednesday").click();
        browser.find("button", "Save").click();
        browser.find("heading", "Save “Evening round”?");
        browser.wait_for("Deleted");
        if javascript {
            accessibility::check(&browser, "the question before a plan is saved");
        }
        browser.find("button", "Save").click();
        browser.find("heading", "Evening round");
        browser.wait_for("Every week: Mon");
        assert!(!browser.text().contains("Every week: Mon, Wed"));
        browser.find("link", "Delete").click();
        browser.find("heading", "Delete “Evening round”?");
        browser.find("button", "Delete").click();
        browser.find("heading", "Plans");
        assert!(!browser.text().contains("Evening round"));
        is_clean(&browser, &running);
    }
}
