//! The forms of rounds: new, edit, this and the following, copy, delete.

use patrol_tests::{
    Page, Running, SiteClient,
    company::{CHECK_LIST, EMPLOYEE, GATE, GUARD, MANAGER, PIER, PORT, ROUND, TOWER},
    completed, execution_id, planned, series_of, with,
};
use serde_json::{Value, json};

use super::{
    PASSWORD, admin, browser,
    plans::{fields, send},
    round::{entry, path, report, running, seen},
};

/// A round that is far ahead, with the members of the API.
fn ahead(n: u32, members: Value) -> Value {
    let times = json!({
        "startAt": format!("2099-01-{n:02}T08:00:00.000Z"),
        "endAt": format!("2099-01-{n:02}T09:30:00.000Z"),
    });
    with(with(planned(n), times), members)
}

fn edit(n: u32) -> String {
    format!("{}/edit", path(n))
}

/// The ids of all rounds.
fn rounds(running: &Running) -> Vec<Value> {
    let list = running.admin.get("/task-executions/info?sort=id&limit=100").ok();
    list["data"].as_array().expect("rounds").iter().map(|round| round["id"].clone()).collect()
}

/// The round that an answer leads to.
fn led_to(running: &Running, page: &Page) -> Value {
    assert_eq!(page.status, 303, "{}", page.text);
    let to = page.header("location").expect("a path");
    let id = to.strip_prefix("/rounds/").expect("a round");
    let id = id.split('?').next().expect("an id");
    running.admin.get(&format!("/task-executions/{id}")).ok()
}

#[test]
fn a_round_that_is_saved_without_a_change_stays_as_it_is() {
    let running = running([ahead(1, json!({ "description": "Line 1\nLine 2" })), completed(2)]);
    let mut admin = admin(&running);
    for n in [1, 2] {
        let before = running.read(n);
        let page = admin.open(&edit(n));
        send(&mut admin, &page, &edit(n), &[]).leads_to(&path(n));
        assert_eq!(running.read(n), before);
    }
}

#[test]
fn all_fields_of_a_round_are_changed() {
    let running = running([ahead(1, json!({}))]);
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    manager.set_cookie("patrol_browser_zone", "Europe/Berlin");
    let page = manager.open(&edit(1));
    for (field, label) in [
        ("name", "Name"),
        ("description", "Description"),
        ("startAt", "Start"),
        ("endAt", "End"),
        ("assigneeIds", "People"),
        ("priority", "Priority"),
        ("tags", "Tags"),
    ] {
        let label = format!("<label for=\"{field}\">{label}</label>");
        assert!(page.text.contains(&label), "{label}: {}", page.text);
    }
    let published =
        "value=\"true\" checked aria-describedby=\"published-about\"> Published</label>";
    assert!(page.text.contains(published), "{}", page.text);
    assert!(page.text.contains("<p class=\"row\"><button>Save</button>"), "{}", page.text);
    assert_eq!(page.value_of("startAt"), "2099-01-01T09:00", "{}", page.text);
    let changes = [
        ("name", " Evening \"round\" "),
        ("description", "One\r\nTwo"),
        ("startAt", "2099-02-01T20:00"),
        ("endAt", "2099-02-01T21:00"),
        ("assigneeIds", EMPLOYEE),
        ("priority", "CRITICAL"),
        ("tags", "wet\r\n\r\n late "),
    ];
    let page = Page { text: page.text.replace(" checked", ""), ..page };
    send(&mut manager, &page, &edit(1), &changes).leads_to(&path(1));
    let round = running.read(1);
    let expected = json!({
        "name": "Evening \"round\"", "description": "One\nTwo", "startAt": "2099-02-01T19:00:00.000Z",
        "endAt": "2099-02-01T20:00:00.000Z", "assigneeIds": [EMPLOYEE], "priority": "CRITICAL",
        "tags": ["wet", "late"], "published": false, "edited": true,
    });
    for (name, value) in expected.as_object().expect("members") {
        assert_eq!(&round[name], value, "{name}");
    }
    assert_eq!(round["steps"].as_array().map(Vec::len), Some(2));
    let page = manager.open(&edit(1));
    for (field, value, says) in [
        ("name", "", "Name: Enter a value."),
        ("startAt", "soon", "Start: Enter a date and a time."),
        ("endAt", "soon", "End: Enter a date and a time."),
        ("endAt", "2099-02-01T19:59", "End: Choose a later end."),
        ("endAt", "", "End: Enter a value."),
        ("priority", "HUGE", "Priority: Choose one of the values."),
    ] {
        let refused = send(&mut manager, &page, &edit(1), &[(field, value), ("tags", "typed")]);
        refused.refused("Nothing was saved. Correct what is marked below.");
        assert!(refused.text.contains(says), "{says}: {}", refused.text);
        assert!(refused.text.contains("\ntyped</textarea>"), "{}", refused.text);
    }
    hides_nothing(&mut manager, &edit(1));
    assert_eq!(running.read(1), round);
}

/// Tries that a time that cannot be read hides no other fault of a form.
fn hides_nothing(browser: &mut SiteClient, path: &str) {
    let page = browser.open(path);
    let wrong = send(browser, &page, path, &[("startAt", ""), ("endAt", "soon")]);
    assert!(wrong.text.contains("Start: Enter a value."), "{}", wrong.text);
    let refused = send(browser, &page, path, &[("name", ""), ("endAt", "soon"), ("tags", " ")]);
    refused.refused("Nothing was saved. Correct what is marked below.");
    for says in ["Name: Enter a value.", "End: Enter a date and a time."] {
        assert!(refused.text.contains(says), "{says}: {}", refused.text);
    }
    assert!(!refused.text.contains("Start: "), "{}", refused.text);
}

#[test]
fn what_two_dispatchers_changed_is_shown_side_by_side() {
    let running = running([ahead(1, json!({}))]);
    let mut first = admin(&running);
    let mut second = browser(&running).signed_in("M1", PASSWORD);
    let [mine, theirs] = [first.open(&edit(1)), second.open(&edit(1))];
    // What guards report is no change of what the form shows.
    report(&running.api(GUARD), 1, &[entry(1, "START", json!({}))], 0);
    let changes = [("name", "Theirs"), ("assigneeIds", GUARD), ("startAt", "2099-01-01T07:30")];
    send(&mut second, &theirs, &edit(1), &changes).leads_to(&path(1));
    let before = running.read(1);
    let refused = send(&mut first, &mine, &edit(1), &[("name", "Mine <b>"), ("priority", "MINOR")]);
    refused.refused("Nothing was saved: somebody has changed the record meanwhile.");
    assert_eq!(running.read(1), before);
    for text in [
        "value=\"Mine &#60;b&#62;\"",
        "Now: Theirs",
        "Now: Thu 1 Jan 2099, 07:30",
        "Now: Gus Ash",
        "Now: High",
    ] {
        assert!(refused.text.contains(text), "{text}: {}", refused.text);
    }
    // Their own values are not marked.
    assert_eq!(refused.text.matches("class=\"changed\"").count(), 4, "{}", refused.text);
    send(&mut first, &refused, &edit(1), &[]).leads_to(&path(1));
    let round = running.read(1);
    assert_eq!((&round["name"], &round["priority"]), (&json!("Mine <b>"), &json!("MINOR")));
    assert_eq!(round["state"], "IN_PROGRESS");
    // What no form shows was changed.
    let page = first.open(&edit(1));
    let api = format!("/task-executions/{}", execution_id(1));
    let is_deadlined = running.read(1)["deadlined"] == true;
    let _ = running.admin.patch(&api, &json!({ "deadlined": !is_deadlined })).ok();
    let refused = send(&mut first, &page, &edit(1), &[("name", "Mine")]);
    refused.refused("Nothing was saved: somebody has changed the record meanwhile.");
    // Deleted meanwhile.
    assert_eq!(running.admin.delete(&format!("/task-executions/{}", execution_id(1))).status, 204);
    assert_eq!(send(&mut first, &refused, &edit(1), &[]).status, 404);
}

#[test]
fn of_a_completed_round_only_tags_and_published_are_offered() {
    let running = running([completed(1), ahead(2, json!({}))]);
    let mut admin = admin(&running);
    let page = admin.open(&edit(1));
    let names: Vec<_> = fields(&page).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["token", "was", "tags", "published"]);
    assert!(seen(&page).contains("The round is completed"), "{}", page.text);
    send(&mut admin, &page, &edit(1), &[("tags", "checked")]).leads_to(&path(1));
    assert_eq!(running.read(1)["tags"], json!(["checked"]));
    // Completed while the form was open.
    let page = admin.open(&edit(2));
    let entries = [entry(1, "START", json!({})), entry(2, "COMPLETE", json!({}))];
    report(&running.api(GUARD), 2, &entries, 0);
    let refused = send(&mut admin, &page, &edit(2), &[("name", "Other"), ("tags", "x")]);
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert_eq!(running.read(2)["name"], "Round 2");
}

#[test]
fn this_and_the_following_rounds_of_a_series_change_together() {
    let of_series = |n| ahead(n, json!({ "seriesId": series_of(1) }));
    let running = running([of_series(1), of_series(2), of_series(3), ahead(4, json!({}))]);
    let mut admin = admin(&running);
    let following = |n| format!("{}/following", path(n));
    assert!(!admin.open(&path(4)).text.contains("/following"));
    assert_eq!(admin.get(&following(4)).status, 404);
    assert!(admin.open(&path(2)).text.contains("Edit this and the following"));
    let page = admin.open(&following(2));
    let early = send(&mut admin, &page, &following(2), &[("endAt", "2099-01-02T07:00")]);
    early.refused("Nothing was saved. Correct what is marked below.");
    hides_nothing(&mut admin, &following(2));
    let changes = [("name", "Later"), ("startAt", "2099-01-02T08:15"), ("tags", "")];
    send(&mut admin, &page, &following(2), &changes).leads_to(&path(2));
    for (n, name, start) in [
        (1, "Round 1", "2099-01-01T08:00:00.000Z"),
        (2, "Later", "2099-01-02T08:15:00.000Z"),
        (3, "Later", "2099-01-03T08:15:00.000Z"),
    ] {
        let round = running.read(n);
        assert_eq!((&round["name"], &round["startAt"]), (&json!(name), &json!(start)));
    }
    let page = admin.open(&following(2));
    let other = json!({ "name": "Theirs" });
    let id = execution_id(2);
    assert_eq!(running.admin.patch(&format!("/task-executions/{id}"), &other).status, 200);
    let refused = send(&mut admin, &page, &following(2), &[("name", "Mine")]);
    refused.refused("Nothing was saved: somebody has changed the record meanwhile.");
    assert!(refused.text.contains("Now: Theirs"), "{}", refused.text);
    assert_eq!(running.read(3)["name"], "Later");
    report(&running.api(GUARD), 2, &[entry(1, "START", json!({}))], 0);
    assert_eq!(admin.get(&following(2)).status, 404, "it has begun");
}

#[test]
fn times_are_read_in_the_zone_in_which_the_form_was_shown() {
    let running = running([ahead(1, json!({}))]);
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    manager.set_cookie("patrol_browser_zone", "Asia/Kolkata");
    let page = manager.open(&edit(1));
    // Another zone is chosen in another tab.
    manager.set_cookie("patrol_browser_zone", "America/Los_Angeles");
    let changes = [("startAt", "2099-02-01T19:00"), ("endAt", "2099-02-01T20:00")];
    send(&mut manager, &page, &edit(1), &changes).leads_to(&path(1));
    assert_eq!(running.read(1)["startAt"], "2099-02-01T13:30:00.000Z");
}

#[test]
fn a_copy_has_another_start_and_the_same_duration() {
    let running = running([completed(1)]);
    let mut admin = admin(&running);
    let copy = format!("{}/copy", path(1));
    let page = admin.open(&copy);
    assert_eq!(page.value_of("startAt"), "2026-01-31T08:00");
    for part in ["<label for=\"startAt\">Start</label>", "<p class=\"row\"><button>Copy</button>"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    for wrong in ["", "soon"] {
        let refused = send(&mut admin, &page, &copy, &[("startAt", wrong)]);
        refused.refused("Nothing was saved. Correct what is marked below.");
    }
    assert_eq!(rounds(&running).len(), 1);
    let refused = send(&mut admin, &page, &copy, &[("startAt", "soon")]).text;
    assert_eq!(refused.matches("Enter a date and a time.").count(), 2, "{refused}");
    let made = send(&mut admin, &page, &copy, &[("startAt", "2099-12-01T22:00")]);
    let round = led_to(&running, &made);
    let times = (&round["startAt"], &round["endAt"], &round["state"], &round["name"]);
    let expected = ("2099-12-01T22:00:00.000Z", "2099-12-01T23:00:00.000Z", "PENDING", "Round 1");
    let (start, end, state, name) = expected;
    assert_eq!(times, (&json!(start), &json!(end), &json!(state), &json!(name)));
    let page = admin.open(made.header("location").expect("a path"));
    assert!(seen(&page).contains("Round copied to Tue 1 Dec 2099, 22:00"), "{}", page.text);
}

#[test]
fn a_round_is_deleted_once_and_as_it_was_seen() {
    let running = running([ahead(1, json!({}))]);
    let mut admin = admin(&running);
    let delete = format!("{}/delete", path(1));
    let page = admin.open(&delete);
    assert!(seen(&page).contains("Delete “Round 1”?"), "{}", page.text);
    let version = page.hidden("version");
    let other = json!({ "name": "Theirs" });
    let id = execution_id(1);
    assert_eq!(running.admin.patch(&format!("/task-executions/{id}"), &other).status, 200);
    let refused = admin.submit(&page, &delete, &[("version", &version)]);
    assert_eq!(refused.status, 409);
    assert!(refused.text.contains("role=\"alert\""), "{}", refused.text);
    assert!(refused.text.contains("Delete “Theirs”?"), "{}", refused.text);
    for version in ["", "x", "-1"] {
        assert_eq!(admin.submit(&page, &delete, &[("version", version)]).status, 409, "{version}");
    }
    let version = refused.hidden("version");
    let deleted = admin.submit(&refused, &delete, &[("version", &version)]);
    deleted.leads_to("/rounds?date=2099-01-01");
    for gone in [path(1), delete.clone(), edit(1)] {
        assert_eq!(admin.get(&gone).status, 404, "{gone}");
    }
    assert_eq!(admin.submit(&refused, &delete, &[("version", &version)]).status, 404);
}

#[test]
fn a_round_is_made_by_hand_from_the_points_of_a_location() {
    let running = running([]);
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let new = "/rounds/new";
    let page = manager.open(new);
    assert!(page.text.contains("name=\"published\" value=\"true\" checked"), "{}", page.text);
    let page = send(&mut manager, &page, new, &[("locationId", PORT), ("do", "points")]);
    assert_eq!((page.status, page.text.matches("form-row").count()), (200, 0), "{}", page.text);
    let page = send(&mut manager, &page, new, &[("do", "steps add")]);
    assert!(page.text.contains(&format!("<option value=\"{PIER}\">Pier")), "{}", page.text);
    let page = send(
        &mut manager,
        &page,
        new,
        &[("steps[0].pointId", PIER), ("steps[0].checkListId", CHECK_LIST), ("do", "all-points")],
    );
    assert_eq!(page.value_of("steps[0].name"), "Pier");
    assert_eq!(page.value_of("steps[1].name"), "Gate");
    let page = send(&mut manager, &page, new, &[("do", "steps[1] up")]);
    let changes = [
        ("name", "By hand"),
        ("startAt", "2099-03-01T10:00"),
        ("endAt", "2099-03-01T11:00"),
        ("assigneeIds", EMPLOYEE),
        ("priority", "MAJOR"),
        ("tags", "a\r\nb"),
        ("description", "Why"),
    ];
    let made = send(&mut manager, &page, new, &changes);
    let round = led_to(&running, &made);
    let expected = json!({
        "name": "By hand", "locationId": PORT, "startAt": "2099-03-01T10:00:00.000Z",
        "endAt": "2099-03-01T11:00:00.000Z", "assigneeIds": [EMPLOYEE], "priority": "MAJOR",
        "tags": ["a", "b"], "description": "Why", "published": true, "scheduledTaskId": null,
    });
    for (name, value) in expected.as_object().expect("members") {
        assert_eq!(&round[name], value, "{name}");
    }
    let steps = round["steps"].as_array().expect("steps");
    let named: Vec<_> = steps.iter().map(|step| (&step["name"], &step["pointId"])).collect();
    assert_eq!(named, [(&json!("Gate"), &json!(GATE)), (&json!("Pier"), &json!(PIER))]);
    let actions: Vec<_> =
        steps[1]["actions"].as_array().unwrap().iter().map(|action| &action["name"]).collect();
    assert_eq!(actions, ["Temperature", "Locked"]);
    assert_eq!(steps[1]["actions"][0]["maxValue"], json!(-15.5));
    // Sent twice, it is one round.
    let again = send(&mut manager, &page, new, &changes);
    assert_eq!(again.header("location"), made.header("location"));
    assert_eq!(rounds(&running), [round["id"].clone()]);
}

#[test]
fn a_round_is_made_from_a_plan() {
    let running = running([]);
    let plan = json!({
        "name": "Night plan", "locationId": PORT, "assigneeIds": [GUARD], "priority": "MAJOR",
        "tags": ["night"], "description": "Along the fence",
        "steps": [{ "pointId": GATE, "name": "Gate", "checkListId": CHECK_LIST, "actions": [] }],
    });
    let plan = running.api(MANAGER).post("/scheduled-tasks", &plan).json(201);
    let id = plan["id"].as_str().expect("an id");
    let mut admin = admin(&running);
    let page = admin.open(&format!("/rounds/new?planId={id}"));
    let times = [("startAt", "2099-03-01T10:00"), ("endAt", "2099-03-01T11:00")];
    let round = led_to(&running, &send(&mut admin, &page, "/rounds/new", &times));
    for name in ["name", "locationId", "assigneeIds", "priority", "tags", "description"] {
        assert_eq!(round[name], plan[name], "{name}");
    }
    assert_eq!(round["scheduledTaskId"], plan["id"]);
    assert_eq!(round["steps"][0]["actions"].as_array().map(Vec::len), Some(2));
    // What was entered takes the place of what the plan says.
    let page = admin.open(&format!("/rounds/new?planId={id}"));
    let own = [times[0], times[1], ("name", "Another"), ("assigneeIds", EMPLOYEE)];
    let round = led_to(&running, &send(&mut admin, &page, "/rounds/new", &own));
    assert_eq!((&round["name"], &round["assigneeIds"]), (&json!("Another"), &json!([EMPLOYEE])));
    assert_eq!(round["steps"][0]["name"], "Gate");
    // A plan that says nothing does not help.
    let page = admin.open(&format!("/rounds/new?planId={ROUND}"));
    let refused = send(&mut admin, &page, "/rounds/new", &times);
    refused.refused("Nothing was saved. Correct what is marked below.");
    assert!(refused.text.contains("Location: "), "{}", refused.text);
}

#[test]
fn faults_of_a_new_round_stand_beside_their_fields() {
    let running = running([]);
    let mut admin = admin(&running);
    let new = "/rounds/new";
    let page = admin.open(new);
    let page = send(&mut admin, &page, new, &[("do", "steps add")]);
    for (changes, says) in [
        (
            &[("startAt", "")][..],
            &[
                "Name: Enter",
                "Location: Enter",
                "Start: Enter",
                "End: Enter",
                "Steps 1 › Step name: Enter",
            ][..],
        ),
        (&[("locationId", execution_id(9).as_str()), ("name", "<b>")], &["value=\"&#60;b&#62;\""]),
        (
            &[
                ("name", "A"),
                ("locationId", PORT),
                ("endAt", "2000-01-01T00:00"),
                ("steps[0].name", "S"),
            ],
            &["End: Choose a later end."],
        ),
        (
            &[
                ("name", "A"),
                ("locationId", PORT),
                ("startAt", "2099-01-01T00:00"),
                ("endAt", "2099-01-01T01:00"),
                ("steps[0].name", "S"),
                ("steps[0].checkListId", &execution_id(9)),
            ],
            &["Steps 1 › Check-list: Choose a record that exists and belongs here."],
        ),
        (
            &[
                ("locationId", PORT),
                ("startAt", "soon"),
                ("endAt", "later"),
                ("steps[0].pointId", TOWER),
                ("steps[0].checkListId", &execution_id(9)),
            ],
            &[
                "Name: Enter a value.",
                "Start: Enter a date and a time.",
                "End: Enter a date and a time.",
                "Steps 1 › Point: Choose a point of the location",
                "Steps 1 › Step name: Enter a value.",
                "Steps 1 › Check-list: Choose a record that exists",
            ],
        ),
    ] {
        let refused = send(&mut admin, &page, new, changes);
        refused.refused("Nothing was saved. Correct what is marked below.");
        for text in says {
            assert!(refused.text.contains(text), "{text}: {}", refused.text);
        }
    }
    assert!(rounds(&running).is_empty());
}
