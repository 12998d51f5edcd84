//! The headers of all pages, languages, time zones, errors.

use patrol_tests::{Page, Running, SiteClient, planned};

use super::{PASSWORD, admin, board::store_with, browser, guard::files, running, store};

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
    let shell = stranger.open("/guard");
    secure(&shell);
    let files = files(&shell.text);
    assert!(files.len() > 10, "{files:?}");
    for path in ["/guard/worker.js", "/guard/manifest.webmanifest", "/guard/rounds/x"] {
        secure(&stranger.get(path));
    }
    for path in ["/site.css", "/site.js", "/live.js", "/icon.svg", "/guard/icon-192.png"]
        .into_iter()
        .chain(files)
    {
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
    let fields = [("name", "A1"), ("password", PASSWORD)];
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

/// The board, on which a round of 08:00 UTC starts at `start`. The page says once in which zone times are.
fn board_in(browser: &mut SiteClient, zone: &str, start: &str) -> Page {
    let page = browser.open("/rounds?date=2026-01-31");
    let time = format!("<time datetime=\"2026-01-31T08:00:00.000Z\">{start}</time>");
    for part in [format!("Times are in {zone}"), time] {
        assert_eq!(page.text.matches(&part).count(), 1, "{part}: {}", page.text);
    }
    page
}

#[test]
fn a_chosen_time_zone_comes_before_that_of_the_browser_and_of_the_setting() {
    let settings = [("PATROL_TIME_ZONE", "Europe/Berlin")];
    let running = Running::set(store_with([planned(1)]), &settings);
    let mut admin = admin(&running);
    let back = "/rounds?date=2026-01-31";
    // What people call the zone on that day, and not on that of the test.
    board_in(&mut admin, "Europe/Berlin (CET).", "09:00");
    let summer = admin.open("/rounds?date=2026-07-31").text;
    assert!(summer.contains("Times are in Europe/Berlin (CEST)."), "{summer}");
    admin.set_cookie("patrol_browser_zone", "Nowhere/City");
    board_in(&mut admin, "Europe/Berlin (CET).", "09:00");
    admin.set_cookie("patrol_browser_zone", "Asia/Kolkata");
    let page = board_in(&mut admin, "Asia/Kolkata (IST).", "13:30");
    let answer = admin.submit(&page, "/time-zone", &[("zone", "Asia/Tokyo"), ("back", back)]);
    answer.leads_to(back);
    let cookie = answer.all("set-cookie").find(|cookie| cookie.starts_with("patrol_zone="));
    let cookie = cookie.expect("the choice is kept in a cookie");
    assert!(cookie.starts_with("patrol_zone=Asia/Tokyo;"), "{cookie}");
    assert!(cookie.contains("Max-Age=31536000"), "{cookie}");
    let page = board_in(&mut admin, "Asia/Tokyo (JST).", "17:00");
    assert!(page.text.contains("<label for=\"time-zone\">Time zone</label>"), "{}", page.text);
    assert!(page.text.contains("<option selected>Asia/Tokyo</option>"), "{}", page.text);
    for unknown in ["", "Nowhere/City"] {
        let fields = [("zone", unknown), ("back", "https://example.org/")];
        let answer = admin.submit(&page, "/time-zone", &fields);
        answer.leads_to("/");
        assert!(answer.all("set-cookie").all(|cookie| !cookie.starts_with("patrol_zone=")));
    }
    board_in(&mut admin, "Asia/Tokyo (JST).", "17:00");
    for path in ["/plans", "/locations", "/people", "/figures", "/import", "/tokens", "/sessions"] {
        let text = admin.open(path).text;
        assert_eq!(text.matches("Times are in Asia/Tokyo (JST).").count(), 1, "{path}");
    }
    // Chosen before the sign-in; the zone has no abbreviation.
    let mut stranger = browser(&running);
    let form = stranger.open("/sign-in");
    let fields = [("zone", "Asia/Dubai"), ("back", "/sign-in")];
    stranger.submit(&form, "/time-zone", &fields).leads_to("/sign-in");
    let mut employee = stranger.signed_in("E1", PASSWORD);
    board_in(&mut employee, "Asia/Dubai (UTC+04:00).", "12:00");
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
