//! The headers of all pages, languages, errors.

use patrol_tests::{Page, Running};

use super::{admin, browser, running, store};

fn secure(page: &Page) {
    let header = |name| page.header(name).unwrap_or_else(|| panic!("{name} is missing: {page:?}"));
    let policy = header("content-security-policy");
    for part in ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"] {
        assert!(policy.contains(part), "{policy}");
    }
    for unsafe_part in ["unsafe", "nonce", "sha256", "data:", "http", "*"] {
        assert!(!policy.contains(unsafe_part), "{policy}");
    }
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("referrer-policy"), "same-origin");
    assert!(!header("permissions-policy").is_empty());
    assert!(page.header("x-request-id").is_some());
}

#[test]
fn every_page_has_the_headers() {
    let running = running();
    let (mut stranger, mut admin) = (browser(&running), admin(&running));
    let form = stranger.open("/sign-in");
    let mut pages = vec![
        form.clone(),
        stranger.get("/tokens"),
        stranger.get("/invitation/unknown"),
        stranger.with("Accept", "text/html,*/*").get("/nowhere"),
        stranger.post("/sign-in", &[]),
        stranger.submit(&form, "/sign-in", &[]),
    ];
    pages.extend(
        [
            "/rounds",
            "/tokens",
            "/tokens?user=all",
            "/people",
            "/password",
            "/sessions",
            "/tokens/x/revoke",
        ]
        .map(|path| admin.get(path)),
    );
    for page in &pages {
        secure(page);
        assert_eq!(page.header("cache-control"), Some("no-store"), "{page:?}");
        assert_eq!(page.header("strict-transport-security"), None, "not over HTTP");
        assert!(!page.text.contains("style=") && !page.text.contains("<script>"), "{}", page.text);
    }
    for path in ["/site.css", "/site.js", "/live.js", "/icon.svg"] {
        let file = stranger.open(path);
        secure(&file);
        assert!(file.header("cache-control").is_some_and(|value| value.contains("max-age")));
    }
}

#[test]
fn https_has_secure_cookies_and_hsts() {
    let url = [("PATROL_PUBLIC_URL", "https://patrol.example.org")];
    let running = Running::set(store(), &url);
    let mut browser = browser(&running);
    let form = browser.open("/sign-in");
    assert_eq!(form.header("strict-transport-security"), Some("max-age=31536000"));
    assert!(form.all("set-cookie").all(|cookie| cookie.starts_with("__Host-patrol_")));
    let fields = [("name", "A1"), ("password", super::PASSWORD)];
    let foreign = format!("http://{}", running.server.address());
    let refused = browser.with("Origin", &foreign).submit(&form, "/sign-in", &fields);
    assert_eq!(refused.status, 403, "the public address counts");
    assert!(refused.text.contains("https://patrol.example.org"), "{}", refused.text);
    let mut browser = browser.with("Origin", "https://patrol.example.org");
    let answer = browser.submit(&form, "/sign-in", &fields);
    answer.leads_to("/rounds");
    let session = answer.all("set-cookie").find(|cookie| cookie.contains("_session=")).unwrap();
    assert!(session.starts_with("__Host-patrol_session="), "{session}");
    for attribute in ["HttpOnly", "SameSite=Lax", "Secure", "Path=/"] {
        assert!(session.contains(attribute), "{session}");
    }
    assert!(!session.contains("Domain"), "{session}");
}

#[test]
fn the_language_is_chosen_and_remembered() {
    let running = running();
    let mut browser = browser(&running);
    let russian = browser.with("Accept-Language", "ru-RU,ru;q=0.9").open("/sign-in");
    assert!(russian.text.contains("<html lang=\"ru\">") && russian.text.contains("Вход"));
    let page = browser.open("/sign-in");
    assert!(page.text.contains("<html lang=\"en\">"));
    let answer = browser.submit(&page, "/language", &[("language", "ru"), ("back", "/sign-in")]);
    answer.leads_to("/sign-in");
    let cookie = answer.all("set-cookie").find(|cookie| cookie.contains("language=ru")).unwrap();
    assert!(cookie.contains("Max-Age=31536000"), "{cookie}");
    assert!(browser.open("/sign-in").text.contains("<html lang=\"ru\">"));
    for (language, back) in [("xx", "//example.org"), ("en", "https://example.org/")] {
        let page = browser.open("/sign-in");
        browser.submit(&page, "/language", &[("language", language), ("back", back)]).leads_to("/");
    }
}

#[test]
fn errors_are_pages_for_browsers_and_json_for_programs() {
    let running = running();
    let mut browser = browser(&running);
    let page = browser.with("Accept", "text/html").get("/nowhere");
    assert_eq!(page.status, 404);
    assert!(page.text.contains("Page not found"), "{}", page.text);
    let json = browser.get("/nowhere");
    assert!(json.text.contains("\"not.found\""), "{}", json.text);
    let api = browser.with("Accept", "text/html").get("/v1/nowhere");
    assert!(api.text.contains("\"not.found\""), "{}", api.text);
    let admin = admin(&running);
    let page = admin.with("Accept", "text/html").get("/nowhere");
    assert!(page.text.contains("Sign out"), "a session goes on: {}", page.text);
}
