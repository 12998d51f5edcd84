//! The envelope and the items.

use patrol_tests::{DataSet, Running, company::location};
use serde_json::{Value, json};

use super::{LIST, list, location_id, numbers, plan_id, running};

#[test]
fn items_have_exactly_their_fields_and_null_where_nothing_is_known() {
    let running = running();
    let data = running.admin.get(LIST).ok()["data"].clone();
    assert_eq!(
        data[0],
        json!({
            "id": location_id(1), "name": "Порт, склад 3", "address": "1 Quay Rd",
            "latitude": 59.93, "longitude": 30.25, "tags": ["port", "fire"],
            "graphicPlanIds": [plan_id(1, 1), plan_id(1, 2)],
        }),
        "plans come by id",
    );
    assert_eq!(
        data[2],
        json!({
            "id": location_id(3), "name": "Yard 50%", "address": "Двор, 7",
            "latitude": null, "longitude": null, "tags": ["Fire"], "graphicPlanIds": [],
        }),
    );
    let text = running.admin.get(LIST);
    assert!(text.text().contains("\"latitude\":0,\"longitude\":-180,"), "{}", text.text());
}

#[test]
fn filter_is_inside_meta() {
    let running = running();
    let answer = list(
        &running,
        &[
            ("name", "like:ПОРТ"),
            ("limit", "5"),
            ("withGraphicPlan", "true"),
            ("sort", "name,desc"),
            ("q", "quay"),
            ("unknown", "x"),
            ("tags", ""),
            ("offset", "0"),
            ("address", "Quay"),
            ("name", "ne:x \\ \"ж\""),
        ],
    );
    let body = answer.ok();
    let members: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!(members, ["data", "meta"], "filter is not at the top");
    let entry = |property: &str, value: &str| json!({ "property": property, "value": value });
    let meta = json!({
        "offset": 0, "limit": 5, "count": 2,
        "sort": [{ "property": "name", "direction": "desc" }],
        "filter": [
            entry("name", "like:ПОРТ"),
            entry("withGraphicPlan", "true"),
            entry("address", "Quay"),
            entry("name", "ne:x \\ \"ж\""),
        ],
    });
    assert_eq!(body["meta"], meta);
    assert_eq!(numbers(&answer), [1, 4]);
    let plain = running.admin.get(LIST);
    let meta = json!({
        "offset": 0, "limit": 2_147_483_647, "count": 6,
        "sort": [{ "property": "id", "direction": "asc" }], "filter": [],
    });
    assert_eq!(plain.ok()["meta"], meta);
    assert!(plain.text().starts_with("{\"data\":["), "data comes first");
}

#[test]
fn an_import_is_seen_at_once_and_counted() {
    let running = running();
    assert_eq!(list(&running, &[("limit", "0")]).ok()["meta"]["count"], 6);
    let more = DataSet::new([location(&location_id(7), "New")]);
    let _ = running.store.import(&more).exited(0);
    assert_eq!(numbers(&running.admin.get(LIST)), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(list(&running, &[("limit", "0")]).ok()["meta"]["count"], 7);
}

#[test]
fn head_answers_as_get_does_without_the_body() {
    let running = running();
    let head = running.admin.send("HEAD", LIST, None);
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("Content-Type"), Some("application/json"));
}

#[test]
fn a_long_list_is_whole() {
    let many = (0x100..0x1100).map(|n| location(&location_id(n), &format!("Place {n}")));
    let running = Running::with(many);
    let answer = running.admin.get(LIST);
    assert_eq!(answer.ok()["meta"]["count"], 0x1000 + 3);
    let ids = numbers(&answer);
    assert_eq!(ids.len(), 0x1000 + 3);
    assert!(ids.is_sorted());
    let last: Value = list(&running, &[("offset", "4098"), ("limit", "9")]).ok();
    assert_eq!(last["data"].as_array().map(Vec::len), Some(1));
}
