//! The list envelope.

use patrol_tests::{company::GUARD, escaped, execution_id};
use serde_json::json;

use super::{LIST, list, numbers, running, sorting::PROPERTIES};

#[test]
fn members_come_in_the_order_data_meta_filter() {
    let running = running();
    for query in ["", "?limit=0", "?state=PENDING"] {
        let answer = running.admin.get(&format!("{LIST}{query}"));
        let body = answer.ok();
        let members: Vec<_> = body.as_object().unwrap().keys().collect();
        assert_eq!(members, ["data", "meta", "filter"]);
        let text = answer.text();
        assert!(text.starts_with("{\"data\":["), "{text}");
        let meta = text.rfind("],\"meta\":{").expect("meta after data");
        let filter = text.rfind("},\"filter\":[").expect("filter after meta");
        assert!(meta < filter, "{text}");
    }
}

#[test]
fn items_are_summaries_of_exactly_these_fields_or_more() {
    let running = running();
    let body = running.admin.get(LIST).ok();
    for item in body["data"].as_array().unwrap() {
        for member in PROPERTIES.iter().chain(&["assigneeIds", "tags"]) {
            assert!(item.get(member).is_some(), "{member} is missing in {item}");
        }
    }
}

#[test]
fn items_and_the_answer_of_patch_say_where_and_how_a_round_takes_place() {
    let running = running();
    let list = running.admin.get(LIST).ok();
    for n in 1..=6 {
        let full = running.read(n);
        let item = &list["data"][n as usize - 1];
        let patched =
            running.admin.patch(&format!("/task-executions/{}", execution_id(n)), &json!({}));
        for record in [item, &patched.ok()] {
            for member in ["locationId", "tags", "orderStepsRequired"] {
                assert_eq!(record[member], full[member], "{n} {member}");
            }
        }
    }
}

#[test]
fn filters_and_flags_are_echoed_as_they_were_sent_and_in_their_order() {
    let running = running();
    let guard = GUARD.to_uppercase();
    let body = list(
        &running,
        &[
            ("state", "in:PENDING,IN_PROGRESS"),
            ("limit", "3"),
            ("startAt", "gt:2025-12-31T23:00:00-01:00"),
            ("includeOpenTasks", "false"),
            ("tags", "fire"),
            ("q", "a"),
            ("startAt", "lt:2027-01-01T00:00:00Z"),
            ("unknown", "x"),
            ("name", ""),
            ("sort", "name"),
            ("userId", &guard),
            ("published", "true"),
            ("withDateIntersection", "true"),
            ("offset", "0"),
            ("endAt", "ne:2026-01-01T00:00:00Z"),
            ("priority", "ne:MAJOR"),
            ("name", "ne:Ж \\ \"%\""),
        ],
    )
    .ok();
    let entry = |property: &str, value: &str| json!({ "property": property, "value": value });
    let expected = json!([
        entry("state", "in:PENDING,IN_PROGRESS"),
        entry("startAt", "gt:2025-12-31T23:00:00-01:00"),
        entry("includeOpenTasks", "false"),
        entry("tags", "fire"),
        entry("startAt", "lt:2027-01-01T00:00:00Z"),
        entry("userId", &guard),
        entry("published", "true"),
        entry("withDateIntersection", "true"),
        entry("endAt", "ne:2026-01-01T00:00:00Z"),
        entry("priority", "ne:MAJOR"),
        entry("name", "ne:Ж \\ \"%\""),
    ]);
    assert_eq!(body["filter"], expected);
    assert_eq!(running.admin.get(LIST).ok()["filter"], json!([]));
}

#[test]
fn empty_values_and_unknown_parameters_are_not_applied() {
    let running = running();
    let empty = [
        "startAt",
        "endAt",
        "name",
        "priority",
        "userId",
        "state",
        "locationId",
        "pointId",
        "tags",
        "status",
        "published",
        "q",
    ];
    let parameters: Vec<_> =
        empty.iter().map(|name| (*name, "")).chain([("Name", "Alpha")]).collect();
    let answer = list(&running, &parameters);
    assert_eq!(numbers(&answer), [1, 2, 3, 4, 5, 6]);
    assert_eq!(answer.ok()["filter"], json!([]));
}

#[test]
fn a_query_is_decoded_as_forms_are() {
    let running = running();
    for query in [
        format!("name={}", escaped("бета 50%")),
        format!("name={}", escaped("бета 50%").replace("%20", "+")),
        format!("n%61me={}", escaped("eq:бета 50%")),
        format!("&&name={}&", escaped("eq:бета 50%")),
    ] {
        assert_eq!(numbers(&running.admin.get(&format!("{LIST}?{query}"))), [4], "{query}");
    }
}

#[test]
fn head_answers_as_get_does_without_the_body() {
    let running = running();
    let head = running.admin.send("HEAD", &format!("{LIST}?limit=2"), None);
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("Content-Type"), Some("application/json"));
}
