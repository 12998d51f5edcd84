//! Locations, points, graphic plans, check-lists and people on the site: members, roles, faults, pictures.

use patrol_tests::{
    Form, Page, Running, SiteClient,
    company::{self, ADMIN, CHECK_LIST, EMPLOYEE, GATE, GUARD, MANAGER, NOBODY, PLAN, PORT, YARD},
    pictures, planned, with,
};
use serde_json::json;

use super::{PASSWORD, admin, board::running_with, browser, plans::send, round::seen};

/// A company whose administrator, manager and employee may sign in.
fn running() -> Running {
    running_with([])
}

fn png() -> Vec<u8> {
    pictures::picture(image::ImageFormat::Png)
}

/// Where an answer leads to, below this path.
fn made(page: &Page, below: &str) -> String {
    let to = page.header("location").unwrap_or_else(|| panic!("{}", page.text));
    assert!(page.status == 303 && to.starts_with(below), "{to}");
    to.to_owned()
}

/// Uploads a picture of the port, and returns the path of the graphic plan.
fn upload(browser: &mut SiteClient) -> String {
    let path = format!("/graphic-plans/new?locationId={PORT}");
    let page = browser.open(&path);
    let form = Form::default().field("name", " Ground floor ").file("file", &png());
    made(&browser.submit_file(&page, &path, form), "/graphic-plans/")
}

#[test]
fn an_employee_reads_places_and_changes_nothing() {
    let running = running();
    let plan = upload(&mut browser(&running).signed_in("M1", PASSWORD));
    let mut employee = browser(&running).signed_in("E1", PASSWORD);
    let list = format!("/check-lists/{CHECK_LIST}");
    let (point, location) = (format!("/points/{GATE}"), format!("/locations/{PORT}"));
    for path in ["/check-lists", &list, &point, &location, &plan] {
        let page = employee.open(path);
        for offer in ["/new", "/edit", "/delete", "/place", "/labels"] {
            assert!(!page.text.contains(offer), "{path} offers {offer}: {}", page.text);
        }
    }
    assert_eq!(employee.get(&format!("{plan}/image")).header("content-type"), Some("image/png"));
    let page = employee.open("/tokens");
    for path in [
        "/check-lists/new".to_owned(),
        format!("{list}/edit"),
        format!("{list}/delete"),
        "/points/new".to_owned(),
        format!("{point}/edit"),
        format!("{point}/delete"),
        format!("{plan}/delete"),
        format!("{plan}/place?pointId={GATE}"),
        "/people/new".to_owned(),
        format!("/people/{GUARD}/edit"),
        format!("/people/{GUARD}/delete"),
    ] {
        assert_eq!(employee.get(&path).status, 403, "{path}");
        assert_eq!(employee.submit(&page, &path, &[]).status, 403, "{path}");
    }
    for path in [format!("/graphic-plans/new?locationId={PORT}"), format!("/people/{GUARD}/photo")]
    {
        let form = Form::default().file("file", &png());
        assert_eq!(employee.submit_file(&page, &path, form).status, 403, "{path}");
    }
    assert_eq!(employee.get(&format!("/people/{GUARD}")).status, 403);
}

#[test]
fn a_picture_is_uploaded_within_its_bounds() {
    let running = running();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let path = format!("/graphic-plans/new?locationId={PORT}");
    let page = manager.open(&path);
    let both = manager.submit_file(&page, &path, Form::default().field("name", ""));
    both.refused("Nothing was saved. Correct what is marked below.");
    for fault in ["<a href=\"#name\">Name: ", "<a href=\"#file\">File: Enter a value."] {
        assert!(both.text.contains(fault), "{fault}: {}", both.text);
    }
    for file in [b"GIF89a".to_vec(), pictures::animated_png()] {
        let form = Form::default().field("name", "<b>").file("file", &file);
        let page = manager.submit_file(&page, &path, form);
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(page.text.contains("Choose a JPEG, PNG or WebP picture."), "{}", page.text);
        assert_eq!(page.value_of("name"), "&#60;b&#62;", "what was typed stays, escaped");
    }
    let large = Form::default().field("name", "Roof").file("file", &vec![0; (10 << 20) + 1]);
    assert_eq!(manager.submit_file(&page, &path, large).status, 413);
    let good = || Form::default().field("name", "Roof").file("file", &png());
    let foreign = manager.with("Origin", "https://example.org").submit_file(&page, &path, good());
    assert_eq!(foreign.status, 403);
    assert_eq!(admin(&running).submit_file(&page, &path, good()).status, 403, "another session");
    assert_eq!(manager.submit(&page, &path, &[("name", "Roof")]).status, 403, "another kind");
    let nowhere = format!("/graphic-plans/new?locationId={NOBODY}");
    assert_eq!(manager.submit_file(&page, &nowhere, good()).status, 404);
    let plans = running.admin.get(&format!("/locations/{PORT}/graphic-plans")).ok();
    assert_eq!(plans["meta"]["count"], 1, "nothing was made: {plans}");

    let plan = upload(&mut manager);
    let image = manager.open(&format!("{plan}/image"));
    let tag = image.header("etag").expect("a tag").to_owned();
    assert_eq!(manager.with("If-None-Match", &tag).get(&format!("{plan}/image")).status, 304);
    browser(&running).get(&format!("{plan}/image")).leads_to("/sign-in");
}

#[test]
fn a_point_is_placed_by_clicking_and_keeps_its_plan_from_being_deleted() {
    let running = running();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let plan = upload(&mut manager);
    let path = format!("{plan}/place?pointId={GATE}");
    let page = manager.open(&path);
    // The picture has 64 × 32 pixels.
    let click = [("at.x", "16"), ("at.y", "24")];
    manager.submit(&page, &path, &click).leads_to(&plan);
    let point = running.admin.get(&format!("/locations/points/{GATE}")).ok();
    let id = plan.rsplit('/').next().expect("an id");
    assert_eq!(point["graphicPlans"], json!([{ "id": id, "x": 0.25, "y": 0.75 }]));
    let shown = manager.open(&plan).text;
    assert!(shown.contains("translate(16 24)") && shown.contains("25 %"), "{shown}");
    // By the keyboard there is no place.
    let keyboard = manager.submit(&page, &path, &[("at.x", "0"), ("at.y", "0")]);
    keyboard.leads_to(&format!("/points/{GATE}/edit"));
    assert_eq!(manager.submit(&page, &path, &[("at.x", "1")]).status, 400);
    let other = format!("{plan}/place?pointId={}", company::TOWER);
    assert_eq!(manager.get(&other).status, 404, "a point of another location");

    let question = manager.open(&format!("{plan}/delete"));
    let version = question.hidden("version");
    let delete = |browser: &mut SiteClient| {
        browser.submit(&question, &format!("{plan}/delete"), &[("version", &version)])
    };
    let held = delete(&mut manager);
    assert_eq!(held.status, 409);
    assert!(held.text.contains(&format!("<a href=\"{plan}\">points (1)</a>")), "{}", held.text);
    let form = manager.open(&format!("/points/{GATE}/edit"));
    let point = [
        ("version", form.hidden("version")),
        ("locationId", PORT.to_owned()),
        ("name", "Gate".to_owned()),
        ("type", "VIRTUAL".to_owned()),
        ("graphicPlans", "0".to_owned()),
    ];
    let point = point.each_ref().map(|(name, value)| (*name, value.as_str()));
    let saved = manager.submit(&form, &format!("/points/{GATE}/edit"), &point);
    saved.leads_to(&format!("/points/{GATE}"));
    delete(&mut manager).leads_to(&format!("/locations/{PORT}"));
    assert_eq!(manager.get(&plan).status, 404);
}

#[test]
fn a_location_has_a_name_an_address_coordinates_and_tags() {
    let running = running();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let page = manager.open("/locations/new");
    for part in [
        "<label for=\"name\">Name</label>",
        "<label for=\"address\">Address</label>",
        "<legend>Coordinates</legend>",
        "<label for=\"latitude\">Latitude</label>",
        "<label for=\"longitude\">Longitude</label>",
        "<label for=\"tags\">Tags</label>",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let fields = [
        ("name", " Museum "),
        ("address", "1 Quay Rd"),
        ("latitude", "52,5"),
        ("longitude", "-13.25"),
        ("tags", "port\r\neast"),
    ];
    // The API has the same path.
    let path = made(&manager.submit(&page, "/locations/new", &fields), "/locations/");
    let location = running.admin.get(&path).ok();
    let sent = json!({
        "name": "Museum", "address": "1 Quay Rd", "latitude": 52.5, "longitude": -13.25,
        "tags": ["port", "east"],
    });
    assert_eq!(with(location.clone(), sent), location);
    let page = manager.open(&path);
    let text = seen(&page);
    assert!(page.text.contains("<h1>Museum</h1>"), "{}", page.text);
    assert!(text.contains("Address 1 Quay Rd Coordinates 52.5, -13.25 Tags port, east"), "{text}");
    let edit = format!("{path}/edit");
    let page = manager.open(&edit);
    send(&mut manager, &page, &edit, &[]).leads_to(&path);
    assert_eq!(running.admin.get(&path).ok(), location, "the form shows every member");
    let page = manager.open(&edit);
    let changes = [("address", "2 Quay Rd"), ("latitude", ""), ("longitude", ""), ("tags", "east")];
    send(&mut manager, &page, &edit, &changes).leads_to(&path);
    let changes =
        json!({ "address": "2 Quay Rd", "latitude": null, "longitude": null, "tags": ["east"] });
    assert_eq!(running.admin.get(&path).ok(), with(location, changes));
}

#[test]
fn all_that_is_wrong_is_said_at_once_and_what_was_typed_stays() {
    let running = running();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let fields = [("name", ""), ("latitude", "north"), ("longitude", "999")];
    let said = [
        "<a href=\"#name\">Name: Enter a value.",
        "<a href=\"#latitude\">Latitude: Enter a number, for example 51.5.",
        "<a href=\"#longitude\">Longitude: Enter a number from -180 to 180.",
    ];
    let places = running.admin.get("/locations").ok();
    for path in ["/locations/new".to_owned(), format!("/locations/{PORT}/edit")] {
        let page = manager.open(&path);
        let refused = send(&mut manager, &page, &path, &fields);
        assert_eq!(refused.status, 422);
        for part in said.into_iter().chain(["value=\"north\"", "value=\"999\""]) {
            assert!(refused.text.contains(part), "{path}: {part}: {}", refused.text);
        }
        assert_eq!(refused.text.matches("class=\"fault\"").count(), 3, "{}", refused.text);
    }
    assert_eq!(running.admin.get("/locations").ok(), places, "nothing is stored");
}

/// Opens the question before a record is deleted, and presses "Delete".
fn delete(browser: &mut SiteClient, path: &str) -> Page {
    let path = format!("{path}/delete");
    let question = browser.open(&path);
    browser.submit(&question, &path, &[("version", &question.hidden("version"))])
}

#[test]
fn a_record_in_use_is_kept_and_what_uses_it_is_said_with_links() {
    let running = running_with([planned(1)]);
    let steps = json!([{ "name": "Gate", "checkListId": CHECK_LIST }]);
    let plan = json!({ "name": "Rounds", "locationId": PORT, "steps": steps });
    let plan = running.admin.post("/scheduled-tasks", &plan).json(201);
    let linked = json!({ "locationIds": [PORT] });
    let _ = running.admin.patch(&format!("/users/{EMPLOYEE}"), &linked).ok();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let (port, list) = (format!("/locations/{PORT}"), format!("/check-lists/{CHECK_LIST}"));
    let rounds = format!("/rounds?location={PORT}&#38;date=2026-01-31");
    let plans = format!("/plans?location={PORT}");
    let held = [
        (&*port, "points (2)"),
        (&*port, "plans of the location (1)"),
        (&*rounds, "rounds (1)"),
        (&*plans, "plans (1)"),
        ("/people", "people (1)"),
    ];
    for (path, held) in [(&port, &held[..]), (&list, &[("/plans", "plans (1)")])] {
        let refused = delete(&mut manager, path);
        assert_eq!(refused.status, 409, "{}", refused.text);
        let kinds: Vec<_> = held.iter().map(|(_, kind)| *kind).collect();
        let alert = format!("role=\"alert\">It is still needed by: {}. Change", kinds.join(", "));
        assert!(refused.text.contains(&alert), "{alert}: {}", refused.text);
        for (page, kind) in held {
            let link = format!("<li><a href=\"{page}\">{kind}</a></li>");
            assert!(refused.text.contains(&link), "{link}: {}", refused.text);
        }
        manager.open(path);
    }
    let other = json!({ "name": "Elsewhere", "locationId": YARD, "steps": [] });
    let other = running.admin.post("/scheduled-tasks", &other).json(201);
    let board = manager.open(&rounds.replace("&#38;", "&")).text;
    assert!(board.contains(">Round 1</a>"), "{board}");
    let of_port = manager.open(&plans).text;
    for (text, is_there) in [
        (&*format!("<a href=\"/plans/{}\">Rounds</a>", plan["id"].as_str().expect("an id")), true),
        ("Elsewhere", false),
        ("Plans of the location “Порт, склад 3”. <a href=\"/plans\">Show all</a>", true),
        ("<input type=\"hidden\" name=\"location\"", true),
    ] {
        assert_eq!(of_port.contains(text), is_there, "{text}: {of_port}");
    }
    let other = other["id"].as_str().expect("an id");
    running.admin.delete(&format!("/scheduled-tasks/{other}")).is_bare(204);
    let plan = format!("/plans/{}", plan["id"].as_str().expect("an id"));
    let (point, yard) = (format!("/points/{GATE}"), format!("/locations/{YARD}"));
    for (path, parent) in
        [(&plan, "/plans"), (&list, "/check-lists"), (&point, &*port), (&yard, "/locations")]
    {
        delete(&mut manager, path).leads_to(parent);
        assert_eq!(manager.get(path).status, 404, "{path}");
    }
}

#[test]
fn a_point_has_all_members_of_the_api() {
    let running = running();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let path = format!("/points/new?locationId={PORT}");
    let page = manager.open(&path);
    assert!(page.text.contains(&format!("<option value=\"{PORT}\" selected>")), "{}", page.text);
    let fields = [
        ("locationId", PORT),
        ("name", "Roof"),
        ("type", "NFC"),
        ("qrCode", "ROOF"),
        ("rfidCode", "04:a2"),
        ("latitude", "51,5"),
        ("longitude", "-0.1"),
        ("tags", "high\r\nwindy"),
        ("graphicPlans", "1"),
        ("graphicPlans[0].id", PLAN),
        ("graphicPlans[0].x", "0.5"),
        ("graphicPlans[0].y", "0.25"),
    ];
    let point = made(&manager.submit(&page, &path, &fields), "/points/");
    let id = point.trim_start_matches("/points/");
    let point = running.admin.get(&format!("/locations/points/{id}")).ok();
    let expected = json!({
        "id": id, "locationId": PORT, "name": "Roof", "type": "NFC", "latitude": 51.5,
        "longitude": -0.1, "graphicPlans": [{ "id": PLAN, "x": 0.5, "y": 0.25 }],
        "rfidCode": "04:a2", "qrCode": "ROOF", "tags": ["high", "windy"],
    });
    assert_eq!(point, expected);
    let taken = manager.submit(&page, &path, &fields);
    taken.refused("Nothing was saved. Correct what is marked below.");
    for fault in ["<a href=\"#qrCode\">", "<a href=\"#rfidCode\">"] {
        assert!(taken.text.contains(fault), "{fault}: {}", taken.text);
    }
}

#[test]
fn the_actions_of_a_check_list_are_moved_and_keep_all_their_members() {
    let running = running();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let path = format!("/check-lists/{CHECK_LIST}/edit");
    let page = manager.open(&path);
    let version = page.hidden("version");
    let fields = [
        ("version", version.as_str()),
        ("name", "Cold store"),
        ("actions", "2"),
        ("actions[0].id", company::TEMPERATURE),
        ("actions[0].name", "Temperature"),
        ("actions[0].type", "NUMBER"),
        ("actions[0].required", "true"),
        ("actions[0].minValue", "-25"),
        ("actions[0].maxValue", "-15.5"),
        ("actions[1].id", company::LOCKED),
        ("actions[1].name", "Locked"),
        ("actions[1].type", "BOOLEAN"),
    ];
    let moved = [&fields[..], &[("do", "actions[0] down")]].concat();
    let page = manager.submit(&page, &path, &moved);
    assert_eq!(page.status, 200, "{}", page.text);
    assert_eq!(page.value_of("actions[0].name"), "Locked");
    let swap = |name: &str| match name.split_at(name.len().min("actions[0]".len())) {
        ("actions[0]", rest) => format!("actions[1]{rest}"),
        ("actions[1]", rest) => format!("actions[0]{rest}"),
        _ => name.to_owned(),
    };
    let swapped: Vec<_> = fields.iter().map(|(name, value)| (swap(name), *value)).collect();
    let swapped: Vec<_> = swapped.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    manager.submit(&page, &path, &swapped).leads_to(&format!("/check-lists/{CHECK_LIST}"));
    let list = running.admin.get(&format!("/check-lists/{CHECK_LIST}")).ok();
    let locked = json!({
        "id": company::LOCKED, "name": "Locked", "type": "BOOLEAN", "order": 0, "required": false,
        "minValue": null, "maxValue": null,
    });
    let temperature = json!({
        "id": company::TEMPERATURE, "name": "Temperature", "type": "NUMBER", "order": 1,
        "required": true, "minValue": -25, "maxValue": -15.5,
    });
    assert_eq!(list["actions"], json!([locked, temperature]));
    let text = seen(&manager.open(&format!("/check-lists/{CHECK_LIST}")));
    let table = "Action name Type Required Minimum Maximum Locked Yes or no No \
        Temperature Number Yes -25 -15.5";
    assert!(text.contains(table), "{text}");
    let late = manager.submit(&page, &path, &swapped);
    assert_eq!(late.status, 422);
    assert!(late.text.contains("somebody has changed the record meanwhile"), "{}", late.text);
}

#[test]
fn a_manager_makes_and_changes_people_but_no_administrator() {
    let running = running();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let people = manager.open("/people").text;
    assert!(people.contains("New person") && people.contains("Ada Ash"), "{people}");
    for hidden in ["/invite", "formaction=\"/people/", "/remove-sign-in"] {
        assert!(!people.contains(hidden), "{hidden}: {people}");
    }
    let page = manager.open("/people/new");
    assert!(!page.text.contains("value=\"ADMIN\""), "{}", page.text);
    let with = |role| {
        [
            ("firstName", "Nina"),
            ("lastName", "New"),
            ("role", role),
            ("status", "ACTIVE"),
            ("language", "ru"),
            ("employeeNo", "N1"),
            ("employeePin", "2468"),
            ("locationIds", PORT),
            ("tags", "night"),
        ]
    };
    assert_eq!(manager.submit(&page, "/people/new", &with("ADMIN")).status, 403);
    let person = made(&manager.submit(&page, "/people/new", &with("EMPLOYEE")), "/people/");
    let user = running.admin.get(&person.replace("/people", "/users")).ok();
    assert_eq!(
        (&user["employeePin"], &user["locationIds"], &user["language"]),
        (&json!("2468"), &json!([PORT]), &json!("ru"))
    );
    let form = manager.open(&format!("{person}/edit"));
    assert!(!form.text.contains("2468") && !manager.open(&person).text.contains("2468"));
    let version = form.hidden("version");
    let changed =
        [&with("MANAGER")[..6], &[("version", version.as_str()), ("phone", "12")]].concat();
    manager.submit(&form, &format!("{person}/edit"), &changed).leads_to(&person);
    let user = running.admin.get(&person.replace("/people", "/users")).ok();
    assert_eq!(
        (&user["employeePin"], &user["role"], &user["phone"], &user["tags"]),
        (&json!("2468"), &json!("MANAGER"), &json!("12"), &json!([]))
    );
    let page = manager.open(&format!("/people/{ADMIN}"));
    for offer in ["/edit", "/photo", "/delete"] {
        assert!(!page.text.contains(offer), "{offer}: {}", page.text);
        let path = format!("/people/{ADMIN}{offer}");
        assert_eq!(manager.get(&path).status, 403, "{path}");
    }
    for sent in ["/edit", "/photo/remove", "/delete"] {
        let path = format!("/people/{ADMIN}{sent}");
        assert_eq!(manager.submit(&form, &path, &[]).status, 403, "{path}");
    }
    assert_eq!(manager.get(&format!("{person}/delete")).status, 403, "only an ADMIN deletes");
}

#[test]
fn what_somebody_has_changed_of_a_person_is_said_and_a_pin_is_removed() {
    let running = running();
    let api = format!("/users/{GUARD}");
    let pin = json!({ "employeePin": "1357" });
    let _ = running.admin.patch(&api, &pin).ok();
    let mut admin = admin(&running);
    let path = format!("/people/{GUARD}/edit");
    let page = admin.open(&path);
    let _ = running.admin.patch(&api, &json!({ "phone": "12" })).ok();
    let before = running.admin.get(&api).ok();
    let refused = send(&mut admin, &page, &path, &[("lastName", "Mine")]);
    refused.refused("Nothing was saved: somebody has changed the record meanwhile.");
    assert!(refused.text.contains("Now: 12"), "{}", refused.text);
    assert_eq!(refused.value_of("lastName"), "Mine");
    assert_eq!(running.admin.get(&api).ok(), before);
    send(&mut admin, &refused, &path, &[("phone", "12"), ("removePin", "true")])
        .leads_to(&format!("/people/{GUARD}"));
    let user = running.admin.get(&api).ok();
    assert_eq!((&user["lastName"], &user["employeePin"]), (&json!("Mine"), &json!(null)));
}

#[test]
fn what_was_changed_after_the_question_is_not_deleted() {
    let running = running();
    let plan = json!({ "name": "Rounds", "locationId": PORT, "steps": [] });
    let plan = running.admin.post("/scheduled-tasks", &plan).json(201);
    let plan = plan["id"].as_str().expect("an id");
    let mut admin = admin(&running);
    let point = json!({ "locationId": PORT, "name": "Other", "type": "QR" });
    for (page, api, body) in [
        (format!("/locations/{YARD}"), format!("/locations/{YARD}"), json!({ "name": "Other" })),
        (format!("/points/{GATE}"), format!("/locations/points/{GATE}"), point),
        (
            format!("/check-lists/{CHECK_LIST}"),
            format!("/check-lists/{CHECK_LIST}"),
            json!({ "name": "Other", "actions": [] }),
        ),
        (
            format!("/plans/{plan}"),
            format!("/scheduled-tasks/{plan}"),
            json!({ "name": "Other", "locationId": PORT, "steps": [] }),
        ),
        (
            format!("/people/{EMPLOYEE}"),
            format!("/users/{EMPLOYEE}"),
            json!({ "firstName": "Other", "lastName": "Ash" }),
        ),
    ] {
        let path = format!("{page}/delete");
        let question = admin.open(&path);
        let is_person = page.starts_with("/people");
        let changed = if is_person {
            running.admin.patch(&api, &body)
        } else {
            running.admin.put(&api, &body)
        };
        assert_eq!(changed.status, 200, "{api}");
        let version = question.hidden("version");
        let refused = admin.submit(&question, &path, &[("version", &version)]);
        assert_eq!(refused.status, 409, "{path}: {}", refused.text);
        assert!(refused.text.contains("role=\"alert\">Nothing was"), "{}", refused.text);
        let name = if is_person { "firstName" } else { "name" };
        assert_eq!(running.admin.get(&api).ok()[name], "Other");
        delete(&mut admin, &page);
        assert_eq!(running.admin.get(&api).status, 404, "{api}");
    }
}

#[test]
fn the_last_administrator_stays_in_words() {
    let running = running();
    let mut admin = admin(&running);
    let path = format!("/people/{ADMIN}/edit");
    let page = admin.open(&path);
    let version = page.hidden("version");
    let fields = [
        ("version", version.as_str()),
        ("firstName", "Ada"),
        ("lastName", "Ash"),
        ("role", "MANAGER"),
        ("status", "ACTIVE"),
        ("language", "en"),
        ("employeeNo", "A1"),
    ];
    let why = "This is the last active administrator.";
    let refused = admin.submit(&page, &path, &fields);
    assert!(refused.status == 422 && refused.text.contains(why), "{}", refused.text);
    let path = format!("/people/{ADMIN}/delete");
    let page = admin.open(&path);
    let refused = admin.submit(&page, &path, &[("version", &page.hidden("version"))]);
    assert!(refused.status == 409 && refused.text.contains(why), "{}", refused.text);
    let path = format!("/people/{GUARD}/delete");
    let page = admin.open(&path);
    admin.submit(&page, &path, &[("version", &page.hidden("version"))]).leads_to("/people");
    assert_eq!(admin.get(&format!("/people/{GUARD}")).status, 404);
}

#[test]
fn a_photo_is_set_shown_and_removed() {
    let running = running();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let path = format!("/people/{EMPLOYEE}/photo");
    let page = manager.open(&path);
    assert_eq!(manager.submit_file(&page, &path, Form::default()).status, 422);
    let bad = manager.submit_file(&page, &path, Form::default().file("file", b"GIF"));
    assert!(bad.status == 422 && bad.text.contains("<a href=\"#file\">"), "{}", bad.text);
    let set = manager.submit_file(&page, &path, Form::default().file("file", &png()));
    set.leads_to(&format!("/people/{EMPLOYEE}"));
    assert!(manager.open(&format!("/people/{EMPLOYEE}")).text.contains(&format!("{path}/image")));
    let image = manager.open(&format!("{path}/image"));
    assert_eq!(image.header("content-type"), Some("image/png"));
    let removed = manager.submit(&page, &format!("{path}/remove"), &[]);
    removed.leads_to(&format!("/people/{EMPLOYEE}"));
    assert_eq!(manager.get(&format!("{path}/image")).status, 404);
    let of_admin = format!("/people/{ADMIN}/photo");
    let denied = manager.submit_file(&page, &of_admin, Form::default().file("file", &png()));
    assert_eq!(denied.status, 403);
    assert_eq!(running.user(MANAGER)["photoId"], json!(null));
}
