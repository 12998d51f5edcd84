//! GET /locations/points/history: filters, q, sort, paging and what is refused.

use patrol_tests::{
    Answer, Running,
    company::{AIRPORT, GATE, NOBODY, PIER, PORT, TOWER, YARD},
    detail, escaped, with,
};
use serde_json::{Value, json};

use super::{HISTORY, gate, path};

/// The history with these parameters, in this order.
fn list(running: &Running, parameters: &[(&str, &str)]) -> Answer {
    let query: Vec<_> =
        parameters.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    running.admin.get(&format!("{HISTORY}?{}", query.join("&")))
}

/// The records of a response, in its order, by their position in the history.
fn numbers(answer: &Answer) -> Vec<i64> {
    let body = answer.ok();
    let items = body["data"].as_array().expect("data is an array");
    items.iter().map(|item| item["historyId"].as_i64().expect("a number")).collect()
}

/// A history of six records, numbered from 1:
///
/// | n | point | what            | name   | type    | where   | codes       | tags        |
/// |---|-------|-----------------|--------|---------|---------|-------------|-------------|
/// | 1 | GATE  | CREATE          | Gate   | VIRTUAL | PORT    |             |             |
/// | 2 | PIER  | CREATE          | Pier   | VIRTUAL | PORT    |             |             |
/// | 3 | TOWER | CREATE          | Tower  | VIRTUAL | AIRPORT |             |             |
/// | 4 | GATE  | UPDATE          | Ворота | QR      | PORT    | qr Ж_1      | north, fire |
/// | 5 | GATE  | UPDATE          | gate B | RFID    | YARD    | rfid 50%    | Fire        |
/// | 6 | PIER  | DELETE          | Pier   | VIRTUAL | PORT    |             |             |
fn running() -> Running {
    let running = Running::with([]);
    let first = json!({
        "name": "Ворота", "type": "QR", "qrCode": "Ж_1", "tags": ["north", "fire"],
        "latitude": 10, "longitude": 20,
    });
    let second = json!({
        "name": "gate B", "type": "RFID", "rfidCode": "50%", "tags": ["Fire"],
        "locationId": YARD, "latitude": -10, "longitude": 30,
    });
    for change in [first, second] {
        let _ = running.admin.put(&path(GATE), &with(gate(), change)).ok();
    }
    running.admin.delete(&path(PIER)).is_bare(204);
    assert_eq!(numbers(&list(&running, &[("sort", "historyId")])), [1, 2, 3, 4, 5, 6]);
    running
}

/// Checks which records match a filter with each of these values.
fn check(running: &Running, parameter: &str, cases: &[(&str, &[i64])]) {
    for (value, expected) in cases {
        let answer = list(running, &[(parameter, value), ("sort", "historyId")]);
        assert_eq!(numbers(&answer), *expected, "{parameter}={value}");
        assert_eq!(answer.ok()["meta"]["count"], expected.len(), "{parameter}={value}");
    }
}

#[test]
fn every_filter_with_every_operator() {
    let running = running();
    check(
        &running,
        "id",
        &[
            (GATE, &[1, 4, 5]),
            (&PIER.to_uppercase(), &[2, 6]),
            (&format!("eq:{TOWER}"), &[3]),
            (&format!("in:{PIER},{TOWER}"), &[2, 3, 6]),
            (&format!("{PIER},{TOWER}"), &[2, 3, 6]),
            (&format!("ne:{GATE}"), &[2, 3, 6]),
            (&format!("nin:{PIER},{TOWER}"), &[1, 4, 5]),
            (NOBODY, &[]),
        ],
    );
    check(
        &running,
        "name",
        &[
            ("GATE", &[1, 5]),
            ("ворот", &[4]),
            ("like:ОРОТ", &[4]),
            ("eq:gate", &[1]),
            ("ne:pier", &[1, 3, 4, 5]),
            ("in:ВОРОТА,tower", &[3, 4]),
            ("nin:ВОРОТА,tower", &[1, 2, 5, 6]),
            ("%", &[]),
        ],
    );
    check(
        &running,
        "type",
        &[
            ("QR", &[4]),
            ("eq:RFID", &[5]),
            ("in:QR,RFID", &[4, 5]),
            ("QR,RFID", &[4, 5]),
            ("ne:VIRTUAL", &[4, 5]),
            ("nin:VIRTUAL,QR", &[5]),
            ("in:NFC,BLE", &[]),
        ],
    );
    check(
        &running,
        "locationId",
        &[
            (YARD, &[5]),
            (&format!("eq:{AIRPORT}"), &[3]),
            (&format!("in:{YARD},{AIRPORT}"), &[3, 5]),
            (&format!("ne:{PORT}"), &[3, 5]),
            (&format!("nin:{YARD},{AIRPORT}"), &[1, 2, 4, 6]),
        ],
    );
    check(
        &running,
        "tags",
        &[
            ("fire", &[4]),
            ("in:fire,Fire", &[4, 5]),
            ("fire,Fire", &[4, 5]),
            ("eq:north", &[4]),
            ("ne:fire", &[1, 2, 3, 5, 6]),
            ("nin:fire,Fire", &[1, 2, 3, 6]),
        ],
    );
    check(
        &running,
        "q",
        &[
            ("gate", &[1, 5]),
            ("ж_1", &[4]),
            ("50%", &[5]),
            ("FIRE", &[4, 5]),
            ("ВОРОТА", &[4]),
            ("VIRTUAL", &[]),
            ("delete", &[]),
            ("", &[1, 2, 3, 4, 5, 6]),
        ],
    );
    let together = [("id", GATE), ("type", "ne:VIRTUAL"), ("q", "fire"), ("locationId", PORT)];
    assert_eq!(numbers(&list(&running, &together)), [4]);
}

#[test]
fn every_scalar_field_sorts_and_ties_go_by_point_then_record() {
    let running = running();
    for (sort, expected) in [
        ("id", [1, 4, 5, 2, 6, 3]),
        ("id,desc", [3, 2, 6, 1, 4, 5]),
        ("historyId,desc", [6, 5, 4, 3, 2, 1]),
        ("name,asc", [1, 5, 2, 6, 3, 4]),
        ("name,desc", [4, 3, 2, 6, 5, 1]),
        ("locationId", [1, 4, 2, 6, 3, 5]),
        ("latitude", [5, 4, 1, 2, 6, 3]),
        ("longitude,desc", [5, 4, 1, 2, 6, 3]),
        ("rfidCode", [5, 1, 4, 2, 6, 3]),
        ("qrCode,desc", [4, 1, 5, 2, 6, 3]),
        // As text, not by rank: only states, statuses and priorities have a rank.
        ("type", [4, 5, 1, 2, 6, 3]),
        ("type,desc", [1, 2, 6, 3, 5, 4]),
        ("operation", [1, 2, 3, 6, 4, 5]),
        ("operation,desc", [4, 5, 6, 1, 2, 3]),
    ] {
        assert_eq!(numbers(&list(&running, &[("sort", sort)])), expected, "sort={sort}");
    }
    let oldest_first = numbers(&list(&running, &[("sort", "recordedAt"), ("sort", "historyId")]));
    assert_eq!(oldest_first, [1, 2, 3, 4, 5, 6]);
    let plain = numbers(&running.admin.get(HISTORY));
    assert_eq!(plain, [1, 4, 5, 2, 6, 3], "by id of the point, then by record");
}

#[test]
fn a_page_is_cut_out_and_the_count_stays() {
    let running = running();
    for (limit, offset, expected) in
        [("2", "0", &[1, 4][..]), ("2", "4", &[6, 3]), ("0", "0", &[]), ("9", "6", &[])]
    {
        let answer = list(&running, &[("limit", limit), ("offset", offset)]);
        assert_eq!(numbers(&answer), expected);
        assert_eq!(answer.ok()["meta"]["count"], 6);
    }
    let filtered = list(&running, &[("id", GATE), ("limit", "1")]);
    assert_eq!((numbers(&filtered), &filtered.ok()["meta"]["count"]), (vec![1], &json!(3)));
}

#[test]
fn what_does_not_fit_names_its_parameter() {
    let running = running();
    let cases: &[(&str, &[&str])] = &[
        ("limit", &["abc", "-1", "2147483648"]),
        ("offset", &["abc", "-1"]),
        ("sort", &["tags", "graphicPlans", "name,up", "", "address"]),
        ("id", &["x", "like:0190", "in:", "gt:x"]),
        ("name", &["gt:a", "in:"]),
        ("type", &["qr", "USB", "like:QR", "in:", "in:QR,USB"]),
        ("locationId", &["x", "in:x", "lt:x"]),
        ("tags", &["like:fire", "in:"]),
    ];
    for (parameter, values) in cases {
        for value in *values {
            let refusal = list(&running, &[(parameter, value)]).refused(400, "input.data.invalid");
            let details = refusal.body["details"].as_array().expect("details");
            assert_eq!(details.len(), 1, "{parameter}={value}: {}", refusal.body);
            assert_eq!(details[0]["identifier"], *parameter, "{}", refusal.body);
        }
    }
    list(&running, &[("type", "USB"), ("id", "x")]).misunderstood(&[
        detail("validation.enum.failed", "type", &["VIRTUAL", "QR", "RFID", "NFC", "BLE"]),
        detail("data.type.invalid", "id", &["UUID"]),
    ]);
    let ignored: Value = list(&running, &[("withGraphicPlan", "x"), ("historyId", "x")]).ok();
    assert_eq!(ignored["meta"]["count"], 6);
}
