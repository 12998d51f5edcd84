//! PATCH of one user.

use patrol_domain::{EditError, StoreError, user::MockUsers};

use super::*;
use crate::tests::{Ports, TestServer};

#[actix_web::test]
async fn only_given_members_change_and_the_full_record_is_returned() {
    let store = Store::new();
    let body = json!({"phone": "+200", "tags": ["b", "a", "b"], "employeeNo": null, "more": 1});
    let answer = patch(&store, "admin", ADA, body).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let mut expected = serde_json::to_value(record(&ada())).unwrap();
    expected["phone"] = json!("+200");
    expected["tags"] = json!(["b", "a"]);
    expected["employeeNo"] = Value::Null;
    assert_eq!(answer.json(), expected);
    assert_eq!(serde_json::to_value(record(&store.all()[0])).unwrap(), expected);
    assert_eq!(patch(&store, "admin", ADA, json!({})).await.json(), expected);
}

#[actix_web::test]
async fn every_member_is_read_by_its_name() {
    let store = Store::new();
    let body = json!({"firstName": "A", "middleName": "B", "lastName": "C", "employeeNo": "D",
        "employeePin": "E", "email": "f@example.org", "phone": "G", "language": "ru",
        "role": "MANAGER", "status": "INACTIVE", "locationIds": [GATE], "tags": ["h"]});
    let answer = patch(&store, "admin", EVE, body.clone()).await.json();
    for (member, value) in body.as_object().unwrap() {
        assert_eq!(&answer[member], value, "{member}");
    }
    for member in ["middleName", "employeeNo", "employeePin", "email", "phone"] {
        let answer = patch(&store, "admin", EVE, json!({member: null})).await;
        assert_eq!((answer.status, &answer.json()[member]), (200, &Value::Null), "{member}");
    }
    for member in ["firstName", "lastName", "language", "role", "status", "locationIds", "tags"] {
        let answer = patch(&store, "admin", EVE, json!({member: null})).await;
        assert_eq!(answer.code(), code(400, "validation.failed"), "{member}");
        assert_eq!(answer.details(), [detail("validation.notnull.failed", member, "")]);
    }
}

#[actix_web::test]
async fn type_faults_are_reported_before_broken_rules() {
    let texts = ["firstName", "middleName", "lastName", "employeeNo", "employeePin", "email"];
    let others = ["phone", "language", "role", "status"];
    for member in texts.into_iter().chain(others) {
        let answer = patch(&Store::new(), "admin", UNKNOWN, json!({member: 1, "tags": null})).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{member}");
        assert_eq!(answer.details(), [detail("data.type.invalid", member, "STRING")]);
    }
    for (body, expected) in [
        (json!({"tags": "a"}), detail("data.type.invalid", "tags", "ARRAY")),
        (json!({"tags": ["a", null]}), detail("data.type.invalid", "tags[1]", "STRING")),
        (json!({"locationIds": ["a"]}), detail("data.type.invalid", "locationIds[0]", "UUID")),
        (json!([{"phone": "1"}]), detail("data.type.invalid", "", "OBJECT")),
        (json!("phone"), detail("data.type.invalid", "", "OBJECT")),
    ] {
        let answer = patch(&Store::new(), "admin", UNKNOWN, body).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), [expected]);
    }
}

#[actix_web::test]
async fn all_broken_rules_are_reported_in_the_order_of_the_fields() {
    let body = json!({"tags": [""], "locationIds": [GATE, MISSING_LOCATION], "role": "BOSS", "email": "ada",
        "status": "", "language": "english", "employeeNo": "n-1", "firstName": "a\u{0}"});
    let store = Store::new();
    let answer = patch(&store, "admin", EVE, body).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    let expected = [
        detail("validation.characters.failed", "firstName", ""),
        detail("validation.unique.failed", "employeeNo", ""),
        detail("validation.email.failed", "email", ""),
        detail("validation.language.failed", "language", ""),
        detail("validation.enum.failed", "role", "EMPLOYEE,MANAGER,ADMIN"),
        detail("validation.enum.failed", "status", "ACTIVE,INACTIVE"),
        detail("validation.reference.failed", "locationIds[1]", ""),
        detail("validation.length.failed", "tags[0]", "1,100"),
    ];
    assert_eq!(answer.details(), expected);
    assert!(store.all() == Store::new().all());
}

#[actix_web::test]
async fn the_last_active_administrator_keeps_role_and_status() {
    for (body, member) in
        [(json!({"role": "MANAGER"}), "role"), (json!({"status": "INACTIVE"}), "status")]
    {
        let answer = patch(&Store::new(), "admin", ADA, body).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), [detail("state.not.allowed", member, "")]);
    }
}

#[actix_web::test]
async fn an_unknown_id_is_not_found_and_a_malformed_id_is_a_type_fault() {
    let store = Store::new();
    let answer = patch(&store, "admin", UNKNOWN, json!({"firstName": null})).await;
    assert_eq!((answer.code(), answer.details()), (code(404, "not.found"), vec![]));
    for id in ["b01", &*format!("{ADA},{EVE}")] {
        let answer = patch(&store, "admin", id, json!({})).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{id}");
        assert_eq!(answer.details(), [detail("data.type.invalid", "id", "UUID")]);
    }
    assert_eq!(patch(&store, "admin", &ADA.to_uppercase(), json!({})).await.status, 200);
}

#[actix_web::test]
async fn a_malformed_body_is_refused() {
    let server = Store::new().server();
    for body in ["", "{", "{\"phone\":\"1\",\"phone\":\"1\"}", "{} {}"] {
        let answer = server.send(with_body("admin", &patching(ADA), body.to_owned())).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{body}");
        // A repeated member is not a syntax error.
        assert_eq!(answer.is_malformed(), !body.contains("phone"), "{body}");
    }
    let request = with_body("admin", &patching("b01"), "{}".to_owned());
    let answer = server.send(request.insert_header(("content-type", "text/plain"))).await;
    assert_eq!(answer.code(), code(406, "not.acceptable"));
    let body = json!({"phone": "1".repeat(2 << 20)}).to_string();
    let answer = server.send(with_body("admin", &patching(ADA), body)).await;
    assert_eq!(answer.code(), code(413, "payload.too.large"));
}

#[actix_web::test]
async fn a_failing_store_is_500_or_503() {
    for (error, expected) in [
        (StoreError::Unavailable("secret-address".into()), code(503, "service.unavailable")),
        (StoreError::Internal("secret-column".into()), code(500, "internal.server.error")),
    ] {
        let mut users = MockUsers::new();
        let (one, many) = (error.clone(), error);
        users.expect_update().returning(move |_, _| Err(EditError::Store(one.clone())));
        users.expect_update_batch().returning(move |_, _| Err(EditError::Store(many.clone())));
        let server = TestServer::new(Ports { users, ..Ports::default() });
        for (what, body) in
            [(patching(ADA), json!({})), ("POST /v1/users/batch".into(), json!([{"id": ADA}]))]
        {
            let answer = server.send(with_body("admin", &what, body.to_string())).await;
            assert_eq!(answer.code(), expected, "{what}");
            assert!(!String::from_utf8(answer.body).unwrap().contains("secret"));
        }
    }
}

#[actix_web::test]
async fn a_pin_is_returned_and_appears_in_no_log_and_no_error() {
    let store = Store::new();
    let long = format!("{PIN}{}", "1".repeat(300));
    for (body, status) in [
        (json!({"employeePin": PIN}), 200),
        (json!({"employeePin": format!("{PIN}\u{0}")}), 400),
        (json!({"employeePin": long}), 400),
        (json!({"employeePin": [PIN]}), 400),
        (json!({"employeePin": PIN, "role": "BOSS"}), 400),
        (json!([PIN]), 400),
    ] {
        let request = with_body("admin", &patching(ADA), body.to_string());
        let (answer, log) = store.server().send_logged(request).await;
        assert_eq!(answer.status, status, "{body}");
        assert_eq!(String::from_utf8(answer.body).unwrap().contains(PIN), status == 200, "{body}");
        assert!(log.contains("/v1/users/{id}") && !log.contains(PIN), "{log}");
    }
}
