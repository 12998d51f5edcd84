//! The session as a credential of `/v1`, and `/guard/session`.

use std::time::Duration;

use patrol_tests::{
    Answer, Api, Running, SiteClient,
    company::{ADMIN, EMPLOYEE},
    within,
};
use serde_json::{Value, json};

use super::{PASSWORD, admin, browser, running, store};
use crate::access::documented;

const ME: &str = "/me";

/// The session of a browser, as a page of the site knows it.
pub(super) struct Session {
    server: Api,
    cookie: String,
    csrf: String,
}

impl Session {
    pub(super) fn of(running: &Running, browser: &SiteClient) -> Self {
        let server = running.server.api();
        let cookie = format!("patrol_session={}", browser.cookie("patrol_session").expect("one"));
        let shown = server.with("Cookie", &cookie).outside("/guard/session").ok();
        let csrf = shown["csrf"].as_str().expect("a token").to_owned();
        Self { server, cookie, csrf }
    }

    /// The API with the cookie, among others, and without the header.
    pub(super) fn with_cookie(&self) -> Api {
        self.server.with("Cookie", &format!("patrol_language=en; {}; theme=dark", self.cookie))
    }

    /// The API with both.
    pub(super) fn api(&self) -> Api {
        self.with_cookie().with("Patrol-CSRF", &self.csrf)
    }
}

/// The API as a page in this browser calls it.
fn api(running: &Running, browser: &SiteClient) -> Api {
    Session::of(running, browser).api()
}

fn is_denied(answer: &Answer, status: u16, code: &str, what: &str) {
    assert_eq!(answer.status, status, "{what}: {}", answer.text());
    if !what.starts_with("HEAD") {
        answer.refused(status, code).shows(&[]);
    }
}

#[test]
fn every_route_is_open_to_a_page_of_the_site_and_to_no_other() {
    let running = running();
    let (browser, other) = (admin(&running), admin(&running));
    let (session, foreign) = (Session::of(&running, &browser), Session::of(&running, &other));
    let (cookie, own) = (session.with_cookie(), session.api());
    let url = format!("http://{}", running.server.address());
    let wrong = [
        ("Patrol-CSRF", cookie.with("Patrol-CSRF", "")),
        ("Patrol-CSRF", cookie.with("Patrol-CSRF", "wrong")),
        ("Patrol-CSRF", cookie.with("Patrol-CSRF", &foreign.csrf)),
        ("Patrol-CSRF", own.with("Patrol-CSRF", "wrong")),
        ("Origin", own.with("Origin", "https://example.org")),
        ("Origin", own.with("Origin", "null")),
        ("Origin", own.with("Origin", &url).with("Origin", "https://example.org")),
        ("Sec-Fetch-Site", own.with("Sec-Fetch-Site", "same-site")),
        ("Sec-Fetch-Site", own.with("Sec-Fetch-Site", "cross-site")),
        ("Sec-Fetch-Site", own.with("Sec-Fetch-Site", "none")),
        ("Sec-Fetch-Site", own.with("Origin", &url).with("Sec-Fetch-Site", "none")),
    ];
    let mut routes = documented(&own);
    routes.push(("HEAD".to_owned(), ME.to_owned()));
    let mut of_tokens = 0;
    for (method, path) in &routes {
        let send = |api: &Api| api.text(method, path, "{}");
        let what = format!("{method} {path}");
        is_denied(&send(&cookie), 401, "unauthorized", &what);
        let none = running.server.api().with("Patrol-CSRF", &session.csrf);
        is_denied(&send(&none), 401, "unauthorized", &what);
        let unknown = none.with("Cookie", "patrol_session=x");
        is_denied(&send(&unknown), 401, "unauthorized", &what);
        for (header, wrong) in &wrong {
            let answer = send(wrong);
            is_denied(&answer, 403, "access.denied", &what);
            assert!(
                method == "HEAD" || answer.json(403)["identifier"] == *header,
                "{what}: {header}"
            );
        }
        is_denied(&send(&own.with_token("wrong")), 401, "unauthorized", &what);
        let right = send(&own.with("Origin", &url).with("Sec-Fetch-Site", "same-origin"));
        if path.starts_with("/tokens") {
            is_denied(&right, 403, "access.denied", &what);
            is_denied(&send(&own.with("Idempotency-Key", "1")), 403, "access.denied", &what);
            of_tokens += 1;
        } else {
            assert!(![401, 403].contains(&right.status), "{what}: {}", right.text());
        }
    }
    assert_eq!(of_tokens, 3);
}

#[test]
fn the_token_wins_over_the_session() {
    let running = running();
    let both = api(&running, &admin(&running)).with_token(&running.store.token(EMPLOYEE));
    assert_eq!(both.get(ME).ok()["id"], EMPLOYEE);
    assert_eq!(both.get("/tokens").ok()["meta"]["count"], 1);
    // A foreign page needs no session for that.
    assert_eq!(both.with("Origin", "https://example.org").get(ME).status, 200);
}

#[test]
fn a_session_has_the_rights_of_its_user() {
    let running = running();
    let employee = api(&running, &browser(&running).signed_in("E1", PASSWORD));
    assert_eq!(employee.get(ME).ok()["id"], EMPLOYEE);
    let location = json!({ "name": "Gate" });
    employee.post("/locations", &location).refused(403, "access.denied").shows(&[]);
    let own = format!("/users/{EMPLOYEE}");
    assert_eq!(employee.patch(&own, &json!({ "phone": "+491" })).ok()["phone"], "+491");
    let events = running.admin.get(&format!("{own}/events")).ok();
    let event = events["data"].as_array().expect("events").last().expect("one").clone();
    assert_eq!((&event["actorId"], &event["tokenId"]), (&json!(EMPLOYEE), &Value::Null), "{event}");

    let admin = api(&running, &admin(&running)).with("Idempotency-Key", "once");
    let first = admin.post("/locations", &location).json(201);
    let again = admin.post("/locations", &location);
    assert_eq!(again.header("Idempotency-Replayed"), Some("true"));
    assert_eq!(again.json(201)["id"], first["id"]);
    // The key belongs to the user, whatever its credential.
    let by_token = running.admin.with("Idempotency-Key", "once").post("/locations", &location);
    assert_eq!(by_token.json(201)["id"], first["id"]);
}

#[test]
fn a_page_learns_of_its_session() {
    let running = running();
    let anybody = running.server.api();
    for none in [anybody.clone(), anybody.with("Cookie", "patrol_session=x"), running.admin.clone()]
    {
        let answer = none.outside("/guard/session");
        assert_eq!(answer.header("Cache-Control"), Some("no-store"));
        answer.refused(401, "unauthorized").shows(&[]);
    }
    let wrong = anybody.open("POST", "/guard/session", None);
    let (status, headers) = (wrong.status().as_u16(), wrong.headers().clone());
    assert_eq!((status, &headers["allow"]), (405, &"GET, HEAD".parse().unwrap()));
    assert_eq!(headers["content-type"], "application/json");

    let mut browser = admin(&running);
    let api = Session::of(&running, &browser).with_cookie();
    let answer = api.outside("/guard/session");
    assert_eq!(answer.header("Cache-Control"), Some("no-store"));
    let shown = answer.ok();
    let csrf = browser.open("/tokens").hidden("token");
    let members: Vec<_> = shown.as_object().expect("members").keys().cloned().collect();
    assert_eq!(members, ["userId", "name", "role", "language", "csrf", "expiresAt"]);
    let me = api.with("Patrol-CSRF", &csrf).get(ME).ok();
    let name =
        format!("{} {}", me["firstName"].as_str().unwrap(), me["lastName"].as_str().unwrap());
    for (member, value) in [
        ("csrf", json!(csrf)),
        ("userId", json!(ADMIN)),
        ("role", json!("ADMIN")),
        ("language", me["language"].clone()),
        ("name", json!(name)),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
}

#[test]
fn requests_to_the_api_keep_a_session_alive_and_its_end_closes_the_api() {
    let settings = [("PATROL_SESSION_IDLE", "8s"), ("PATROL_SESSION_MAX", "1h")];
    let running = Running::set(store(), &settings);
    let mut browser = admin(&running);
    let api = api(&running, &browser);
    let ends_at = || api.outside("/guard/session").ok()["expiresAt"].to_string();
    let at_first = ends_at();
    for _ in 0..10 {
        std::thread::sleep(Duration::from_secs(1));
        assert_eq!(api.get(ME).status, 200);
    }
    assert!(at_first < ends_at(), "the end moves with the requests");
    let page = browser.open("/tokens");
    browser.submit(&page, "/sign-out", &[]).leads_to("/sign-in");
    api.get(ME).refused(401, "unauthorized").shows(&[]);
}

#[test]
fn a_new_role_or_status_closes_the_api_within_five_seconds() {
    let running = running();
    for change in [json!({ "role": "MANAGER" }), json!({ "status": "INACTIVE" })] {
        let api = api(&running, &browser(&running).signed_in("E1", PASSWORD));
        assert_eq!(api.get(ME).status, 200);
        let _ = running.admin.patch(&format!("/users/{EMPLOYEE}"), &change).ok();
        within(Duration::from_secs(5), "the session ends", || api.get(ME).status == 401);
    }
}

#[test]
fn without_a_site_a_session_opens_nothing() {
    let running = running();
    let session = Session::of(&running, &admin(&running));
    let Running { server, store, .. } = running;
    drop(server);
    let running = Running::set(store, &[("PATROL_SITE", "false")]);
    let api = Session { server: running.server.api(), ..session }.api();
    api.get(ME).refused(401, "unauthorized").shows(&[]);
    assert_eq!(api.outside("/guard/session").status, 404);
}

#[test]
fn an_allowed_origin_has_no_way_in_by_a_session() {
    let settings = [("PATROL_CORS_ORIGINS", "https://app.example.org")];
    let running = Running::set(store(), &settings);
    let app = api(&running, &admin(&running)).with("Origin", "https://app.example.org");
    let answer = app.get(ME);
    assert_eq!(answer.header("Access-Control-Allow-Credentials"), None);
    answer.refused(403, "access.denied").shows(&[]);
    assert_eq!(app.with_token(&running.store.token(ADMIN)).get(ME).status, 200);
}
