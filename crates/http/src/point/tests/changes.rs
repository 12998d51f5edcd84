//! Points are created, read, replaced and deleted.

use super::{
    store::{cellar, gate},
    *,
};
use crate::tests::{NEW_ID, code, detail, id};

/// The JSON of the gate.
const WRITTEN: &str = "{\"id\":\"0190a000-0000-7000-8000-000000000c01\",\
    \"locationId\":\"0190a000-0000-7000-8000-000000000001\",\"name\":\"Gate, порт\",\
    \"type\":\"QR\",\"latitude\":59.93,\"longitude\":-30,\"graphicPlans\":[{\
    \"id\":\"0190a000-0000-7000-8000-000000000701\",\"x\":0.25,\"y\":null,\"label\":\"G 1\",\
    \"style\":{\"size\":10,\"z\":[null]}}],\"rfidCode\":\"04:A2:2B\",\"qrCode\":\"GATE-1\",\
    \"tags\":[\"outside\",\"порт\"]}";

/// The JSON of a point of the harbour with only its required members.
fn bare(id: &str, name: &str) -> Value {
    json!({"id": id, "locationId": HARBOUR, "name": name, "type": "VIRTUAL", "latitude": null,
        "longitude": null, "graphicPlans": [], "rfidCode": null, "qrCode": null, "tags": []})
}

#[actix_web::test]
async fn a_point_is_returned_with_all_fields_including_nulls() {
    let answer = send(&Store::default(), &format!("GET /{GATE}"), Value::Null).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(text(answer), WRITTEN);
    let answer = send(&Store::default(), &format!("GET /{CELLAR}"), Value::Null).await;
    assert_eq!(answer.json(), bare(CELLAR, "Cellar"));
}

#[actix_web::test]
async fn the_service_chooses_the_id_of_a_new_point() {
    let store = Store::default();
    let answer = send(&store, "POST ", with_member(least(), "id", json!(GATE))).await;
    assert_eq!((answer.status, answer.header("content-type")), (201, Some("application/json")));
    assert_eq!(answer.json(), bare(NEW_ID, "New"));
    assert_eq!(store.get(id(0xff)).unwrap().name, "New");
    assert_eq!((store.len(), store.get(id(0xc01))), (3, Some(gate())));
}

#[actix_web::test]
async fn sending_back_a_point_changes_nothing() {
    let store = Store::default();
    let read = send(&store, &format!("GET /{GATE}"), Value::Null).await.json();
    let answer = send(&store, &format!("PUT /{GATE}"), read).await;
    assert_eq!((answer.status, text(answer).as_str()), (200, WRITTEN));
    assert_eq!(store.get(id(0xc01)), Some(gate()));
}

#[actix_web::test]
async fn a_put_replaces_the_whole_point() {
    let absent = with_member(least(), "name", json!("Cellar"));
    let mut nulls: Value = serde_json::from_str(WRITTEN).unwrap();
    for (name, value) in nulls.as_object_mut().unwrap() {
        *value = absent.get(name).cloned().unwrap_or_default();
    }
    for body in [nulls, absent] {
        let store = Store::default();
        let answer = send(&store, &format!("PUT /{GATE}"), body).await;
        assert_eq!((answer.status, &answer.json()["qrCode"]), (200, &Value::Null));
        let expected = patrol_domain::point::Point { id: id(0xc01), ..cellar() };
        assert_eq!(store.get(id(0xc01)), Some(expected));
        assert_eq!(store.get(id(0xc02)), Some(cellar()));
    }
}

#[actix_web::test]
async fn a_point_is_deleted_once_and_without_a_body() {
    let store = Store::default();
    let answer = send(&store, &format!("DELETE /{GATE}"), Value::Null).await;
    assert_eq!((answer.status, answer.body.as_slice()), (204, b"".as_slice()));
    assert_eq!((store.len(), store.get(id(0xc01))), (1, None));
    for method in ["DELETE", "GET"] {
        let answer = send(&store, &format!("{method} /{GATE}"), Value::Null).await;
        assert_eq!(answer.code(), code(404, "not.found"), "{method}");
    }
}

#[actix_web::test]
async fn all_broken_rules_are_reported_in_the_order_of_the_fields() {
    let body = json!({"locationId": UNKNOWN, "name": "", "type": "GPS", "latitude": 91,
        "graphicPlans": [{"x": 2, "y": 0}, {"id": UNKNOWN}], "rfidCode": "04:A2:2B",
        "qrCode": "a\u{0}", "tags": ["a", ""]});
    for what in ["POST ".to_owned(), format!("PUT /{CELLAR}")] {
        let store = Store::default();
        let answer = send(&store, &what, body.clone()).await;
        assert_eq!(answer.code(), code(400, "validation.failed"), "{what}");
        assert_eq!(
            answer.details(),
            [
                detail("validation.reference.failed", "locationId", ""),
                detail("validation.length.failed", "name", "1,255"),
                detail("validation.enum.failed", "type", "VIRTUAL,QR,RFID,NFC,BLE"),
                detail("validation.range.failed", "latitude", "-90,90"),
                detail("validation.notnull.failed", "longitude", ""),
                detail("validation.notnull.failed", "graphicPlans[0].id", ""),
                detail("validation.range.failed", "graphicPlans[0].x", "0,1"),
                detail("validation.reference.failed", "graphicPlans[1].id", ""),
                detail("validation.unique.failed", "rfidCode", ""),
                detail("validation.characters.failed", "qrCode", ""),
                detail("validation.length.failed", "tags[1]", "1,100"),
            ],
            "{what}"
        );
        assert_eq!((store.len(), store.get(id(0xc02))), (2, Some(cellar())), "{what}");
    }
}

#[actix_web::test]
async fn location_name_and_type_are_required() {
    for what in ["POST ".to_owned(), format!("PUT /{GATE}")] {
        for body in [json!({}), json!({"locationId": null, "name": null, "type": null})] {
            let answer = send(&Store::default(), &what, body).await;
            assert_eq!(answer.code(), code(400, "validation.failed"), "{what}");
            let expected = ["locationId", "name", "type"]
                .map(|name| detail("validation.notnull.failed", name, ""));
            assert_eq!(answer.details(), expected, "{what}");
        }
    }
}

#[actix_web::test]
async fn a_graphic_plan_must_belong_to_the_location_of_the_point() {
    let elsewhere = "0190a000-0000-7000-8000-000000000702";
    for (plan, fault) in [(PLAN, false), (elsewhere, true)] {
        let body = with_member(least(), "graphicPlans", json!([{"id": plan}]));
        let answer = send(&Store::default(), "POST ", body).await;
        if fault {
            let expected = detail("validation.reference.failed", "graphicPlans[0].id", "");
            assert_eq!(answer.details(), [expected]);
        } else {
            let expected = json!([{"id": plan, "x": null, "y": null}]);
            assert_eq!((answer.status, &answer.json()["graphicPlans"]), (201, &expected));
        }
    }
}
