//! `/figures`.

use patrol_tests::{
    Page, Running, SiteClient,
    company::{AIRPORT, GUARD, PORT},
    completed, escaped, in_progress, planned, with,
};
use serde_json::{Value, json};

use super::{PASSWORD, admin, board::running_with, browser};

const ZONE: &str = "Europe/Berlin";

/// A round that is planned from this time on, for an hour.
fn at(round: Value, start_at: &str, end_at: &str) -> Value {
    with(round, json!({ "startAt": start_at, "endAt": end_at }))
}

/// Rounds around the midnights of the days on which the clock changes in Berlin: 30 March 2025, which has 23
/// hours, and 26 October 2025, which has 25.
fn rounds() -> Vec<Value> {
    let walked = |n, started_at: &str, ended_at: &str| {
        with(completed(n), json!({ "startedAt": started_at, "endedAt": ended_at }))
    };
    vec![
        at(planned(1), "2025-03-29T22:59:59Z", "2025-03-29T23:59:59Z"),
        // On time, 30 minutes.
        at(
            walked(2, "2025-03-29T23:05:00Z", "2025-03-29T23:35:00Z"),
            "2025-03-29T23:00:00Z",
            "2025-03-30T01:00:00Z",
        ),
        // Late, 45 minutes.
        at(
            with(
                walked(3, "2025-03-30T11:00:00Z", "2025-03-30T11:45:00Z"),
                json!({ "locationId": AIRPORT, "performerId": null }),
            ),
            "2025-03-30T10:00:00Z",
            "2025-03-30T12:00:00Z",
        ),
        at(
            with(in_progress(4), json!({ "startedAt": "2025-03-30T21:59:59Z" })),
            "2025-03-30T21:59:59Z",
            "2025-03-30T23:00:00Z",
        ),
        at(planned(5), "2025-03-30T22:00:00Z", "2025-03-30T23:00:00Z"),
        at(planned(6), "2025-10-25T21:59:59Z", "2025-10-25T23:00:00Z"),
        at(planned(7), "2025-10-25T22:00:00Z", "2025-10-25T23:00:00Z"),
        // In the twenty-fifth hour.
        at(planned(8), "2025-10-26T22:59:59Z", "2025-10-26T23:30:00Z"),
        at(planned(9), "2025-10-26T23:00:00Z", "2025-10-27T00:00:00Z"),
    ]
}

fn running() -> Running {
    running_with(rounds())
}

/// A browser in Berlin in which the administrator is signed in.
fn in_berlin(running: &Running) -> SiteClient {
    let mut browser = admin(running);
    browser.set_cookie("patrol_browser_zone", ZONE);
    browser
}

fn query(parameters: &[(&str, &str)]) -> String {
    let pairs = parameters.iter().map(|(name, value)| format!("{name}={}", escaped(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// What stands between all pairs of these texts.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Vec<&'t str> {
    text.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

/// The cells of each row of the table.
fn table(page: &Page) -> Vec<Vec<String>> {
    let body = between(&page.text, "<tbody>", "</tbody>");
    let body = body.first().expect("a table").replace("</a>", "");
    let rows = between(&body, "<tr", "</tr>");
    let cells = |row: &str| {
        let cells = row.split("</th>").flat_map(|part| part.split("</td>"));
        cells.filter_map(|cell| Some(cell.rsplit_once('>')?.1.trim().to_owned())).collect()
    };
    rows.into_iter().map(cells).collect()
}

const NUMBERS: [&str; 11] = [
    "planned",
    "completed",
    "onTime",
    "late",
    "missed",
    "inProgress",
    "steps",
    "executedSteps",
    "errorCount",
    "warningCount",
    "flagCount",
];

/// The cells of a row of the API, without its name.
fn cells(row: &Value) -> Vec<String> {
    let average = row["averageMinutes"].as_f64();
    let average = average.map(|minutes| format!("{minutes:.1}")).unwrap_or_default();
    NUMBERS.iter().map(|name| row[name].to_string()).chain([average]).collect()
}

/// What the API calls a parameter of the page.
fn of_api<'a>((name, value): (&str, &'a str)) -> Option<(&'static str, &'a str)> {
    match name {
        "group" if value == "all" => None,
        "group" => Some(("groupBy", value)),
        "location" => Some(("locationId", value)),
        _ => Some(("performerId", value)),
    }
}

/// The page and the answer of the API for days of Berlin, the last one included, agree. Returns the names of
/// the rows.
fn agrees(running: &Running, days: [&str; 2], after: &str, more: &[(&str, &str)]) -> Vec<String> {
    let mut browser = in_berlin(running);
    let [from, to] = days;
    let page = browser
        .open(&format!("/figures?{}", query(&[&[("from", from), ("to", to)], more].concat())));
    let asked: Vec<_> = more.iter().copied().filter_map(of_api).collect();
    let period = [("from", from), ("to", after), ("timeZone", ZONE)];
    let path = format!("/figures?{}", query(&[&period[..], &asked].concat()));
    let answer = running.admin.get(&path).ok();
    let rows = answer["data"].as_array().unwrap();
    let mut expected: Vec<_> = rows.iter().map(cells).collect();
    if rows.len() > 1 {
        expected.push(cells(&answer["total"]));
    }
    let shown = table(&page);
    let numbers: Vec<_> = shown.iter().map(|row| row[1..].to_vec()).collect();
    assert_eq!(numbers, expected, "{path}");
    // The bars have their values at the marks, but for 0.
    let marks = between(&page.text, "<text class=\"value\"", "</text>");
    let marks: Vec<_> = marks.iter().map(|mark| mark.rsplit_once('>').unwrap().1).collect();
    let bars = rows.iter().flat_map(|row| ["completed", "late", "missed"].map(|bar| &row[bar]));
    let bars: Vec<_> = bars.filter(|bar| **bar != json!(0)).map(Value::to_string).collect();
    assert_eq!(marks, bars, "{path}");
    let csv = between(&page.text, "href=\"/figures/csv?", "\"");
    let csv = csv.first().expect("Download CSV").replace("&#38;", "&").replace("&amp;", "&");
    let file = browser.open(&format!("/figures/csv?{csv}"));
    let name = format!("attachment; filename=\"figures-{}-{}.csv\"", days[0], days[1]);
    assert_eq!(file.header("content-disposition"), Some(name.as_str()));
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(file.text, running.admin.with("Accept", "text/csv").get(&path).text(), "{path}");
    shown.into_iter().map(|mut row| row.remove(0)).collect()
}

#[test]
fn the_table_the_chart_and_the_file_say_what_the_api_says() {
    let running = running();
    let of = |days, after, more: &[(&str, &str)]| agrees(&running, days, after, more);
    let march = ["2025-03-29", "2025-03-31"];
    assert_eq!(
        of(march, "2025-04-01", &[("group", "day")]),
        ["Sat 29 Mar 2025", "Sun 30 Mar 2025", "Mon 31 Mar 2025", "Total"]
    );
    assert_eq!(of(march, "2025-04-01", &[("group", "week")]), ["2025-W13", "2025-W14", "Total"]);
    assert_eq!(of(march, "2025-04-01", &[("group", "month")]), ["2025-03"]);
    assert_eq!(of(march, "2025-04-01", &[("group", "all")]), ["All rounds"]);
    let year = ["2025-01-01", "2025-12-31"];
    assert_eq!(
        of(year, "2026-01-01", &[("group", "location")]),
        ["Порт, склад 3", "Airport", "Total"]
    );
    assert_eq!(of(year, "2026-01-01", &[("group", "scheduledTask")]).len(), 1);
    let by_person = of(year, "2026-01-01", &[("group", "performer")]);
    assert_eq!(by_person.last().map(String::as_str), Some("Total"), "{by_person:?}");
    assert_eq!(by_person[by_person.len() - 2], "None", "without a performer, last");
    assert_eq!(of(year, "2026-01-01", &[("group", "all"), ("location", AIRPORT)]), ["All rounds"]);
    assert_eq!(of(year, "2026-01-01", &[("group", "all"), ("person", GUARD)]), ["All rounds"]);
}

#[test]
fn a_day_is_that_of_the_reader_and_has_23_or_25_hours() {
    let running = running();
    let planned = |day: &str, zone: &str| {
        let mut browser = admin(&running);
        browser.set_cookie("patrol_browser_zone", zone);
        let page = browser.open(&format!("/figures?from={day}&to={day}&group=all"));
        // The frame of the page and the period name the zone with its abbreviation.
        let named = between(&page.text, "Times are in ", ".</span>");
        let [label] = named.as_slice() else { panic!("{named:?}") };
        let known = ["UTC", "Europe/Berlin (CET)", "Europe/Berlin (CEST)"];
        assert!(label.starts_with(zone) && known.contains(label), "{label}");
        let periods = between(&page.text, "<p class=\"period\">", "</p>");
        assert!(periods[0].ends_with(&format!(", {label}")), "{periods:?}");
        table(&page)[0][1].parse::<u32>().unwrap()
    };
    for (day, berlin, utc) in [
        ("2025-03-29", 1, 2),
        ("2025-03-30", 3, 3),
        ("2025-03-31", 1, 0),
        ("2025-10-25", 1, 2),
        ("2025-10-26", 2, 2),
        ("2025-10-27", 1, 0),
    ] {
        assert_eq!((planned(day, ZONE), planned(day, "UTC")), (berlin, utc), "{day}");
    }
}

#[test]
fn the_page_has_its_fields_and_can_be_printed() {
    let running = running();
    let page = in_berlin(&running).open("/figures?from=2025-03-29&to=2025-03-31");
    let text = &page.text;
    for part in [
        "<h1>Figures</h1>",
        "<label for=\"from\">From</label>",
        "<label for=\"to\">To</label>",
        "<label for=\"group\">Group by</label>",
        "<label for=\"location\">Location</label>",
        "<label for=\"person\">Person</label>",
        "<button>Show</button>",
        ">Download CSV</a>",
        "href=\"/figures?from=2025-03-29&#38;to=2025-03-31&#38;print=true\" data-print>Print</a>",
        "<p class=\"period\">Sat 29 Mar 2025 to Mon 31 Mar 2025, Europe/Berlin (",
        "<title>Rounds completed, late and missed, Sat 29 Mar 2025 to",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let printed = in_berlin(&running).open("/figures?print=true").text;
    assert!(printed.contains("role=\"status\">To print this page, press Ctrl+P"), "{printed}");
    let usual = in_berlin(&running).open("/figures");
    assert!(!usual.value_of("from").is_empty() && usual.value_of("from") < usual.value_of("to"));
    let style = browser(&running).open("/site.css").text;
    assert!(style.contains("counter(page)") && style.contains("counter(pages)"));
}

#[test]
fn a_group_leads_to_its_day_or_its_record() {
    let running = running();
    let mut browser = in_berlin(&running);
    let mut leads = |more: &[(&str, &str)], to: &str| {
        let days = [("from", "2025-03-29"), ("to", "2025-03-31")];
        let path = format!("/figures?{}", query(&[&days, more].concat()));
        let page = browser.open(&path);
        assert!(page.text.contains(&format!("href=\"{to}\"")), "{to}: {}", page.text);
        assert_eq!(browser.get(&to.replace("&#38;", "&")).status, 200, "{to}");
    };
    leads(
        &[("group", "day"), ("location", AIRPORT)],
        &format!("/rounds?location={AIRPORT}&#38;date=2025-03-30"),
    );
    leads(&[("group", "location")], &format!("/locations/{AIRPORT}"));
    leads(&[("group", "performer")], &format!("/people/{GUARD}"));
}

#[test]
fn only_planners_see_figures() {
    let running = running();
    for path in ["/figures", "/figures/csv?from=2025-03-29&to=2025-03-29"] {
        assert_eq!(browser(&running).get(path).status, 303);
        for (name, status) in [("A1", 200), ("M1", 200), ("E1", 403)] {
            let answer = browser(&running).signed_in(name, PASSWORD).get(path);
            assert_eq!(answer.status, status, "{name} {path}");
        }
    }
    let page = browser(&running).signed_in("E1", PASSWORD).open("/rounds");
    assert!(!page.text.contains("href=\"/figures\""), "what is refused is not offered");
}

#[test]
fn what_is_wrong_is_said_beside_its_field_and_what_was_typed_stays() {
    let running = running();
    let mut admin = admin(&running);
    let fault = |page: &Page, name: &str| {
        let about = between(&page.text, &format!("id=\"{name}-about\""), "<input");
        let faults = between(about.first()?, "class=\"fault\">", "</p>");
        faults.first().map(|text| (*text).to_owned())
    };
    let said = |text: &str| Some(text.to_owned());
    let why = "No figures are shown. Correct what is marked below.";

    let page = admin.get("/figures?from=yesterday&to=2025-02-30&group=week&location=");
    page.refused(why);
    assert_eq!(
        [fault(&page, "from"), fault(&page, "to")],
        [said("Enter a date."), said("Enter a date.")]
    );
    assert_eq!([page.value_of("from"), page.value_of("to")], ["yesterday", "2025-02-30"]);
    assert!(page.text.contains("value=\"week\" selected"), "{}", page.text);
    assert!(!page.text.contains("/figures/csv") && !page.text.contains("<table"));

    let page = admin.get("/figures?from=2025-03-02&to=2025-02-28");
    page.refused(why);
    assert_eq!(fault(&page, "from"), None);
    assert_eq!(fault(&page, "to"), said("The period ends before it begins. Choose a later day."));
    assert_eq!([page.value_of("from"), page.value_of("to")], ["2025-03-02", "2025-02-28"]);

    let page = admin.get(&format!("/figures?from=2025-03-02&to={}", escaped("\"><script>")));
    page.refused(why);
    assert!(!page.text.contains("<script>"), "{}", page.text);
    for wrong in ["group=hour", "location=port", "person=1"] {
        let page = admin.get(&format!("/figures?{wrong}"));
        assert!(page.status == 400 && page.text.contains("Not understood"), "{wrong}");
    }
}

#[test]
fn names_that_are_formulas_or_html_or_turn_the_text_harm_nothing() {
    let running = running();
    for (id, name) in [(PORT, "=1+1<b>'\""), (AIRPORT, "\u{5d0}\u{5d1}\u{202e}+cmd")] {
        let renamed = json!({ "name": name, "address": "1 Quay Rd" });
        let renamed = running.admin.put(&format!("/locations/{id}"), &renamed);
        assert_eq!(renamed.status, 200, "{renamed:?}");
    }
    let names =
        agrees(&running, ["2025-01-01", "2025-12-31"], "2026-01-01", &[("group", "location")]);
    assert_eq!(names[0], "=1+1&#60;b&#62;&#39;&#34;");
    let csv =
        in_berlin(&running).open("/figures/csv?from=2025-01-01&to=2025-12-31&group=location").text;
    assert!(csv.contains(",\"'=1+1<b>'\"\"\","), "{csv}");
}
