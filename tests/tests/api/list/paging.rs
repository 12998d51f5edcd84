//! `limit`, `offset` and `count`.

use patrol_tests::Running;
use serde_json::json;

use super::{LIST, list, numbers, plain, running};

#[test]
fn a_page_is_cut_out_and_the_count_stays() {
    let running = running();
    for (limit, offset, expected) in [
        ("2", "0", &[1, 2][..]),
        ("2", "2", &[3, 4]),
        ("2", "5", &[6]),
        ("0", "0", &[]),
        ("0", "3", &[]),
        ("6", "0", &[1, 2, 3, 4, 5, 6]),
        ("100", "4", &[5, 6]),
        ("100", "6", &[]),
        ("2147483647", "0", &[1, 2, 3, 4, 5, 6]),
        ("2147483647", "9223372036854775807", &[]),
    ] {
        let answer = list(&running, &[("limit", limit), ("offset", offset)]);
        assert_eq!(numbers(&answer), expected, "limit={limit}&offset={offset}");
        let meta = &answer.ok()["meta"];
        assert_eq!(meta["count"], 6, "limit={limit}&offset={offset}");
        assert_eq!(meta["limit"].to_string(), limit);
        assert_eq!(meta["offset"].to_string(), offset);
    }
}

#[test]
fn the_count_is_that_of_the_filters() {
    let running = running();
    let parameters = [("state", "PENDING"), ("limit", "1"), ("offset", "1")];
    let answer = list(&running, &parameters);
    assert_eq!((numbers(&answer), &answer.ok()["meta"]["count"]), (vec![5], &json!(3)));
    let none = list(&running, &[("limit", "0"), ("published", "false")]).ok();
    assert_eq!((&none["data"], &none["meta"]["count"]), (&json!([]), &json!(2)));
}

#[test]
fn without_a_limit_all_come() {
    let running = Running::with((1..=300).map(plain));
    let answer = running.admin.get(LIST);
    assert_eq!(numbers(&answer), (1..=300).collect::<Vec<_>>());
    let meta = json!({
        "offset": 0, "limit": 2_147_483_647, "count": 300,
        "sort": [{ "property": "id", "direction": "asc" }],
    });
    assert_eq!(answer.ok()["meta"], meta);
}

#[test]
fn an_empty_store_has_an_empty_list() {
    let running = Running::with([]);
    let body = running.admin.get(LIST).ok();
    assert_eq!((&body["data"], &body["meta"]["count"]), (&json!([]), &json!(0)));
}

#[test]
fn the_count_follows_every_write() {
    let running = running();
    let count =
        |parameters: &[(&str, &str)]| list(&running, parameters).ok()["meta"]["count"].clone();
    let path = |n| format!("/task-executions/{}", patrol_tests::execution_id(n));
    for _ in 0..2 {
        assert_eq!(count(&[("published", "true")]), 4, "also when it is known already");
    }
    let _ = running.admin.patch(&path(1), &json!({ "published": false })).ok();
    assert_eq!((count(&[("published", "true")]), count(&[])), (json!(3), json!(6)));
    running.admin.delete(&path(2)).is_bare(204);
    assert_eq!((count(&[("published", "true")]), count(&[])), (json!(2), json!(5)));
    let body = json!({ "taskIds": [patrol_tests::execution_id(3)], "published": true });
    let _ = running.admin.post(&format!("{}/copy", path(3)), &body).ok();
    assert_eq!((count(&[("published", "true")]), count(&[])), (json!(3), json!(6)));
    let imported = running.store.import(&patrol_tests::DataSet::new([plain(77)]));
    let _ = imported.exited(0);
    assert_eq!((count(&[("published", "true")]), count(&[])), (json!(4), json!(7)));
}

#[test]
fn pages_of_equal_values_neither_repeat_nor_skip() {
    let running = Running::with((1..=25).map(plain));
    let mut seen = Vec::new();
    for offset in (0..25).step_by(4) {
        let answer = list(
            &running,
            &[("sort", "state,desc"), ("limit", "4"), ("offset", &offset.to_string())],
        );
        seen.extend(numbers(&answer));
    }
    assert_eq!(seen, (1..=25).collect::<Vec<_>>());
}
