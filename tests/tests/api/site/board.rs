//! `/rounds`.

use patrol_tests::{
    Running, SiteClient, Store,
    company::{AIRPORT, EMPLOYEE, GUARD, MANAGER, NOBODY, PORT, company as records},
    completed, execution_id, in_progress, planned, with,
};
use serde_json::{Value, json};

use super::{PASSWORD, admin, browser, company, link, people, seen};

/// Rounds around the night of 31 January.
pub(super) fn running() -> Running {
    let at = |n, state: Value| with(planned(n), state);
    let rounds = [
        at(1, json!({})),
        // Over midnight.
        at(2, json!({ "startAt": "2026-01-30T23:00:00Z", "endAt": "2026-01-31T01:00:00Z" })),
        // Planned for the day before, ended on this one.
        at(
            3,
            json!({
                "startAt": "2026-01-30T20:00:00Z", "endAt": "2026-01-30T21:00:00Z",
                "state": "COMPLETED", "startedAt": "2026-01-30T20:30:00Z",
                "endedAt": "2026-01-31T00:30:00Z",
            }),
        ),
        // Still under way, for a day that is long over.
        at(
            4,
            json!({
                "startAt": "2026-01-29T20:00:00Z", "endAt": "2026-01-29T21:00:00Z",
                "state": "IN_PROGRESS", "startedAt": "2026-01-29T20:00:00Z",
            }),
        ),
        at(5, json!({ "startAt": "2026-02-01T00:00:00Z", "endAt": "2026-02-01T01:00:00Z" })),
        at(6, json!({ "startAt": "2026-01-30T22:00:00Z", "endAt": "2026-01-31T00:00:00Z" })),
    ];
    running_with(rounds)
}

/// A server of [`store_with`].
pub(super) fn running_with(rounds: impl IntoIterator<Item = Value>) -> Running {
    Running::on(store_with(rounds))
}

/// A company whose people may sign in, with these rounds.
pub(super) fn store_with(rounds: impl IntoIterator<Item = Value>) -> Store {
    let people = people();
    let all = records();
    let others =
        all.records().iter().filter(|one| people.iter().all(|user| user["id"] != one["id"]));
    let others: Vec<_> = others.cloned().collect();
    Store::with(&company().and(others).and(rounds))
}

/// The names of the rounds on a page, in order.
fn rounds(text: &str) -> Vec<&str> {
    let rows = text.split("<th scope=\"row\">").skip(1);
    rows.filter_map(|row| row.split_once("\">")?.1.split_once("</a>"))
        .map(|(name, _)| name)
        .collect()
}

/// The HTML of the row of a round.
fn row<'a>(text: &'a str, name: &str) -> &'a str {
    let link = format!("\">{name}</a>");
    let row = text.split("<tr").find(|row| row.contains(&link));
    row.unwrap_or_else(|| panic!("{name}: {text}")).split("</tr>").next().unwrap()
}

/// The cells of a row after the name, each with its column.
fn cells(row: &str) -> Vec<String> {
    let cells = row.split("<td data-label=\"").skip(1);
    let cell = |cell: &str| {
        let (column, rest) = cell.split_once('"').unwrap();
        let value = rest.split_once('>').unwrap().1.split("</td>").next().unwrap();
        format!("{column}: {}", seen(value))
    };
    cells.map(cell).collect()
}

/// The form of filters.
fn filters(text: &str) -> &str {
    let (_, form) = text.split_once("<form class=\"filters\"").expect("the form of filters");
    form.split("</form>").next().unwrap()
}

/// The number of the day with this class.
fn number(text: &str, class: &str) -> u64 {
    let start = format!("id=\"count-{class}\">");
    let rest = text.split_once(&start).unwrap_or_else(|| panic!("{class}: {text}")).1;
    rest.split_once('<').unwrap().0.parse().unwrap()
}

#[test]
fn the_board_has_the_rounds_of_one_day() {
    let running = running();
    let mut admin = admin(&running);
    let text = admin.open("/rounds?date=2026-01-31").text;
    assert_eq!(rounds(&text), ["Round 4", "Round 3", "Round 2", "Round 1"]);
    for (class, count) in
        [("planned", 4), ("in-progress", 1), ("completed", 1), ("late", 3), ("missed", 3)]
    {
        assert_eq!(number(&text, class), count, "{class}");
    }
    assert_eq!(number(&text, "flagged"), 0);
    let of = |query: &str| format!("/rounds?date=2026-01-31&{query}");
    for (query, expected) in [
        ("state=MISSED", &["Round 4", "Round 2", "Round 1"][..]),
        ("state=LATE", &["Round 3", "Round 2", "Round 1"]),
        ("state=COMPLETED", &["Round 3"]),
        ("search=round+2", &["Round 2"]),
        ("flagged=true", &[]),
        ("sort=-name", &["Round 4", "Round 3", "Round 2", "Round 1"]),
        (&format!("location={PORT}&state=IN_PROGRESS"), &["Round 4"]),
        ("person=nobody&state=COMPLETED", &["Round 3"]),
    ] {
        assert_eq!(rounds(&admin.open(&of(query)).text), expected, "{query}");
    }
    assert_eq!(rounds(&admin.open("/rounds?date=2026-02-01").text), ["Round 4", "Round 5"]);
    // A round under way is on the board of today, and not on that of a day that has not begun.
    assert_eq!(rounds(&admin.open("/rounds").text), ["Round 4"]);
    let future = admin.open("/rounds?date=2099-01-01").text;
    assert_eq!(rounds(&future), [""; 0]);
    assert!(future.contains("There are no rounds on this day."), "{future}");
    // A link to somebody who is not among the offered ones filters, and the form says so.
    for name in ["person", "location"] {
        let page = admin.open(&format!("/rounds?date=2026-01-31&{name}={NOBODY}")).text;
        assert_eq!(rounds(&page), [""; 0], "{name}");
        assert!(page.contains("selected>Not in this list"), "{name}: {page}");
    }
    for unknown in ["9999-12-31", "2026-02-30", "soon"] {
        let page = admin.open(&format!("/rounds?date={unknown}")).text;
        assert_eq!(rounds(&page), ["Round 4"], "{unknown}");
        assert!(page.contains("There is no such day"), "{unknown}");
    }
    // In this zone the day is over an hour earlier than in UTC.
    admin.set_cookie("patrol_browser_zone", "Europe/Berlin");
    let text = admin.open("/rounds?date=2026-01-31").text;
    assert_eq!(rounds(&text), ["Round 4", "Round 3", "Round 6", "Round 2", "Round 1"]);
}

#[test]
fn links_to_other_days_headings_and_the_form_keep_filters_and_sort() {
    let running = running();
    let mut admin = admin(&running);
    let kept = "state=MISSED&search=round";
    let text = admin.open(&format!("/rounds?date=2026-01-31&{kept}&sort=-name")).text;
    for (name, expected) in [
        ("Previous day", format!("/rounds?{kept}&sort=-name&date=2026-01-30")),
        ("Today", format!("/rounds?{kept}&sort=-name")),
        ("Next day", format!("/rounds?{kept}&sort=-name&date=2026-02-01")),
        ("Round", format!("/rounds?date=2026-01-31&{kept}&sort=name")),
        ("Started", format!("/rounds?date=2026-01-31&{kept}&sort=started")),
    ] {
        assert_eq!(link(&text, name), Some(expected));
    }
    let form = filters(&text);
    assert!(form.contains("<input type=\"hidden\" name=\"sort\" value=\"-name\">"), "{form}");
    assert_eq!(form.matches("type=\"hidden\"").count(), 1, "the fields send the rest: {form}");
    let previous = admin.open(&link(&text, "Previous day").unwrap());
    assert_eq!(previous.value_of("date"), "2026-01-30");
    assert_eq!(rounds(&previous.text), ["Round 6", "Round 4", "Round 2"]);
    let today = admin.open(&link(&previous.text, "Today").unwrap());
    assert_eq!(rounds(&today.text), ["Round 4"]);
}

#[test]
fn the_form_of_filters_has_its_fields_and_shows_what_is_chosen() {
    let running = running();
    let mut admin = admin(&running);
    let chosen = format!("location={PORT}&person={EMPLOYEE}&state=LATE&flagged=true");
    let page = admin.open(&format!("/rounds?date=2026-01-31&search=round+2&{chosen}"));
    let form = filters(&page.text);
    for part in [
        "<label for=\"date\">Date</label>\n<input id=\"date\" name=\"date\" type=\"date\"",
        "<label for=\"search\">Search</label>\n<input id=\"search\" name=\"search\" type=\"search\"",
        "<label for=\"location\">Location</label>\n<select id=\"location\" name=\"location\">",
        "<label for=\"person\">Person</label>\n<select id=\"person\" name=\"person\">",
        "<label for=\"state\">State</label>\n<select id=\"state\" name=\"state\">",
        "<input type=\"checkbox\" name=\"flagged\" value=\"true\" checked> Only flagged</label>",
        "<button>Filter</button>",
        &*format!("<option value=\"{PORT}\" selected>Порт, склад 3</option>"),
        &*format!("<option value=\"{EMPLOYEE}\" selected>Eve Ash</option>"),
        "<option value=\"LATE\" selected>Late</option>",
    ] {
        assert!(form.contains(part), "{part} is not in {form}");
    }
    assert_eq!([page.value_of("date"), page.value_of("search")], ["2026-01-31", "round 2"]);
    let states = form.split_once("id=\"state\"").unwrap().1.split("</select>").next().unwrap();
    let states = states.split("<option value=\"").skip(1).map(|option| {
        let (value, rest) = option.split_once('"').unwrap();
        (value, rest.split_once('>').unwrap().1.split('<').next().unwrap())
    });
    let expected = [
        ("", "All"),
        ("PENDING", "Planned"),
        ("IN_PROGRESS", "In progress"),
        ("COMPLETED", "Completed"),
        ("LATE", "Late"),
        ("MISSED", "Missed"),
    ];
    assert_eq!(states.collect::<Vec<_>>(), expected);
}

#[test]
fn a_row_says_where_and_when_a_round_is_how_far_and_by_whom() {
    let of_eve = with(planned(1), json!({ "assigneeIds": [EMPLOYEE] }));
    let running = running_with([of_eve, in_progress(2), completed(3)]);
    // An entry after the planned end is flagged.
    let note = json!([{
        "id": "0190a000-00ee-7000-8000-000000000002", "type": "NOTE",
        "at": "2026-03-30T12:00:00.000Z", "textValue": "afterwards",
    }]);
    let path = format!("/task-executions/{}/reports", execution_id(2));
    assert_eq!(running.admin.post(&path, &note).ok()["entries"][0]["outcome"], "ACCEPTED");
    let flags = running.summary(2)["flagCount"].to_string();
    assert_ne!(flags, "0");
    let mut admin = admin(&running);
    admin.set_cookie("patrol_browser_zone", "Europe/Berlin");
    let text = admin.open("/rounds?date=2026-01-31").text;
    let headings = text.split("<th scope=\"col\"").skip(1);
    let headings: Vec<_> =
        headings.map(|heading| seen(heading.split("</th>").next().unwrap())).collect();
    assert_eq!(
        headings,
        ["Round", "Location", "Planned", "Started", "Ended", "Steps", "People", "State", "Flags"]
    );
    for (n, expected) in [
        (1, ["", "", "0 of 2", "Eve Ash", "Planned Late Missed", ""]),
        (2, ["09:01", "", "1 of 2", "Ada Ash and 1 more", "In progress Missed", flags.as_str()]),
        (3, ["09:01", "09:31", "2 of 2", "Ada Ash and 1 more", "Completed", ""]),
    ] {
        let [started, ended, steps, people, state, flags] = expected;
        let row = row(&text, &format!("Round {n}"));
        assert!(row.contains(&format!("<a href=\"/rounds/{}\">", execution_id(n))), "{row}");
        let expected = [
            "Location: Порт, склад 3".to_owned(),
            "Planned: 09:00 – 10:00".to_owned(),
            format!("Started: {started}"),
            format!("Ended: {ended}"),
            format!("Steps: {steps}"),
            format!("People: {people}"),
            format!("State: {state}"),
            format!("Flags: {flags}"),
        ];
        assert_eq!(cells(row), expected);
        let done = format!("<progress max=\"2\" value=\"{}\"", n - 1);
        assert!(row.contains(&done), "a bar shows the steps: {row}");
    }
    // The times of programs have an offset or Z.
    let times = row(&text, "Round 3").split("<time datetime=\"").skip(1);
    let times: Vec<_> = times.map(|time| time.split("</time>").next().unwrap()).collect();
    let expected = [
        "2026-01-31T08:00:00.000Z\">09:00",
        "2026-01-31T09:00:00.000Z\">10:00",
        "2026-01-31T08:01:00.000Z\">09:01",
        "2026-01-31T08:31:00.250Z\">09:31",
    ];
    assert_eq!(times, expected);
    assert_eq!(text.matches("<time datetime=\"").count(), 2 + 3 + 4);
}

#[test]
fn everybody_with_a_session_sees_the_board_and_planners_may_make_rounds() {
    let running = running();
    browser(&running).get("/rounds").leads_to("/sign-in");
    let new = "href=\"/rounds/new\"";
    for (name, may_plan) in [("A1", true), ("M1", true), ("E1", false)] {
        let text = browser(&running).signed_in(name, PASSWORD).open("/rounds").text;
        assert_eq!(text.contains(new), may_plan, "{name}");
    }
    let part = admin(&running).with("Patrol-Part", "live").open("/rounds?date=2026-01-31").text;
    assert!(
        part.starts_with("<div class=\"board\" data-live=") && part.contains("Round 1"),
        "{part}"
    );
}

/// 120 rounds of 29 March 2026 in Berlin, which has 23 hours, and rounds just outside of it.
fn many() -> Vec<Value> {
    const HOUR: i64 = 3_600;
    // 00:00 in Berlin, in seconds of the UTC day before.
    const FIRST: i64 = 23 * HOUR;
    let time = |seconds: i64| {
        let (day, of_day) = (28 + seconds.div_euclid(24 * HOUR), seconds.rem_euclid(24 * HOUR));
        let (hour, minute) = (of_day / HOUR, of_day % HOUR / 60);
        format!("2026-03-{day}T{hour:02}:{minute:02}:{:02}.000Z", of_day % 60)
    };
    let round = |n: u32| {
        let start = FIRST + i64::from(n) * 11 * 60;
        let times = json!({ "startAt": time(start), "endAt": time(start + HOUR) });
        // Every third start is late.
        let started = start + if n.is_multiple_of(3) { HOUR / 2 } else { 60 };
        let started_at = json!({ "startedAt": time(started) });
        let ended_at = json!({ "endedAt": time(started + 20 * 60) });
        let round = match n % 4 {
            0 => planned(n),
            1 => with(in_progress(n), started_at),
            _ => with(with(completed(n), started_at), ended_at),
        };
        let place = json!({
            "locationId": if n.is_multiple_of(5) { AIRPORT } else { PORT },
            "assigneeIds": if n.is_multiple_of(7) { json!([MANAGER]) } else { json!([GUARD, EMPLOYEE]) },
            "published": !n.is_multiple_of(11),
            "name": format!("Round {}", n * 7919 % 1_000),
        });
        with(with(round, times), place)
    };
    let outside = |n, start: i64, end: i64| {
        with(planned(n), json!({ "startAt": time(start), "endAt": time(end) }))
    };
    let last = FIRST + 23 * HOUR;
    (0..120)
        .map(|n| round(n + 1))
        .chain([outside(201, FIRST - HOUR, FIRST), outside(202, last, last + HOUR)])
        .collect()
}

/// The ids of the rounds on a page, in order.
fn ids(text: &str) -> Vec<String> {
    let rows = text.split("<th scope=\"row\"><a href=\"/rounds/").skip(1);
    rows.map(|row| row.split('"').next().unwrap().to_owned()).collect()
}

/// The rounds on all pages of a list, which are counted on each and lead to each other.
fn all_pages(browser: &mut SiteClient, path: &str) -> Vec<String> {
    let (mut all, mut previous) = (Vec::new(), None::<String>);
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        let text = browser.open(&path).text;
        assert_eq!(link(&text, "Previous page"), previous, "{path}");
        let shown = ids(&text);
        let counted = text.split_once("<span class=\"quiet\">").filter(|_| !shown.is_empty());
        let first = all.len() + 1;
        all.extend(shown.iter().cloned());
        if let Some((_, rest)) = counted {
            let start = format!("{first}–{} of ", all.len());
            assert!(text.contains(&start), "{path}: {start} is not in {rest}");
        }
        next = link(&text, "Next page");
        if next.is_some() {
            assert_eq!(shown.len(), 50, "{path}");
        } else {
            let end = format!("of {}<", all.len());
            assert!(all.is_empty() || text.contains(&end), "{path}: {end}");
        }
        previous = Some(path);
    }
    all
}

#[test]
fn numbers_filters_sorts_and_pages_agree_with_the_api() {
    let running = running_with(many());
    // Entries after the planned end are flagged.
    for n in [3, 20, 57, 77] {
        let path = format!("/task-executions/{}/reports", execution_id(n));
        let note = json!([{
            "id": format!("0190a000-00ee-7000-8000-{n:012}"), "type": "NOTE",
            "at": "2026-03-30T12:00:00.000Z", "textValue": "afterwards",
        }]);
        let answer = running.admin.post(&path, &note).ok();
        assert_eq!(answer["entries"][0]["outcome"], json!("ACCEPTED"), "{answer}");
    }
    let mut browser = admin(&running);
    browser.set_cookie("patrol_browser_zone", "Europe/Berlin");
    let day = "/rounds?date=2026-03-29";
    let (from, until) = ("2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z");
    let is_of_day = |item: &Value| {
        let after = |member: &str| item[member].as_str().is_some_and(|at| at > from);
        after("endAt") || after("endedAt") || item["state"] == "IN_PROGRESS"
    };
    let api = |query: &str| -> Vec<String> {
        let path = format!("/task-executions/info?limit=1000&startAt=lt:{until}&{query}");
        let answer = running.admin.get(&path).ok();
        let items = answer["data"].as_array().unwrap().iter().filter(|item| is_of_day(item));
        items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };

    let all = api("sort=startAt");
    assert_eq!(all.len(), 120);
    assert_eq!(all_pages(&mut browser, day), all);

    let page = browser.open(day).text;
    for (class, name, filter, query) in [
        ("planned", "Planned", "", ""),
        ("in-progress", "In progress", "&state=IN_PROGRESS", "state=IN_PROGRESS"),
        ("completed", "Completed", "&state=COMPLETED", "state=COMPLETED"),
        ("late", "Late", "&state=LATE", "late=true"),
        ("missed", "Missed", "&state=MISSED", "missed=true"),
        ("flagged", "Flagged", "&flagged=true", "flagged=true"),
    ] {
        let expected = api(&format!("{query}&sort=startAt"));
        assert!(!expected.is_empty(), "{class}");
        assert_eq!(number(&page, class), u64::try_from(expected.len()).unwrap(), "{class}");
        // The link of the number leads to its rounds.
        assert!(page.contains(&format!("aria-describedby=\"count-{class}\"")), "{class}");
        let link = link(&page, name).unwrap();
        assert_eq!(link, format!("{day}{filter}"));
        assert_eq!(all_pages(&mut browser, &link), expected, "{class}");
    }

    for (filter, query) in [
        ("state=PENDING", "state=PENDING"),
        ("search=round+9", "q=round+9"),
        (&*format!("location={AIRPORT}"), &*format!("locationId={AIRPORT}")),
        (&*format!("person={MANAGER}"), &*format!("userId={MANAGER}")),
        (&*format!("person={GUARD}&state=LATE"), &*format!("userId={GUARD}&late=true")),
        (
            &*format!("location={PORT}&flagged=true&state=COMPLETED"),
            &*format!("locationId={PORT}&flagged=true&state=COMPLETED"),
        ),
    ] {
        let expected = api(&format!("{query}&sort=startAt"));
        assert!(!expected.is_empty() && expected.len() < 120, "{filter}: {}", expected.len());
        let page = browser.open(&format!("{day}&{filter}")).text;
        assert_eq!(all_pages(&mut browser, &format!("{day}&{filter}")), expected, "{filter}");
        assert_eq!(number(&page, "planned"), 120, "the numbers of the day do not change");
    }

    for (heading, sort, property) in [
        ("Round", "name", "name"),
        ("Planned", "start", "startAt"),
        ("Started", "started", "startedAt"),
        ("Ended", "ended", "endedAt"),
        ("Steps", "steps", "executedStepCount"),
        ("State", "state", "state"),
        ("Flags", "flags", "flagCount"),
    ] {
        let link = format!("<a href=\"{day}&#38;sort={sort}\">{heading}</a>");
        assert!(page.contains(&link), "{link}");
        let (up, down) = (sort.to_owned(), format!("-{sort}"));
        for (sorted, opposite, order, way) in
            [(&up, &down, "", "ascending"), (&down, &up, ",desc", "descending")]
        {
            let path = format!("{day}&sort={sorted}");
            let expected = api(&format!("sort={property}{order}"));
            assert_eq!(all_pages(&mut browser, &path), expected, "{sorted}");
            // The heading says how the list is sorted, and turns the order round.
            let text = browser.open(&path).text;
            let turned = format!("<a href=\"{day}&#38;sort={opposite}\">{heading}</a>");
            let turned = format!("<th scope=\"col\" aria-sort=\"{way}\">{turned}</th>");
            assert!(text.contains(&turned), "{turned}");
            assert_eq!(text.matches("aria-sort=").count(), 1, "{sorted}");
        }
    }
}
