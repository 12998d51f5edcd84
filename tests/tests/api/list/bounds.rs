//! Bounds of a list query.

use patrol_tests::{Answer, Running, detail, escaped};
use serde_json::json;

use super::{LIST, list, running};

fn ask(running: &Running, path: &str, parameters: &[String]) -> Answer {
    running.admin.get(&format!("{path}?limit=1&{}", parameters.join("&")))
}

/// `name=like:N`, all different.
fn names(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("name=ne:{n}")).collect()
}

/// This many different values.
fn values(from: usize, count: usize) -> String {
    (from..from + count).map(|n| n.to_string()).collect::<Vec<_>>().join(",")
}

fn too_many(parameter: &str, most: &str) -> [serde_json::Value; 1] {
    [detail("validation.length.failed", parameter, &["0", most])]
}

#[test]
fn a_query_has_at_most_64_filters() {
    let running = running();
    for path in [LIST, "/locations", "/locations/points/history"] {
        let _ = ask(&running, path, &names(64)).ok();
        ask(&running, path, &names(65)).misunderstood(&too_many("name", "64"));
        // One entry, whatever the number of filters.
        ask(&running, path, &names(2_000)).misunderstood(&too_many("name", "64"));
    }
    let mut mixed = names(64);
    mixed.push("tags=x".to_owned());
    ask(&running, LIST, &mixed).misunderstood(&too_many("tags", "64"));
}

#[test]
fn equal_filters_count_once_and_are_repeated_in_the_answer() {
    let running = running();
    let mut parameters = vec!["name=like:e".to_owned(); 1_000];
    parameters.extend(names(63));
    let body = ask(&running, LIST, &parameters).ok();
    assert_eq!(body["filter"].as_array().map(Vec::len), Some(1_063));
    assert_eq!(body["filter"][999], json!({ "property": "name", "value": "like:e" }));
    parameters.push("tags=x".to_owned());
    ask(&running, LIST, &parameters).misunderstood(&too_many("tags", "64"));
}

#[test]
fn the_lists_of_a_query_have_at_most_1000_values_together() {
    let running = running();
    for path in [LIST, "/locations", "/locations/points/history"] {
        for operator in ["in", "nin"] {
            let filter = |count| vec![format!("tags={operator}:{}", values(0, count))];
            let _ = ask(&running, path, &filter(1_000)).ok();
            ask(&running, path, &filter(1_001)).misunderstood(&too_many("tags", "1000"));
            ask(&running, path, &filter(5_000)).misunderstood(&too_many("tags", "1000"));
        }
        let two = |count| {
            vec![format!("name=in:{}", values(0, 500)), format!("tags=nin:{}", values(0, count))]
        };
        let _ = ask(&running, path, &two(500)).ok();
        ask(&running, path, &two(501)).misunderstood(&too_many("tags", "1000"));
    }
    // A comma without an operator also makes a list.
    ask(&running, LIST, &[format!("tags={}", values(0, 1_001))])
        .misunderstood(&too_many("tags", "1000"));
}

#[test]
fn equal_values_count_once() {
    let running = running();
    let same = format!("tags=in:{}{}", "fire,".repeat(1_000), values(0, 999));
    let body = ask(&running, LIST, std::slice::from_ref(&same)).ok();
    assert_eq!(body["meta"]["count"], 2);
    let value = same.strip_prefix("tags=").unwrap();
    assert_eq!(body["filter"], json!([{ "property": "tags", "value": value }]));
    // The same list twice is one filter; other operators have no lists.
    let _ = ask(&running, LIST, &[same.clone(), same.clone(), "tags=eq:x".to_owned()]).ok();
    let more = [same, "state=in:PENDING".to_owned()];
    ask(&running, LIST, &more).misunderstood(&too_many("state", "1000"));
}

#[test]
fn a_query_has_at_most_8_sorts() {
    let running = running();
    for (path, properties) in [
        (LIST, ["id", "name", "state", "startAt", "endAt"]),
        ("/locations", ["id", "name", "address", "latitude", "longitude"]),
        ("/locations/points/history", ["id", "name", "type", "qrCode", "historyId"]),
        ("/tokens", ["id", "name", "createdAt", "expiresAt", "userId"]),
    ] {
        let sorts: Vec<_> = properties
            .iter()
            .flat_map(|name| [format!("sort={name}"), format!("sort={name},desc")])
            .collect();
        let body = ask(&running, path, &sorts[..8]).ok();
        assert_eq!(body["meta"]["sort"].as_array().map(Vec::len), Some(8), "{path}");
        ask(&running, path, &sorts[..9]).misunderstood(&too_many("sort", "8"));
        // Duplicates count once, and are repeated as sent.
        let many = [&sorts[..8], &vec![sorts[0].clone(); 500]].concat();
        let body = ask(&running, path, &many).ok();
        assert_eq!(body["meta"]["sort"].as_array().map(Vec::len), Some(508), "{path}");
    }
}

#[test]
fn what_exceeds_a_bound_is_told_with_all_that_is_wrong() {
    let running = running();
    let parameters = [("sort", "nothing"), ("startAt", "x")];
    let plain = list(&running, &parameters).refused(400, "input.data.invalid").body;
    let query: Vec<_> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", escaped(value)))
        .chain(names(70))
        .collect();
    let refusal = ask(&running, LIST, &query).refused(400, "input.data.invalid").body;
    let mut details = plain["details"].as_array().unwrap().clone();
    details.push(refusal["details"][2].clone());
    assert_eq!(refusal["details"], json!(details));
    assert_eq!(refusal["details"][2]["code"], "validation.length.failed");
}
