//! The batch: all or nothing.

use super::*;

#[actix_web::test]
async fn the_response_has_the_full_records_in_the_order_of_the_entries() {
    let store = Store::new();
    let answer = batch(&store, "manager", json!([{"id": EVE, "phone": "1"}, {"id": USER}])).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let all = store.all();
    let expected = [&all[2], &all[1]].map(|user| serde_json::to_value(record(user)));
    assert_eq!(answer.json(), json!(expected.map(Result::unwrap)));
    assert_eq!(answer.json()[0]["phone"], "1");
    let answer = batch(&store, "manager", json!([])).await;
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"[]".as_slice()));
}

#[actix_web::test]
async fn unknown_ids_are_reported_by_their_paths() {
    let store = Store::new();
    let body = json!([{"id": UNKNOWN}, {"id": EVE, "tags": null},
        {"id": UNKNOWN.replace("fff", "ffe"), "phone": "1"}]);
    let answer = batch(&store, "admin", body).await;
    assert_eq!(answer.code(), code(404, "not.found"));
    let expected = [detail("not.found", "[0].id", ""), detail("not.found", "[2].id", "")];
    assert_eq!(answer.details(), expected);
    assert!(store.all() == Store::new().all());
}

#[actix_web::test]
async fn a_user_may_occur_once_in_a_batch() {
    let body = json!([{"id": UNKNOWN}, {"id": EVE}, {"id": EVE.to_uppercase()}, {"id": EVE}]);
    let answer = batch(&Store::new(), "admin", body).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    let repeated = |at| detail("validation.unique.failed", at, "");
    assert_eq!(answer.details(), [repeated("[2].id"), repeated("[3].id")]);
}

#[actix_web::test]
async fn one_broken_rule_leaves_all_users_unchanged() {
    let store = Store::new();
    let body = json!([{"id": USER, "phone": "1"}, {"id": EVE, "role": null, "email": "x"}]);
    let answer = batch(&store, "admin", body).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    let expected = [
        detail("validation.email.failed", "[1].email", ""),
        detail("validation.notnull.failed", "[1].role", ""),
    ];
    assert_eq!(answer.details(), expected);
    let answer = batch(&store, "admin", json!([{"phone": "1"}, {"id": null}])).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    let missing = |at| detail("validation.notnull.failed", at, "");
    assert_eq!(answer.details(), [missing("[0].id"), missing("[1].id")]);
    let answer = batch(&store, "admin", json!([{"id": ADA, "role": "EMPLOYEE"}])).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.details(), [detail("state.not.allowed", "[0].role", "")]);
    assert!(store.all() == Store::new().all());
}

#[actix_web::test]
async fn two_users_may_swap_numbers_and_a_clash_is_reported_at_the_later() {
    let store = Store::new();
    let swap = json!([{"id": ADA, "employeeNo": "N-2"}, {"id": EVE, "employeeNo": "N-1"}]);
    let answer = batch(&store, "admin", swap).await;
    assert_eq!((answer.status, &answer.json()[1]["employeeNo"]), (200, &json!("N-1")));
    let clash = json!([{"id": USER, "employeeNo": "N-3"}, {"id": EVE, "employeeNo": "n-3"}]);
    let answer = batch(&store, "admin", clash).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    assert_eq!(answer.details(), [detail("validation.unique.failed", "[1].employeeNo", "")]);
}

#[actix_web::test]
async fn a_body_that_is_not_an_array_of_objects_is_a_type_fault() {
    for (body, expected) in [
        (json!({"id": EVE}), detail("data.type.invalid", "", "ARRAY")),
        (json!(null), detail("data.type.invalid", "", "ARRAY")),
        (json!([{"id": UNKNOWN}, EVE]), detail("data.type.invalid", "[1]", "OBJECT")),
        (json!([null]), detail("data.type.invalid", "[0]", "OBJECT")),
        (json!([{"id": "b02"}]), detail("data.type.invalid", "[0].id", "UUID")),
        (json!([{"id": EVE, "tags": [1]}]), detail("data.type.invalid", "[0].tags[0]", "STRING")),
    ] {
        let answer = batch(&Store::new(), "manager", body).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), [expected]);
    }
}

#[actix_web::test]
async fn a_batch_has_at_most_a_thousand_entries() {
    // All of them are unknown users.
    let of = |length: u32| {
        let id = |at| json!({"id": format!("0190a000-0000-7000-8001-{at:012x}")});
        Value::Array((0..length).map(id).collect())
    };
    let answer = batch(&Store::new(), "admin", of(1000)).await;
    assert_eq!((answer.code(), answer.details().len()), (code(404, "not.found"), 1000));
    let answer = batch(&Store::new(), "admin", of(1001)).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    assert_eq!(answer.details(), [detail("validation.length.failed", "", "0,1000")]);
    // The same user each time: a detail for each would make the response larger than the body.
    let same = Value::Array(vec![json!({"id": EVE}); 1001]);
    let answer = batch(&Store::new(), "admin", same).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    assert_eq!(answer.details(), [detail("validation.length.failed", "", "0,1000")]);
}

#[actix_web::test]
async fn a_batch_has_its_own_size_limit() {
    let server = Store::new().server();
    for (length, expected) in
        [(7 << 20, code(400, "validation.failed")), (8 << 20, code(413, "payload.too.large"))]
    {
        let body = json!([{"id": EVE, "phone": "1".repeat(length)}]).to_string();
        let answer = server.send(with_body("admin", "POST /v1/users/batch", body)).await;
        assert_eq!(answer.code(), expected, "{length}");
    }
}

#[actix_web::test]
async fn malformed_json_is_refused() {
    let server = Store::new().server();
    for (media, body, expected) in [
        ("text/plain", "[", (code(406, "not.acceptable"), false)),
        ("application/json", "[", (code(400, "input.data.invalid"), true)),
        ("application/json", "", (code(400, "input.data.invalid"), true)),
    ] {
        let request = with_body("admin", "POST /v1/users/batch", body.to_owned());
        let answer = server.send(request.insert_header(("content-type", media))).await;
        assert_eq!((answer.code(), answer.is_malformed()), expected, "{media} {body}");
    }
    let answer = server.send(with_body("admin", "GET /v1/users/batch", String::new())).await;
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
}
