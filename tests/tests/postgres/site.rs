//! The site on several nodes: sessions, forms and invitations belong to none of them, and pages are told of
//! changes at all of them.

use std::{
    io::{BufRead as _, BufReader},
    time::{Duration, Instant},
};

use patrol_tests::{
    Api, DataSet, Server, SiteClient, Store,
    company::{ADMIN, company, user},
    execution_id, planned, with,
};
use serde_json::{Value, json};

use crate::path;

const PASSWORD: &str = "correct horse battery";

/// How long a change may take to reach an open page. The contract says 2 s; here debug builds share busy
/// cores with other tests.
const IN_TIME: Duration = Duration::from_secs(10);

/// A node whose forms are accepted from one public address.
fn node(store: &Store) -> Server {
    let mut command = store.command(&["serve"]);
    command.env("PATROL_PUBLIC_URL", "http://patrol.example.org");
    Server::run(command)
}

#[test]
fn a_session_goes_on_at_any_node_over_a_rolling_restart() {
    let admin = with(user(ADMIN, "ADMIN", "A1"), json!({ "password": PASSWORD }));
    let store = Store::postgres().and(&DataSet::new([admin]));
    let mut nodes = [(); 3].map(|()| node(&store));
    let mut browser = SiteClient::new(nodes[0].address())
        .with("Origin", "http://patrol.example.org")
        .signed_in("A1", PASSWORD);
    for place in 0..3 {
        // The page comes from one node, its form goes to the next.
        let page = browser.open("/tokens");
        let next = &nodes[(place + 1) % 3];
        browser = browser.at(next.address());
        let form = page.hidden("form");
        let fields = [("name", "phone"), ("expires", "7"), ("form", form.as_str())];
        let shown = browser.submit(&page, "/tokens", &fields);
        assert!(shown.value_of("new-token").starts_with("ptl_"), "{}", shown.text);
        // Sent again, by way of the third node, it makes no second token.
        let again = browser.at(nodes[(place + 2) % 3].address()).submit(&page, "/tokens", &fields);
        assert!(again.text.contains("This form was sent before"), "{}", again.text);
        nodes[place].terminate();
        assert!(nodes[place].wait().success());
        nodes[place] = node(&store);
    }
    let shown: Value = serde_json::from_str(&browser.open("/guard/session").text).expect("JSON");
    let cookie = format!("patrol_session={}", browser.cookie("patrol_session").expect("one"));
    let csrf = shown["csrf"].as_str().expect("a token");
    let api = |node: &Server| {
        let api = Api::new(node.address()).with("Cookie", &cookie).with("Patrol-CSRF", csrf);
        api.get("/me").status
    };
    assert_eq!(nodes.each_ref().map(api), [200; 3]);
    let mut other = SiteClient::new(nodes[0].address())
        .with("Origin", "http://patrol.example.org")
        .signed_in("A1", PASSWORD);
    let page = other.open("/sessions");
    other.submit(&page, "/sessions/end-others", &[]).leads_to("/sessions?ended=1");
    for node in &nodes {
        browser.at(node.address()).get("/tokens").leads_to("/sign-in");
        assert_eq!(api(node), 401);
    }
}

#[test]
fn failed_sign_ins_are_counted_over_all_nodes() {
    let admin = with(user(ADMIN, "ADMIN", "A1"), json!({ "password": PASSWORD }));
    let store = Store::postgres().and(&DataSet::new([admin]));
    let nodes: Vec<_> = (0..2).map(|_| node(&store)).collect();
    let at = |place: usize| SiteClient::new(nodes[place % 2].address());
    for place in 0..5 {
        at(place).sign_in("A1", "wrong").refused("Sign-in failed");
    }
    for place in 0..2 {
        assert_eq!(at(place).sign_in("A1", PASSWORD).status, 429);
    }
}

#[test]
fn an_open_page_is_told_of_a_change_at_another_node() {
    let others = company();
    let others = others.records().iter().filter(|record| record["id"] != ADMIN).cloned();
    let admin = with(user(ADMIN, "ADMIN", "A1"), json!({ "password": PASSWORD }));
    let store = Store::postgres().and(&DataSet::new([admin]).and(others).and([planned(1)]));
    let nodes = [(); 2].map(|()| node(&store));
    let browser = SiteClient::new(nodes[0].address())
        .with("Origin", "http://patrol.example.org")
        .signed_in("A1", PASSWORD);
    let cookie = format!("patrol_session={}", browser.cookie("patrol_session").expect("one"));
    let stream = nodes[0].api().with("Cookie", &cookie).open("GET", "/rounds/live", None);
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "event: beat"));
    let other = nodes[1].api().with_token(&store.token(ADMIN));
    let changed = Instant::now();
    assert_eq!(other.patch(&path(1), &json!({ "tags": ["changed"] })).status, 200);
    // Heartbeats end the wait when the change does not come.
    let mut in_time = lines.by_ref().take_while(|_| changed.elapsed() < IN_TIME);
    assert!(in_time.any(|line| line == "event: change"), "{:?}", changed.elapsed());
    assert_eq!(lines.next(), Some(format!("data: {}", execution_id(1))));
}
