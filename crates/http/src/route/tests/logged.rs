//! What the log contains of requests, and what it never contains.

use actix_web::test::TestRequest;

use super::*;
use crate::tests::{NEW_ID, USER};

/// The log lines of a request.
async fn logged(request: TestRequest) -> Vec<String> {
    let (_, log) = server().send_logged(request).await;
    log.lines().map(str::to_owned).collect()
}

#[actix_web::test]
async fn a_request_is_logged_in_one_line() {
    let path = format!("/v1/things/{ID}?secret-query=1");
    let request = TestRequest::get().uri(&path).insert_header(("authorization", "Bearer admin"));
    let lines = logged(request).await;
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    for part in [
        "INFO",
        "method=\"GET\"",
        "route=\"/v1/things/{id}\"",
        "status=200",
        "micros=",
        &format!("request_id=\"{NEW_ID}\""),
        &format!("user={USER}"),
    ] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    assert!(!line.contains("secret") && !line.contains("admin"), "{line}");
}

#[actix_web::test]
async fn neither_an_unknown_path_nor_an_unknown_method_is_in_the_log() {
    let method = Method::from_bytes(b"ptl_method").unwrap();
    let request = TestRequest::with_uri("/v1/ptl_path/info").method(method);
    let lines = logged(request.insert_header(("authorization", "wrong"))).await;
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(line.contains("route=\"unmatched\"") && line.contains("method=\"OTHER\""), "{line}");
    assert!(!line.contains("user=") && !line.contains("wrong") && !line.contains("ptl_"), "{line}");
}

#[actix_web::test]
async fn a_failure_of_the_server_is_logged_with_its_cause_and_the_request() {
    for (path, level, cause) in [
        ("/v1/failures/store", "ERROR", "secret-column"),
        ("/v1/failures/unavailable", "WARN", "secret-address"),
        ("/v1/failures/panic", "ERROR", "panic"),
    ] {
        let request = TestRequest::get().uri(path).insert_header(("authorization", "admin"));
        let lines = logged(request.insert_header(("x-request-id", "mine"))).await;
        let line = lines.iter().find(|line| line.contains(level)).unwrap();
        assert!(line.contains(cause) && line.contains("request_id=\"mine\""), "{line}");
    }
}

#[actix_web::test]
async fn a_malformed_body_is_logged_with_the_position_and_without_content() {
    let request = TestRequest::patch().uri(&format!("/v1/things/{ID}"));
    let request = request.insert_header(("authorization", "admin"));
    let request = request.insert_header(("content-type", "application/json"));
    let lines = logged(request.set_payload("{\"secret\": 4x}")).await;
    let line = lines.iter().find(|line| line.contains("could not be read")).unwrap();
    assert!(line.contains("INFO") && line.contains("at column 13"), "{line}");
    assert!(line.contains(NEW_ID), "{line}");
    assert!(lines.iter().all(|line| !line.contains("secret")), "{lines:?}");
}

#[actix_web::test]
async fn a_refusal_is_logged_with_its_codes() {
    let request = TestRequest::put().uri(&format!("/v1/things/{ID}"));
    let request = request.insert_header(("authorization", "admin"));
    let request = request.insert_header(("content-type", "application/json"));
    let lines = logged(request.set_payload("{\"order\":\"secret\"}")).await;
    let [answered] = lines.as_slice() else { panic!("{lines:?}") };
    let codes = "code=\"input.data.invalid\" detail=\"data.type.invalid\"";
    assert!(answered.contains(codes), "{answered}");
}

#[actix_web::test]
async fn an_incomplete_response_is_logged_with_its_request() {
    let request = TestRequest::get().uri("/v1/streams/broken");
    let lines = logged(request.insert_header(("authorization", "admin"))).await;
    let line = lines.iter().find(|line| line.contains("ERROR")).unwrap();
    assert!(line.contains("secret-column") && line.contains(NEW_ID), "{line}");
}

#[actix_web::test]
async fn a_change_is_logged_with_its_record_and_a_read_is_not() {
    let named = format!("record=\"{ID}\"");
    let path = format!("/v1/things/{ID}");
    for (request, is_named) in [
        (TestRequest::delete().uri(&path), true),
        (TestRequest::patch().uri(&path), true),
        (TestRequest::get().uri(&path), false),
    ] {
        let lines = logged(request.insert_header(("authorization", "admin"))).await;
        let line = lines.iter().find(|line| line.contains("status=")).unwrap();
        assert_eq!(line.contains(&named), is_named, "{line}");
        assert_eq!(line.contains("record="), is_named, "{line}");
    }
    // A malformed id is not logged, because it may be a pasted token.
    let wrong = TestRequest::delete().uri("/v1/things/ptl_secret");
    let lines = logged(wrong.insert_header(("authorization", "admin"))).await;
    assert!(lines.iter().all(|line| !line.contains("record=") && !line.contains("secret")));
}

#[actix_web::test]
async fn a_rejected_credential_is_logged_by_its_reason_only() {
    let request = TestRequest::get().uri(&format!("/v1/things/{ID}"));
    let request = request.insert_header(("authorization", "Bearer secret-token"));
    let lines = logged(request.insert_header(("x-request-id", "mine"))).await;
    let [reason, answered] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(reason.contains("INFO") && reason.contains("request_id=\"mine\""), "{reason}");
    assert!(reason.contains("never issued, or was revoked"), "{reason}");
    assert!(answered.contains("status=401 code=\"unauthorized\" micros="), "{answered}");
    assert!(lines.iter().all(|line| !line.contains("secret")), "{lines:?}");
}
