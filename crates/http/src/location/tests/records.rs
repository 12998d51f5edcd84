//! Locations are created, read, replaced and deleted.

use patrol_domain::{
    EditError, Existing, Held, Holder, Target, Version, Versioned, location::Location,
    shared::drafted::MockRecords,
};
use serde_json::{Value, json};

use super::harbour;
use crate::tests::{NEW_ID, Ports, TestAnswer, TestServer, code, detail, id, request};

const HARBOUR: &str = "0190a000-0000-7000-8000-000000000001";
const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000fff";
/// The version of the harbour.
const CURRENT: Version = Version(7);

fn whole() -> Value {
    json!({"id": HARBOUR, "name": "Порт, склад 3", "address": "1 Quay Rd", "latitude": 59.93,
        "longitude": -30, "tags": ["port", "north"], "graphicPlanIds": [
        "0190a000-0000-7000-8000-000000000701", "0190a000-0000-7000-8000-000000000703"]})
}

fn check(at: &Target<Location>) -> Result<(), EditError> {
    if at.id != id(0x001) {
        return Err(EditError::Missing);
    }
    CURRENT.check(at.expected)
}

/// A server whose store has the harbour, which points and users name unless it `is_free`.
fn server(is_free: bool) -> TestServer {
    let mut locations = MockRecords::new();
    locations.expect_get().returning(|location| {
        let harbour = || Versioned { record: harbour(), version: CURRENT };
        Ok((location == id(0x001)).then(harbour))
    });
    locations.expect_create().returning(|new, _| {
        (new.make)(&Existing::from_iter([harbour().id])).map_err(EditError::from)
    });
    locations.expect_update().returning(|edit, _| {
        check(&edit.at)?;
        Ok(match (edit.change)(&harbour(), &Existing::default())? {
            Some(record) => Versioned { record, version: CURRENT.next() },
            None => Versioned { record: harbour(), version: CURRENT },
        })
    });
    locations.expect_delete().returning(move |at, _| {
        check(&at)?;
        let held = |by, count| Held { by, count };
        if is_free {
            return Ok(());
        }
        Err(EditError::InUse(vec![held(Holder::Points, 2), held(Holder::Users, 1)]))
    });
    TestServer::new(Ports { locations, ..Ports::default() })
}

async fn send(call: &str, body: Value) -> TestAnswer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    server(true).send(request(call, body)).await
}

#[actix_web::test]
async fn a_location_is_read_unless_the_client_has_it() {
    let call = format!("GET /locations/{HARBOUR}");
    let answer = send(&call, Value::Null).await;
    assert_eq!((answer.status, answer.header("etag")), (200, Some("\"7\"")));
    assert_eq!(answer.json(), whole());
    let known = request(&call, "").insert_header(("if-none-match", "\"7\""));
    let answer = server(true).send(known).await;
    assert_eq!((answer.status, answer.header("etag")), (304, Some("\"7\"")));
    let answer = send(&format!("GET /locations/{UNKNOWN}"), Value::Null).await;
    assert_eq!(answer.code(), code(404, "not.found"));
}

#[actix_web::test]
async fn a_new_location_has_defaults_and_its_path() {
    let answer = send("POST /locations", json!({"name": "Depot", "address": null})).await;
    let path = format!("/v1/locations/{NEW_ID}");
    assert_eq!((answer.status, answer.header("location")), (201, Some(path.as_str())));
    let expected = json!({"id": NEW_ID, "name": "Depot", "address": "", "latitude": null,
        "longitude": null, "tags": [], "graphicPlanIds": []});
    assert_eq!(answer.json(), expected);
    let own = json!({"id": UNKNOWN.to_uppercase(), "name": "Depot", "tags": ["a", "b", "a"]});
    let answer = send("POST /locations", own).await;
    let path = format!("/v1/locations/{UNKNOWN}");
    assert_eq!((answer.status, answer.header("location")), (201, Some(path.as_str())));
    assert_eq!(answer.json()["tags"], json!(["a", "b"]));
}

#[actix_web::test]
async fn a_put_replaces_the_content_and_keeps_the_plans() {
    let call = format!("PUT /locations/{HARBOUR}");
    let answer = send(&call, whole()).await;
    assert_eq!((answer.status, answer.header("etag")), (200, Some("\"7\"")));
    assert_eq!((answer.header("patrol-ignored"), answer.json()), (None, whole()));
    let answer = send(&call, json!({"name": "Harbour"})).await;
    assert_eq!((answer.status, answer.header("etag")), (200, Some("\"8\"")));
    let plans = whole()["graphicPlanIds"].clone();
    let expected = json!({"id": HARBOUR, "name": "Harbour", "address": "", "latitude": null,
        "longitude": null, "tags": [], "graphicPlanIds": plans});
    assert_eq!(answer.json(), expected);
}

#[actix_web::test]
async fn a_change_needs_the_version_of_if_match() {
    for (tags, status) in [("\"7\"", 200), ("\"1\", \"7\"", 200), ("\"6\"", 412), ("W/\"7\"", 412)]
    {
        let put = request(&format!("PUT /locations/{HARBOUR}"), "{\"name\":\"a\"}");
        let answer = server(true).send(put.insert_header(("if-match", tags))).await;
        assert_eq!(answer.status, status, "{tags}");
        let delete = request(&format!("DELETE /locations/{HARBOUR}"), "");
        let answer = server(true).send(delete.insert_header(("if-match", tags))).await;
        assert_eq!(answer.status, if status == 200 { 204 } else { status }, "{tags}");
    }
}

#[actix_web::test]
async fn a_location_in_use_says_what_needs_it() {
    let delete = || request(&format!("DELETE /locations/{HARBOUR}"), "");
    let answer = server(false).send(delete()).await;
    assert_eq!(answer.code(), code(409, "resource.in.use"));
    let details =
        [detail("resource.in.use", "points", "2"), detail("resource.in.use", "users", "1")];
    assert_eq!(answer.details(), details);
    let russian = delete().insert_header(("accept-language", "ru"));
    let answer = server(false).send(russian).await.json();
    assert_eq!(answer["message"], "ресурс ещё нужен другим записям");
    assert_eq!(answer["details"][0]["message"], "ресурс ещё нужен другим записям");
    assert_eq!(server(true).send(delete()).await.status, 204);
}

#[actix_web::test]
async fn faults_come_in_the_order_of_the_fields() {
    let body = json!({"id": "x", "name": 1, "tags": [2], "latitude": "a", "longitude": true});
    let answer = send("POST /locations", body).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    let wanted = [
        ("id", "UUID"),
        ("name", "STRING"),
        ("latitude", "NUMBER"),
        ("longitude", "NUMBER"),
        ("tags[0]", "STRING"),
    ];
    assert_eq!(answer.details(), wanted.map(|(at, kind)| detail("data.type.invalid", at, kind)));
    let body = json!({"id": HARBOUR, "name": "", "address": "\0", "latitude": 90.5, "tags": [""]});
    let answer = send("POST /locations", body.clone()).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    let of_put = [
        detail("validation.length.failed", "name", "1,255"),
        detail("validation.characters.failed", "address", ""),
        detail("validation.range.failed", "latitude", "-90,90"),
        detail("validation.notnull.failed", "longitude", ""),
        detail("validation.length.failed", "tags[0]", "1,100"),
    ];
    let mut of_post = vec![detail("validation.unique.failed", "id", "")];
    of_post.extend(of_put.clone());
    assert_eq!(answer.details(), of_post);
    let answer = send(&format!("PUT /locations/{HARBOUR}"), body).await;
    assert_eq!(answer.details(), of_put);
}

#[actix_web::test]
async fn a_malformed_id_and_a_forbidden_role_are_refused_first() {
    for method in ["GET", "PUT", "DELETE"] {
        let answer = send(&format!("{method} /locations/x"), json!({})).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{method}");
        assert_eq!(answer.details(), [detail("data.type.invalid", "id", "UUID")], "{method}");
    }
    for call in [
        "POST /locations".to_owned(),
        format!("PUT /locations/{HARBOUR}"),
        format!("DELETE /locations/{HARBOUR}"),
    ] {
        for (role, denied) in [("employee", true), ("manager", false)] {
            let body = if call.starts_with("DELETE") { "" } else { "{\"name\":\"a\"}" };
            let request = request(&call, body).insert_header(("authorization", role));
            let answer = server(true).send(request).await;
            assert_eq!(answer.status == 403, denied, "{call} {role}");
        }
    }
}
