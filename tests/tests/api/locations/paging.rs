//! `sort`, `limit`, `offset` and `count`.

use serde_json::json;

use super::{list, numbers, running};

#[test]
fn every_scalar_field_sorts() {
    let running = running();
    for (sort, expected) in [
        ("id", [1, 2, 3, 4, 5, 6]),
        ("id,desc", [6, 5, 4, 3, 2, 1]),
        // By lower case and code point: "a_b", "airport", "yard", "ё" after "п".
        ("name", [5, 2, 3, 4, 1, 6]),
        ("name,desc", [6, 1, 4, 3, 2, 5]),
        ("address,asc", [2, 1, 4, 6, 5, 3]),
        ("address,desc", [3, 5, 6, 4, 1, 2]),
        // Null comes last in both directions, ties by id.
        ("latitude", [2, 4, 1, 5, 3, 6]),
        ("latitude,desc", [5, 1, 4, 2, 3, 6]),
        ("longitude", [4, 1, 2, 5, 3, 6]),
        ("longitude,desc", [5, 2, 1, 4, 3, 6]),
    ] {
        assert_eq!(numbers(&list(&running, &[("sort", sort)])), expected, "sort={sort}");
    }
    let answer = list(&running, &[("sort", "latitude,desc"), ("sort", "name,desc")]);
    assert_eq!(numbers(&answer), [5, 1, 4, 2, 6, 3]);
    let sort = json!([
        { "property": "latitude", "direction": "desc" },
        { "property": "name", "direction": "desc" },
    ]);
    assert_eq!(answer.ok()["meta"]["sort"], sort);
}

#[test]
fn a_page_is_cut_out_and_the_count_stays() {
    let running = running();
    for (limit, offset, expected) in [
        ("2", "0", &[1, 2][..]),
        ("2", "5", &[6]),
        ("0", "0", &[]),
        ("2147483647", "4", &[5, 6]),
        ("3", "9223372036854775807", &[]),
    ] {
        let answer = list(&running, &[("limit", limit), ("offset", offset)]);
        assert_eq!(numbers(&answer), expected, "limit={limit}&offset={offset}");
        let meta = &answer.ok()["meta"];
        assert_eq!(meta["count"], 6);
        assert_eq!(meta["limit"].to_string(), limit);
        assert_eq!(meta["offset"].to_string(), offset);
    }
    let filtered = list(&running, &[("limit", "1"), ("offset", "1"), ("name", "порт")]);
    assert_eq!((numbers(&filtered), &filtered.ok()["meta"]["count"]), (vec![4], &json!(2)));
}
