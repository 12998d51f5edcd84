//! Responses that all operations on points share.

use actix_web::http::{Method, header::ContentType};

use super::{store::unavailable, *};
use crate::tests::{code, detail};

/// Every operation on one point, with a valid body.
fn operations(id: &str) -> [(String, Value); 3] {
    [
        (format!("GET /locations/points/{id}"), Value::Null),
        (format!("DELETE /locations/points/{id}"), Value::Null),
        (format!("PUT /locations/points/{id}"), least()),
    ]
}

/// The operations with a body.
fn with_body(id: &str) -> [String; 2] {
    ["POST /locations/points".to_owned(), format!("PUT /locations/points/{id}")]
}

#[actix_web::test]
async fn an_unknown_point_is_not_found() {
    for (what, body) in operations(UNKNOWN) {
        let answer = Store::default().server().send(request(&what, body.to_string())).await;
        assert_eq!(answer.code(), code(404, "not.found"), "{what}");
    }
}

#[actix_web::test]
async fn a_malformed_id_is_reported_in_the_details() {
    for id in ["c01", "History", "0190a00000007000800000000000000a"] {
        for (what, body) in operations(id) {
            let answer = Store::default().server().send(request(&what, body.to_string())).await;
            assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what}");
            assert_eq!(answer.details(), [detail("data.type.invalid", "id", "UUID")], "{what}");
        }
    }
}

#[actix_web::test]
async fn the_id_is_checked_after_the_content_type_and_before_the_body() {
    let what = "PUT /locations/points/c01";
    let server = Store::default().server();
    let plain = request(what, "{").insert_header(ContentType::plaintext());
    assert_eq!(server.send(plain).await.code(), code(406, "not.acceptable"));
    let answer = server.send(request(what, "{")).await;
    assert_eq!(answer.details(), [detail("data.type.invalid", "id", "UUID")]);
}

#[actix_web::test]
async fn existence_is_checked_after_types_and_before_rules() {
    let what = format!("PUT /locations/points/{UNKNOWN}");
    let server = Store::default().server();
    let answer = server.send(request(&what, "{\"name\":1}")).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.details(), [detail("data.type.invalid", "name", "STRING")]);
    assert_eq!(server.send(request(&what, "{}")).await.code(), code(404, "not.found"));
}

#[actix_web::test]
async fn broken_rules_are_reported_only_without_type_faults() {
    for what in with_body(GATE) {
        let body = json!({"name": "", "latitude": "north", "tags": [1]});
        let answer = Store::default().server().send(request(&what, body.to_string())).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what}");
        let expected = [
            detail("data.type.invalid", "latitude", "NUMBER"),
            detail("data.type.invalid", "tags[0]", "STRING"),
        ];
        assert_eq!(answer.details(), expected, "{what}");
    }
}

#[actix_web::test]
async fn a_body_that_is_not_an_object_is_a_type_fault() {
    for what in with_body(GATE) {
        for body in ["[]", "null", "\"a\""] {
            let answer = Store::default().server().send(request(&what, body)).await;
            assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what} {body}");
            assert_eq!(answer.details(), [detail("data.type.invalid", "", "OBJECT")], "{what}");
        }
    }
}

#[actix_web::test]
async fn malformed_json_is_invalid_input_with_its_position() {
    for what in with_body(GATE) {
        for body in ["", "{", "{} {}", "{\"name\":\"a\",\"name\":\"b\"}", "{\"latitude\":1e999}"] {
            let answer = Store::default().server().send(request(&what, body)).await;
            assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what} {body}");
            // A repeated member is not a syntax error.
            assert_eq!(answer.is_malformed(), !body.contains("\"a\""), "{what} {body}");
        }
    }
}

#[actix_web::test]
async fn a_wrong_content_type_is_not_acceptable() {
    for what in with_body(GATE) {
        let request = request(&what, least().to_string()).insert_header(ContentType::xml());
        let answer = Store::default().server().send(request).await;
        assert_eq!(answer.code(), code(406, "not.acceptable"), "{what}");
    }
}

#[actix_web::test]
async fn an_employee_may_only_read() {
    for (what, body) in operations(GATE) {
        let request = request(&what, body.to_string()).insert_header(("authorization", "employee"));
        let store = Store::default();
        let answer = store.server().send(request).await;
        if what.starts_with("GET") {
            assert_eq!(answer.status, 200, "{what}");
        } else {
            assert_eq!(answer.code(), code(403, "access.denied"), "{what}");
            assert_eq!(store.len(), 2, "{what}");
        }
    }
}

#[actix_web::test]
async fn history_is_not_an_id_and_other_methods_are_not_allowed() {
    for (path, methods, allow) in [
        ("/locations/points/history", ["PUT", "POST", "PATCH", "DELETE", "OPTIONS"], "GET, HEAD"),
        ("/locations/points", ["TRACE", "PUT", "PATCH", "DELETE", "OPTIONS"], "GET, HEAD, POST"),
        (
            "/locations/points/0190a000-0000-7000-8000-000000000c01",
            ["POST", "PATCH", "OPTIONS", "TRACE", "CONNECT"],
            "GET, HEAD, PUT, DELETE",
        ),
    ] {
        for method in methods {
            let request = request(&format!("{method} {path}"), "{}");
            let answer = Store::default().server().send(request).await;
            assert_eq!(answer.code(), code(405, "method.not.allowed"), "{method} {path}");
            assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
        }
    }
}

#[actix_web::test]
async fn head_is_answered_like_get_without_a_body() {
    for path in [format!("/locations/points/{GATE}"), "/locations/points/history".to_owned()] {
        let what = request(&format!("GET {path}"), "");
        let answer = Store::default().server().send(what.method(Method::HEAD)).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, b"".as_slice()), "{path}");
    }
}

#[actix_web::test]
async fn an_unavailable_store_is_503_on_every_operation() {
    let mut operations = operations(GATE).to_vec();
    operations.push(("POST /locations/points".to_owned(), least()));
    operations.push(("GET /locations/points/history".to_owned(), Value::Null));
    for (what, body) in operations {
        let answer = unavailable().send(request(&what, body.to_string())).await;
        assert_eq!(answer.code(), code(503, "service.unavailable"), "{what}");
        assert_eq!(answer.header("retry-after"), Some("1"), "{what}");
    }
}
