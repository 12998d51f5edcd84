//! What a role may not do is neither shown nor done: a walk over the table of routes, and over the links
//! and forms of every page. The walk also checks what all pages have in common.

use std::collections::{BTreeSet, VecDeque};

use patrol_tests::{
    DataSet, Form, Page, Running, SiteClient, Store,
    company::{self, ADMIN, EMPLOYEE, MANAGER},
    in_progress, planned, with,
};
use serde_json::{Value, json};

use super::{PASSWORD, browser};

/// The source of the table of routes.
const TABLE: &str = include_str!("../../../../crates/site/src/pages/mod.rs");

/// The users, from the one with the fewest rights on, each with the employee number.
const USERS: [(&str, &str, &str); 3] =
    [("EMPLOYEE", EMPLOYEE, "E1"), ("MANAGER", MANAGER, "M1"), ("ADMIN", ADMIN, "A1")];

/// The routes that only some may use, with the least role that may: managers and administrators plan, and
/// administrators manage people. Those with a method hold for it alone.
const RESTRICTED: &[(&str, &str)] = &[
    ("/locations/new", "MANAGER"),
    ("/locations/{id}/edit", "MANAGER"),
    ("/locations/{id}/delete", "MANAGER"),
    ("/locations/{id}/labels", "MANAGER"),
    ("/points/new", "MANAGER"),
    ("/points/{id}/edit", "MANAGER"),
    ("/points/{id}/delete", "MANAGER"),
    ("/graphic-plans/new", "MANAGER"),
    ("/graphic-plans/{id}/place", "MANAGER"),
    ("/graphic-plans/{id}/delete", "MANAGER"),
    ("/check-lists/new", "MANAGER"),
    ("/check-lists/{id}/edit", "MANAGER"),
    ("/check-lists/{id}/delete", "MANAGER"),
    ("/plans/new", "MANAGER"),
    ("/plans/{id}/edit", "MANAGER"),
    ("/plans/{id}/delete", "MANAGER"),
    ("/rounds/new", "MANAGER"),
    ("/rounds/{id}/edit", "MANAGER"),
    ("/rounds/{id}/following", "MANAGER"),
    ("/rounds/{id}/copy", "MANAGER"),
    ("/rounds/{id}/delete", "MANAGER"),
    ("/figures", "MANAGER"),
    ("/figures/csv", "MANAGER"),
    ("/people", "MANAGER"),
    ("/people/new", "MANAGER"),
    ("/people/{id}", "MANAGER"),
    ("/people/{id}/edit", "MANAGER"),
    ("/people/{id}/photo", "MANAGER"),
    ("/people/{id}/photo/image", "MANAGER"),
    ("/people/{id}/photo/remove", "MANAGER"),
    ("/people/{id}/delete", "ADMIN"),
    ("/people/{id}/invite", "ADMIN"),
    ("/people/{id}/sign-out", "ADMIN"),
    ("/people/{id}/remove-sign-in", "ADMIN"),
    ("/import", "ADMIN"),
    ("/import/records", "ADMIN"),
];

/// The routes that need no session.
const PUBLIC: &[&str] = &[
    "/",
    "/sign-in",
    "/language",
    "/time-zone",
    "/invitation/{code}",
    "/docs/components",
    "/site.css",
    "/site.js",
    "/live.js",
    "/icon.svg",
    "/docs/components",
];

/// The routes that answer as the API does, which `api.rs` tries, or that are tried elsewhere because they end
/// what this test needs, or never end.
const OTHERS: &[&str] =
    &["/guard", "/sign-out", "/sessions/end-others", "/password", "/rounds/live"];

/// The routes whose POST takes a form with a file: another form is refused to everyone.
const WITH_FILE: &[&str] = &["/people/{id}/photo", "/import", "/graphic-plans/new"];

/// The pattern and the methods of each route.
fn routes() -> Vec<(String, Vec<&'static str>)> {
    let rows = TABLE.split("at(\"").skip(1);
    let route = |row: &'static str| {
        let (pattern, rest) = row.split_once('"')?;
        let rest = rest.split("at(\"").next()?;
        let has = |method: &str| rest.contains(&format!(".{method}("));
        let methods = ["get", "post"].into_iter().filter(|method| has(method)).collect();
        Some((pattern.to_owned(), methods))
    };
    let routes: Vec<_> = rows.filter_map(route).collect();
    assert!(routes.len() > 25, "{routes:?}");
    routes
}

fn is_other(pattern: &str) -> bool {
    OTHERS.iter().any(|other| {
        pattern.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// The path of a pattern, with ids that no record has.
fn path_of(pattern: &str) -> String {
    let parts = pattern.split('/').map(|part| match part {
        id if id.starts_with('{') => "0190de30-00ff-7000-8000-000000000001",
        name => name,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// How many of [`USERS`], from the end, may use the route.
fn allowed(pattern: &str) -> &'static str {
    let restricted = RESTRICTED.iter().find(|(known, _)| *known == pattern);
    restricted.map_or("EMPLOYEE", |(_, role)| role)
}

fn running() -> Running {
    // The board of today leads to a round that is under way.
    Running::on(Store::with(&named().and([planned(1), in_progress(2)])))
}

/// The company, whose people may sign in.
fn named() -> DataSet {
    let named = |record: &Value| match USERS.iter().find(|(_, id, _)| record["id"] == **id) {
        Some((role, ..)) => {
            with(record.clone(), json!({ "password": PASSWORD, "firstName": role }))
        }
        None => record.clone(),
    };
    DataSet::new(company::company().records().iter().map(named))
}

#[test]
fn every_route_is_refused_to_those_who_may_not_use_it() {
    let running = running();
    let mut strangers = browser(&running);
    for (pattern, methods) in routes().into_iter().filter(|(pattern, _)| !is_other(pattern)) {
        let path = path_of(&pattern);
        let is_public = PUBLIC.contains(&pattern.as_str());
        let form = strangers.open("/sign-in");
        for method in &methods {
            let answer = send(&mut strangers, &form, method, &path);
            let leads_to_sign_in = answer.header("location") == Some("/sign-in");
            assert_eq!(leads_to_sign_in, !is_public || pattern == "/", "{method} {pattern}");
        }
    }
    let roles = USERS.map(|(role, ..)| role);
    for (at, (role, _, number)) in USERS.into_iter().enumerate() {
        let mut browser = browser(&running).signed_in(number, PASSWORD);
        let form = browser.open("/tokens");
        for (pattern, methods) in routes() {
            if is_other(&pattern) || PUBLIC.contains(&pattern.as_str()) {
                continue;
            }
            let least = roles.iter().position(|role| *role == allowed(&pattern)).expect("a role");
            let is_open = |method: &str| {
                method == "get" || at < least || !WITH_FILE.contains(&pattern.as_str())
            };
            for method in methods.into_iter().filter(|method| is_open(method)) {
                let status = send(&mut browser, &form, method, &path_of(&pattern)).status;
                assert_eq!(status == 403, at < least, "{role} {method} {pattern}: {status}");
                assert!(status < 500, "{role} {method} {pattern}: {status}");
            }
        }
    }
}

fn send(browser: &mut SiteClient, form: &Page, method: &str, path: &str) -> Page {
    match method {
        "get" => browser.get(path),
        _ => browser.submit(form, path, &[]),
    }
}

/// The values of an attribute of a page that are paths of this site.
fn paths<'a>(page: &'a str, attribute: &'a str) -> impl Iterator<Item = String> + 'a {
    let start = format!("{attribute}=\"/");
    page.match_indices(&start)
        .map(|(at, found)| at + found.len() - 1)
        .filter_map(|at| {
            let path = page.get(at..)?.split('"').next()?;
            Some(path.replace("&#38;", "&").replace("&amp;", "&"))
        })
        .collect::<Vec<_>>()
        .into_iter()
}

/// The pages that a user is led to by links, from the access tokens on: the path, the pattern of the route, and
/// the page.
fn walk(running: &Running, role: &str, number: &str) -> Vec<(String, String, Page)> {
    let routes = routes();
    let mut browser = browser(running).signed_in(number, PASSWORD);
    let (mut open, mut seen) = (VecDeque::from(["/tokens".to_owned()]), BTreeSet::new());
    let (mut shown, mut pages) = (BTreeSet::new(), Vec::new());
    while let Some(path) = open.pop_front() {
        // Long lists and calendars lead on without an end.
        let pattern = pattern_of(&routes, &path);
        if !seen.insert(path.clone()) || (shown.contains(&pattern) && path.contains('?')) {
            continue;
        }
        shown.insert(pattern.clone());
        let page = browser.get(&path);
        assert!(matches!(page.status, 200 | 303), "{role} is shown {path}: {}", page.status);
        let is_page = page.header("content-type").is_some_and(|is| is.starts_with("text/html"));
        if !is_page || path.starts_with("/guard") {
            continue;
        }
        let links = paths(&page.text, "href");
        open.extend(links.map(|path| path.split('#').next().unwrap_or("/").to_owned()));
        pages.push((path, pattern, page));
    }
    for pattern in ["/rounds/{id}", "/locations/{id}", "/points/{id}", "/plans/{id}"] {
        assert!(shown.contains(pattern), "{role} is led to {pattern}: {shown:?}");
    }
    pages
}

#[test]
fn every_link_and_form_that_a_page_shows_may_be_used() {
    let running = running();
    let routes = routes();
    let rank_of = |role: &str| USERS.iter().position(|(known, ..)| *known == role);
    for (role, _, number) in USERS {
        for (path, _, page) in walk(&running, role, number) {
            for action in ["action", "formaction"].iter().flat_map(|name| paths(&page.text, name)) {
                let pattern = pattern_of(&routes, &action);
                assert!(
                    rank_of(role) >= rank_of(allowed(&pattern)),
                    "{role} is shown {action} on {path}"
                );
            }
        }
    }
}

#[test]
fn every_page_has_the_navigation_of_the_role_a_policy_and_times_with_an_offset() {
    let running = running();
    for (role, _, number) in USERS {
        let mut timed = BTreeSet::new();
        for (path, pattern, page) in walk(&running, role, number) {
            check_navigation(&page, role, &path);
            check_policy(&page, &path);
            if has_times(&page, &path) {
                timed.insert(pattern);
            }
        }
        for pattern in ["/rounds", "/rounds/{id}", "/sessions"] {
            assert!(timed.contains(pattern), "{role} sees times on {pattern}: {timed:?}");
        }
    }
}

/// A text that is markup, leaves an attribute, and turns what follows from right to left.
const HOSTILE: &str = "<script>alert(1)</script>\"'onload=\"x\u{202e}";

/// Gives a record, and what it has, hostile texts; a number keeps them apart.
fn make_hostile(record: &mut Value, number: &mut u32) {
    const TEXTS: &[&str] =
        &["name", "firstName", "lastName", "description", "address", "qrCode", "rfidCode"];
    match record {
        Value::Array(records) => records.iter_mut().for_each(|one| make_hostile(one, number)),
        Value::Object(members) => {
            for (name, value) in members {
                if TEXTS.contains(&name.as_str()) && value.is_string() {
                    *number += 1;
                    *value = json!(format!("{HOSTILE}{number}"));
                } else if name == "tags" {
                    *value = json!([HOSTILE]);
                } else {
                    make_hostile(value, number);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn hostile_texts_stay_texts_on_every_page() {
    let mut number = 0;
    let records = named().and([planned(1), in_progress(2)]);
    let records = records.records().iter().cloned().map(|mut record| {
        make_hostile(&mut record, &mut number);
        record
    });
    let running = Running::on(Store::with(&DataSet::new(records)));
    let mut hostile = BTreeSet::new();
    for (path, pattern, page) in walk(&running, "ADMIN", "A1") {
        for broken in ["<script>alert", "\"'onload", "'onload=\""] {
            assert!(!page.text.contains(broken), "{broken} on {path}: {}", page.text);
        }
        // The name of the person who is signed in stands above every page.
        let content = page.text.split_once("<main").expect("the content").1;
        if content.contains('\u{202e}') {
            hostile.insert(pattern);
        }
    }
    let expected = [
        "/rounds",
        "/rounds/{id}",
        "/rounds/{id}/edit",
        "/rounds/{id}/copy",
        "/rounds/{id}/delete",
        "/rounds/new",
        "/plans",
        "/plans/{id}",
        "/plans/{id}/edit",
        "/plans/{id}/delete",
        "/locations",
        "/locations/{id}",
        "/locations/{id}/edit",
        "/locations/{id}/delete",
        "/locations/{id}/labels",
        "/points/{id}",
        "/points/{id}/edit",
        "/points/{id}/delete",
        "/check-lists",
        "/check-lists/{id}",
        "/check-lists/{id}/edit",
        "/check-lists/{id}/delete",
        "/people",
        "/people/{id}",
        "/people/{id}/edit",
        "/people/{id}/delete",
        "/figures",
    ];
    for pattern in expected {
        assert!(hostile.contains(pattern), "{pattern} shows none of the texts: {hostile:?}");
    }
}

/// Checks that a page has exactly the links of a role, the name of the user and "Sign out".
fn check_navigation(page: &Page, role: &str, path: &str) {
    let (_, rest) = page.text.split_once("<nav aria-label=\"Pages\">").expect("a navigation");
    let (navigation, rest) = rest.split_once("</nav>").expect("its end");
    let links: Vec<_> =
        navigation.split("</a>").filter_map(|link| Some(link.rsplit_once('>')?.1)).collect();
    let all = ["Rounds", "Plans", "Locations", "Check-lists"];
    let expected = match role {
        "EMPLOYEE" => [&["My rounds"][..], &all, &["Access tokens"]].concat(),
        _ => [&all[..], &["People", "Figures", "Access tokens"]].concat(),
    };
    assert_eq!(links, expected, "{role} on {path}");
    let (account, _) = rest.split_once("</header>").expect("the end of the header");
    for part in [&*format!(">{role} Ash</span>"), ">Sign out</button>"] {
        assert!(account.contains(part), "{role} on {path}: {account}");
    }
}

/// Checks that a page may load files of this site alone.
fn check_policy(page: &Page, path: &str) {
    let policy = page.header("content-security-policy").unwrap_or_default();
    let parts: BTreeSet<_> = policy.split(';').map(str::trim).collect();
    let expected = [
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
    ];
    assert_eq!(parts, BTreeSet::from(expected), "{path}");
}

/// Whether a page has elements `time`. Checks that each says its offset, as "Z" or as "+01:00".
fn has_times(page: &Page, path: &str) -> bool {
    let times = page.text.split("datetime=\"").skip(1);
    let times: Vec<_> = times.filter_map(|rest| rest.split('"').next()).collect();
    for time in &times {
        let form: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        let is_whole = form.starts_with("0000-00-00T00:00:00");
        let has_offset = ["Z", "+00:00", "-00:00"].into_iter().any(|is| form.ends_with(is));
        assert!(is_whole && has_offset, "{time} on {path}");
    }
    !times.is_empty()
}

#[test]
fn every_form_without_the_token_of_the_session_is_refused() {
    let running = running();
    let mut admin = browser(&running).signed_in("A1", PASSWORD);
    let foreign = browser(&running).open("/sign-in");
    let text = foreign.text.replace(&foreign.hidden("token"), "");
    let without = Page { text, ..foreign.clone() };
    // `/guard/codes` takes a picture: `codes.rs` tries it.
    let is_form = |(pattern, methods): &(String, Vec<&str>)| {
        methods.contains(&"post") && pattern != "/guard/codes"
    };
    for (pattern, _) in routes().into_iter().filter(is_form) {
        let path = path_of(&pattern);
        assert_eq!(admin.post(&path, &[]).status, 403, "{pattern} without a token");
        for page in [&without, &foreign] {
            let answer = if WITH_FILE.contains(&pattern.as_str()) {
                admin.submit_file(page, &path, Form::default())
            } else {
                admin.submit(page, &path, &[])
            };
            assert_eq!(answer.status, 403, "{pattern} with {:?}", page.hidden("token"));
        }
    }
    // The administrator is still signed in.
    admin.open("/tokens");
}

/// The pattern of the route that a path belongs to.
fn pattern_of(routes: &[(String, Vec<&'static str>)], path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let matches = |pattern: &str| {
        let (mut left, mut right) = (pattern.split('/'), path.split('/'));
        loop {
            match (left.next(), right.next()) {
                (None, None) => return true,
                (Some(any), Some(_)) if any.starts_with('{') => {}
                (Some(name), Some(part)) if name == part => {}
                _ => return false,
            }
        }
    };
    let found = routes.iter().find(|(pattern, _)| matches(pattern));
    found.map_or_else(|| path.to_owned(), |(pattern, _)| pattern.clone())
}
