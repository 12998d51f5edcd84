//! Who may change what of which user, and when that is checked.

use super::*;

const DENIED: &str = "access.denied";

#[actix_web::test]
async fn an_employee_changes_only_its_own_contact_data() {
    let store = Store::new();
    let contact = json!({"email": "b@example.org", "phone": "1", "language": "ru", "more": 1});
    let answer = patch(&store, "employee", USER, contact.clone()).await;
    assert_eq!((answer.status, &answer.json()["language"]), (200, &json!("ru")));
    assert_eq!(patch(&store, "employee", USER, json!({"email": null})).await.status, 200);
    for id in [ADA, EVE, UNKNOWN] {
        for body in [contact.clone(), json!({}), json!([])] {
            assert_eq!(patch(&store, "employee", id, body).await.code(), code(403, DENIED), "{id}");
        }
    }
}

#[actix_web::test]
async fn an_employee_may_not_send_any_other_member() {
    for member in [
        "firstName",
        "middleName",
        "lastName",
        "employeeNo",
        "employeePin",
        "role",
        "status",
        "locationIds",
        "tags",
    ] {
        for value in [json!(null), json!("EMPLOYEE"), json!(["a"]), json!({})] {
            let answer = patch(&Store::new(), "employee", USER, json!({member: value})).await;
            assert_eq!(answer.code(), code(403, DENIED), "{member}");
        }
    }
}

#[actix_web::test]
async fn a_manager_may_neither_change_nor_appoint_an_administrator() {
    let store = Store::new();
    assert_eq!(patch(&store, "manager", EVE, json!({"role": "MANAGER"})).await.status, 200);
    for (id, body) in [
        (EVE, json!({"role": "ADMIN"})),
        (UNKNOWN, json!({"role": "ADMIN", "phone": 1})),
        (ADA, json!({})),
        (ADA, json!({"status": "INACTIVE"})),
        (ADA, json!({"firstName": null})),
    ] {
        assert_eq!(patch(&store, "manager", id, body.clone()).await.code(), code(403, DENIED));
        let entry = json!([{"id": EVE}, with_id(id, body)]);
        assert_eq!(batch(&store, "manager", entry).await.code(), code(403, DENIED));
    }
    assert!(store.all()[0] == ada());
    assert_eq!(patch(&store, "admin", EVE, json!({"role": "ADMIN"})).await.status, 200);
}

#[actix_web::test]
async fn an_employee_may_not_send_a_batch() {
    let server = Store::new().server();
    let own = json!([{"id": USER, "phone": "1"}]).to_string();
    for body in [own, "[]".to_owned(), "{".to_owned()] {
        let request = with_body("employee", "POST /v1/users/batch", body);
        let answer = server.send(request.insert_header(("content-type", "text/plain"))).await;
        assert_eq!(answer.code(), code(403, DENIED));
    }
}

#[actix_web::test]
async fn faults_are_checked_in_the_documented_order() {
    let server = Store::new().server();
    let types = "{\"phone\":1}";
    for (role, what, media, body, expected) in [
        ("nobody", patching("b01"), "text/plain", "{", code(401, "unauthorized")),
        ("employee", patching("b01"), "text/plain", "{", code(406, "not.acceptable")),
        ("employee", patching(ADA), "application/json", "{", code(400, "input.data.invalid")),
        ("employee", patching(ADA), "application/json", types, code(403, DENIED)),
        ("manager", patching(ADA), "application/json", types, code(400, "input.data.invalid")),
        ("manager", patching(ADA), "application/json", "{\"tags\":null}", code(403, DENIED)),
    ] {
        let request = with_body(role, &what, body.to_owned());
        let answer = server.send(request.insert_header(("content-type", media))).await;
        assert_eq!(answer.code(), expected, "{role} {what} {body}");
    }
}

fn with_id(id: &str, mut entry: Value) -> Value {
    entry["id"] = json!(id);
    entry
}
