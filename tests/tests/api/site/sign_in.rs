//! `/sign-in`, `/sign-out`, `/`.

use patrol_tests::{Page, company::ADMIN};
use serde_json::json;

use super::{PASSWORD, admin, browser, running};

#[test]
fn a_user_signs_in_by_number_or_email_and_signs_out() {
    let running = running();
    for name in ["A1", "a1", "A1@example.org", "a1@EXAMPLE.org"] {
        let mut browser = browser(&running).signed_in(name, PASSWORD);
        assert!(browser.open("/tokens").text.contains("Ada Ash</span>"), "{name}");
        browser.get("/sign-in").leads_to("/rounds");
        let page = browser.open("/tokens");
        let secret = browser.cookie("patrol_session").expect("a session").to_owned();
        browser.submit(&page, "/sign-out", &[]).leads_to("/sign-in");
        assert_eq!(browser.cookie("patrol_session"), None);
        browser.set_cookie("patrol_session", &secret);
        browser.get("/tokens").leads_to("/sign-in");
    }
}

#[test]
fn every_failure_looks_the_same() {
    let running = running();
    let mut answers = Vec::new();
    for (name, password) in [
        ("A1", "wrong horse battery"),
        ("nobody", PASSWORD),
        ("E3", PASSWORD),
        ("E2", PASSWORD),
        ("", ""),
        ("A1", ""),
        ("A1", &"x".repeat(300)),
        (ADMIN, PASSWORD),
    ] {
        let mut browser = browser(&running);
        let page = browser.sign_in(name, password);
        page.refused("Sign-in failed");
        assert!(browser.cookie("patrol_session").is_none());
        assert_eq!(page.value_of("name"), name, "the name stays");
        assert!(password.is_empty() || !page.text.contains(password), "the password does not");
        let token = page.hidden("token");
        let text = page.text.replace(&token, "").replace(&format!("value=\"{name}\""), "");
        answers.push((name.is_empty(), text));
    }
    answers.retain(|(is_empty, _)| !is_empty);
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    let log = running.server.log();
    assert!(!log.contains("horse battery") && !log.contains("nobody"), "{log}");
}

#[test]
fn the_start_page_leads_on() {
    let running = running();
    let mut stranger = browser(&running);
    stranger.get("/").leads_to("/sign-in");
    for path in ["/tokens", "/people", "/password", "/sessions", "/tokens?user=all"] {
        stranger.get(path).leads_to("/sign-in");
    }
    for path in ["/tokens", "/sign-out", "/password", "/sessions/end-others"] {
        stranger.post(path, &[]).leads_to("/sign-in");
    }
    admin(&running).get("/").leads_to("/rounds");
}

#[test]
fn a_guard_begins_with_rounds_to_walk_and_others_with_the_board() {
    let running = running();
    for (name, start) in [("A1", "/rounds"), ("M1", "/rounds"), ("E1", "/guard")] {
        let mut browser = browser(&running);
        browser.sign_in(name, PASSWORD).leads_to(start);
        browser.get("/").leads_to(start);
        browser.get("/sign-in").leads_to(start);
    }
}

#[test]
fn a_sign_in_leads_to_the_page_that_was_asked_for() {
    let running = running();
    let asked = "/rounds?date=2026-01-31&sort=startAt,desc&search=a%20b;c";
    let mut reader = browser(&running);
    reader.get("/tokens").leads_to("/sign-in");
    reader.get(asked).leads_to("/sign-in");
    // Neither forms nor what scripts and pictures ask for are pages to go to.
    reader.post("/password", &[]).leads_to("/sign-in");
    let mut script = reader.with("Sec-Fetch-Dest", "empty");
    script.get("/rounds/live").leads_to("/sign-in");
    assert_eq!(script.cookie("patrol_asked"), reader.cookie("patrol_asked"));
    // Without HTTPS a browser says only what it accepts.
    let mut script = reader.with("Accept", "text/event-stream");
    script.get("/rounds/live").leads_to("/sign-in");
    assert_eq!(script.cookie("patrol_asked"), reader.cookie("patrol_asked"));
    reader.sign_in("A1", "wrong horse battery").refused("Sign-in failed");
    reader.sign_in("A1", PASSWORD).leads_to(asked);
    reader.get("/sign-in").leads_to("/rounds");

    let mut reader = browser(&running);
    reader.get(&format!("/rounds?search={}", "x".repeat(3_000))).leads_to("/sign-in");
    reader.sign_in("A1", PASSWORD).leads_to("/rounds");
    for forged in ["%", "Ly9leGFtcGxlLm9yZw", "aHR0cHM6Ly9leGFtcGxlLm9yZw", "/rounds"] {
        let mut reader = browser(&running);
        reader.set_cookie("patrol_asked", forged);
        reader.sign_in("A1", PASSWORD).leads_to("/rounds");
    }
}

#[test]
fn a_form_that_was_sent_without_a_session_is_said_to_be_lost() {
    let running = running();
    let url = format!("http://{}", running.server.address());
    let mut reader = browser(&running).with("Referer", &format!("{url}/plans/new?locationId=1"));
    reader.post("/plans/new", &[("name", "A")]).leads_to("/sign-in");
    let said = reader.open("/sign-in").text;
    assert!(said.contains("role=\"alert\"") && said.contains("sent was not saved"), "{said}");
    assert!(!reader.get("/sign-in").text.contains("not saved"), "it is said once");
    reader.sign_in("A1", PASSWORD).leads_to("/plans/new?locationId=1");
    for (referer, leads_to) in [("https://elsewhere.example/x", "/rounds"), ("", "/rounds")] {
        let mut reader = browser(&running).with("Referer", referer);
        reader.post("/plans/new", &[]).leads_to("/sign-in");
        reader.sign_in("A1", PASSWORD).leads_to(leads_to);
    }
    for (path, destination) in [("/sign-out", "document"), ("/plans/new", "empty")] {
        let mut reader = browser(&running).with("Sec-Fetch-Dest", destination);
        reader.post(path, &[]).leads_to("/sign-in");
        assert!(!reader.get("/sign-in").text.contains("not saved"), "{path}");
    }
}

#[test]
fn a_sign_in_leads_to_the_page_that_asked_for_it() {
    let running = running();
    for (next, leads_to) in [
        ("/guard", "/guard"),
        ("/guard/rounds/1?a=b%2526c", "/guard/rounds/1?a=b%26c"),
        ("%2Fguard%2Fscan%23A%2520B", "/guard/scan#A%20B"),
        ("/sessions", "/sessions"),
        ("", "/rounds"),
        ("guard", "/rounds"),
        ("/guard&next=/sessions", "/rounds"),
        ("//example.org", "/rounds"),
        ("%2F%2Fexample.org/guard", "/rounds"),
        ("/%5Cexample.org", "/rounds"),
        ("%5C%5Cexample.org", "/rounds"),
        ("https:example.org", "/rounds"),
        ("https://example.org/guard", "/rounds"),
        ("javascript:alert(1)", "/rounds"),
        ("/%09/example.org", "/rounds"),
        ("/guard%0D%0ASet-Cookie:a=b", "/rounds"),
        ("%20/guard", "/rounds"),
        // Still a path of this site.
        ("/guard\"><script>", "/guard\"><script>"),
    ] {
        let path = format!("/sign-in?next={next}");
        let mut browser = browser(&running);
        let form = browser.open(&path);
        assert!(!form.text.contains("<script>"), "{}", form.text);
        let failed = browser.submit(&form, &action(&form), &[("name", "A1"), ("password", "x")]);
        failed.refused("Sign-in failed");
        let fields = [("name", "A1"), ("password", PASSWORD)];
        browser.submit(&failed, &action(&failed), &fields).leads_to(leads_to);
        browser.get(&path).leads_to(leads_to);
    }
    let mut browser = browser(&running);
    let form = browser.open("/sign-in?next=/guard");
    // The choice of a language keeps it too.
    let back = form.hidden("back");
    browser.submit(&form, "/language", &[("language", "ru"), ("back", &back)]).leads_to(&back);
    assert_eq!(action(&browser.open(&back)), "/sign-in?next=/guard");
}

/// Where the form of the sign-in is sent.
fn action(page: &Page) -> String {
    let (_, rest) = page.text.split_once("novalidate action=\"").expect("the form");
    rest.split('"').next().expect("the end").replace("&#38;", "&").replace("&#34;", "\"")
}

#[test]
fn a_session_is_no_token_and_a_token_no_session() {
    let running = running();
    let mut browser = admin(&running);
    let secret = browser.cookie("patrol_session").expect("a session").to_owned();
    let api = running.server.api();
    let with_cookie = api.with("Cookie", &format!("patrol_session={secret}"));
    let _ = with_cookie.get("/tokens").refused(401, "unauthorized");
    let _ = api.with_token(&secret).get("/tokens").refused(401, "unauthorized");
    let issued = running.admin.post("/tokens", &json!({ "name": "x" })).json(201);
    browser.set_cookie("patrol_session", issued["token"].as_str().expect("a token"));
    browser.get("/tokens").leads_to("/sign-in");
}

#[test]
fn without_the_site_there_are_no_pages() {
    let running = patrol_tests::Running::set(super::store(), &[("PATROL_SITE", "false")]);
    let mut browser = browser(&running);
    for path in ["/", "/sign-in", "/tokens", "/site.css"] {
        assert_eq!(browser.get(path).status, 404, "{path}");
    }
}
