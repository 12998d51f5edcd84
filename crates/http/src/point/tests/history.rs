//! The history of points.

use patrol_domain::{
    list::{Condition, Direction, Membership, Page, Sort, Test},
    point::{HistoryFilter, HistorySort},
};

use super::*;
use crate::tests::{code, detail, id};

#[actix_web::test]
async fn a_history_record_has_the_point_and_the_operation() {
    let store = Store::default();
    let answer = send(&store, &format!("GET /history?id={GATE}&sort=name,desc"), Value::Null).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let point = text(send(&store, &format!("GET /{GATE}"), Value::Null).await);
    let point = point.strip_suffix('}').unwrap();
    let expected = format!(
        "{{\"data\":[{point},\"historyId\":42,\"operation\":\"DELETE\",\
         \"recordedAt\":\"2026-01-30T10:00:00.500Z\"}}],\
         \"meta\":{{\"offset\":0,\"limit\":2147483647,\"count\":1,\
         \"sort\":[{{\"property\":\"name\",\"direction\":\"desc\"}}]}}}}"
    );
    assert_eq!(text(answer), expected);
}

#[actix_web::test]
async fn history_is_sorted_by_id_by_default() {
    let store = Store::default();
    let answer = send(&store, "GET /history", Value::Null).await;
    assert_eq!(answer.json()["meta"]["sort"], json!([{"property": "id", "direction": "asc"}]));
    let asked = store.last_query();
    assert_eq!((asked.sort, asked.page, asked.search), (vec![], Page::default(), None));
    assert_eq!(asked.condition, Condition::All(vec![]));
}

#[actix_web::test]
async fn every_filter_reaches_the_store() {
    let is = Condition::Is;
    for (query, expected) in [
        (
            format!("id=in:{GATE},{CELLAR}"),
            is(HistoryFilter::Id, Test::Ids(Membership::Any, vec![id(0xc01), id(0xc02)])),
        ),
        ("name=gAtE".to_owned(), is(HistoryFilter::Name, Test::Contains("gate".to_owned()))),
        (
            "name=ne:Gate".to_owned(),
            is(HistoryFilter::Name, Test::Text(Membership::None, vec!["gate".to_owned()])),
        ),
        (
            "type=in:QR,BLE".to_owned(),
            is(HistoryFilter::Type, Test::Codes(Membership::Any, vec![1, 4])),
        ),
        (
            format!("locationId={HARBOUR}"),
            is(HistoryFilter::Location, Test::Ids(Membership::Any, vec![id(1)])),
        ),
        (
            "tags=nin:a,B".to_owned(),
            is(HistoryFilter::Tags, Test::Tags(Membership::None, vec!["a".into(), "B".into()])),
        ),
    ] {
        let store = Store::default();
        let answer = send(&store, &format!("GET /history?{query}"), Value::Null).await;
        assert_eq!(answer.status, 200, "{query}");
        assert_eq!(answer.json().as_object().unwrap().len(), 2, "{query}");
        assert_eq!(answer.json()["meta"].get("filter"), None, "{query}");
        assert_eq!(store.last_query().condition, Condition::All(vec![expected]), "{query}");
    }
}

#[actix_web::test]
async fn every_scalar_field_is_sortable() {
    for (name, property) in [
        ("id", HistorySort::Id),
        ("locationId", HistorySort::LocationId),
        ("name", HistorySort::Name),
        ("type", HistorySort::Type),
        ("latitude", HistorySort::Latitude),
        ("longitude", HistorySort::Longitude),
        ("rfidCode", HistorySort::RfidCode),
        ("qrCode", HistorySort::QrCode),
        ("historyId", HistorySort::HistoryId),
        ("operation", HistorySort::Operation),
        ("recordedAt", HistorySort::RecordedAt),
    ] {
        let store = Store::default();
        let answer = send(&store, &format!("GET /history?sort={name},desc"), Value::Null).await;
        let echo = json!([{"property": name, "direction": "desc"}]);
        assert_eq!(answer.json()["meta"]["sort"], echo);
        let expected = Sort { property, direction: Direction::Descending };
        assert_eq!(store.last_query().sort, [expected], "{name}");
    }
}

#[actix_web::test]
async fn page_and_search_reach_the_store() {
    let store = Store::default();
    let answer = send(&store, "GET /history?limit=0&offset=7&q=GATE-1", Value::Null).await;
    let expected = json!({"offset": 7, "limit": 0, "count": 1,
        "sort": [{"property": "id", "direction": "asc"}]});
    assert_eq!(answer.json()["meta"], expected);
    let asked = store.last_query();
    assert_eq!(
        (asked.page, asked.search.as_deref()),
        (Page { limit: 0, offset: 7 }, Some("gate-1"))
    );
}

#[actix_web::test]
async fn invalid_parameters_are_invalid_input() {
    let query = "id=x&type=GPS&locationId=gt:1&tags=in:&sort=tags&limit=abc&q=a&q=b&operation=x";
    let answer = send(&Store::default(), &format!("GET /history?{query}"), Value::Null).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    let sorts = "id,locationId,name,type,latitude,longitude,rfidCode,qrCode,historyId,operation,\
        recordedAt";
    assert_eq!(
        answer.details(),
        [
            detail("data.type.invalid", "id", "UUID"),
            detail("validation.enum.failed", "type", "VIRTUAL,QR,RFID,NFC,BLE"),
            detail("validation.enum.failed", "locationId", "eq,ne,in,nin"),
            detail("validation.notnull.failed", "tags", ""),
            detail("validation.enum.failed", "sort", sorts),
            detail("data.type.invalid", "limit", "INTEGER"),
            detail("validation.unique.failed", "q", ""),
        ]
    );
}
