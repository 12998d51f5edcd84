//! Check-list actions over HTTP.

use std::sync::{Arc, Mutex, PoisonError};

use actix_web::http::header::ContentType;
use patrol_domain::{
    EditError, StoreError,
    check_list::{CheckListAction, MockCheckListActions},
    task_execution::ActionType,
};
use serde_json::{Value, json};

use crate::testing::{Ports, Site, TestAnswer, code, detail, id, request};

const ACTION: &str = "0190a000-0000-7000-8000-000000000801";
const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000fff";

type Kept = Arc<Mutex<Option<CheckListAction>>>;

fn action() -> CheckListAction {
    CheckListAction {
        id: id(0x801),
        name: "Pressure, bar".to_owned(),
        kind: ActionType::Number,
        order: 3,
        required: true,
        min_value: Some(1.0),
        max_value: Some(2.5),
    }
}

fn kept() -> Kept {
    Arc::new(Mutex::new(Some(action())))
}

fn stored(kept: &Kept) -> Option<CheckListAction> {
    kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A site with one action.
pub(crate) fn site() -> Site {
    site_of(&kept())
}

fn site_of(kept: &Kept) -> Site {
    let mut check_lists = MockCheckListActions::new();
    let (edited, removed) = (Arc::clone(kept), Arc::clone(kept));
    check_lists.expect_update().returning(move |id, edit, _| {
        let mut kept = edited.lock().unwrap_or_else(PoisonError::into_inner);
        let action = kept.as_ref().filter(|action| action.id == id).ok_or(EditError::Missing)?;
        let next = (edit.change)(action, &Default::default())?.unwrap_or_else(|| action.clone());
        *kept = Some(next.clone());
        Ok(next)
    });
    check_lists.expect_delete().returning(move |id, _| {
        let mut kept = removed.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take_if(|action| action.id == id).map(|_| ()).ok_or(EditError::Missing)
    });
    Site::new(Ports { check_lists, ..Ports::default() })
}

async fn put(kept: &Kept, body: impl ToString) -> TestAnswer {
    let what = format!("PUT /check-lists/actions/{ACTION}");
    site_of(kept).ask(request(&what, body.to_string())).await
}

#[actix_web::test]
async fn an_action_is_told_with_id_name_and_type() {
    let kept = kept();
    let answer = put(&kept, json!({"name": "Door is locked", "type": "BOOLEAN", "order": 9})).await;
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
    assert_eq!(stored(&kept), Some(expected));
}

#[actix_web::test]
async fn an_absent_name_stays() {
    let kept = kept();
    let answer = put(&kept, json!({"type": "NUMBER"})).await;
    let expected = json!({"id": ACTION, "name": "Pressure, bar", "type": "NUMBER"});
    assert_eq!((answer.status, answer.json()), (200, expected));
    assert_eq!(stored(&kept), Some(action()));
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
        let kept = kept();
        let answer = put(&kept, &body).await;
        assert_eq!(answer.code(), code(400, "validation.failed"), "{body}");
        assert_eq!(answer.details(), expected, "{body}");
        assert_eq!(stored(&kept), Some(action()), "{body}");
    }
}

#[actix_web::test]
async fn members_of_the_wrong_type_are_invalid_input() {
    let answer = put(&kept(), json!({"name": 1, "type": ["TEXT"]})).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    let expected = ["name", "type"].map(|name| detail("data.type.invalid", name, "STRING"));
    assert_eq!(answer.details(), expected);
    for body in [json!([]), Value::Null, json!(1), json!("TEXT")] {
        let answer = put(&kept(), &body).await;
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
        let kept = kept();
        let answer = site_of(&kept).ask(request(&what, body.to_vec())).await;
        let body = String::from_utf8_lossy(body);
        assert_eq!(answer.code(), code(406, "not.acceptable"), "{body}");
        assert_eq!((answer.is_malformed(), stored(&kept)), (true, Some(action())), "{body}");
    }
}

#[actix_web::test]
async fn json_in_which_a_member_stands_twice_is_invalid_input_here_too() {
    let answer = put(&kept(), "{\"type\":\"TEXT\",\"type\":\"TEXT\"}").await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.json().get("details"), None);
}

#[actix_web::test]
async fn another_content_type_is_not_acceptable() {
    let what = format!("PUT /check-lists/actions/{ACTION}");
    let body = "{\"type\":\"TEXT\"}";
    let plain = request(&what, body).insert_header(ContentType::plaintext());
    assert_eq!(site().ask(plain).await.code(), code(406, "not.acceptable"));
    let coded = request(&what, body).insert_header(("content-encoding", "gzip"));
    assert_eq!(site().ask(coded).await.code(), code(406, "not.acceptable"));
    let with_parameter =
        request(&what, body).insert_header(("content-type", "application/json; a=b"));
    assert_eq!(site().ask(with_parameter).await.status, 200);
}

#[actix_web::test]
async fn an_action_is_deleted_once_and_without_a_body() {
    let (kept, what) = (kept(), format!("DELETE /check-lists/actions/{ACTION}"));
    let answer = site_of(&kept).ask(request(&what, "")).await;
    assert_eq!((answer.status, answer.body.as_slice()), (204, b"".as_slice()));
    assert_eq!(stored(&kept), None);
    assert_eq!(site_of(&kept).ask(request(&what, "")).await.code(), code(404, "not.found"));
}

#[actix_web::test]
async fn an_action_that_is_not_there_is_not_found_before_rules_and_after_types() {
    for (what, body, expected) in [
        ("DELETE", "", code(404, "not.found")),
        ("PUT", "{\"type\":\"TEXT\"}", code(404, "not.found")),
        ("PUT", "{}", code(404, "not.found")),
        ("PUT", "{\"type\":1}", code(400, "input.data.invalid")),
        ("PUT", "{", code(406, "not.acceptable")),
    ] {
        let what = format!("{what} /check-lists/actions/{UNKNOWN}");
        assert_eq!(site().ask(request(&what, body)).await.code(), expected, "{what} {body}");
    }
}

#[actix_web::test]
async fn an_id_that_is_none_is_told_among_the_details() {
    for what in ["PUT", "DELETE"] {
        let what = format!("{what} /check-lists/actions/801");
        let answer = site().ask(request(&what, "{")).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what}");
        assert_eq!(answer.details(), [detail("data.type.invalid", "id", "UUID")], "{what}");
    }
}

#[actix_web::test]
async fn an_employee_changes_nothing_and_nobody_reads() {
    let path = format!("/check-lists/actions/{ACTION}");
    for method in ["PUT", "DELETE"] {
        let kept = kept();
        let request = request(&format!("{method} {path}"), "{\"type\":\"TEXT\"}");
        let answer = site_of(&kept).ask(request.insert_header(("authorization", "employee"))).await;
        assert_eq!(answer.code(), code(403, "access.denied"), "{method}");
        assert_eq!(stored(&kept), Some(action()), "{method}");
    }
    for method in ["GET", "POST", "PATCH", "OPTIONS"] {
        let answer = site().ask(request(&format!("{method} {path}"), "{}")).await;
        assert_eq!(answer.code(), code(405, "method.not.allowed"), "{method}");
        assert_eq!(answer.header("allow"), Some("PUT, DELETE"), "{method}");
    }
}

#[actix_web::test]
async fn a_store_that_is_away_is_503() {
    let away = || StoreError::Unavailable("secret-address".to_owned());
    for method in ["PUT", "DELETE"] {
        let mut check_lists = MockCheckListActions::new();
        check_lists.expect_update().returning(move |_, _, _| Err(away().into()));
        check_lists.expect_delete().returning(move |_, _| Err(away().into()));
        let site = Site::new(Ports { check_lists, ..Ports::default() });
        let what = format!("{method} /check-lists/actions/{ACTION}");
        let answer = site.ask(request(&what, "{\"type\":\"TEXT\"}")).await;
        assert_eq!(answer.code(), code(503, "service.unavailable"), "{method}");
        assert_eq!(answer.header("retry-after"), Some("1"), "{method}");
    }
}
