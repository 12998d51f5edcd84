//! Headers of every response, and the effects of failures.

use actix_web::test::TestRequest;

use super::*;
use crate::tests::{NEW_ID, NOW, as_admin};

fn get(path: &str) -> TestRequest {
    as_admin(TestRequest::get().uri(path))
}

#[actix_web::test]
async fn every_response_has_a_request_id() {
    let server = server();
    for path in ["/v1/things", "/v1/things/no-id", "/nowhere", "/health/live", "/failures/panic"] {
        let answer = server.send(get(path).insert_header(("x-request-id", "my.Own_id-1"))).await;
        assert_eq!(answer.header("x-request-id"), Some("my.Own_id-1"), "{path}");
        let answer = server.send(get(path).insert_header(("x-request-id", "not good"))).await;
        assert_eq!(answer.header("x-request-id"), Some(NEW_ID), "{path}");
    }
    let answer = server.send(TestRequest::get().uri("/v1/things")).await;
    assert_eq!((answer.status, answer.header("x-request-id")), (401, Some(NEW_ID)));
}

#[actix_web::test]
async fn an_error_has_the_language_of_the_client_and_the_time_of_the_clock() {
    let server = server();
    for (path, status) in
        [("/nowhere", 404), ("/v1/things/no-id", 400), ("/v1/failures/store", 500)]
    {
        let answer = server.send(get(path)).await;
        assert_eq!(answer.header("content-language"), Some("en"));
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let english = answer.json();
        assert_eq!((answer.status, &english["timestamp"]), (status, &NOW.into()));
        let answer =
            server.send(get(path).insert_header(("accept-language", "de, ru;q=0.9"))).await;
        assert_eq!(answer.header("content-language"), Some("ru"));
        let russian = answer.json();
        assert_eq!(english["code"], russian["code"]);
        assert!(english["message"].as_str().unwrap().is_ascii());
        assert!(!russian["message"].as_str().unwrap().is_ascii());
    }
}

#[actix_web::test]
async fn a_failure_of_the_server_does_not_show_its_cause() {
    let server = server();
    for (request, status, code, retry) in [
        (get("/v1/failures/panic"), 500, "internal.server.error", None),
        (get("/v1/failures/store"), 500, "internal.server.error", None),
        (get("/v1/failures/unavailable"), 503, "service.unavailable", Some("1")),
        (
            TestRequest::get().uri("/v1/things").insert_header(("authorization", "unavailable")),
            503,
            "service.unavailable",
            Some("1"),
        ),
        // Last, because the mock does not survive it.
        (
            TestRequest::get().uri("/v1/things").insert_header(("authorization", "panic")),
            500,
            "internal.server.error",
            None,
        ),
    ] {
        let answer = server.send(request).await;
        assert_eq!(answer.code(), (status, code.to_owned()));
        assert_eq!(answer.header("retry-after"), retry);
        assert!(!String::from_utf8(answer.body).unwrap().contains("secret"));
    }
}

#[actix_web::test]
async fn head_is_get_without_the_body() {
    let server = server();
    for (path, length) in [
        ("/v1/things", Some(5)),
        ("/v1/streams/sized", Some(1000)),
        ("/v1/streams/long", None),
        ("/health/live", Some(17)),
    ] {
        let head = as_admin(TestRequest::with_uri(path).method(Method::HEAD));
        let (status, size, body) = server.send_for_size(head).await;
        assert_eq!((status, size, body.len()), (200, length, 0), "{path}");
    }
    let missing = as_admin(TestRequest::with_uri("/v1/things/no-id").method(Method::HEAD));
    assert_eq!(server.send_for_size(missing).await.0, 400);
}

#[actix_web::test]
async fn metrics_have_routes_instead_of_paths() {
    let server = server();
    server.send(get(&format!("/v1/things/{ID}"))).await;
    server.send(get("/v1/things/no-id")).await;
    server.send(get("/nowhere/secret-path")).await;
    let answer = server.send(TestRequest::get().uri("/metrics")).await;
    let text = String::from_utf8(answer.body).unwrap();
    for line in [
        "http_requests_total{method=\"GET\",route=\"/v1/things/{id}\",status=\"200\"} 1",
        "http_requests_total{method=\"GET\",route=\"/v1/things/{id}\",status=\"400\"} 1",
        "http_requests_total{method=\"GET\",route=\"unmatched\",status=\"404\"} 1",
        "http_request_errors_total{code=\"not.found\",method=\"GET\",route=\"unmatched\"} 1",
        "http_credentials_rejected_total{reason=\"missing\"} 0",
        "patrol_ready 1",
    ] {
        assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("secret-path") && !text.contains(ID));
}

#[actix_web::test]
async fn a_stopping_server_is_live_and_not_ready() {
    let mut ports = Ports::default();
    ports.readiness.expect_ping().returning(|| Ok(()));
    let server = TestServer::new(ports);
    assert_eq!(server.send(TestRequest::get().uri("/health/ready")).await.status, 200);
    server.shared().health.stop();
    assert_eq!(server.send(TestRequest::get().uri("/health/ready")).await.status, 503);
    assert_eq!(server.send(TestRequest::get().uri("/health/live")).await.status, 200);
}
