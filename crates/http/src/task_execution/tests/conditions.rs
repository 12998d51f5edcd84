//! Versions: ETag, If-Match, If-None-Match.

use actix_web::{http::header::ContentType, test::TestRequest};

use super::{
    fixture::pending,
    store::{FIRST, Store},
};
use crate::tests::{TestAnswer, as_admin};

const PATH: &str = "/v1/task-executions/0190a000-0000-7000-8000-000000000e02";
const PUT: &str = r#"{"locationId": "0190a000-0000-7000-8000-000000000001", "name": "n",
    "startAt": "2026-01-31T00:00:00Z", "endAt": "2026-01-31T06:00:00Z", "steps": []}"#;

fn store() -> Store {
    Store::of(vec![pending()])
}

/// Sends PUT, PATCH (with `patch`), DELETE or GET with a header.
async fn send(
    store: &Store,
    method: &str,
    patch: &'static str,
    header: (&str, &str),
) -> TestAnswer {
    let request = match method {
        "PUT" => TestRequest::put().set_payload(PUT),
        "PATCH" => TestRequest::patch().set_payload(patch),
        "DELETE" => TestRequest::delete(),
        _ => TestRequest::get(),
    };
    let request = as_admin(request.uri(PATH)).insert_header(ContentType::json());
    let request = if header.0.is_empty() { request } else { request.insert_header(header) };
    store.server().send(request).await
}

#[actix_web::test]
async fn get_put_and_patch_return_the_same_tag_for_the_same_version() {
    let store = store();
    let none = ("", "");
    assert_eq!(send(&store, "GET", "", none).await.header("etag"), Some("\"3\""));
    let answer = send(&store, "PATCH", r#"{"name": "new"}"#, none).await;
    assert_eq!((answer.status, answer.header("etag")), (200, Some("\"4\"")));
    assert_eq!(send(&store, "GET", "", none).await.header("etag"), Some("\"4\""));
    let answer = send(&store, "PUT", "", none).await;
    assert_eq!((answer.status, answer.header("etag")), (200, Some("\"5\"")));
    assert_eq!(send(&store, "GET", "", none).await.header("etag"), Some("\"5\""));
}

#[actix_web::test]
async fn a_patch_without_changes_keeps_edited_and_the_tag_and_a_put_does_not() {
    let store = store();
    for body in ["{}", r#"{"name": "Night round, порт"}"#, r#"{"unknown": 1}"#] {
        let answer = send(&store, "PATCH", body, ("", "")).await;
        assert_eq!((answer.status, answer.header("etag")), (200, Some("\"3\"")), "{body}");
        assert_eq!(answer.json()["edited"], false, "{body}");
    }
    send(&store, "PUT", "", ("", "")).await;
    let again = send(&store, "PUT", "", ("", "")).await;
    assert_eq!(again.header("etag"), Some("\"5\""));
    assert!(store.get(0xe02).unwrap().record.edited);
}

#[actix_web::test]
async fn a_change_is_made_only_to_the_expected_version() {
    let patch = r#"{"name": "new"}"#;
    for method in ["PUT", "PATCH", "DELETE"] {
        for tag in ["\"2\"", "\"2\", \"4\"", "W/\"3\"", "3", "\"x\"", ""] {
            let store = store();
            let answer = send(&store, method, patch, ("if-match", tag)).await;
            let expected = (412, "precondition.failed".to_owned());
            assert_eq!(answer.code(), expected, "{method} {tag}");
            let kept = store.get(0xe02).unwrap();
            assert_eq!((kept.record, kept.version), (pending(), FIRST), "{method} {tag}");
        }
        for tag in ["\"3\"", "*", "\"2\", \"3\""] {
            let answer = send(&store(), method, patch, ("if-match", tag)).await;
            let done = if method == "DELETE" { 204 } else { 200 };
            assert_eq!(answer.status, done, "{method} {tag}");
        }
    }
}

#[actix_web::test]
async fn an_unknown_record_is_not_found_for_any_version() {
    let patch = r#"{"name": "new"}"#;
    for method in ["PUT", "PATCH", "DELETE"] {
        for tag in ["\"2\"", "\"2\", \"4\"", "*"] {
            let answer = send(&Store::default(), method, patch, ("if-match", tag)).await;
            assert_eq!(answer.code(), (404, "not.found".to_owned()), "{method} {tag}");
        }
    }
}

#[actix_web::test]
async fn the_version_is_checked_after_types_and_before_rules() {
    let stale = ("if-match", "\"2\"");
    let answer = send(&store(), "PATCH", r#"{"name": 1}"#, stale).await;
    assert_eq!(answer.code(), (400, "input.data.invalid".to_owned()));
    let answer = send(&store(), "PATCH", r#"{"name": ""}"#, stale).await;
    assert_eq!(answer.code(), (412, "precondition.failed".to_owned()));
}

#[actix_web::test]
async fn a_client_with_the_current_version_gets_304() {
    for tag in ["\"3\"", "W/\"3\"", "\"1\", \"3\"", "*"] {
        let answer = send(&store(), "GET", "", ("if-none-match", tag)).await;
        assert_eq!(answer.status, 304, "{tag}");
        assert_eq!(answer.header("etag"), Some("\"3\""), "{tag}");
        assert!(answer.body.is_empty(), "{tag}");
    }
    for tag in ["\"2\"", "3", "\"x\""] {
        let answer = send(&store(), "GET", "", ("if-none-match", tag)).await;
        assert_eq!((answer.status, answer.header("etag")), (200, Some("\"3\"")), "{tag}");
    }
}
