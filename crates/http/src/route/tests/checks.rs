//! The checks of a request and their order.

use std::time::Duration;

use actix_web::{http::header::ContentType, test::TestRequest};

use super::*;
use crate::tests::{self, as_admin, code};

fn detail(code: &str, identifier: &str, args: &str) -> Vec<(String, String, String)> {
    vec![tests::detail(code, identifier, args)]
}

fn with_body(request: TestRequest, body: &'static str) -> TestRequest {
    as_admin(request).insert_header(ContentType::json()).set_payload(body)
}

#[actix_web::test]
async fn an_unknown_path_is_not_found() {
    let server = server();
    for path in [
        "/",
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/things/",
        "/v1//things",
        "/v1/things/info/",
        "/v1/things/a/b",
        "/v2/things",
        "/v1things",
        "/health",
        "/health/live/",
        "/health/live/more",
        "/v1/health/live",
        "/metrics/",
    ] {
        for request in [TestRequest::get(), TestRequest::put(), as_admin(TestRequest::get())] {
            let answer = server.send(request.uri(path)).await;
            assert_eq!(answer.code(), code(404, "not.found"), "{path}");
        }
    }
}

#[actix_web::test]
async fn a_wrong_method_gets_the_allowed_methods() {
    let server = server();
    for (path, allow) in [
        ("/v1/things", "GET, HEAD"),
        ("/v1/things/info", "GET, HEAD"),
        (&*format!("/v1/things/{ID}"), "GET, HEAD, PUT, PATCH, DELETE"),
        ("/v1/things/no-id", "GET, HEAD, PUT, PATCH, DELETE"),
        (&*format!("/v1/things/{ID}/copy"), "POST"),
        ("/health/live", "GET, HEAD"),
        ("/metrics", "GET, HEAD"),
    ] {
        for method in ["OPTIONS", "TRACE", "BREW"] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let answer = server.send(TestRequest::with_uri(path).method(method)).await;
            assert_eq!(answer.code(), code(405, "method.not.allowed"), "{path}");
            assert_eq!(answer.header("allow"), Some(allow), "{path}");
        }
    }
    let answer = server.send(TestRequest::delete().uri("/v1/things/info")).await;
    assert_eq!(answer.status, 405);
}

#[actix_web::test]
async fn a_literal_segment_is_not_an_id_and_may_be_encoded() {
    let server = server();
    for path in ["/v1/things/info?a=b", "/v1/things/inf%6f?a=b"] {
        let answer = server.send(as_admin(TestRequest::get().uri(path))).await;
        assert_eq!((answer.status, answer.body), (200, b"list a=b".to_vec()), "{path}");
    }
}

#[actix_web::test]
async fn the_token_is_checked_first() {
    let server = server();
    for token in [None, Some("Bearer wrong"), Some("wrong"), Some("Basic admin"), Some("Bearer")] {
        let mut request =
            TestRequest::put().uri("/v1/things/no-id").insert_header(ContentType::plaintext());
        if let Some(token) = token {
            request = request.insert_header(("authorization", token));
        }
        let answer = server.send(request.set_payload("{")).await;
        assert_eq!(answer.code(), code(401, "unauthorized"), "{token:?}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    for token in ["Bearer admin", "bearer admin", "BEARER  admin", "admin"] {
        let request = TestRequest::get().insert_header(("authorization", token));
        assert_eq!(server.send(request.uri("/v1/things")).await.status, 200, "{token}");
    }
}

#[actix_web::test]
async fn the_role_is_checked_before_the_content_type_and_then_the_id() {
    let server = server();
    let request = |token: &'static str, media| {
        TestRequest::put()
            .uri("/v1/things/no-id")
            .insert_header(("authorization", token))
            .insert_header(("content-type", media))
            .set_payload("{")
    };
    let answer = server.send(request("employee", "text/plain")).await;
    assert_eq!(answer.code(), code(403, "access.denied"));
    let answer = server.send(request("manager", "text/plain")).await;
    assert_eq!(answer.code(), code(406, "not.acceptable"));
    let answer = server.send(request("manager", "application/json")).await;
    assert_eq!(answer.code(), code(400, "data.type.invalid"));
}

#[actix_web::test]
async fn a_wrong_or_compressed_body_is_reported_in_the_style_of_the_endpoint() {
    let server = server();
    let (item, copy) = (format!("/v1/things/{ID}"), format!("/v1/things/{ID}/copy"));
    for (request, expected) in [
        (TestRequest::put().uri(&item), code(406, "not.acceptable")),
        (TestRequest::patch().uri(&item), code(406, "not.acceptable")),
        (TestRequest::post().uri(&copy), code(400, "input.data.invalid")),
    ] {
        let answer = server.send(as_admin(request).set_payload("{}")).await;
        assert_eq!((answer.code(), answer.details()), (expected, vec![]));
        assert_eq!(answer.json()["identifier"], "Content-Type");
        assert_eq!(answer.json()["args"], serde_json::json!(["application/json"]));
    }
    for (coding, status) in [("gzip", 406), ("identity", 200)] {
        let request = with_body(TestRequest::put().uri(&item), "{\"order\":1}");
        let answer = server.send(request.insert_header(("content-encoding", coding))).await;
        assert_eq!(answer.status, status, "{coding}");
    }
}

#[actix_web::test]
async fn a_malformed_id_is_reported_in_the_style_of_the_endpoint() {
    let server = server();
    for id in [
        "no-id",
        "%20",
        "0190a00000007000800000000000000a",
        "%00",
        "0190a000-0000-7000-8000-00000000000a,",
    ] {
        let item = format!("/v1/things/{id}");
        for request in [TestRequest::get(), TestRequest::delete()] {
            let answer = server.send(as_admin(request.uri(&item))).await;
            assert_eq!(answer.code(), code(400, "data.type.invalid"), "{id}");
            let body = answer.json();
            assert_eq!(body["identifier"], "id");
            assert_eq!(body["args"], serde_json::json!(["UUID"]));
            assert_eq!(body.get("details"), None);
        }
        let answer = server.send(with_body(TestRequest::patch().uri(&item), "{}")).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), detail("data.type.invalid", "id", "UUID"));
    }
    let upper = format!("/v1/things/{}", ID.to_uppercase());
    let answer = server.send(as_admin(TestRequest::get().uri(&upper))).await;
    assert_eq!(answer.body, ID.as_bytes());
}

#[actix_web::test]
async fn several_resources_are_reported_in_the_style_of_the_endpoint() {
    let server = server();
    for separator in [",", "%2C"] {
        let list = format!("/v1/things/{ID}{separator}{ID}");
        let answer = server.send(with_body(TestRequest::put().uri(&list), "{}")).await;
        assert_eq!(answer.code(), code(400, "multiple.resources.not.allowed"));
        assert_eq!(answer.json().get("details"), None);
        let answer = server.send(with_body(TestRequest::patch().uri(&list), "{}")).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), detail("multiple.resources.not.allowed", "id", ""));
        let answer = server.send(as_admin(TestRequest::get().uri(&list))).await;
        assert_eq!(answer.code(), code(400, "data.type.invalid"));
    }
    let item = format!("/v1/things/{ID}");
    for body in ["[]", "[{\"order\":1}]", " [1, 2]"] {
        let answer = server.send(with_body(TestRequest::put().uri(&item), body)).await;
        assert_eq!(answer.code(), code(400, "multiple.resources.not.allowed"));
        let answer = server.send(with_body(TestRequest::patch().uri(&item), body)).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), detail("multiple.resources.not.allowed", "", ""));
    }
    let copy = format!("/v1/things/{ID}/copy");
    let answer = server.send(with_body(TestRequest::post().uri(&copy), "[]")).await;
    assert_eq!(answer.details(), detail("data.type.invalid", "", "OBJECT"));
}

#[actix_web::test]
async fn a_body_has_to_be_one_json_object() {
    let server = server();
    let item = format!("/v1/things/{ID}");
    for body in ["", "{", "nonsense", "{\"order\":1}x", "{\"a\":1,\"a\":2}", "{\"a\":1e999}", "[1,"]
    {
        let answer = server.send(with_body(TestRequest::put().uri(&item), body)).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{body}");
        assert_eq!(answer.is_malformed(), !body.contains("\"a\":2"), "{body}");
    }
    for body in ["null", "1", "\"a\"", "true"] {
        let answer = server.send(with_body(TestRequest::put().uri(&item), body)).await;
        assert_eq!(answer.details(), detail("data.type.invalid", "", "OBJECT"), "{body}");
    }
    let answer = server.send(with_body(TestRequest::put().uri(&item), "{\"order\":\"x\"}")).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.details(), detail("data.type.invalid", "order", "INTEGER"));
    let answer = server.send(with_body(TestRequest::put().uri(&item), "{\"order\":7}")).await;
    assert_eq!((answer.status, answer.body), (200, format!("{ID} 7").into_bytes()));
}

#[actix_web::test]
async fn the_nesting_of_a_body_is_limited() {
    let server = server_with(Settings { nesting: 3, ..Settings::default() });
    let item = format!("/v1/things/{ID}");
    for (body, status) in [("{\"order\":1,\"a\":[[]]}", 200), ("{\"order\":1,\"a\":[[[]]]}", 400)] {
        let answer = server.send(with_body(TestRequest::put().uri(&item), body)).await;
        assert_eq!(answer.status, status, "{body}");
    }
}

#[actix_web::test]
async fn a_body_above_the_limit_is_refused_unread_after_the_id_is_checked() {
    let server = server_with(Settings { body_limit: 16, ..Settings::default() });
    let put = |path: &str, length: usize| {
        let body = format!("{{\"order\":1{}}}", " ".repeat(length - 11));
        as_admin(TestRequest::put().uri(path)).insert_header(ContentType::json()).set_payload(body)
    };
    let item = format!("/v1/things/{ID}");
    assert_eq!(server.send(put(&item, 16)).await.status, 200);
    let answer = server.send(put(&item, 17)).await;
    assert_eq!(answer.code(), code(413, "payload.too.large"));
    let answer = server.send(put("/v1/things/no-id", 17)).await;
    assert_eq!(answer.code(), code(400, "data.type.invalid"));
}

#[actix_web::test]
async fn a_head_above_the_limit_is_refused() {
    let server = server_with(Settings { header_limit: 200, ..Settings::default() });
    let request = |length| {
        as_admin(TestRequest::get().uri("/v1/things")).insert_header(("x", "y".repeat(length)))
    };
    assert_eq!(server.send(request(10)).await.status, 200);
    assert_eq!(server.send(request(200)).await.code(), code(413, "payload.too.large"));
    let target = format!("/v1/things?{}", "a".repeat(200));
    let answer = server.send(as_admin(TestRequest::get().uri(&target))).await;
    assert_eq!(answer.code(), code(413, "payload.too.large"));
}

#[actix_web::test]
async fn a_body_that_does_not_arrive_in_time_is_refused() {
    let settings = Settings { request_timeout: Duration::from_millis(50), ..Settings::default() };
    let server = server_with(settings);
    let item = format!("/v1/things/{ID}");
    let request = as_admin(TestRequest::put().uri(&item)).insert_header(ContentType::json());
    let answer = server.send_without_body(request).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
}

#[actix_web::test]
async fn broken_rules_have_the_top_level_code_of_the_endpoint() {
    let server = server();
    let (item, copy) = (format!("/v1/things/{ID}"), format!("/v1/things/{ID}/copy"));
    for (request, top) in [
        (TestRequest::put().uri(&item), "validation.failed"),
        (TestRequest::post().uri(&copy), "input.data.invalid"),
    ] {
        let answer = server.send(with_body(request, "{}")).await;
        assert_eq!(answer.code(), code(400, top));
        assert_eq!(answer.details(), detail("validation.notnull.failed", "order", ""));
    }
}

#[actix_web::test]
async fn only_wrong_tokens_are_throttled() {
    let server = server_with(Settings { failed_authentications: 2, ..Settings::default() });
    let from = |address: &str, token: Option<&'static str>| {
        let request = TestRequest::get().uri("/v1/things").peer_addr(address.parse().unwrap());
        match token {
            Some(token) => request.insert_header(("authorization", token)),
            None => request,
        }
    };
    let (here, there) = ("10.0.0.1:1000", "10.0.0.2:1000");
    for _ in 0..5 {
        assert_eq!(server.send(from(here, None)).await.status, 401);
    }
    for wrong in ["wrong", "Basic wrong"] {
        assert_eq!(server.send(from(here, Some(wrong))).await.status, 401);
    }
    let answer = server.send(from("10.0.0.1:2000", Some("wrong"))).await;
    assert_eq!(answer.code(), code(429, "too.many.requests"));
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert_eq!(server.send(from(here, Some("admin"))).await.status, 200);
    assert_eq!(server.send(from(here, None)).await.status, 401);
    assert_eq!(server.send(from(there, Some("wrong"))).await.status, 401);
}
