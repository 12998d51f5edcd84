//! sort.

use std::cmp::Ordering;

use patrol_tests::Running;
use serde_json::{Value, json};

use super::{LIST, list, numbers, rounds, running};

/// Every scalar field of the summary.
pub(super) const PROPERTIES: [&str; 26] = [
    "id",
    "scheduledTaskId",
    "performerId",
    "name",
    "state",
    "status",
    "startAt",
    "endAt",
    "startedAt",
    "endedAt",
    "totalExecutedTimeInMillis",
    "errorCount",
    "warningCount",
    "priority",
    "seriesId",
    "assigned",
    "deadlined",
    "published",
    "edited",
    "stepCount",
    "executedStepCount",
    "locationId",
    "orderStepsRequired",
    "flagCount",
    "late",
    "missed",
];

const RANKS: [&[&str]; 3] = [
    &["PENDING", "IN_PROGRESS", "COMPLETED"],
    &["SUCCESS", "WARNING", "ERROR"],
    &["MINOR", "NORMAL", "MAJOR", "CRITICAL"],
];

/// The order of two values that are not null: text by lower case and code point, enumerations by
/// rank.
fn compare(property: &str, a: &Value, b: &Value) -> Ordering {
    let rank = |value: &Value| {
        let text = value.as_str().unwrap();
        RANKS.iter().find_map(|ranks| ranks.iter().position(|name| *name == text)).unwrap()
    };
    match (property, a, b) {
        ("state" | "status" | "priority", _, _) => rank(a).cmp(&rank(b)),
        (_, Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (_, Value::Number(_), Value::Number(_)) => a.as_i64().cmp(&b.as_i64()),
        _ => {
            fn folded(value: &Value) -> impl Iterator<Item = char> {
                value.as_str().unwrap().chars().flat_map(char::to_lowercase)
            }
            folded(a).cmp(folded(b))
        }
    }
}

/// Nulls come last in both directions, ties by id.
fn sorted(items: &[Value], property: &str, descending: bool) -> Vec<Value> {
    let mut items = items.to_vec();
    items.sort_by(|a, b| {
        let order = match (a[property].is_null(), b[property].is_null()) {
            (false, false) => {
                let order = compare(property, &a[property], &b[property]);
                if descending { order.reverse() } else { order }
            }
            (a, b) => a.cmp(&b),
        };
        order.then_with(|| a["id"].as_str().cmp(&b["id"].as_str()))
    });
    items.iter().map(|item| item["id"].clone()).collect()
}

#[test]
fn every_scalar_field_in_both_directions() {
    let running = running();
    let change = json!({ "name": "Alpha" });
    let edited = format!("/task-executions/{}", patrol_tests::execution_id(6));
    let _ = running.admin.patch(&edited, &change).ok();
    // A note that arrives weeks later has a verdict.
    let late = json!({
        "id": "0190a000-000c-7000-8000-000000000001", "type": "NOTE", "at": "2026-01-01T00:00:00Z",
        "textValue": "all quiet",
    });
    let _ = running.admin.post(&format!("{edited}/reports"), &json!([late])).ok();
    let items = running.admin.get(LIST).ok()["data"].as_array().unwrap().clone();
    assert!(items.iter().any(|item| item["flagCount"] == 1), "{items:?}");
    for property in PROPERTIES {
        for (direction, descending) in [("asc", false), ("desc", true)] {
            let answer = list(&running, &[("sort", &format!("{property},{direction}"))]).ok();
            let shown: Vec<_> =
                answer["data"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
            assert_eq!(shown, sorted(&items, property, descending), "{property},{direction}");
            let sort = json!([{ "property": property, "direction": direction }]);
            assert_eq!(answer["meta"]["sort"], sort);
        }
    }
}

#[test]
fn text_compares_by_lower_case_and_code_point() {
    let names = ["б", "А", "z", "Z", "a", "10", "9", "Ё", "я", "É", "e", "_", "А б", "аБ"];
    let executions = (1..)
        .zip(names)
        .map(|(n, name)| patrol_tests::with(super::plain(n), json!({ "name": name })));
    let running = Running::with(executions);
    let shown: Vec<_> = numbers(&list(&running, &[("sort", "name,asc")]))
        .into_iter()
        .map(|n| names[n as usize - 1])
        .collect();
    let expected = ["10", "9", "_", "a", "e", "z", "Z", "É", "А", "А б", "аБ", "б", "я", "Ё"];
    assert_eq!(shown, expected);
}

#[test]
fn criteria_come_in_the_order_of_the_query() {
    let running = running();
    let answer =
        list(&running, &[("sort", "published,desc"), ("sort", "priority"), ("sort", "id,desc")]);
    assert_eq!(numbers(&answer), [1, 6, 2, 4, 5, 3]);
    let sort = json!([
        { "property": "published", "direction": "desc" },
        { "property": "priority", "direction": "asc" },
        { "property": "id", "direction": "desc" },
    ]);
    assert_eq!(answer.ok()["meta"]["sort"], sort, "without the tie-break");
}

#[test]
fn ids_sort_as_they_are_written_whatever_was_imported_first() {
    let mut executions = rounds();
    executions.reverse();
    let running = Running::with(executions);
    assert_eq!(numbers(&running.admin.get(LIST)), [1, 2, 3, 4, 5, 6]);
    assert_eq!(numbers(&list(&running, &[("sort", "id,desc")])), [6, 5, 4, 3, 2, 1]);
}
