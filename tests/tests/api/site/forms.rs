//! Requests that another site makes a browser send.

use super::{PASSWORD, admin, browser, running};

#[test]
fn a_form_needs_the_token_of_its_own_session() {
    let running = running();
    let (mut one, mut other) = (admin(&running), admin(&running));
    let foreign = other.open("/tokens").hidden("token");
    for token in [None, Some(""), Some("x"), Some(foreign.as_str())] {
        let mut fields = vec![("name", "stolen"), ("expires", "7"), ("form", "1")];
        fields.extend(token.map(|token| ("token", token)));
        assert_eq!(one.post("/tokens", &fields).status, 403, "{token:?}");
    }
    assert!(!one.open("/tokens").text.contains("stolen"));
}

/// A browser that refuses a form itself does not show why the page refuses it.
#[test]
fn browsers_do_not_check_forms() {
    let running = running();
    let (mut admin, mut visitor) = (admin(&running), browser(&running));
    for page in [visitor.open("/sign-in"), admin.open("/password"), admin.open("/tokens")] {
        let (_, form) = page.text.split_once("<form class=\"card\"").expect("the form");
        let (attributes, form) = form.split_once('>').expect("its end");
        assert!(attributes.contains("novalidate"), "{attributes}");
        assert!(!form.contains("minlength") && !form.contains("maxlength"), "{form}");
    }
}

#[test]
fn the_form_of_the_sign_in_is_bound_to_a_cookie_of_its_own() {
    let running = running();
    let mut browser = browser(&running);
    let form = browser.open("/sign-in");
    let fields =
        [("token", form.hidden("token")), ("name", "A1".into()), ("password", PASSWORD.into())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let mut stranger = super::browser(&running);
    assert_eq!(stranger.post("/sign-in", &fields).status, 403, "without the cookie");
    let visit = browser.cookie("patrol_visit").expect("a cookie for the form").to_owned();
    browser.post("/sign-in", &fields).leads_to("/rounds");
    assert_eq!(browser.cookie("patrol_visit"), None, "the sign-in replaces it");
    // The same form is of no use in the session.
    assert_eq!(browser.post("/language", &[("token", fields[0].1)]).status, 403);
    assert_ne!(browser.cookie("patrol_session"), Some(visit.as_str()));
}

#[test]
fn the_sign_in_makes_a_new_session() {
    let running = running();
    let mut browser = browser(&running);
    browser.set_cookie("patrol_session", "chosen-by-an-attacker");
    let first = browser.signed_in("A1", PASSWORD);
    let secret = first.cookie("patrol_session").expect("a session").to_owned();
    assert_ne!(secret, "chosen-by-an-attacker");
    assert!(secret.len() >= 43, "256 bits");
    let second = admin(&running);
    assert_ne!(second.cookie("patrol_session"), Some(secret.as_str()));

    // The session that the browser had before ends.
    let mut again = super::browser(&running);
    let form = again.open("/sign-in");
    again.set_cookie("patrol_session", &secret);
    again.submit(&form, "/sign-in", &[("name", "A1"), ("password", PASSWORD)]).leads_to("/rounds");
    assert_ne!(again.cookie("patrol_session"), Some(secret.as_str()));
    let mut first = first;
    first.get("/tokens").leads_to("/sign-in");
    let _ = again.open("/tokens");
}

#[test]
fn the_browser_says_where_a_form_comes_from() {
    let running = running();
    let browser = admin(&running);
    let own = format!("http://{}", running.server.address());
    for (name, value, status) in [
        ("Origin", own.as_str(), 303),
        ("Origin", "null", 403),
        ("Origin", "https://example.org", 403),
        ("Origin", "http://localhost", 403),
        ("Sec-Fetch-Site", "same-origin", 303),
        ("Sec-Fetch-Site", "none", 303),
        ("Sec-Fetch-Site", "same-site", 403),
        ("Sec-Fetch-Site", "cross-site", 403),
    ] {
        let mut browser = browser.with(name, value);
        let page = browser.open("/tokens");
        let answer = browser.submit(&page, "/language", &[("language", "ru"), ("back", "/tokens")]);
        assert_eq!(answer.status, status, "{name}: {value}");
    }
}

#[test]
fn a_form_of_another_kind_or_size_is_refused() {
    let running = running();
    let mut browser = admin(&running);
    let page = browser.open("/tokens");
    let long = "x".repeat(70_000);
    assert_eq!(browser.submit(&page, "/tokens", &[("name", &long)]).status, 413);
    let answer = browser.with("Content-Type", "text/plain").submit(&page, "/tokens", &[]);
    assert_eq!(answer.status, 403);
}

#[test]
fn no_get_changes_anything() {
    let running = running();
    let mut browser = admin(&running);
    for path in ["/sign-out", "/language", "/people/x/sign-out", "/sessions/end-others"] {
        let refused = browser.get(path);
        assert_eq!((refused.status, refused.header("allow")), (405, Some("POST")), "{path}");
    }
    assert_eq!(browser.post("/people", &[]).header("allow"), Some("GET, HEAD"));
    let _ = browser.open("/tokens");
}
