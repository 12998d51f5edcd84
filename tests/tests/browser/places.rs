//! A company from nothing: a location, a point, a graphic plan with its picture, a check-list and a person; and
//! points from a table.

use std::fs;

use patrol_tests::{Running, company::PORT, pictures};

use super::{
    Browser,
    accessibility::{check, fits},
    is_clean, running, sign_in, stores, url,
    webdriver::Options,
};

/// Opens a page, and checks it unless the browser runs no scripts, which axe-core needs.
fn checked(browser: &Browser, has_scripts: bool, name: &str) {
    if has_scripts {
        check(browser, name);
        fits(browser, name);
    }
}

/// Whether the browser asks before the page is left.
fn asks(browser: &Browser) -> bool {
    let leave = "return !dispatchEvent(new Event('beforeunload', { cancelable: true }))";
    browser.run(leave) == true
}

#[test]
fn a_company_is_made_from_nothing() {
    // Once with JavaScript, once without: on one store each, because the pages do not depend on it.
    for (store, javascript) in stores().into_iter().zip([true, false]) {
        let running = running(store);
        journey(&running, &Browser::with(Options { javascript, ..Options::default() }), javascript);
    }
}

fn journey(running: &Running, browser: &Browser, has_scripts: bool) {
    let open = |path: &str| browser.open(&url(running, path));
    let checked = |name: &str| checked(browser, has_scripts, name);
    sign_in(browser, running, "A1");

    open("/locations");
    browser.find("link", "New location").click();
    browser.find("textbox", "Name").fill("Museum");
    if has_scripts {
        let twice = "const [save] = document.querySelectorAll('form.record .row button'); save.click(); save.click()";
        let _ = browser.run(twice);
    } else {
        browser.find("button", "Save").click();
    }
    browser.find("heading", "Museum");
    let museums = running.admin.get("/locations?name=Museum").ok();
    assert_eq!(museums["meta"]["count"], 1, "a second press makes no second record");

    browser.find("link", "New point").click();
    checked("the form of a point");
    assert!(!has_scripts || !asks(browser), "nothing was entered");
    browser.find("button", "Save").click();
    browser.wait_for("Nothing was saved.");
    checked("a refused form of a point");
    assert!(!has_scripts || asks(browser), "it was not saved");
    browser.find("link", "Cancel").click();
    browser.find("link", "New point").click();
    browser.find("textbox", "Name").fill("Main door");
    assert!(!has_scripts || asks(browser), "a name was entered");
    browser.find("textbox", "QR code").fill("DOOR");
    browser.find("button", "Save").click();
    browser.find("heading", "Main door");
    checked("a point");
    browser.find("link", "Museum").click();
    browser.find("link", "Main door");
    checked("a location");

    browser.find("link", "New graphic plan").click();
    browser.find("textbox", "Name").fill("Ground floor");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plan.png");
    fs::write(&file, pictures::black(400, 200, image::ImageFormat::Png))
        .expect("the folder is there");
    browser.first("input[type=file]").choose_file(&file);
    checked("the form of a graphic plan");
    browser.find("button", "Save").click();
    browser.find("heading", "Ground floor");
    browser.find("combobox", "Point").choose("Main door");
    browser.find("button", "Place").click();
    browser.find("heading", "Place Main door on Ground floor");
    checked("the page to place a point");
    // In the middle of the picture.
    browser.first("input[type=image]").click();
    browser.find("heading", "Ground floor");
    browser.wait_for("50 %");
    checked("a graphic plan");
    browser.find("link", "Delete").click();
    browser.find("button", "Delete").click();
    browser.wait_for("It is still needed by");
    checked("a refused deletion");

    open("/check-lists");
    browser.find("link", "New check-list").click();
    browser.find("textbox", "Name").fill("Evening");
    for (at, name) in ["Lights off", "Door locked"].into_iter().enumerate() {
        browser.find("button", "Add action").click();
        let field = format!("#actions\\[{at}\\]\\.name");
        browser.first(&field).fill(name);
    }
    browser.find("button", "Add action").click();
    browser.find("button", "Remove 3").click();
    browser.find("button", "Move up Door locked").click();
    browser.find("button", "Move down Door locked");
    checked("the form of a check-list");
    browser.find("button", "Save").click();
    browser.find("heading", "Evening");
    browser.wait_for("Lights off");
    let text = browser.text();
    assert!(text.find("Door locked") < text.find("Lights off"), "{text}");
    checked("a check-list");

    open("/people");
    browser.find("link", "New person").click();
    browser.find("textbox", "First name").fill("Nina");
    browser.find("textbox", "Last name").fill("New");
    browser.find("combobox", "Role").choose("Manager");
    checked("the form of a person");
    browser.find("button", "Save").click();
    browser.find("heading", "Nina New");
    browser.find("link", "Photo").click();
    browser.first("input[type=file]").choose_file(&file);
    browser.find("button", "Save").click();
    browser.find("heading", "Photo");
    checked("a person");
    browser.find("link", "Photo").click();
    checked("a photo");
    browser.find("button", "Remove photo").click();
    browser.find("heading", "Nina New");
    browser.find("link", "Delete").click();
    browser.find("button", "Delete").click();
    browser.find("heading", "People");

    browser.find("link", "Import").click();
    browser.find("heading", "Import");
    let table = folder.path().join("points.csv");
    fs::write(&table, format!("locationId;name;type;qrCode\n{PORT};Crane;QR;CRANE\n"))
        .expect("the folder is there");
    browser.field("File").choose_file(&table);
    browser.find("combobox", "Kind").choose("Points");
    browser.find("button", "Check").click();
    browser.wait_for("Records in the file: 1.");
    checked("a checked file");
    browser.find("button", "Import").click();
    browser.wait_for("Imported: 1.");
    let crane = running.admin.get("/locations/points?qrCode=eq:CRANE").ok();
    assert_eq!(crane["data"][0]["name"], "Crane", "{crane}");
    is_clean(browser, running);
}
