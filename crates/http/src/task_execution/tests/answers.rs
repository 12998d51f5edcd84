//! Responses that all operations on executions share, and the list.

use patrol_domain::list::{Condition, Page};

use super::{store::unavailable, *};

/// Every operation on one execution, with a valid body.
fn operations(id: &str) -> Vec<(String, Value)> {
    vec![
        (format!("GET /{id}"), Value::Null),
        (format!("DELETE /{id}"), Value::Null),
        (format!("PUT /{id}"), content()),
        (format!("PATCH /{id}"), json!({"name": "New"})),
        (format!("PUT /{id}/series"), content()),
        (format!("POST /{id}/copy"), json!({"taskIds": [PENDING]})),
    ]
}

#[actix_web::test]
async fn an_unknown_execution_is_not_found() {
    for (what, body) in operations(UNKNOWN) {
        let store = store();
        let answer = send(&store, &what, body).await;
        assert_eq!(answer.code(), code(404, "not.found"), "{what}");
        assert_eq!(store.len(), 2, "{what}");
    }
}

#[actix_web::test]
async fn existence_is_checked_after_types_and_before_rules() {
    for (what, body) in [("PUT", json!({})), ("PATCH", json!({"name": null}))] {
        let answer = send(&store(), &format!("{what} /{UNKNOWN}"), body).await;
        assert_eq!(answer.code(), code(404, "not.found"), "{what}");
        let answer = send(&store(), &format!("{what} /{UNKNOWN}"), json!({"name": 1})).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what}");
    }
    for (what, body) in [("PUT", "series"), ("POST", "copy")] {
        let answer = send(&store(), &format!("{what} /{UNKNOWN}/{body}"), json!({})).await;
        assert_eq!(answer.code(), code(404, "not.found"), "{what}");
    }
}

#[actix_web::test]
async fn a_malformed_id_is_reported_in_the_style_of_the_endpoint() {
    for (what, body) in operations("e01") {
        let answer = send(&store(), &what, body).await;
        let top = ["GET /e01", "DELETE /e01", "PUT /e01"].contains(&what.as_str());
        let body = answer.json();
        if top {
            assert_eq!(answer.code(), code(400, "data.type.invalid"), "{what}");
            assert_eq!((&body["identifier"], &body["args"]), (&json!("id"), &json!(["UUID"])));
            assert_eq!(answer.details(), [], "{what}");
        } else {
            assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what}");
            assert_eq!(answer.details(), [detail("data.type.invalid", "id", "UUID")], "{what}");
        }
    }
}

#[actix_web::test]
async fn several_resources_are_refused_by_put_and_patch() {
    let list = format!("{PENDING},{COMPLETED}");
    for body in [content(), json!([])] {
        let answer = send(&store(), &format!("PUT /{list}"), body).await;
        assert_eq!(answer.code(), code(400, "multiple.resources.not.allowed"));
    }
    let answer = send(&store(), &format!("PATCH /{list}"), json!({})).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.details(), [detail("multiple.resources.not.allowed", "id", "")]);
    for body in [json!([]), json!([{"name": "a"}])] {
        let answer = send(&store(), &format!("PUT /{PENDING}"), body.clone()).await;
        assert_eq!(answer.code(), code(400, "multiple.resources.not.allowed"));
        let answer = send(&store(), &format!("PATCH /{PENDING}"), body.clone()).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), [detail("multiple.resources.not.allowed", "", "")]);
        for what in [format!("PUT /{PENDING}/series"), format!("POST /{PENDING}/copy")] {
            let answer = send(&store(), &what, body.clone()).await;
            assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what}");
            assert_eq!(answer.details(), [detail("data.type.invalid", "", "OBJECT")], "{what}");
        }
    }
}

#[actix_web::test]
async fn a_wrong_content_type_is_406_except_for_a_copy() {
    for (what, body) in operations(PENDING).into_iter().skip(2) {
        let expected = match what.contains("/copy") {
            true => code(400, "input.data.invalid"),
            false => code(406, "not.acceptable"),
        };
        let request = request(&what, body.to_string());
        let answer = store().server().send(request.insert_header(ContentType::plaintext())).await;
        assert_eq!(answer.code(), expected, "{what}");
    }
}

#[actix_web::test]
async fn malformed_json_is_invalid_input_with_its_position() {
    for (what, _) in operations(PENDING).into_iter().skip(2) {
        for body in ["", "{", "{} {}", "{\"name\":\"a\",\"name\":\"b\"}", "{\"name\":\"\\ud800\"}"]
        {
            let answer = store().server().send(request(&what, body.to_owned())).await;
            assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what} {body}");
            // A repeated member is not a syntax error.
            assert_eq!(answer.is_malformed(), !body.contains("\"a\""), "{what} {body}");
        }
    }
}

#[actix_web::test]
async fn an_unavailable_store_is_503_on_every_operation() {
    let mut operations = operations(PENDING);
    operations.push(("GET /info".to_owned(), Value::Null));
    for (what, body) in operations {
        let answer = unavailable().send(request(&what, body.to_string())).await;
        assert_eq!(answer.code(), code(503, "service.unavailable"), "{what}");
        assert_eq!(answer.header("retry-after"), Some("1"), "{what}");
    }
}

#[actix_web::test]
async fn the_list_returns_summaries() {
    let store = store();
    let answer =
        send(&store, "GET /info?sort=name,desc&limit=5&published=true&q=x", Value::Null).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let list = answer.json();
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
    assert_eq!(list["data"][0].as_object().unwrap().len(), 28);
    assert_eq!(
        list["meta"],
        json!({"offset": 0, "limit": 5, "count": 2,
            "sort": [{"property": "name", "direction": "desc"}]})
    );
    assert_eq!(list["filter"], json!([{"property": "published", "value": "true"}]));
    let asked = store.last_query();
    assert_eq!(asked.page, Page { limit: 5, offset: 0 });
    assert_eq!(asked.search.as_deref(), Some("x"));
    assert!(matches!(asked.condition, Condition::All(all) if all.len() == 1));
}

#[actix_web::test]
async fn invalid_list_parameters_are_invalid_input() {
    let answer = send(&store(), "GET /info?limit=abc&state=x&endAt=now", Value::Null).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(
        answer.details(),
        [
            detail("data.type.invalid", "limit", "INTEGER"),
            detail("validation.enum.failed", "state", "PENDING,IN_PROGRESS,COMPLETED"),
            detail("data.type.invalid", "endAt", "TIMESTAMP"),
        ]
    );
}

#[actix_web::test]
async fn head_is_answered_like_get_without_a_body() {
    for path in ["info?limit=2", COMPLETED] {
        let request = |method: fn() -> TestRequest| {
            as_admin(method().uri(&format!("/v1/task-executions/{path}")))
        };
        let get = store().server().send(request(TestRequest::get)).await;
        let head = store()
            .server()
            .send(request(TestRequest::get).method(actix_web::http::Method::HEAD))
            .await;
        assert_eq!((get.status, head.status), (200, 200));
        assert!(!get.body.is_empty() && head.body.is_empty());
        assert_eq!(get.header("etag"), head.header("etag"));
    }
}
