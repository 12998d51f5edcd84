//! What the lists of records have in common: pages, search and sort.

use std::collections::BTreeSet;

use patrol_tests::{
    DataSet, Page, Running, Store,
    company::{self, GUARD, PORT},
    with,
};
use serde_json::json;

use super::{PASSWORD, admin, browser, link, people, plans::unescaped};

/// The id of record `n` of a list.
fn id(list: u32, n: u32) -> String {
    format!("0190b000-{list:04x}-7000-8000-{n:012x}")
}

/// The paths of the records that a list shows, in order.
fn rows<'p>(page: &'p Page, records: &str) -> Vec<&'p str> {
    let rows = page.text.split("<tr data-key=\"").skip(1);
    let paths = rows.filter_map(|row| row.split('"').next());
    paths.filter(|path| path.starts_with(records)).collect()
}

/// The last digits of the ids of these records.
fn order(page: &Page, records: &str) -> String {
    rows(page, records).into_iter().filter_map(|path| path.chars().next_back()).collect()
}

/// The headings of the first table: the text, where it leads, and the value of `aria-sort`.
fn headings(page: &Page) -> Vec<(String, Option<String>, Option<String>)> {
    let (_, head) = page.text.split_once("<thead>").expect("a table");
    let head = head.split("</thead>").next().expect("its head");
    let heading = |cell: &str| {
        let cell = cell.split("</th>").next().expect("its end");
        let attribute = |name: &str| {
            let (_, value) = cell.split_once(&format!(" {name}=\""))?;
            Some(unescaped(value.split('"').next()?))
        };
        let text = cell.trim_end_matches("</a>").rsplit('>').next().expect("a text");
        (text.to_owned(), attribute("href"), attribute("aria-sort"))
    };
    head.split("<th scope=\"col\"").skip(1).map(heading).collect()
}

#[test]
fn each_list_has_pages_of_50_and_the_exact_count() {
    let records = (1..=101).flat_map(|n| {
        let name = format!("Row {n:03}");
        [
            company::location(&id(1, n), &name),
            company::point(&id(2, n), PORT, &name),
            company::user(&id(3, n), "EMPLOYEE", &format!("R{n}")),
            json!({ "kind": "scheduledTask", "id": id(4, n), "name": name }),
            json!({ "kind": "checkList", "id": id(5, n), "name": name, "actions": [] }),
        ]
    });
    let company = super::company().and([company::location(PORT, "Port")]).and(records);
    let running = Running::on(Store::with(&company));
    let mut admin = admin(&running);
    let port = format!("/locations/{PORT}");
    for (list, records, total) in [
        ("/plans", "/plans/", 101),
        ("/locations", "/locations/", 102),
        (&port, "/points/", 101),
        ("/check-lists", "/check-lists/", 101),
        ("/people", "/people/", 105),
    ] {
        let mut pages = vec![admin.open(list)];
        while let Some(next) = link(&pages[pages.len() - 1].text, "Next page") {
            pages.push(admin.open(&next));
            assert!(pages.len() < 4, "{list}: {next}");
        }
        assert_eq!(pages.len(), 3, "{list}");
        for (page, (first, last)) in pages.iter().zip([(1, 50), (51, 100), (101, total)]) {
            let said = format!(">{first}–{last} of {total}<");
            assert!(page.text.contains(&said), "{list}: {said}: {}", page.text);
            assert_eq!(rows(page, records).len(), last - first + 1, "{list}: {said}");
        }
        let all: BTreeSet<_> = pages.iter().flat_map(|page| rows(page, records)).collect();
        assert_eq!(all.len(), total, "{list}");
        assert_eq!(link(&pages[0].text, "Previous page"), None, "{list}");
        for pair in pages.windows(2) {
            let previous = link(&pair[1].text, "Previous page").expect("a link");
            let page = admin.open(&previous);
            assert_eq!(rows(&page, records), rows(&pair[0], records), "{previous}");
        }
    }
}

/// A heading, and the [`order`] of the rows when the list is sorted by it, upwards and downwards. Both are empty
/// when the list cannot be sorted by it.
type Heading = (&'static str, &'static str, &'static str);

#[test]
fn each_list_is_searched_and_sorted_by_its_headings() {
    let values = [
        ("B North", "2 Quay", "NFC", "q3", "r1", "NORMAL"),
        ("A North", "3 Quay", "QR", "q1", "r3", "MAJOR"),
        ("D North", "1 Quay", "BLE", "q4", "r4", "MINOR"),
        ("C North", "4 Quay", "VIRTUAL", "q2", "r2", "CRITICAL"),
        ("South", "5 Quay", "QR", "q5", "r5", "NORMAL"),
    ];
    let records = (1..).zip(values).flat_map(|(n, values)| {
        let (name, address, kind, qr_code, rfid_code, priority) = values;
        let codes = json!({ "type": kind, "qrCode": qr_code, "rfidCode": rfid_code });
        [
            with(company::location(&id(1, n), name), json!({ "address": address })),
            with(company::point(&id(2, n), PORT, name), codes),
            json!({ "kind": "scheduledTask", "id": id(4, n), "name": name, "priority": priority }),
            json!({ "kind": "checkList", "id": id(5, n), "name": name, "actions": [] }),
        ]
    });
    // The ids of these people end in 1, 2, 3 and 5.
    let changes = [
        json!({ "lastName": "Baker North" }),
        json!({ "lastName": "Davis North" }),
        json!({ "lastName": "Adams North", "status": "INACTIVE" }),
        json!({ "lastName": "Clark North", "status": "ACTIVE", "employeeNo": "A0" }),
    ];
    let people = people().into_iter().zip(changes).map(|(user, change)| with(user, change));
    let others = [company::user(GUARD, "EMPLOYEE", "E2"), company::location(PORT, "Port")];
    let company = DataSet::new(people).and(others).and(records);
    let running = Running::on(Store::with(&company));
    let mut admin = admin(&running);
    let port = format!("/locations/{PORT}");
    let lists: [(&str, &str, &[Heading]); 5] = [
        (
            "/plans",
            "/plans/",
            &[
                ("Name", "2143", "3412"),
                ("Location", "", ""),
                ("Priority", "3124", "4213"),
                ("Next start", "", ""),
                ("Tags", "", ""),
            ],
        ),
        (
            "/locations",
            "/locations/",
            &[("Name", "2143", "3412"), ("Address", "3124", "4213"), ("Tags", "", "")],
        ),
        (
            &port,
            "/points/",
            &[
                ("Name", "2143", "3412"),
                ("Type", "3124", "4213"),
                ("QR code", "2413", "3142"),
                ("RFID code", "1423", "3241"),
                ("Coordinates", "", ""),
                ("Places on graphic plans", "", ""),
                ("Tags", "", ""),
            ],
        ),
        ("/check-lists", "/check-lists/", &[("Name", "2143", "3412"), ("Actions", "", "")]),
        (
            "/people",
            "/people/",
            &[
                ("Name", "1352", "2531"),
                ("Role", "1352", "2351"),
                ("Employee number", "5132", "2315"),
                ("Status", "1253", "3125"),
                ("May sign in", "", ""),
                ("Last sign-in", "", ""),
                ("Sign in", "", ""),
            ],
        ),
    ];
    for (list, records, expected) in lists {
        assert!(rows(&admin.open(list), records).len() > 4, "{list}");
        let nothing = admin.open(&format!("{list}?search=nothing"));
        assert!(nothing.text.contains("Nothing found."), "{list}: {}", nothing.text);
        let found = admin.open(&format!("{list}?search=NORTH"));
        assert_eq!(order(&found, records), expected[0].1, "{list} is sorted by name at first");
        let texts: Vec<_> = headings(&found).into_iter().map(|(text, ..)| text).collect();
        assert_eq!(texts, expected.iter().map(|(text, ..)| *text).collect::<Vec<_>>(), "{list}");
        for (at, (heading, upwards, downwards)) in expected.iter().enumerate() {
            if upwards.is_empty() {
                assert_eq!(headings(&found)[at].1, None, "{list}: {heading}");
                continue;
            }
            let mut page = found.clone();
            for (direction, expected) in [("ascending", upwards), ("descending", downwards)] {
                let href = headings(&page)[at].1.clone().expect("a link");
                page = admin.open(&href);
                // The search is kept.
                assert_eq!(order(&page, records), *expected, "{href}");
                let sorted = headings(&page).into_iter();
                let sorted: Vec<_> =
                    sorted.filter_map(|(text, _, sort)| Some((text, sort?))).collect();
                assert_eq!(sorted, [((*heading).to_owned(), direction.to_owned())], "{href}");
                // So is the sort when something else is searched for.
                assert!(href.ends_with(&format!("sort={}", page.hidden("sort"))), "{href}");
            }
        }
    }
    let seen = headings(&browser(&running).signed_in("M1", PASSWORD).open("/people"));
    assert_eq!(seen.last().map(|(text, ..)| text.as_str()), Some("Last sign-in"), "{seen:?}");
}
