//! `/locations/{id}/labels`, and `patrol labels`.

use patrol_tests::{
    Running, Store,
    company::{AIRPORT, NOBODY, PORT, YARD, company as records, location, point},
    with,
};
use serde_json::{Value, json};

use super::{PASSWORD, admin, browser, company};

/// A point of the port with a code.
fn coded(n: u32, name: &str, code: &str) -> Value {
    let id = format!("0190a000-0003-7000-8000-00000000010{n}");
    with(point(&id, PORT, name), json!({ "qrCode": code }))
}

/// A company in which three points of the port have a code, and no point of the yard.
fn running() -> Running {
    let places = [location(PORT, "Порт & <склад>"), location(YARD, "Yard")];
    let points = [
        coded(1, "Pier", "PIER"),
        coded(2, "<b>\u{202e}", "\"><b>"),
        coded(3, "Gate", "GATE 1"),
        point("0190a000-0003-7000-8000-000000000104", PORT, "Tower"),
    ];
    Running::on(Store::with(&company().and(places).and(points)))
}

fn path(location: &str) -> String {
    format!("/locations/{location}/labels")
}

/// The parts of a document that have the texts of labels, in order.
fn labels(html: &str) -> Vec<(String, String)> {
    let between = |text: &str, start: &str, end: &str| {
        let rest = text.split_once(start).unwrap_or_else(|| panic!("{start}: {text}")).1;
        rest.split_once(end).expect("its end").0.to_owned()
    };
    let label = |item: &str| {
        (
            between(item, "<strong dir=\"auto\">", "</strong>"),
            between(item, "<code dir=\"auto\">", "</code>"),
        )
    };
    html.split("<li>").skip(1).map(label).collect()
}

fn own(labels: &[(&str, &str)]) -> Vec<(String, String)> {
    labels.iter().map(|(name, code)| ((*name).to_owned(), (*code).to_owned())).collect()
}

/// The labels of the port.
const PORTS: [(&str, &str); 3] =
    [("&#60;b&#62;\u{202e}", "&#34;&#62;&#60;b&#62;"), ("Gate", "GATE 1"), ("Pier", "PIER")];

#[test]
fn each_point_with_a_code_has_a_label() {
    let running = running();
    for name in ["A1", "M1"] {
        let page = browser(&running).signed_in(name, PASSWORD).open(&path(PORT));
        assert!(
            page.text.contains("<h1>Labels of Порт &#38; &#60;склад&#62;</h1>"),
            "{}",
            page.text
        );
        assert_eq!(labels(&page.text), own(&PORTS));
        assert_eq!(page.text.matches("<svg xmlns=").count(), 3);
        assert!(page.text.trim_end().ends_with("</html>"), "{}", page.text);
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert!(page.header("content-security-policy").is_some());
        assert!(!page.text.contains("style=") && !page.text.contains("<b>"), "{}", page.text);
    }
    let mut russian = admin(&running);
    russian.set_cookie("patrol_language", "ru");
    assert!(russian.open(&path(PORT)).text.contains("<h1>Этикетки: Порт"));
}

#[test]
fn some_points_are_chosen() {
    let running = running();
    let mut admin = admin(&running);
    let none = admin.open(&path(YARD));
    assert!(none.text.contains("No point of this location has a code."), "{}", none.text);
    assert!(!none.text.contains("Print"), "{}", none.text);
    let elsewhere = with(
        point("0190a000-0003-7000-8000-000000000105", YARD, "Shed"),
        json!({ "qrCode": "SHED" }),
    );
    let elsewhere = running.admin.post("/locations/points", &elsewhere).json(201);
    let id = |n| format!("pointId=0190a000-0003-7000-8000-00000000010{n}");
    for (query, chosen) in [
        (id(3), own(&PORTS[1..2])),
        (format!("{}&{}", id(3), id(1)), own(&PORTS[1..])),
        (format!("{}&{}", id(4), format_args!("pointId={NOBODY}")), own(&[])),
        (
            format!("{}&pointId={}", id(2), elsewhere["id"].as_str().expect("an id")),
            own(&PORTS[..1]),
        ),
    ] {
        let page = admin.open(&format!("{}?{query}", path(PORT)));
        assert_eq!(labels(&page.text), chosen, "{query}");
        assert_eq!(page.text.contains("None of the chosen points"), chosen.is_empty(), "{query}");
    }
    assert_eq!(admin.get(&format!("{}?pointId=x", path(PORT))).status, 400);
}

#[test]
fn page_and_command_have_the_pictures_of_the_api() {
    let running = running();
    let page = admin(&running).open(&path(PORT)).text;
    let public = format!("http://{}", running.server.address());
    let file = running.store.run(&["labels", PORT, "--public-url", &public]).exited(0).stdout;
    for n in 1..=3 {
        let label = format!("/locations/points/0190a000-0003-7000-8000-00000000010{n}/label");
        let label = running.admin.get(&label).text().to_owned();
        for html in [&page, &file] {
            assert_eq!(html.matches(label.trim()).count(), 1, "{label}: {html}");
        }
    }
}

#[test]
fn labels_are_for_those_who_plan() {
    let running = running();
    let mut employee = browser(&running).signed_in("E1", PASSWORD);
    assert_eq!(employee.get(&path(PORT)).status, 403);
    assert_eq!(employee.get(&path("x")).status, 403);
    browser(&running).get(&path(PORT)).leads_to("/sign-in");
    let mut admin = admin(&running);
    for unknown in [NOBODY, AIRPORT, "x", "%3Cb%3E"] {
        assert_eq!(admin.get(&path(unknown)).status, 404, "{unknown}");
    }
}

#[test]
fn a_point_whose_code_is_too_long_for_a_picture_has_a_label() {
    // The longest that both stores allow.
    const LONGEST: &str = "650";
    let (name, code) = ("ё".repeat(650), "🚪".repeat(650));
    let records = company().and([location(PORT, "Port"), coded(1, &name, &code)]);
    let store = Store::empty();
    let import = ["import", "-", "--limit-name", LONGEST, "--limit-text", LONGEST];
    let _ = store.run_with(&import, records.to_string()).exited(0);
    let limits = [("PATROL_LIMIT_NAME", LONGEST), ("PATROL_LIMIT_TEXT", LONGEST)];
    let running = Running::set(store, &limits);
    let page = admin(&running).open(&path(PORT));
    assert_eq!(labels(&page.text), own(&[(&name, &code)]));
    assert!(page.text.contains("The code is too long for a picture."), "{}", page.text);
    assert!(!page.text.contains("<svg"));
}

#[test]
fn many_labels_are_one_page() {
    // More than the store sends and the page makes at once.
    let many = (0..1_500).map(|n| {
        let id = format!("0190a000-0003-7000-8000-{n:012}");
        with(point(&id, PORT, &format!("Point {n:04}")), json!({ "qrCode": format!("C{n}") }))
    });
    let running = Running::on(Store::with(&company().and([location(PORT, "Port")]).and(many)));
    let page = admin(&running).open(&path(PORT));
    let names: Vec<_> = labels(&page.text).into_iter().map(|(name, _)| name).collect();
    let expected: Vec<_> = (0..1_500).map(|n| format!("Point {n:04}")).collect();
    assert!(names == expected, "{} labels", names.len());
}

#[test]
fn the_command_writes_the_same_labels_in_one_file() {
    let running = running();
    let url = ["--public-url", "https://patrol.example.org"];
    let write = |location: &str, more: &[&str]| {
        running.store.run(&[&["labels", location], &url[..], more].concat())
    };
    let file = write(PORT, &[]).exited(0).stdout;
    assert_eq!(labels(&file), own(&PORTS));
    assert!(file.starts_with("<!doctype html>") && file.trim_end().ends_with("</html>"), "{file}");
    for text in ["<h1>Labels of Порт &#38; &#60;склад&#62;</h1>", "print()", "@media print"]
    {
        assert!(file.contains(text), "{text}: {file}");
    }
    assert!(!file.contains("href=") && !file.contains("src="), "nothing else is needed: {file}");
    assert_eq!(write("Порт & <склад>", &[]).exited(0).stdout, file);
    let russian = write(PORT, &["--language", "ru"]).exited(0).stdout;
    assert!(russian.contains("<html lang=\"ru\">") && russian.contains("Напечатать"), "{russian}");
    let none = write("Yard", &[]).exited(0).stdout;
    assert!(none.contains("No point of this location has a code."), "{none}");
    for (location, more, code, says) in [
        ("порт & <склад>", &[][..], 1, "no location with the id or name"),
        (NOBODY, &[], 1, "no location with the id or name"),
        (PORT, &["--language", "xx"], 2, "[possible values: en, ru]"),
    ] {
        let outcome = write(location, more).exited(code);
        assert!(outcome.stdout.is_empty() && outcome.stderr.contains(says), "{}", outcome.stderr);
    }
}

#[test]
fn the_command_asks_which_of_several_locations_is_meant() {
    let store = Store::with(&records().and([location(NOBODY, "Yard")]));
    let outcome = store.run(&["labels", "Yard"]).exited(1);
    assert!(outcome.stderr.contains(YARD) && outcome.stderr.contains(NOBODY), "{}", outcome.stderr);
}
