//! Check-list actions over HTTP.

use std::sync::{Arc, Mutex, PoisonError};

use actix_web::http::header::ContentType;
use patrol_domain::{
    EditError, StoreError, Versioned,
    check_list::{CheckListAction, MockCheckListActions},
    task_execution::ActionType,
};
use serde_json::{Value, json};

use crate::tests::{Ports, TestAnswer, TestServer, code, detail, id, request};

const ACTION: &str = "0190a000-0000-7000-8000-000000000801";
const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000fff";

type SharedAction = Arc<Mutex<Option<CheckListAction>>>;

fn action() -> CheckListAction {
    CheckListAction {
        order: 3,
        required: true,
        min_value: Some(1.0),
        max_value: Some(2.5),
        ..CheckListAction::new(id(0x801), "Pressure, bar", ActionType::Number)
    }
}

fn shared() -> SharedAction {
    Arc::new(Mutex::new(Some(action())))
}

fn current(shared: &SharedAction) -> Option<CheckListAction> {
    shared.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A test server with one action.
pub(crate) fn server() -> TestServer {
    server_of(&shared())
}

fn server_of(shared: &SharedAction) -> TestServer {
    let mut check_list_actions = MockCheckListActions::new();
    let (edited, removed) = (Arc::clone(shared), Arc::clone(shared));
    check_list_actions.expect_update().returning(move |edit, _| {
        let mut shared = edited.lock().unwrap_or_else(PoisonError::into_inner);
        let action =
            shared.as_ref().filter(|action| action.id == edit.at.id).ok_or(EditError::Missing)?;
        let next = (edit.change)(action, &Default::default())?.unwrap_or_else(|| action.clone());
        *shared = Some(next.clone());
        Ok(Versioned::unversioned(next))
    });
    check_list_actions.expect_delete().returning(move |target, _| {
        let mut shared = removed.lock().unwrap_or_else(PoisonError::into_inner);
        shared.take_if(|action| action.id == target.id).map(|_| ()).ok_or(EditError::Missing)
    });
    TestServer::new(Ports { check_list_actions, ..Ports::default() })
}

async fn put(shared: &SharedAction, body: impl ToString) -> TestAnswer {
    let what = format!("PUT /check-lists/actions/{ACTION}");
    server_of(shared).send(request(&what, body.to_string())).await
}

#[actix_web::test]
async fn an_action_is_returned_with_id_name_and_type() {
    let shared = shared();
    let answer =
        put(&shared, json!({"name": "Door is locked", "type": "BOOLEAN", "order": 9})).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let expected =
        format!("{{\"id\":\"{ACTION}\",\"name\":\"Door is locked\",\"type\":\"BOOLEAN\"}}");
    assert_eq!(String::from_utf8(answer.body).unwrap(), expected);
    let expected = CheckListAction {
        name: "Door is locked".to_owned(),
        kind: ActionType::Boolean,
        min_value: None,
        max_value: None,
        ..action()
    };
    assert_eq!(current(&shared), Some(expected));
}

#[actix_web::test]
async fn an_absent_name_is_unchanged() {
    let shared = shared();
    let answer = put(&shared, json!({"type": "NUMBER"})).await;
    let expected = json!({"id": ACTION, "name": "Pressure, bar", "type": "NUMBER"});
    assert_eq!((answer.status, answer.json()), (200, expected));
    assert_eq!(current(&shared), Some(action()));
}

#[actix_web::test]
async fn broken_rules_fail_the_validation() {
    let types = "BOOLEAN,MEDIA,NUMBER,TEXT";
    let long = "n".repeat(256);
    for (body, expected) in [
        (json!({}), vec![detail("validation.notnull.failed", "type", "")]),
        (json!({"name": "a", "type": null}), vec![detail("validation.notnull.failed", "type", "")]),
        (
            json!({"name": null, "type": "PHOTO"}),
            vec![
                detail("validation.notnull.failed", "name", ""),
                detail("validation.enum.failed", "type", types),
            ],
        ),
        (
            json!({"name": "", "type": "TEXT"}),
            vec![detail("validation.length.failed", "name", "1,255")],
        ),
        (
            json!({"name": long, "type": "TEXT"}),
            vec![detail("validation.length.failed", "name", "1,255")],
        ),
        (
            json!({"name": "a\u{0}", "type": "TEXT"}),
            vec![detail("validation.characters.failed", "name", "")],
        ),
    ] {
        let shared = shared();
        let answer = put(&shared, &body).await;
        assert_eq!(answer.code(), code(400, "validation.failed"), "{body}");
        assert_eq!(answer.details(), expected, "{body}");
        assert_eq!(current(&shared), Some(action()), "{body}");
    }
}

#[actix_web::test]
async fn members_of_the_wrong_type_are_invalid_input() {
    let answer = put(&shared(), json!({"name": 1, "type": ["TEXT"]})).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    let expected = ["name", "type"].map(|name| detail("data.type.invalid", name, "STRING"));
    assert_eq!(answer.details(), expected);
    for body in [json!([]), Value::Null, json!(1), json!("TEXT")] {
        let answer = put(&shared(), &body).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{body}");
        assert_eq!(answer.details(), [detail("data.type.invalid", "", "OBJECT")], "{body}");
    }
}

#[actix_web::test]
async fn malformed_json_is_not_acceptable_here() {
    let what = format!("PUT /check-lists/actions/{ACTION}");
    let deep = format!("{{\"type\":\"TEXT\",\"a\":{}{}}}", "[".repeat(64), "]".repeat(64));
    for body in [
        b"".as_slice(),
        b" ",
        b"{",
        b"type=TEXT",
        b"{\"type\":\"TEXT\"} {}",
        b"{\"type\":\"\xff\"}",
        b"{\"type\":\"TEXT\",\"name\":\"\\ud800\"}",
        b"{\"type\":\"TEXT\",\"a\":1e999}",
        deep.as_bytes(),
    ] {
        let shared = shared();
        let answer = server_of(&shared).send(request(&what, body.to_vec())).await;
        let body = String::from_utf8_lossy(body);
        assert_eq!(answer.code(), code(406, "not.acceptable"), "{body}");
        assert_eq!((answer.is_malformed(), current(&shared)), (true, Some(action())), "{body}");
    }
}

#[actix_web::test]
async fn a_duplicate_member_is_invalid_input() {
    let answer = put(&shared(), "{\"type\":\"TEXT\",\"type\":\"TEXT\"}").await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.json().get("details"), None);
}

#[actix_web::test]
async fn a_wrong_content_type_is_not_acceptable() {
    let what = format!("PUT /check-lists/actions/{ACTION}");
    let body = "{\"type\":\"TEXT\"}";
    let plain = request(&what, body).insert_header(ContentType::plaintext());
    assert_eq!(server().send(plain).await.code(), code(406, "not.acceptable"));
    let coded = request(&what, body).insert_header(("content-encoding", "gzip"));
    assert_eq!(server().send(coded).await.code(), code(406, "not.acceptable"));
    let with_parameter =
        request(&what, body).insert_header(("content-type", "application/json; a=b"));
    assert_eq!(server().send(with_parameter).await.status, 200);
}

#[actix_web::test]
async fn an_action_is_deleted_once_and_without_a_body() {
    let (shared, what) = (shared(), format!("DELETE /check-lists/actions/{ACTION}"));
    let answer = server_of(&shared).send(request(&what, "")).await;
    assert_eq!((answer.status, answer.body.as_slice()), (204, b"".as_slice()));
    assert_eq!(current(&shared), None);
    assert_eq!(server_of(&shared).send(request(&what, "")).await.code(), code(404, "not.found"));
}

#[actix_web::test]
async fn existence_is_checked_after_types_and_before_rules() {
    for (what, body, expected) in [
        ("DELETE", "", code(404, "not.found")),
        ("PUT", "{\"type\":\"TEXT\"}", code(404, "not.found")),
        ("PUT", "{}", code(404, "not.found")),
        ("PUT", "{\"type\":1}", code(400, "input.data.invalid")),
        ("PUT", "{", code(406, "not.acceptable")),
    ] {
        let what = format!("{what} /check-lists/actions/{UNKNOWN}");
        assert_eq!(server().send(request(&what, body)).await.code(), expected, "{what} {body}");
    }
}

#[actix_web::test]
async fn a_malformed_id_is_reported_in_the_details() {
    for what in ["PUT", "DELETE"] {
        let what = format!("{what} /check-lists/actions/801");
        let answer = server().send(request(&what, "{")).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what}");
        assert_eq!(answer.details(), [detail("data.type.invalid", "id", "UUID")], "{what}");
    }
}

#[actix_web::test]
async fn an_employee_may_not_change_actions_and_get_is_not_allowed() {
    let path = format!("/check-lists/actions/{ACTION}");
    for method in ["PUT", "DELETE"] {
        let shared = shared();
        let request = request(&format!("{method} {path}"), "{\"type\":\"TEXT\"}");
        let answer =
            server_of(&shared).send(request.insert_header(("authorization", "employee"))).await;
        assert_eq!(answer.code(), code(403, "access.denied"), "{method}");
        assert_eq!(current(&shared), Some(action()), "{method}");
    }
    for method in ["GET", "POST", "PATCH", "OPTIONS"] {
        let answer = server().send(request(&format!("{method} {path}"), "{}")).await;
        assert_eq!(answer.code(), code(405, "method.not.allowed"), "{method}");
        assert_eq!(answer.header("allow"), Some("PUT, DELETE"), "{method}");
    }
}

#[actix_web::test]
async fn an_unavailable_store_is_503() {
    let unavailable = || StoreError::Unavailable("secret-address".to_owned());
    for method in ["PUT", "DELETE"] {
        let mut check_list_actions = MockCheckListActions::new();
        check_list_actions.expect_update().returning(move |_, _| Err(unavailable().into()));
        check_list_actions.expect_delete().returning(move |_, _| Err(unavailable().into()));
        let server = TestServer::new(Ports { check_list_actions, ..Ports::default() });
        let what = format!("{method} /check-lists/actions/{ACTION}");
        let answer = server.send(request(&what, "{\"type\":\"TEXT\"}")).await;
        assert_eq!(answer.code(), code(503, "service.unavailable"), "{method}");
        assert_eq!(answer.header("retry-after"), Some("1"), "{method}");
    }
}
