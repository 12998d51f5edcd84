//! A company from nothing by clicking: from the link of the first administrator to a round that a guard has
//! walked. Everything is found by its name, as a person finds it who has read only the pages.

use std::fs;

use image::{ImageFormat, Rgb, RgbImage};
use patrol_test_servers::free_port;
use patrol_tests::{Server, Store, pictures};
use tempfile::TempDir;
use time::{Duration, OffsetDateTime, UtcOffset};

use super::{Browser, PASSWORD, guard, screenshots::picture, webdriver::Options};

const POINTS: [(&str, &str); 3] =
    [("Main door", "DOOR"), ("Picture gallery", "GALLERY"), ("Boiler room", "BOILER")];

#[test]
fn a_company_is_made_by_clicking_and_a_guard_walks_its_first_round() {
    let store = Store::sqlite();
    let address = format!("127.0.0.1:{}", free_port());
    let email = "anna@example.org";
    let create = ["user", "create", "--role", "ADMIN", "--email", email];
    let names = ["--first-name", "Anna", "--last-name", "Berg"];
    let _ = store.run(&[&create[..], &names].concat()).exited(0);
    let link = store.run(&["user", "invite", email, "--listen", &address]).exited(0).stdout;
    let server = Server::run_at(store.command(&["serve"]), &address);

    let office = Browser::start();
    set_password(&office, link.trim());
    office.find("heading", "Rounds");
    let zone = choose_zone(&office);
    office.wait_for("There are no rounds on this day.");
    picture(&office, "company-empty");
    a_plan_needs_a_location(&office);
    make_location(&office);
    place_points(&office);
    make_check_list(&office);
    let invitation = make_people(&office);
    make_plan(&office, OffsetDateTime::now_utc().to_offset(zone) + Duration::minutes(30));
    office.find("link", "Rounds").click();
    // The rounds are made right after the plan is saved.
    office.wait("the first round", || {
        let is_there = office.names("link").contains(&"Evening round".to_owned());
        if !is_there {
            office.reload();
        }
        is_there.then_some(())
    });
    picture(&office, "company-board");

    let phone = Browser::with(Options { width: 390, ..Options::default() });
    phone.deny("background-sync");
    set_password(&phone, &invitation);
    walk(&phone);
    // The board is live.
    office.wait_for("3 of 3");
    office.find("link", "Evening round").click();
    office.find("heading", "Evening round");
    office.wait_for("Completed");
    office.wait_for("Ben Hall");
    for browser in [&office, &phone] {
        assert_eq!(browser.complaints(server.address()), [""; 0]);
    }
}

/// Opens the link of an invitation and signs in with a new password.
fn set_password(browser: &Browser, link: &str) {
    browser.open(link);
    browser.find("heading", "Set a password");
    browser.find("textbox", "New password").fill(PASSWORD);
    browser.find("textbox", "Repeat new password").fill(PASSWORD);
    browser.find("button", "Save").click();
}

/// Chooses a time zone that is not the one of the browser, and in which the next hour belongs to today,
/// whenever the test runs.
fn choose_zone(browser: &Browser) -> UtcOffset {
    let own = browser.run("return Intl.DateTimeFormat().resolvedOptions().timeZone");
    let now = OffsetDateTime::now_utc();
    let zones = [("Asia/Tokyo", 9), ("Asia/Dubai", 4), ("America/Bogota", -5)];
    let mut zones = zones.into_iter().map(|(name, hours)| {
        let offset = UtcOffset::from_hms(hours, 0, 0).expect("an offset");
        (name, offset)
    });
    let fits = |name: &str, offset: UtcOffset| own != *name && now.to_offset(offset).hour() < 22;
    let (name, offset) = zones.find(|(name, offset)| fits(name, *offset)).expect("a zone");
    let chosen = format!("Times are in {name}");
    assert!(!browser.text().contains(&chosen));
    browser.find("combobox", "Time zone").choose(name);
    browser.find("button", "Choose").click();
    browser.wait_for(&chosen);
    offset
}

/// Somebody who begins at the end is told what comes first.
fn a_plan_needs_a_location(browser: &Browser) {
    browser.find("link", "Plans").click();
    browser.wait_for("There are no plans yet.");
    browser.find("link", "New plan").click();
    browser.wait_for("There is nothing to choose from yet. Make one first");
}

fn make_location(browser: &Browser) {
    browser.find("link", "Locations").click();
    browser.wait_for("There are no locations yet.");
    browser.find("link", "New location").click();
    browser.find("textbox", "Name").fill("Museum");
    browser.find("textbox", "Latitude").fill("52.5208");
    browser.find("textbox", "Longitude").fill("13.4094");
    browser.find("button", "Save").click();
    browser.find("heading", "Museum");
    browser.wait_for("There are no points yet.");
    for (name, code) in POINTS {
        browser.find("link", "New point").click();
        browser.find("textbox", "Name").fill(name);
        browser.find("textbox", "QR code").fill(code);
        browser.find("button", "Save").click();
        browser.find("heading", name);
        browser.find("link", "Museum").click();
        browser.find("link", name);
    }
    picture(browser, "company-location");
}

/// Uploads a picture, places the points on it by clicking, and looks at the labels.
fn place_points(browser: &Browser) {
    browser.find("link", "New graphic plan").click();
    browser.find("textbox", "Name").fill("Ground floor");
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("plan.png");
    fs::write(&file, floor()).expect("the folder is there");
    browser.field("File").choose_file(&file);
    browser.find("button", "Save").click();
    browser.find("heading", "Ground floor");
    // The form offers first what is not placed yet.
    for (place, name) in [(-300, "Boiler room"), (-30, "Main door"), (260, "Picture gallery")] {
        browser.find("button", "Place").click();
        let heading = format!("Place {name} on Ground floor");
        browser.find("heading", &heading);
        browser.find("button", &heading).click_beside(place, place / 3);
        browser.find("heading", "Ground floor");
        browser.find("link", name);
    }
    picture(browser, "company-graphic-plan");
    browser.find("link", "Museum").click();
    browser.find("link", "Labels").click();
    browser.find("heading", "Labels of Museum");
    browser.wait_for("GALLERY");
    browser.find("link", "Print");
    picture(browser, "company-labels");
}

fn make_check_list(browser: &Browser) {
    browser.find("link", "Check-lists").click();
    browser.wait_for("There are no check-lists yet.");
    browser.find("link", "New check-list").click();
    browser.find("textbox", "Name").fill("Evening");
    browser.find("button", "Add action").click();
    browser.find("textbox", "Action name").fill("Door locked?");
    browser.find("checkbox", "Required").click();
    picture(browser, "company-check-list");
    browser.find("button", "Save").click();
    browser.find("heading", "Evening");
    browser.wait_for("Door locked?");
}

/// Two guards; the link of an invitation of the first one.
fn make_people(browser: &Browser) -> String {
    for (first, last, number) in [("Cleo", "Reed", "G2"), ("Ben", "Hall", "G1")] {
        browser.find("link", "People").click();
        browser.find("link", "New person").click();
        browser.find("textbox", "First name").fill(first);
        browser.find("textbox", "Last name").fill(last);
        browser.find("textbox", "Employee number").fill(number);
        browser.find("button", "Save").click();
        let name = format!("{first} {last}");
        browser.find("heading", &name);
        browser.find("button", &format!("Invite {name}")).click();
        browser.wait_for(&format!("Send this link to {name}."));
    }
    picture(browser, "company-invitation");
    browser.find("textbox", "Invitation link").value()
}

fn make_plan(browser: &Browser, start: OffsetDateTime) {
    browser.find("link", "Plans").click();
    browser.find("link", "New plan").click();
    browser.find("textbox", "Name").fill("Evening round");
    browser.find("combobox", "Location").choose("Museum");
    browser.find("button", "Add a step for each point").click();
    browser.find("button", "Move up Main door").click();
    browser.find("combobox", "Check-list").choose("Evening");
    picture(browser, "company-steps");
    // As people type it in the field of an English browser.
    let (year, month, day) = start.to_calendar_date();
    let (hour, half) = ((start.hour() + 11) % 12 + 1, if start.hour() < 12 { "AM" } else { "PM" });
    let (month, minute) = (u8::from(month), start.minute());
    let typed = format!("{month:02}{day:02}{year}\u{e004}{hour:02}{minute:02}{half}");
    browser.field("First start").fill(&typed);
    browser.find("combobox", "Repeats").choose("Daily");
    browser.find("listbox", "People").choose("Ben Hall");
    browser.find("button", "Preview").click();
    browser.wait_for("Local start");
    picture(browser, "company-plan");
    browser.find("button", "Save").click();
    browser.find("heading", "Evening round");
    browser.wait_for("Every day");
}

/// Walks the round on the phone of a guard.
fn walk(phone: &Browser) {
    phone.find("heading", "My rounds");
    phone.find("link", "Evening round").click();
    phone.find("button", "Start round").click();
    for (name, code) in POINTS {
        phone.find("button", "Enter code").click();
        phone.find("textbox", "Code").fill(code);
        phone.find("button", "Save").click();
        phone.find("heading", name);
        if name == "Main door" {
            phone.find("radio", "Yes").click();
            picture(phone, "company-guard");
        } else {
            phone.find("button", "Finish step").click();
        }
    }
    phone.find("button", "Finish round").click();
    phone.wait_for("The round is completed.");
    guard::wait_for_status(phone, "All sent");
}

/// The picture of a floor: walls around four rooms.
pub(super) fn floor() -> Vec<u8> {
    let is_wall = |x: u32, y: u32| {
        let outside = !(20..880).contains(&x) || !(20..400).contains(&y);
        let beside = |at: u32, wall: u32| at.abs_diff(wall) < 4;
        let walls = [(beside(x, 24) || beside(x, 876)), (beside(y, 24) || beside(y, 396))];
        let rooms =
            [beside(x, 320) && y > 90, beside(x, 600) && y < 330, beside(y, 240) && x < 320];
        !outside && walls.into_iter().chain(rooms).any(|is_wall| is_wall)
    };
    let floor = RgbImage::from_fn(900, 420, |x, y| {
        Rgb(if is_wall(x, y) { [60, 70, 78] } else { [250, 250, 250] })
    });
    pictures::encoded(&floor.into(), ImageFormat::Png)
}
