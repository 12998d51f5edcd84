//! Every page of the office, over the demo: declared once for the tests of accessibility and the pictures.

use std::{thread, time::Duration};

use patrol_tests::{Form, Running, Server, Store, with, within};
use serde_json::{Value, json};

use super::{Browser, company::floor, url};

/// The demo, which is served.
pub(super) struct Demo {
    pub(super) running: Running,
    /// What the demo has printed: a line for each name and password.
    output: String,
    /// Names of pages, and their paths.
    pub(super) pages: Vec<(&'static str, String)>,
}

impl Demo {
    /// The demo with a picture of a floor, on which a point is placed.
    pub(super) fn start() -> Self {
        let store = Store::sqlite();
        let server = Server::run(store.command(&["serve", "--demo", "--demo-walk=false"]));
        within(Duration::from_secs(60), "the demo is there", || {
            server.output().contains("guard-password ")
        });
        let output = server.output();
        let token = output.lines().find(|line| line.starts_with("ptl_")).expect("a token");
        let admin = server.api().with_token(token);
        let running = Running { server, store, admin };
        let pages = pages(&running);
        Self { running, output, pages }
    }

    fn said(&self, what: &str) -> &str {
        let mut lines = self.output.lines();
        lines.find_map(|line| line.strip_prefix(what)?.strip_prefix(' ')).expect("a line")
    }

    /// Signs the administrator in.
    pub(super) fn sign_in(&self, browser: &Browser) {
        browser.open(&url(&self.running, "/sign-in"));
        browser.find("textbox", "Employee number or email").fill(self.said("name"));
        browser.find("textbox", "Password").fill(self.said("password"));
        browser.find("button", "Sign in").click();
        browser.find("heading", "Rounds");
    }

    /// The path of the page with this name.
    pub(super) fn path(&self, name: &str) -> &str {
        let page = self.pages.iter().find(|(known, _)| *known == name);
        &page.expect("a page with this name").1
    }

    /// Opens a page, and waits for what its scripts do at once.
    pub(super) fn open(&self, browser: &Browser, path: &str) {
        browser.open(&url(&self.running, path));
        thread::sleep(Duration::from_millis(20));
    }
}

/// The id of the first record of a list.
fn first(running: &Running, list: &str) -> Value {
    let separator = if list.contains('?') { '&' } else { '?' };
    let found = running.admin.get(&format!("{list}{separator}limit=1")).ok();
    found["data"][0].clone()
}

fn id(record: &Value) -> &str {
    record["id"].as_str().expect("an id")
}

fn pages(running: &Running) -> Vec<(&'static str, String)> {
    let admin = &running.admin;
    let location = first(running, "/locations?sort=name");
    let location = id(&location);
    let path = format!("/locations/{location}/graphic-plans");
    let floor = Form::default().field("name", "Ground floor").file("image", &floor());
    let floor = admin.form(&path, &floor).json(201);
    let floor = id(&floor);
    let points = format!("/locations/points?locationId={location}&sort=name");
    let points = admin.get(&points).ok()["data"].as_array().expect("points").clone();
    for (point, x) in points.iter().zip([0.15, 0.5, 0.8]) {
        let placed = json!({ "graphicPlans": [{ "id": floor, "x": x, "y": 0.4 }] });
        let path = format!("/locations/points/{}", id(point));
        let _ = admin.put(&path, &with(point.clone(), placed)).ok();
    }
    let point = id(&points[0]);
    let ended = "/task-executions/info?state=COMPLETED&flagged=true&sort=startAt,desc";
    let (ended, planned) =
        (first(running, ended), first(running, "/task-executions/info?state=PENDING"));
    let (ended, planned) = (id(&ended), id(&planned));
    let (plan, list) = (first(running, "/scheduled-tasks"), first(running, "/check-lists"));
    let (plan, list) = (id(&plan), id(&list));
    let person = first(running, "/users?sort=lastName");
    let person = id(&person);
    [
        ("rounds", "/rounds".to_owned()),
        ("rounds-none", "/rounds?search=nothing".to_owned()),
        ("round", format!("/rounds/{ended}")),
        ("round-planned", format!("/rounds/{planned}")),
        ("round-new", "/rounds/new".to_owned()),
        ("round-edit", format!("/rounds/{planned}/edit")),
        ("round-following", format!("/rounds/{planned}/following")),
        ("round-copy", format!("/rounds/{planned}/copy")),
        ("round-delete", format!("/rounds/{planned}/delete")),
        ("plans", "/plans".to_owned()),
        ("plan", format!("/plans/{plan}")),
        ("plan-new", "/plans/new".to_owned()),
        ("plan-edit", format!("/plans/{plan}/edit")),
        ("plan-delete", format!("/plans/{plan}/delete")),
        ("locations", "/locations".to_owned()),
        ("location", format!("/locations/{location}")),
        ("location-new", "/locations/new".to_owned()),
        ("location-edit", format!("/locations/{location}/edit")),
        ("labels", format!("/locations/{location}/labels")),
        ("point", format!("/points/{point}")),
        ("point-new", format!("/points/new?locationId={location}")),
        ("point-edit", format!("/points/{point}/edit")),
        ("graphic-plan", format!("/graphic-plans/{floor}")),
        ("graphic-plan-new", format!("/graphic-plans/new?locationId={location}")),
        ("place", format!("/graphic-plans/{floor}/place?pointId={point}")),
        ("check-lists", "/check-lists".to_owned()),
        ("check-list", format!("/check-lists/{list}")),
        ("check-list-new", "/check-lists/new".to_owned()),
        ("check-list-edit", format!("/check-lists/{list}/edit")),
        ("people", "/people".to_owned()),
        ("people-none", "/people?search=nobody".to_owned()),
        ("person", format!("/people/{person}")),
        ("person-new", "/people/new".to_owned()),
        ("person-edit", format!("/people/{person}/edit")),
        ("photo", format!("/people/{person}/photo")),
        ("import", "/import".to_owned()),
        ("figures", "/figures".to_owned()),
        ("figures-of-people", "/figures?group=performer".to_owned()),
        ("tokens", "/tokens".to_owned()),
        ("all-tokens", "/tokens?user=all".to_owned()),
        ("sessions", "/sessions".to_owned()),
        ("password", "/password".to_owned()),
        ("not-found", "/nowhere".to_owned()),
        ("components", "/docs/components".to_owned()),
    ]
    .into()
}
