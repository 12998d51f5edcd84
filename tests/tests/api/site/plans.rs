//! `/plans`.

use patrol_tests::{
    DataSet, Page, Running, SiteClient, Store,
    company::{
        AIRPORT, CHECK_LIST, EMPLOYEE, GATE, NOBODY, PIER, PORT, ROUND, TOWER, YARD,
        company as records,
    },
    round::eventually,
    with,
};
use serde_json::{Value, json};

use super::{PASSWORD, admin, browser, people};

/// The places of the company, and people who may sign in.
fn running() -> Running {
    let company = records();
    let others = company.records().iter().filter(|record| record["kind"] != "user").cloned();
    Running::on(Store::with(&DataSet::new(people()).and(others)))
}

/// The names and values that a browser sends with the form of a record, as it stands.
pub(super) fn fields(page: &Page) -> Vec<(String, String)> {
    let (_, form) = page.text.split_once("<form class=\"record\"").expect("a form");
    let form = form.split("</form>").next().expect("its end");
    let mut fields = Vec::new();
    for element in form.split('<') {
        let (tag, text) = element.split_once('>').unwrap_or((element, ""));
        let attribute = |name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            Some(unescaped(rest.split('"').next()?))
        };
        let is_box = attribute("type").as_deref() == Some("checkbox");
        let name = attribute("name");
        match (tag.split(' ').next(), name) {
            (Some("input"), Some(name)) if !is_box || tag.contains(" checked") => {
                fields.push((name, attribute("value").unwrap_or_default()));
            }
            (Some("textarea"), Some(name)) => {
                fields.push((name, unescaped(text).trim_start_matches('\n').to_owned()));
            }
            // Its value is that of the option that is chosen, or of the first one.
            (Some("select"), Some(name)) if !tag.contains(" multiple") => {
                fields.push((name, "first".to_owned()));
            }
            (Some("select"), Some(name)) => fields.push((name, "several".to_owned())),
            (Some("option"), None) => {
                let value = attribute("value").unwrap_or_default();
                let last = fields.last_mut().expect("a select");
                if tag.ends_with(" selected") || last.1 == "first" {
                    let is_several = last.1 == "several";
                    last.1 = value;
                    if is_several {
                        let again = (last.0.clone(), "several".to_owned());
                        fields.push(again);
                    }
                }
            }
            _ => {}
        }
    }
    fields.retain(|(_, value)| value != "several");
    fields
}

/// A text of a page without character references.
pub(super) fn unescaped(text: &str) -> String {
    let mut parts = text.split("&#");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once(';').expect("a reference");
        plain.push(char::from_u32(number.parse().expect("a number")).expect("a character"));
        plain.push_str(rest);
    }
    plain
}

/// Sends the form of a page with some fields changed. `do` is a button.
pub(super) fn send(
    browser: &mut SiteClient,
    page: &Page,
    path: &str,
    changes: &[(&str, &str)],
) -> Page {
    let mut all = fields(page);
    all.retain(|(name, _)| !changes.iter().any(|(changed, _)| name == changed));
    all.extend(changes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    browser.post(path, &all)
}

/// The fields of a question before a plan is saved.
fn confirm(browser: &mut SiteClient, page: &Page, path: &str) -> Page {
    assert_eq!(page.status, 200, "{}", page.text);
    let question = page.text.replacen(
        "<form method=\"post\" action=\"/plans",
        "<form class=\"record\" action=\"/plans",
        1,
    );
    let all = fields(&Page { text: question, ..page.clone() });
    assert!(all.contains(&("confirmed".to_owned(), "true".to_owned())), "{}", page.text);
    let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    browser.post(path, &all)
}

/// A plan of the API with a daily schedule that begins far in the future, made by the API.
fn planned(running: &Running, members: Value) -> String {
    let plan = json!({
        "name": "Night <round>", "locationId": PORT, "assigneeIds": [EMPLOYEE], "tags": ["a\u{22}b", "c"],
        "description": "Line 1\nLine 2", "priority": "MAJOR", "deadlined": true, "published": false,
        "steps": [
            {
                "pointId": PIER, "name": "Pier", "order": 5, "checkListId": CHECK_LIST,
                "actions": [{ "name": "Pressure", "type": "NUMBER", "minValue": 0.5, "maxValue": 3, "required": true }],
            },
            { "pointId": GATE, "name": "Gate", "order": 9 },
        ],
        "schedule": {
            "timeZone": "Europe/Berlin", "start": "2026-03-28T02:30:00", "durationMinutes": 90,
            "rrule": "COUNT=500;FREQ=DAILY", "exdates": ["2026-04-01T02:30:00"],
            "rdates": ["2027-04-01T02:30:15"], "pauses": [{ "from": "2026-05-01", "to": "2026-05-03" }],
        },
    });
    let made = running.admin.post("/scheduled-tasks", &with(plan, members)).json(201);
    made["id"].as_str().expect("an id").to_owned()
}

fn plan(running: &Running, id: &str) -> Value {
    let mut plan = running.admin.get(&format!("/scheduled-tasks/{id}")).ok();
    plan.as_object_mut().expect("a plan").remove("nextStartAt");
    plan
}

#[test]
fn a_plan_that_is_saved_without_a_change_stays_as_it_is() {
    let running = running();
    let mut admin = admin(&running);
    for members in [
        json!({}),
        json!({ "schedule": null, "enabled": false, "orderStepsRequired": true }),
        json!({ "schedule": {
            "timeZone": "UTC", "start": "2030-01-01T00:00:30", "durationMinutes": 1,
            "rrule": "freq=yearly;BYWEEKNO=1,-1;BYDAY=MO", "exdates": [], "rdates": [], "pauses": [],
        } }),
    ] {
        let id = planned(&running, members);
        let (before, path) = (plan(&running, &id), format!("/plans/{id}/edit"));
        let page = admin.open(&path);
        send(&mut admin, &page, &path, &[]).leads_to(&format!("/plans/{id}"));
        assert_eq!(plan(&running, &id), before);
    }
}

#[test]
fn a_changed_plan_is_saved_after_its_consequences_were_shown() {
    let running = running();
    let mut admin = admin(&running);
    let id = planned(
        &running,
        json!({ "schedule": {
        "timeZone": "UTC", "start": "2026-01-01T10:00:00", "durationMinutes": 60, "rrule": "FREQ=DAILY",
    } }),
    );
    let rounds = eventually("the rounds of two weeks", || {
        let list = format!("/task-executions/info?scheduledTaskId={id}&sort=startAt&limit=20");
        let rounds = running.admin.get(&list).ok()["data"].clone();
        Some(rounds).filter(|rounds| rounds.as_array().expect("rounds").len() >= 14)
    });
    let edited = format!("/task-executions/{}", rounds[13]["id"].as_str().expect("an id"));
    let _ = running.admin.patch(&edited, &json!({ "tags": ["kept"] })).ok();
    let (before, path) = (plan(&running, &id), format!("/plans/{id}/edit"));
    let page = admin.open(&path);
    let changes = [("schedule.repeats", "weekly"), ("name", "Weekly \"round\"\r\n")];
    let mut weekly = with(before.clone(), json!({ "name": "Weekly \"round\"" }));
    weekly["schedule"]["rrule"] = json!("FREQ=WEEKLY");
    let dry_run = || {
        let path = format!("/scheduled-tasks/{id}?dryRun=true");
        running.admin.put(&path, &weekly).ok()
    };
    // A round may begin between the page and the API.
    let (said, question) = loop {
        let said = dry_run();
        let question = send(&mut admin, &page, &path, &changes);
        if dry_run() == said {
            break (said, question);
        }
    };
    assert!(question.text.contains("<h1>Save “Night &#60;round&#62;”?</h1>"), "{}", question.text);
    let start = |round: &Value| round["startAt"].as_str().expect("a time").to_owned();
    for (heading, group) in
        [("Created", "created"), ("Changed", "changed"), ("Deleted", "deleted"), ("Kept", "kept")]
    {
        let starts: Vec<_> = said[group].as_array().expect("rounds").iter().map(start).collect();
        assert!(group == "created" || !starts.is_empty(), "{said}");
        let number = format!("<dt>{heading}</dt><dd>{}</dd>", starts.len());
        assert!(question.text.contains(&number), "{number}: {}", question.text);
        let heading = format!("<h2>{heading}</h2>");
        let (_, times) = question.text.split_once(&heading).unwrap_or_default();
        let times = times.split("</section>").next().expect("a section").split("datetime=\"");
        let times: Vec<_> = times.skip(1).filter_map(|time| time.split('"').next()).collect();
        assert_eq!(times, starts, "{heading}: {}", question.text);
    }
    assert_eq!(plan(&running, &id), before, "nothing is saved yet");
    // Back to the form, with what was entered.
    let back = confirm_with(&mut admin, &question, &path, ("do", "edit"));
    assert!(back.text.contains("Weekly &#34;round&#34;"), "{}", back.text);
    confirm(&mut admin, &question, &path).leads_to(&format!("/plans/{id}"));
    let after = plan(&running, &id);
    assert_eq!(after["schedule"]["rrule"], "FREQ=WEEKLY");
    assert_eq!((&after["name"], &after["steps"]), (&json!("Weekly \"round\""), &before["steps"]));
    // Somebody else changes the plan while another change waits for its answer.
    let page = admin.open(&path);
    let question = send(&mut admin, &page, &path, &[("description", "Mine")]);
    let other = with(after, json!({ "description": "Theirs" }));
    let _ = running.admin.put(&format!("/scheduled-tasks/{id}"), &other).ok();
    let again = confirm(&mut admin, &question, &path);
    again.refused("Nothing was saved: somebody has changed the record meanwhile.");
    assert!(
        again.text.contains("Now: Theirs") && again.text.contains("\nMine</textarea>"),
        "{}",
        again.text
    );
}

fn confirm_with(
    browser: &mut SiteClient,
    page: &Page,
    path: &str,
    (name, value): (&str, &str),
) -> Page {
    let hidden = format!(
        "<input type=\"hidden\" name=\"confirmed\" value=\"true\">\n<input name=\"{name}\" value=\"{value}\">"
    );
    let text =
        page.text.replace("<input type=\"hidden\" name=\"confirmed\" value=\"true\">", &hidden);
    confirm(browser, &Page { text, ..page.clone() }, path)
}

#[test]
fn a_plan_is_made_from_the_points_of_a_location() {
    let running = running();
    let mut planner = browser(&running).signed_in("M1", PASSWORD);
    let page = planner.open("/plans/new");
    let page = send(
        &mut planner,
        &page,
        "/plans/new",
        &[("name", "Rounds"), ("locationId", PORT), ("do", "all-points")],
    );
    assert_eq!(page.status, 200, "{}", page.text);
    let page = send(&mut planner, &page, "/plans/new", &[("do", "steps[1] up")]);
    let page = send(&mut planner, &page, "/plans/new", &[("do", "steps[0].actions add")]);
    let made = send(
        &mut planner,
        &page,
        "/plans/new",
        &[
            ("steps[0].actions[0].name", "Locked"),
            ("steps[1].checkListId", CHECK_LIST),
            ("schedule.start", "2026-12-01T22:00"),
            ("schedule.repeats", "weekly"),
            ("schedule.days", "WE"),
            ("schedule.ends", "on"),
            ("schedule.until", "2027-01-31"),
            ("schedule.exdates", "2026-12-09 22:00\r\n2026-12-16 22:00"),
            ("schedule.pauses", "2026-12-24 - 2027-01-02"),
        ],
    );
    assert_eq!(made.status, 303, "{}", made.text);
    let path = made.header("location").expect("a path").to_owned();
    let plan = plan(&running, path.strip_prefix("/plans/").expect("a plan"));
    let names: Vec<_> =
        plan["steps"].as_array().unwrap().iter().map(|step| &step["name"]).collect();
    assert_eq!(names, ["Pier", "Gate"]);
    assert_eq!(plan["steps"][0]["actions"][0]["name"], "Locked");
    assert_eq!(plan["steps"][1]["checkListId"], CHECK_LIST);
    let schedule = json!({
        "timeZone": "UTC", "start": "2026-12-01T22:00:00", "durationMinutes": 60,
        "rrule": "FREQ=WEEKLY;BYDAY=WE;UNTIL=20270131T235959",
        "exdates": ["2026-12-09T22:00:00", "2026-12-16T22:00:00"], "rdates": [],
        "pauses": [{ "from": "2026-12-24", "to": "2027-01-02" }],
    });
    assert_eq!(plan["schedule"], schedule);
    let page = planner.open(&path);
    for text in ["Every week: Wed", "1. Pier", "Locked (Yes or no)", "Cold store", "Everybody"] {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    planner.set_cookie("patrol_language", "ru");
    assert!(planner.open(&path).text.contains("Каждую неделю: ср"));
}

#[test]
fn the_form_has_the_fields_of_a_schedule() {
    let running = running();
    let page = admin(&running).open("/plans/new");
    let part = |html: &str, start: &str, end: &str| {
        let (_, rest) = html.split_once(start).unwrap_or_else(|| panic!("{start}: {html}"));
        rest.split(end).next().expect("a part").to_owned()
    };
    // The texts of the elements with these tags.
    let texts = |html: &str, start: &str, end: &str| -> Vec<String> {
        let elements = html.split(start).skip(1).filter_map(|rest| rest.split(end).next());
        elements.filter_map(|text| Some(text.rsplit_once('>')?.1.trim().to_owned())).collect()
    };
    let schedule = part(&page.text, "<legend>Schedule</legend>", "</fieldset>");
    let fields = [
        "Time zone",
        "First start",
        "Duration",
        "Repeats",
        "Rule",
        "Ends",
        "On",
        "After",
        "Exceptions",
        "Additional rounds",
        "Pauses",
    ];
    assert_eq!(texts(&schedule, "<label for=", "</label>"), fields);
    let repeats = part(&schedule, "<select id=\"schedule.repeats\"", "</select>");
    let choices = ["Never", "Daily", "Weekly", "Monthly", "Yearly", "Rule by hand"];
    assert_eq!(texts(&repeats, "<option", "</option>"), choices);
    let ends = part(&schedule, "<select id=\"schedule.ends\"", "</select>");
    assert_eq!(texts(&ends, "<option", "</option>"), ["Never", "On", "After"]);
    assert!(schedule.contains("class=\"label\">On days</span>"), "{schedule}");
    let days = part(&schedule, "<div id=\"schedule.days\"", "</div>");
    let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    assert_eq!(texts(&days, "<input", "</label>"), names);
    assert!(schedule.contains(">Preview</button>"), "{schedule}");
}

#[test]
fn a_preview_shows_local_times_and_marks_those_that_clocks_skip() {
    let running = running();
    let mut admin = admin(&running);
    let page = admin.open("/plans/new");
    let changes = [
        ("schedule.timeZone", "Europe/Berlin"),
        ("schedule.start", "2031-03-29T02:30"),
        ("schedule.repeats", "daily"),
        ("do", "preview"),
    ];
    let preview = send(&mut admin, &page, "/plans/new", &changes);
    assert_eq!(preview.status, 200, "{}", preview.text);
    assert_eq!(preview.text.matches("<tr><th scope=\"row\">").count(), 20);
    let moved = "<time datetime=\"2031-03-30T03:30:00+02:00\">Sun 30 Mar 2031, 03:30</time>";
    assert!(preview.text.contains(moved), "{}", preview.text);
    assert_eq!(preview.text.matches("Moved: the clocks skip Sun 30 Mar 2031, 02:30.").count(), 1);
    for (start, offset) in [
        ("2031-03-29T02:30:00", "+01:00"),
        ("2031-03-30T03:30:00", "+02:00"),
        ("2031-03-31T02:30:00", "+02:00"),
    ] {
        let time = format!("<time datetime=\"{start}{offset}\">");
        let row = preview.text.split("<tr>").find(|row| row.contains(&time)).expect("a row");
        let offset = format!("<td data-label=\"Offset from UTC\">{offset}</td>");
        assert!(row.contains(&offset), "{offset}: {row}");
    }
    let faults = [
        ("schedule.start", "", "First start: Enter a value."),
        ("schedule.timeZone", "Moon/Base", "Time zone: Choose one of the values."),
        ("schedule.durationMinutes", "0", "Duration: Enter a number from 1 to 10080."),
    ];
    for (field, value, says) in faults {
        let mut changes = changes.to_vec();
        changes.retain(|(name, _)| *name != field);
        changes.push((field, value));
        let refused = send(&mut admin, &page, "/plans/new", &changes);
        refused.refused("Nothing was saved.");
        assert!(refused.text.contains(says), "{says}: {}", refused.text);
    }
}

#[test]
fn faults_are_shown_beside_their_fields_and_what_was_typed_stays() {
    let running = running();
    let mut admin = admin(&running);
    let page = admin.open("/plans/new");
    let page = send(&mut admin, &page, "/plans/new", &[("do", "steps add")]);
    let long = "a\r\n".repeat(101);
    for (changes, says) in [
        (
            vec![],
            vec![
                "Name: Enter a value.",
                "Location: Enter a value.",
                "Steps 1 › Step name: Enter a value.",
            ],
        ),
        (
            vec![
                ("schedule.repeats", "daily"),
                ("schedule.ends", "after"),
                ("schedule.count", "no"),
            ],
            vec!["After: Enter a whole number from 1."],
        ),
        (
            vec![
                ("schedule.repeats", "rule"),
                ("schedule.rrule", "FREQ=<b>"),
                ("schedule.start", "2026-12-01T22:00"),
                ("schedule.pauses", "2026-12-24 2026-12-23"),
            ],
            vec![
                "Rule: Change the rule: wrong FREQ: &#60;B&#62;.",
                "Pauses: Line 1: Choose a later end.",
                "value=\"FREQ=&#60;b&#62;\"",
            ],
        ),
        (
            // What cannot be read hides nothing else.
            vec![
                ("schedule.start", "x"),
                ("schedule.exdates", "2026-12-24 22:00\r\ny"),
                ("schedule.pauses", "2026-12-24 2026-12-23"),
            ],
            vec![
                "First start: Enter a date and",
                "Exceptions: Line 2: Enter a date and",
                "Pauses: Line 1: Choose a later end.",
                "Name: Enter a value.",
            ],
        ),
        (
            vec![("schedule.rdates", "y"), ("tags", &long)],
            vec![
                "Additional rounds: Line 1: Enter a date and",
                "Tags: Enter from 0 to 100 entries.",
            ],
        ),
        (vec![("locationId", NOBODY)], vec!["Location: Choose a record that exists"]),
    ] {
        let refused = send(&mut admin, &page, "/plans/new", &changes);
        refused.refused("Nothing was saved. Correct what is marked below.");
        for text in says {
            assert!(refused.text.contains(text), "{text}: {}", refused.text);
        }
    }
}

#[test]
fn steps_that_somebody_else_has_added_are_said_before_they_are_replaced() {
    let running = running();
    let id = planned(&running, json!({ "schedule": null }));
    let path = format!("/plans/{id}/edit");
    let (mut first, mut second) = (admin(&running), browser(&running).signed_in("M1", PASSWORD));
    let [mine, theirs] = [first.open(&path), second.open(&path)];
    // The buttons of rows of different steps have different names.
    for name in ["Add action, Pier", "Add action, Gate"] {
        assert!(mine.text.contains(&format!("aria-label=\"{name}\"")), "{name}: {}", mine.text);
    }
    let theirs = send(&mut second, &theirs, &path, &[("do", "steps add")]);
    let changes = [("steps[2].name", "Roof <b>"), ("enabled", "")];
    let saved = send(&mut second, &theirs, &path, &changes);
    confirm(&mut second, &saved, &path).leads_to(&format!("/plans/{id}"));
    let refused = send(&mut first, &mine, &path, &[("name", "Mine")]);
    refused.refused("Nothing was saved: somebody has changed the record meanwhile.");
    for text in ["Now: Pier, Gate, Roof &#60;b&#62;", "Now: No"] {
        assert!(refused.text.contains(text), "{text}: {}", refused.text);
    }
}

#[test]
fn a_refused_preview_does_not_hide_what_somebody_else_has_saved() {
    let running = running();
    let id = planned(&running, json!({ "schedule": null }));
    let path = format!("/plans/{id}/edit");
    let (mut first, mut second) = (admin(&running), browser(&running).signed_in("M1", PASSWORD));
    let [mine, theirs] = [first.open(&path), second.open(&path)];
    let saved = send(&mut second, &theirs, &path, &[("enabled", "")]);
    confirm(&mut second, &saved, &path).leads_to(&format!("/plans/{id}"));
    let preview = send(&mut first, &mine, &path, &[("do", "preview")]);
    assert_eq!(preview.status, 422, "it has no start: {}", preview.text);
    let refused = send(&mut first, &preview, &path, &[("name", "Mine")]);
    refused.refused("Nothing was saved: somebody has changed the record meanwhile.");
}

#[test]
fn the_summary_of_faults_is_in_the_order_of_the_form() {
    let running = running();
    let mut admin = admin(&running);
    let new = "/plans/new";
    let page = admin.open(new);
    let page = send(&mut admin, &page, new, &[("locationId", PORT), ("do", "all-points")]);
    let page = send(&mut admin, &page, new, &[("do", "steps[1].actions add")]);
    let refused =
        send(&mut admin, &page, new, &[("steps[0].name", &"x".repeat(256)), ("tags", " ")]);
    let (_, summary) = refused.text.split_once("class=\"faults\">").expect("a summary");
    let summary = summary.split("</ul>").next().expect("its end");
    let said: Vec<_> = summary.split("\">").skip(1).map(|rest| rest.split('<').next()).collect();
    let expected = [
        "Name: Enter a value.",
        "Steps 1 › Step name: Enter from 1 to 255 characters.",
        "Steps 2 › Actions 1 › Action name: Enter a value.",
    ];
    assert_eq!(said, expected.map(Some));
}

#[test]
fn steps_visit_points_of_the_location_and_only_numbers_have_bounds() {
    let running = running();
    let mut admin = admin(&running);
    let new = "/plans/new";
    let page = admin.open(new);
    let nothing = |page: &Page, why: &str| {
        assert!(page.status == 200 && page.text.contains(why), "{why}: {}", page.text);
    };
    for button in ["points", "all-points"] {
        let of = |location| [("locationId", location), ("do", button)];
        nothing(&send(&mut admin, &page, new, &of("")), "Choose a location first.");
        nothing(&send(&mut admin, &page, new, &of(YARD)), "The location has no points yet.");
    }
    let page = send(&mut admin, &page, new, &[("locationId", PORT), ("do", "all-points")]);
    let page = send(&mut admin, &page, new, &[("do", "steps[0].actions add")]);
    let bounds = [
        ("name", "A"),
        ("locationId", AIRPORT),
        ("steps[0].actions[0].name", "Locked"),
        ("steps[0].actions[0].maxValue", "3"),
    ];
    let refused = send(&mut admin, &page, new, &bounds);
    refused.refused("Nothing was saved. Correct what is marked below.");
    for text in [
        "Steps 1 › Point: Choose a point of the location",
        "Steps 2 › Point: Choose a point of the location",
        "Steps 1 › Actions 1 › Maximum: Leave this empty: only numbers have bounds.",
    ] {
        assert!(refused.text.contains(text), "{text}: {}", refused.text);
    }
    // A plan that the API has made keeps what it has, until its location changes.
    let elsewhere = json!([{ "pointId": TOWER, "name": "Tower" }]);
    let id = planned(&running, json!({ "steps": elsewhere, "schedule": null }));
    let path = format!("/plans/{id}/edit");
    let page = admin.open(&path);
    let saved = send(&mut admin, &page, &path, &[("name", "B")]);
    confirm(&mut admin, &saved, &path).leads_to(&format!("/plans/{id}"));
    let page = admin.open(&path);
    let refused = send(&mut admin, &page, &path, &[("locationId", YARD)]);
    assert!(refused.text.contains("Choose a point of the location"), "{}", refused.text);
}

#[test]
fn who_may_not_plan_reads_plans() {
    let running = running();
    let id = planned(&running, json!({}));
    let mut employee = browser(&running).signed_in("E1", PASSWORD);
    let list = employee.open("/plans");
    assert!(list.text.contains("Night &#60;round&#62;") && !list.text.contains("New plan"));
    let page = employee.open(&format!("/plans/{id}"));
    assert!(!page.text.contains("/edit") && !page.text.contains("/delete"), "{}", page.text);
    for path in
        ["/plans/new".to_owned(), format!("/plans/{id}/edit"), format!("/plans/{id}/delete")]
    {
        assert_eq!(employee.get(&path).status, 403, "{path}");
        assert_eq!(employee.submit(&page, &path, &[]).status, 403, "{path}");
    }
    let mut admin = admin(&running);
    assert_eq!(admin.post("/plans/new", &[("name", "x")]).status, 403, "without a token");
    for unknown in [NOBODY, "x"] {
        assert_eq!(admin.get(&format!("/plans/{unknown}")).status, 404);
        assert_eq!(admin.get(&format!("/plans/{unknown}/edit")).status, 404);
    }
    browser(&running).get("/plans").leads_to("/sign-in");
}

#[test]
fn plans_are_listed_sorted_searched_and_deleted() {
    let running = running();
    let id = planned(&running, json!({ "priority": "MINOR" }));
    let mut admin = admin(&running);
    let names = |page: &Page| -> Vec<String> {
        let rows = page.text.split("<th scope=\"row\">").skip(1);
        rows.map(|row| unescaped(row.split(['<', '>']).nth(2).expect("a name"))).collect()
    };
    assert_eq!(names(&admin.open("/plans")), ["Night <round>", "Night round"]);
    assert_eq!(names(&admin.open("/plans?sort=-priority")), ["Night round", "Night <round>"]);
    assert_eq!(names(&admin.open("/plans?search=%3CROUND")), ["Night <round>"]);
    let list = admin.open("/plans");
    assert!(list.text.contains("Порт, склад 3") && list.text.contains("By hand"), "{}", list.text);
    let path = format!("/plans/{id}/delete");
    let question = admin.open(&path);
    assert!(question.text.contains("Delete “Night &#60;round&#62;”?"), "{}", question.text);
    let version = question.hidden("version");
    admin.submit(&question, &path, &[("version", &version)]).leads_to("/plans");
    assert_eq!(names(&admin.open("/plans")), ["Night round"]);
    // A plan of an earlier version without a location is shown, and gets one when it is saved.
    assert!(admin.open(&format!("/plans/{ROUND}")).text.contains("By hand"));
}
