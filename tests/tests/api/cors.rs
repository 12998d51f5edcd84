//! Pages of other origins call the API from a browser.

use patrol_tests::{Answer, Api, Running, Store, company::company, execution_id, planned, with};
use serde_json::json;

const PAGE: &str = "https://app.example.org";
const HEADERS: [&str; 6] = [
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Methods",
    "Access-Control-Allow-Headers",
    "Access-Control-Expose-Headers",
    "Access-Control-Max-Age",
    "Access-Control-Allow-Credentials",
];

fn running() -> Running {
    let store = Store::with(&company().and([planned(1)]));
    Running::set(
        store,
        &[("PATROL_CORS_ORIGINS", "https://app.example.org, http://localhost:3000")],
    )
}

fn path() -> String {
    format!("/task-executions/{}", execution_id(1))
}

fn vary(answer: &Answer) -> Vec<String> {
    let vary = answer.header("Vary").unwrap_or_default();
    vary.split(',').map(|name| name.trim().to_ascii_lowercase()).collect()
}

fn has_no_header_of_cors(answer: &Answer) {
    for name in HEADERS {
        assert_eq!(answer.header(name), None, "{name}");
    }
}

fn preflight(api: &Api, origin: &str, path: &str) -> Answer {
    let api = api.with("Origin", origin).with("Access-Control-Request-Method", "PATCH");
    api.with("Access-Control-Request-Headers", "authorization,if-match").send("OPTIONS", path, None)
}

#[test]
fn a_preflight_is_answered_without_a_token() {
    let running = running();
    let anybody = running.server.api();
    for origin in [PAGE, "http://localhost:3000"] {
        for path in [&path(), "/task-executions/info", "/tokens", "/nothing", ""] {
            let answer = preflight(&anybody, origin, path);
            answer.is_bare(204);
            assert_eq!(answer.header("Access-Control-Allow-Origin"), Some(origin));
            let methods = answer.header("Access-Control-Allow-Methods").unwrap();
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
                assert!(methods.split(", ").any(|allowed| allowed == method), "{methods}");
            }
            assert_eq!(
                answer.header("Access-Control-Allow-Headers"),
                Some(
                    "authorization, content-type, idempotency-key, if-match, if-none-match, \
                     accept-language, x-request-id"
                )
            );
            assert!(answer.header("Access-Control-Max-Age").is_some());
            assert_eq!(answer.header("Access-Control-Allow-Credentials"), None);
            assert_eq!(vary(&answer), ["origin"]);
            assert!(answer.header("X-Request-Id").is_some());
        }
    }
    let metrics = anybody.outside("/metrics");
    let counted = "http_requests_total{method=\"OPTIONS\",route=\"unmatched\",status=\"204\"} 10";
    assert!(metrics.text().contains(counted), "{}", metrics.text());
}

#[test]
fn every_answer_of_the_api_can_be_read_by_the_page() {
    let running = running();
    let (admin, anybody) =
        (running.admin.with("Origin", PAGE), running.server.api().with("Origin", PAGE));
    let etag = admin.get(&path()).etag();
    let rename = |text: &str| admin.text("PATCH", &path(), text);
    for (answer, status) in [
        (admin.get(&path()), 200),
        (admin.with("If-None-Match", &etag).get(&path()), 304),
        (admin.get("/task-executions/info"), 200),
        (rename(r#"{"name":"x"}"#), 200),
        (rename(r#"{"name":1}"#), 400),
        (admin.with("If-Match", &etag).text("PATCH", &path(), r#"{"name":"y"}"#), 412),
        (admin.get("/nothing"), 404),
        (admin.send("OPTIONS", &path(), None), 405),
        (anybody.get(&path()), 401),
        (anybody.with_token("ptl_wrong").get(&path()), 401),
        (
            admin.with("Content-Type", "application/json").send(
                "PATCH",
                &path(),
                Some(&vec![b' '; 3 << 20]),
            ),
            413,
        ),
        (admin.get("/task-executions/%30"), 400),
        (admin.with("X", &"x".repeat(40_000)).get(&path()), 413),
    ] {
        assert_eq!(answer.status, status, "{}", answer.text());
        assert_eq!(answer.header("Access-Control-Allow-Origin"), Some(PAGE), "{status}");
        assert_eq!(
            answer.header("Access-Control-Expose-Headers"),
            Some("ETag, Location, Retry-After, X-Request-Id, Idempotency-Replayed, Patrol-Ignored"),
            "{status}"
        );
        assert_eq!(answer.header("Access-Control-Allow-Methods"), None);
        assert!(vary(&answer).contains(&"origin".to_owned()), "{status}");
        if status >= 400 {
            assert!(vary(&answer).contains(&"accept-language".to_owned()), "{status}");
        }
    }
}

#[test]
fn a_page_of_another_origin_gets_nothing() {
    let running = running();
    for origin in [
        "https://evil.example.org",
        "http://app.example.org",
        "https://app.example.org:8443",
        "https://app.example.org.evil.example",
        "https://APP.example.org",
        "null",
    ] {
        let answer = running.admin.with("Origin", origin).get(&path());
        assert_eq!(answer.status, 200);
        has_no_header_of_cors(&answer);
        assert_eq!(vary(&answer), ["origin"], "a cache must not mix up the answers");
        let answer = preflight(&running.server.api(), origin, &path());
        assert_eq!(answer.status, 405);
        has_no_header_of_cors(&answer);
    }
    let twice = running.admin.with("Origin", PAGE).with("Origin", PAGE).get(&path());
    has_no_header_of_cors(&twice);
    let without = running.admin.get(&path());
    has_no_header_of_cors(&without);
    assert_eq!(vary(&without), ["origin"]);
}

#[test]
fn only_the_api_has_cors() {
    let running = running();
    let api = running.server.api().with("Origin", PAGE);
    for path in ["/health/live", "/metrics", "/openapi.json", "/docs/", "/v10", "/nowhere"] {
        let answer = api.outside(path);
        has_no_header_of_cors(&answer);
        assert!(!vary(&answer).contains(&"origin".to_owned()), "{path}");
        let ask = api.with("Access-Control-Request-Method", "GET");
        let status = ask.open("OPTIONS", path, None).status().as_u16();
        assert!([404, 405].contains(&status), "{path} {status}");
    }
}

#[test]
fn without_the_setting_nothing_changes() {
    let running = Running::with([with(planned(1), json!({ "name": "x" }))]);
    let answer = running.admin.with("Origin", PAGE).get(&path());
    has_no_header_of_cors(&answer);
    assert_eq!(answer.header("Vary"), None);
    assert_eq!(preflight(&running.server.api(), PAGE, &path()).status, 405);
}

#[test]
fn a_setting_that_is_no_origin_is_refused_with_advice() {
    for bad in ["*", "https://app.example.org, *", "https://app.example.org/", "null"] {
        let refused = Store::empty().run(&["serve", "--cors-origins", bad]).exited(2);
        let error = refused.stderr;
        assert!(error.starts_with("patrol: --cors-origins: `"), "{error}");
        assert!(error.contains("https://app.example.org") && error.lines().count() == 1, "{error}");
    }
}
