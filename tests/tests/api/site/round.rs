//! `/rounds/{id}`: what a round is, what happened on it, and its media.

use patrol_tests::{
    Api, DataSet, Form, Page, Running, Store, action_id,
    company::{EMPLOYEE, GATE, GUARD, MANAGER, NOBODY, PIER, PORT, company as records},
    execution_id, pictures, planned, step_id, with,
};
use serde_json::{Value, json};

use super::{PASSWORD, admin, browser, live::stream, people, plans::unescaped};

const PHOTO: &str = "0190a000-000e-7000-8000-000000000001";
const SOUND: &str = "0190a000-000e-7000-8000-000000000002";
const HOSTILE: &str = "<script>alert(1)</script>\"'onload=\"x\u{202e}=1+1";

/// A company with these rounds, whose people may sign in. The gate has a code and a position, the pier a
/// position.
fn store(rounds: impl IntoIterator<Item = Value>) -> Store {
    let point = |latitude: f64| json!({ "type": "QR", "latitude": latitude, "longitude": -0.1 });
    let records = records();
    let others = records
        .records()
        .iter()
        .filter(|record| people().iter().all(|user| user["id"] != record["id"]));
    let others = others.map(|record| match record["id"].as_str() {
        Some(GATE) => with(with(record.clone(), point(51.5)), json!({ "qrCode": "GATE" })),
        Some(PIER) => with(record.clone(), point(51.501)),
        Some(GUARD) => with(record.clone(), json!({ "firstName": "Gus" })),
        _ => record.clone(),
    });
    Store::with(&DataSet::new(people()).and(others).and(rounds))
}

/// A server with this company.
pub(super) fn running(rounds: impl IntoIterator<Item = Value>) -> Running {
    Running::on(store(rounds))
}

pub(super) fn path(n: u32) -> String {
    format!("/rounds/{}", execution_id(n))
}

fn api_path(n: u32) -> String {
    format!("/task-executions/{}", execution_id(n))
}

/// What a reader sees of the content of a page.
pub(super) fn seen(page: &Page) -> String {
    let main = page.text.split_once("<main").expect("a page").1;
    let main = main.split("</main>").next().expect("its end");
    unescaped(&super::seen(main))
}

/// Checks that the texts follow each other.
fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("{part}: {text}"));
        rest = after;
    }
}

fn section<'a>(text: &'a str, heading: &str, next: &str) -> &'a str {
    let (_, rest) = text.split_once(heading).unwrap_or_else(|| panic!("{heading}: {text}"));
    rest.split_once(next).map_or(rest, |(section, _)| section)
}

/// Where a page may load pictures from.
fn picture_sources(page: &Page) -> &str {
    section(page.header("content-security-policy").expect("a policy"), "img-src ", ";")
}

pub(super) fn entry(n: u32, kind: &str, members: Value) -> Value {
    let id = format!("0190a000-000c-7000-8000-{n:012x}");
    with(json!({ "id": id, "type": kind, "at": "2026-01-31T08:01:00Z" }), members)
}

/// Sends entries, all of which are taken unless `refused` of them are not.
pub(super) fn report(api: &Api, n: u32, entries: &[Value], refused: usize) {
    let answer = api.post(&format!("{}/reports", api_path(n)), &json!(entries)).ok();
    let entries = answer["entries"].as_array().expect("entries").iter();
    assert_eq!(entries.filter(|one| one["outcome"] == "REFUSED").count(), refused, "{answer}");
}

fn send(api: &Api, id: &str, content: &[u8]) {
    let form = Form::default().file("file", content).field("id", id);
    let _ = api.form("/media", &form).json(201);
}

/// Walks round 1: everything is said, and much of it is odd.
fn walk(running: &Running) {
    let guard = running.api(GUARD);
    send(&guard, PHOTO, &pictures::picture(image::ImageFormat::Png));
    send(&guard, SOUND, b"ID3\x04\0\0");
    let (first, second) = (step_id(1, 1), step_id(1, 2));
    let far = json!({ "latitude": 51.51, "longitude": -0.1, "accuracy": 5 });
    let result = |n, step: &str, action, value: Value| {
        let action = json!({ "stepId": step, "actionId": action_id(1, action) });
        entry(n, "RESULT", with(action, value))
    };
    let scan = json!({ "stepId": first, "technology": "QR", "code": "X", "position": far });
    let blank = json!({ "stepId": second, "technology": "QR", "code": null });
    report(
        &guard,
        1,
        &[
            entry(1, "START", json!({})),
            entry(2, "SCAN", scan),
            result(3, &first, 1, json!({ "booleanValue": false })),
            result(4, &first, 2, json!({ "numberValue": 3 })),
            entry(5, "NOTE", json!({ "textValue": "Rain\nand wind", "mediaIds": [SOUND] })),
            entry(6, "FINISH_STEP", json!({ "stepId": NOBODY })),
            entry(7, "SCAN", with(blank, json!({ "at": "2026-01-31T08:20:00Z" }))),
            result(8, &second, 3, json!({ "textValue": "dry" })),
            result(9, &second, 4, json!({ "mediaIds": [PHOTO] })),
            entry(10, "COMPLETE", json!({ "at": "2026-01-31T08:30:00Z" })),
        ],
        1,
    );
}

#[test]
fn the_page_has_all_of_a_round() {
    let running = running([planned(1)]);
    walk(&running);
    let tags = json!({ "tags": ["night", "wet"] });
    assert_eq!(running.api(MANAGER).patch(&api_path(1), &tags).status, 200);
    let mut admin = admin(&running);
    let page = admin.open(&path(1));
    let text = seen(&page);
    assert!(page.text.contains("<h1>Round 1</h1>"), "{text}");
    in_order(
        section(&text, "State", "Steps Gate"),
        &[
            "Completed Error Flagged: 9",
            "Location Порт, склад 3",
            "Start Sat 31 Jan",
            "08:00 End Sat 31 Jan",
            "09:00 Started Sat 31 Jan",
            "08:01 Ended Sat 31 Jan",
            "08:30 People Gus Ash, Eve Ash",
            "Performed by Gus Ash",
            "Plan Night round",
            "Priority High",
            "Published Yes",
            "Tags night, wet",
            "Rules Steps in their order, Has a deadline",
            "Description Along the fence",
        ],
    );
    in_order(
        section(&text, "Steps Gate", "Map"),
        &[
            "Completed Point: Gate Performed as number 1 First entry: Sat 31 Jan",
            "08:01 Last entry: Sat 31 Jan",
            "Closed: No Error Yes or no, required",
            "Pressure: 3 Warning Number, 1 to 2.5",
            "Pier Completed Point: Pier Performed as number 2 First entry: Sat 31 Jan",
            "08:20 Last entry: Sat 31 Jan",
            "Remarks: dry Passed Text",
            "Photo: Passed Photo, video or sound, required",
        ],
    );
    // The list says what the map shows: the flags stand with their steps.
    in_order(
        section(&text, "What the map shows", "Timeline"),
        &[
            "1. Gate: Completed",
            "The code is not that of the point.",
            "1112 m from the point, more than the allowed 105 m.",
            "2. Pier: Completed",
            "Arrived more than a day later. × 3",
        ],
    );
    let timeline = section(&text, "Timeline", "\0");
    in_order(
        timeline,
        &[
            "Round started",
            "Gus Ash, by the device: Sat 31 Jan",
            "08:01",
            "Gate: code read by QR code",
            "51.51000, -0.10000 ± 5 m",
            "The code is not that of the point.",
            "Gate, Closed: No",
            "Gate, Pressure: 3",
            "Note",
            "Rain\nand wind".replace('\n', " ").as_str(),
            "Sound 1",
            "A step that was removed: step finished",
            "Not taken: the round has no such step or action.",
            "Pier: reached without a code",
            "Pier, Remarks: dry",
            "By the clock of the device, before the entry taken last.",
            "Pier, Photo: Photo, video or sound",
            "Round completed",
            "Changed: Tags",
            "Max Ash",
            "Tags: night, fire → night, wet",
        ],
    );
    // An entry and its event are one line.
    assert_eq!(page.text.matches("<li data-key=\"0190a000-000c-").count(), 10);
    for line in ["Round started", "Round completed", "Gate, Closed: No", "Changed:"] {
        assert_eq!(timeline.matches(line).count(), 1, "{line}: {timeline}");
    }
    // The result and its entry have a small picture that leads to the whole one.
    for entry in ["", "?entry=0190a000-000c-7000-8000-000000000009"] {
        let whole = format!("{}/media/{PHOTO}{entry}", path(1));
        let link =
            format!("<a class=\"medium\" href=\"{whole}\"><img src=\"{whole}\" alt=\"Photo 1\"");
        assert!(page.text.contains(&link), "{link}: {}", page.text);
    }
    let of_note = "?entry=0190a000-000c-7000-8000-000000000005";
    let sound = format!("href=\"{}/media/{SOUND}{of_note}\">Sound 1</a>", path(1));
    assert!(page.text.contains(&sound), "{sound}: {}", page.text);
    // The times of the round and of each line are in UTC for programs.
    for at in ["08:00", "09:00", "08:01", "08:30"] {
        let time = format!("<dd><time datetime=\"2026-01-31T{at}:00.000Z\">");
        assert!(page.text.contains(&time), "{time}: {}", page.text);
    }
    let lines = section(&page.text, "<ol class=\"timeline\"", "</ol>").split("<li data-key=\"");
    for line in lines.skip(1) {
        let time = line.split_once("\"><time datetime=\"").expect("its time").1;
        assert!(time.split('"').next().is_some_and(|time| time.ends_with('Z')), "{line}");
    }
    assert_eq!(page.text.matches("<g class=\"mark completed\"").count(), 2, "{}", page.text);
    let style = admin.open("/site.css").text;
    assert!(style.contains(".mark.completed") && style.contains(".mark.in-progress"));
    let live = format!("data-live=\"/rounds/live?id={}\" data-zone=\"UTC\"", execution_id(1));
    assert!(page.text.contains(&live), "{}", page.text);
    // Without JavaScript, the link "Print" leads to a page that says how.
    let print = format!("{}?print=true", path(1));
    let link = format!("href=\"{print}\" data-print>Print</a>");
    assert!(page.text.contains(&link), "{link}: {}", page.text);
    assert!(seen(&admin.open(&print)).contains("To print this page, press Ctrl+P"));
}

#[test]
fn a_long_timeline_has_each_entry_and_each_change_on_one_page() {
    let running = running([planned(1)]);
    let guard = running.api(GUARD);
    report(&guard, 1, &[entry(1, "START", json!({}))], 0);
    for (first, last) in [(2, 300), (301, 620)] {
        let _ = running.admin.patch(&api_path(1), &json!({ "name": format!("Walk {last}") })).ok();
        let note = |n| entry(n, "NOTE", json!({ "textValue": format!("Note {n}.") }));
        report(&guard, 1, &(first..=last).map(note).collect::<Vec<_>>(), 0);
    }
    let _ = running.admin.patch(&api_path(1), &json!({ "name": "Walk" })).ok();
    let mut admin = admin(&running);
    let pages = ["", "?offset=500"].map(|query| {
        let page = admin.open(&format!("{}{query}", path(1)));
        section(&seen(&page), "Timeline", "\0").to_owned()
    });
    let said = |name: &str, before: &str| format!("Name: {before} → {name}");
    for (text, page) in [
        (said("Walk 300", "Round 1"), 0),
        (said("Walk 620", "Walk 300"), 0),
        ("1–500 of 620".to_owned(), 0),
        ("501–620 of 620".to_owned(), 1),
        (said("Walk", "Walk 620"), 1),
    ] {
        let found = pages.each_ref().map(|shown| shown.matches(&text).count());
        assert_eq!(found, if page == 0 { [1, 0] } else { [0, 1] }, "{text}: {pages:?}");
    }
    for n in 2..=620 {
        let found = pages.each_ref().map(|shown| shown.matches(&format!("Note {n}.")).count());
        assert_eq!(found, if n <= 500 { [1, 0] } else { [0, 1] }, "{n}");
    }
}

#[test]
fn a_timeline_with_more_changes_than_a_page_shows_says_so() {
    let running = running([planned(1)]);
    let mut admin = admin(&running);
    let more = "More changes were made to this round than a page shows.";
    for n in 1..=1_001 {
        let _ = running.admin.patch(&api_path(1), &json!({ "tags": [format!("tag {n}")] })).ok();
        if n == 1_000 {
            let page = seen(&admin.open(&path(1)));
            assert!(page.contains("Tags: tag 999 → tag 1000") && !page.contains(more), "{page}");
        }
    }
    assert!(seen(&admin.open(&path(1))).contains(more));
}

#[test]
fn a_round_is_late_and_missed_as_on_the_board() {
    let ahead = json!({ "startAt": "2099-01-01T08:00:00Z", "endAt": "2099-01-01T09:00:00Z" });
    let running = running([planned(1), with(planned(2), ahead)]);
    let mut admin = admin(&running);
    let missed = seen(&admin.open(&path(1)));
    assert!(missed.contains("State Planned Late Missed Location"), "{missed}");
    assert!(missed.contains("Nothing is recorded for this round."), "{missed}");
    report(&running.api(GUARD), 1, &[entry(1, "START", json!({}))], 0);
    let started = seen(&admin.open(&path(1)));
    // Started at 8:01, which is not late.
    assert!(started.contains("State In progress Missed Flagged: 1"), "{started}");
    let planned = seen(&admin.open(&path(2)));
    assert!(planned.contains("State Planned Location"), "{planned}");
}

#[test]
fn the_map_shows_what_has_a_place() {
    // In planned order, the pier comes before the gate.
    let mut round = planned(1);
    (round["steps"][0]["order"], round["steps"][1]["order"]) = (json!(1), json!(0));
    round["steps"].as_array_mut().expect("steps").push(json!({
        "id": step_id(1, 3), "seriesId": null, "pointId": null, "name": "Anywhere", "order": 2,
        "actualOrder": null, "state": "PENDING", "actions": [],
    }));
    let running = running([round, with(planned(2), json!({ "steps": [] }))]);
    let mut admin = admin(&running);
    let page = admin.open(&path(1));
    let map = section(&page.text, "<svg class=\"map\"", "</svg>");
    assert_eq!(map.matches("class=\"mark planned\"").count(), 2, "{map}");
    for (number, name) in [(1, "Pier"), (2, "Gate")] {
        let title = format!("<title>{number}. {name}: Planned</title>");
        let mark = format!("{title}<circle r=\"12\"/><text y=\"5\">{number}</text></g>");
        assert!(map.contains(&mark), "{mark}: {map}");
    }
    assert!(map.contains(">20 m<") && map.contains(">N</text>"), "{map}");
    assert!(!map.contains("<image"), "there are no tiles by default: {map}");
    assert_eq!(picture_sources(&page), "'self'");
    assert!(seen(&page).contains("3. Anywhere: Planned (not on the map)"), "{}", seen(&page));
    let picture = pictures::picture(image::ImageFormat::Png);
    let form = Form::default().field("name", "\"><b>").file("image", &picture);
    let plan = running.admin.form(&format!("/locations/{PORT}/graphic-plans"), &form).json(201);
    let gate = format!("/locations/points/{GATE}");
    let place = json!({ "graphicPlans": [{ "id": plan["id"], "x": 0.5, "y": 0.25 }] });
    assert_eq!(running.admin.put(&gate, &with(running.admin.get(&gate).ok(), place)).status, 200);
    let page = admin.open(&path(1));
    let id = plan["id"].as_str().expect("an id");
    let image = format!("<image href=\"/graphic-plans/{id}/image\"");
    assert_eq!(page.text.matches(&image).count(), 1, "{}", page.text);
    assert!(page.text.contains("aria-label=\"&#34;&#62;&#60;b&#62;\""), "{}", page.text);
    assert!(page.text.contains("class=\"mark planned\" transform=\"translate(320.0 80.0)\""));
    // The device's way to the north is on a map of its own, in the order of its clock.
    let there = |latitude: f64, members: Value| {
        let position = json!({ "latitude": latitude, "longitude": -0.1, "accuracy": 4 });
        with(json!({ "position": position }), members)
    };
    let note = |at: &str| json!({ "textValue": "Here", "at": at });
    let entries = [
        entry(1, "START", there(51.5002, json!({}))),
        entry(2, "NOTE", there(51.5008, note("2026-01-31T08:20:00Z"))),
        entry(3, "NOTE", there(51.5005, note("2026-01-31T08:10:00Z"))),
    ];
    report(&running.admin, 1, &entries, 0);
    let page = admin.open(&path(1));
    assert_eq!(page.text.matches("<svg class=\"map\"").count(), 2, "{}", page.text);
    let way = section(&page.text, "<polyline class=\"way\" points=\"", "\"");
    let way: Vec<_> = way.split(' ').filter_map(|position| position.split_once(',')).collect();
    let heights: Vec<f64> = way.iter().map(|(_, y)| y.parse().expect("a number")).collect();
    assert!(heights.len() == 3 && heights.is_sorted_by(|one, next| one > next), "{heights:?}");
    // Each position has its circle, and the flag of its entry, which arrived late.
    for (x, y) in way {
        let circle = format!("<circle class=\"accuracy\" cx=\"{x}\" cy=\"{y}\"");
        let flag = format!("<g class=\"flag\" transform=\"translate({x} {y})\">");
        assert!(page.text.contains(&circle) && page.text.contains(&flag), "{x} {y}: {}", page.text);
    }
    let nowhere = seen(&admin.open(&path(2)));
    for text in
        ["No place is known", "This round has no steps.", "Nothing is recorded for this round."]
    {
        assert!(nowhere.contains(text), "{text}: {nowhere}");
    }
}

#[test]
fn only_pages_with_a_map_have_tiles_and_may_load_them() {
    let tiles = [("PATROL_MAP_TILES", "https://tiles.example.org:8443/{z}/{x}/{y}.png")];
    let without_steps = with(planned(2), json!({ "steps": [] }));
    let running = Running::set(store([planned(1), without_steps]), &tiles);
    let mut admin = admin(&running);
    let page = admin.open(&path(1));
    // The tile with the middle between gate and pier is behind their marks.
    let tile = "<image href=\"https://tiles.example.org:8443/19/261998/174355.png\" x=\"";
    in_order(&page.text, &["<svg class=\"map\"", tile, "<g class=\"mark"]);
    assert_eq!(picture_sources(&page), "'self' https://tiles.example.org:8443");
    for address in ["/rounds".to_owned(), path(2), format!("{}/edit", path(1))] {
        let page = admin.open(&address);
        assert_eq!(picture_sources(&page), "'self'", "{address}");
        assert!(!page.text.contains("tiles.example.org"), "{address}: {}", page.text);
    }
}

/// What the next change is said to be about.
fn next(stream: &mut impl Iterator<Item = String>) -> String {
    assert!(stream.any(|line| line == "event: change"), "the stream ends");
    stream.next().expect("its data")
}

#[test]
fn the_stream_of_a_round_tells_its_changes_and_those_of_its_points() {
    let running = running([planned(1), planned(2)]);
    let admin = admin(&running);
    let paths = [format!("/rounds/live?id={}", execution_id(1)), "/rounds/live".to_owned()];
    let [mut round, mut board] = paths.map(|path| stream(&running, &admin, &path));
    // The first heartbeat: no later change is missed.
    for stream in [&mut round, &mut board] {
        assert!(stream.any(|line| line == "event: beat"));
    }
    let tag = |n| {
        assert_eq!(running.admin.patch(&api_path(n), &json!({ "tags": ["x"] })).status, 200);
        format!("data: {}", execution_id(n))
    };
    assert_eq!(tag(2), next(&mut board));
    let gate = format!("/locations/points/{GATE}");
    let point = with(running.admin.get(&gate).ok(), json!({ "name": "North gate" }));
    assert_eq!(running.admin.put(&gate, &point).status, 200);
    assert_eq!(next(&mut round), "data: ");
    let changed = tag(1);
    assert_eq!(next(&mut round), changed);
    assert_eq!(next(&mut board), changed);
    // The second start is refused, and changes no record.
    for (n, outcome, told) in [(1, "ACCEPTED", changed.as_str()), (2, "REFUSED", "data: ")] {
        let id = format!("0190a000-000c-7000-8000-0000000000f{n}");
        let start = json!([{ "id": id, "type": "START", "at": "2026-01-31T08:00:00Z" }]);
        let sent = running.api(GUARD).post(&format!("{}/reports", api_path(1)), &start).ok();
        assert_eq!(sent["entries"][0]["outcome"], outcome, "{sent}");
        assert_eq!(next(&mut round), told);
    }
}

#[test]
fn a_medium_of_a_round_is_answered_as_by_the_api() {
    let running = running([planned(1), planned(2)]);
    walk(&running);
    let guard = running.api(GUARD);
    let other = "0190a000-000e-7000-8000-000000000003";
    send(&guard, other, b"%PDF-1.7\n");
    let address = format!("{}/media/{PHOTO}", path(1));
    browser(&running).get(&address).leads_to("/sign-in");
    for name in ["A1", "M1", "E1"] {
        let mut browser = browser(&running).signed_in(name, PASSWORD);
        let whole = browser.open(&address);
        let api = guard.get(&format!("/media/{PHOTO}/file"));
        for header in [
            "content-type",
            "content-length",
            "content-disposition",
            "content-security-policy",
            "x-content-type-options",
            "accept-ranges",
            "cache-control",
            "etag",
        ] {
            assert_eq!(whole.header(header), api.header(header), "{header}");
            assert!(whole.header(header).is_some(), "{header}");
        }
        let tag = whole.header("etag").expect("a tag").to_owned();
        assert_eq!(browser.with("If-None-Match", &tag).get(&address).status, 304);
        let part = browser.with("Range", "bytes=1-3").get(&address);
        assert_eq!((part.status, part.text.as_str()), (206, "PNG"));
        assert_eq!(browser.with("Range", "bytes=999999-").get(&address).status, 416);
        let changed = browser.with("Range", "bytes=1-3").with("If-Range", "\"x\"").get(&address);
        assert_eq!(changed.status, 200);
        // One that only a note names, and with the entry in the address.
        browser.open(&format!("{}/media/{SOUND}", path(1)));
        let entry = "?entry=0190a000-000c-7000-8000-000000000005";
        browser.open(&format!("{}/media/{SOUND}{entry}", path(1)));
        for absent in [
            format!("{}/media/{PHOTO}", path(2)),
            format!("{}/media/{PHOTO}{entry}", path(2)),
            format!("{}/media/{other}", path(1)),
            format!("{}/media/{NOBODY}", path(1)),
            format!("{}/media/x", path(1)),
            format!("/rounds/{NOBODY}/media/{PHOTO}"),
        ] {
            assert_eq!(browser.get(&absent).status, 404, "{absent}");
        }
    }
    // A result that was replaced stays in the timeline, and is found.
    let running = self::running([planned(1)]);
    let guard = running.api(GUARD);
    send(&guard, PHOTO, &pictures::picture(image::ImageFormat::Png));
    send(&guard, SOUND, b"ID3\x04\0\0");
    let result = |n, medium| {
        let action = json!({ "stepId": step_id(1, 2), "actionId": action_id(1, 4) });
        entry(n, "RESULT", with(action, json!({ "mediaIds": [medium] })))
    };
    let entries = [entry(1, "START", json!({})), result(2, PHOTO), result(3, SOUND)];
    report(&guard, 1, &entries, 0);
    assert_eq!(admin(&running).open(&address).header("content-type"), Some("image/png"));
}

#[test]
fn an_employee_sees_what_the_api_shows_and_is_offered_no_change() {
    let hidden = with(planned(2), json!({ "published": false }));
    let foreign = with(planned(3), json!({ "assigneeIds": [GUARD] }));
    let running = running([planned(1), hidden, foreign]);
    let mut employee = browser(&running).signed_in("E1", PASSWORD);
    let api = running.api(EMPLOYEE);
    for n in 1..=3 {
        assert_eq!(employee.get(&path(n)).status, api.get(&api_path(n)).status, "{n}");
    }
    let page = employee.open(&path(1));
    for offer in ["/edit", "/following", "/copy", "/delete", "/rounds/new"] {
        assert!(!page.text.contains(offer), "{offer}: {}", page.text);
    }
    let parts = ["edit", "following", "copy", "delete"].map(|part| format!("{}/{part}", path(1)));
    for address in parts.into_iter().chain(["/rounds/new".to_owned()]) {
        assert_eq!(employee.get(&address).status, 403, "{address}");
        assert_eq!(employee.submit(&page, &address, &[]).status, 403, "{address}");
    }
    for unknown in [NOBODY, "x"] {
        assert_eq!(employee.get(&format!("/rounds/{unknown}")).status, 404, "{unknown}");
    }
    browser(&running).get(&path(1)).leads_to("/sign-in");
}

/// Checks that nothing of a hostile text became an element or an attribute.
fn is_harmless(page: &Page) {
    for broken in ["<script>alert", "\"'onload", "'onload=\""] {
        assert!(!page.text.contains(broken), "{broken}: {}", page.text);
    }
    assert!(page.text.contains("&#60;script&#62;alert(1)"), "{}", page.text);
}

#[test]
fn hostile_texts_stay_texts() {
    let mut round =
        with(planned(1), json!({ "name": HOSTILE, "description": HOSTILE, "tags": [HOSTILE] }));
    for step in round["steps"].as_array_mut().expect("steps") {
        step["name"] = json!(HOSTILE);
        step["actions"][0]["name"] = json!(HOSTILE);
    }
    let running = running([round]);
    let named = json!({ "name": HOSTILE });
    let manager = running.api(MANAGER);
    let gate = manager.get(&format!("/locations/points/{GATE}")).ok();
    let gate = with(gate, named.clone());
    assert_eq!(manager.put(&format!("/locations/points/{GATE}"), &gate).status, 200);
    let port = with(manager.get(&format!("/locations/{PORT}")).ok(), named);
    assert_eq!(manager.put(&format!("/locations/{PORT}"), &port).status, 200);
    let person = json!({ "firstName": HOSTILE });
    assert_eq!(running.admin.patch(&format!("/users/{GUARD}"), &person).status, 200);
    let note = json!({ "textValue": HOSTILE, "stepId": step_id(1, 1) });
    let scan = json!({ "stepId": step_id(1, 1), "technology": "QR", "code": HOSTILE });
    let dry = format!("dry {HOSTILE}");
    let result = json!({ "stepId": step_id(1, 2), "actionId": action_id(1, 3), "textValue": dry });
    let entries = [
        entry(1, "START", json!({})),
        entry(2, "NOTE", note),
        entry(3, "SCAN", scan),
        entry(4, "RESULT", result),
    ];
    report(&running.api(GUARD), 1, &entries, 0);
    let mut admin = admin(&running);
    let page = admin.open(&path(1));
    is_harmless(&page);
    assert!(page.text.contains("dry &#60;script&#62;alert(1)"), "{}", page.text);
    let map = section(&page.text, "<svg class=\"map\"", "</svg>");
    assert!(map.contains("<title>1. &#60;script&#62;"), "{map}");
    for form in ["edit", "copy", "delete"] {
        is_harmless(&admin.open(&format!("{}/{form}", path(1))));
    }
    let new = admin.open(&format!("/rounds/new?locationId={PORT}"));
    is_harmless(&new);
}
