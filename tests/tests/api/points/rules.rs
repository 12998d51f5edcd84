//! Types and rules of the body of POST and PUT.

use patrol_tests::{
    Answer, Running,
    company::{GATE, NOBODY, PIER},
    detail, with,
};
use serde_json::{Value, json};

use super::{POINTS, create, gate, path, small, whole};

/// POST of the body, and PUT to an existing point: both must give the same result.
fn both(running: &Running, body: &Value, check: impl Fn(&Answer)) {
    check(&running.admin.post(POINTS, body));
    check(&running.admin.put(&path(GATE), body));
    assert_eq!(running.admin.get(&path(GATE)).ok(), gate(), "{body}");
}

#[test]
fn required_members_must_not_be_missing_or_null() {
    let running = Running::with([]);
    let required = ["locationId", "name", "type"];
    let details = required.map(|name| detail("validation.notnull.failed", name, &[]));
    both(&running, &json!({}), |answer| answer.invalid(&details));
    let nulls: Value = required.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    both(&running, &nulls, |answer| answer.invalid(&details));
    for (name, entry) in required.iter().zip(&details) {
        let mut body = whole();
        body.as_object_mut().unwrap().remove(*name);
        // The location of the plans is missing.
        body["graphicPlans"] = json!([]);
        both(&running, &body, |answer| answer.invalid(std::slice::from_ref(entry)));
    }
}

#[test]
fn every_member_of_the_wrong_type_is_named_with_the_type_expected() {
    let running = Running::with([]);
    let wrong = |identifier: &str, kind: &str| detail("data.type.invalid", identifier, &[kind]);
    let body = json!({
        "locationId": "x", "name": 1, "type": 2, "latitude": "59", "longitude": true,
        "graphicPlans": {}, "rfidCode": 4, "qrCode": [], "tags": ["a", 1],
    });
    both(&running, &body, |answer| {
        answer.misunderstood(&[
            wrong("locationId", "UUID"),
            wrong("name", "STRING"),
            wrong("type", "STRING"),
            wrong("latitude", "NUMBER"),
            wrong("longitude", "NUMBER"),
            wrong("graphicPlans", "ARRAY"),
            wrong("rfidCode", "STRING"),
            wrong("qrCode", "STRING"),
            wrong("tags[1]", "STRING"),
        ]);
    });
    for body in [json!([]), json!([whole()]), json!(1), json!(null)] {
        both(&running, &body, |answer| answer.misunderstood(&[wrong("", "OBJECT")]));
    }
}

#[test]
fn every_broken_rule_is_reported_in_the_order_of_the_fields() {
    let running = Running::with([]);
    let _ = create(&running, &with(small(), json!({ "qrCode": "taken", "rfidCode": "gone" })));
    let body = json!({
        "tags": ["", "\u{0}"], "qrCode": "taken", "rfidCode": "", "longitude": 180.5,
        "latitude": -91, "type": "qr", "name": "", "locationId": NOBODY,
    });
    let types = ["VIRTUAL", "QR", "RFID", "NFC", "BLE"];
    both(&running, &body, |answer| {
        answer.invalid(&[
            detail("validation.reference.failed", "locationId", &[]),
            detail("validation.length.failed", "name", &["1", "255"]),
            detail("validation.enum.failed", "type", &types),
            detail("validation.range.failed", "latitude", &["-90", "90"]),
            detail("validation.range.failed", "longitude", &["-180", "180"]),
            detail("validation.length.failed", "rfidCode", &["1", "255"]),
            detail("validation.unique.failed", "qrCode", &[]),
            detail("validation.length.failed", "tags[0]", &["1", "100"]),
            detail("validation.characters.failed", "tags[1]", &[]),
        ]);
    });
}

#[test]
fn a_position_is_both_or_neither() {
    let running = Running::with([]);
    for (given, missing) in [("latitude", "longitude"), ("longitude", "latitude")] {
        let entry = [detail("validation.notnull.failed", missing, &[])];
        let body = with(small(), json!({ given: 1.5 }));
        both(&running, &body, |answer| answer.invalid(&entry));
        let body = with(small(), json!({ given: 0, missing: null }));
        both(&running, &body, |answer| answer.invalid(&entry));
    }
    for position in [[-90.0, -180.0], [90.0, 180.0], [0.0, 0.0]] {
        let body = json!({ "latitude": position[0], "longitude": position[1] });
        let point = running.admin.post(POINTS, &with(small(), body)).json(201);
        assert_eq!(point["latitude"].as_f64(), Some(position[0]));
        assert_eq!(point["longitude"].as_f64(), Some(position[1]));
    }
    let beyond = json!({ "latitude": 90.000_001, "longitude": -180.000_001 });
    both(&running, &with(small(), beyond), |answer| {
        answer.invalid(&[
            detail("validation.range.failed", "latitude", &["-90", "90"]),
            detail("validation.range.failed", "longitude", &["-180", "180"]),
        ]);
    });
}

#[test]
fn bounds_count_characters_and_hold_exactly() {
    let running = Running::with([]);
    for name in ["name", "rfidCode", "qrCode"] {
        let long = |length: usize| with(small(), json!({ name: "ж".repeat(length) }));
        for length in [1, 255] {
            let id = create(&running, &long(length));
            running.admin.delete(&path(&id)).is_bare(204);
        }
        for length in [0, 256] {
            both(&running, &long(length), |answer| {
                answer.invalid(&[detail("validation.length.failed", name, &["1", "255"])]);
            });
        }
        let zero = with(small(), json!({ name: "a\u{0}" }));
        both(&running, &zero, |answer| {
            answer.invalid(&[detail("validation.characters.failed", name, &[])]);
        });
    }
    let tags: Vec<_> = (0..101).map(|n| n.to_string()).collect();
    let _ = create(&running, &with(small(), json!({ "tags": tags[..100] })));
    both(&running, &with(small(), json!({ "tags": tags })), |answer| {
        answer.invalid(&[detail("validation.length.failed", "tags", &["0", "100"])]);
    });
}

#[test]
fn tags_are_a_set_that_keeps_the_order_sent() {
    let running = Running::with([]);
    let body = with(small(), json!({ "tags": ["b", "a", "B", "b"] }));
    let point = running.admin.post(POINTS, &body).json(201);
    assert_eq!(point["tags"], json!(["b", "a", "B"]));
}

#[test]
fn codes_are_unique_among_points_that_have_one() {
    let running = Running::with([]);
    for code in ["qrCode", "rfidCode"] {
        let taken = |answer: Answer| {
            answer.invalid(&[detail("validation.unique.failed", code, &[])]);
        };
        let body = with(small(), json!({ code: "Ж-1" }));
        let id = create(&running, &body);
        taken(running.admin.post(POINTS, &body));
        taken(running.admin.put(&path(PIER), &body));
        // A point keeps its own code; another case is another code.
        let _ = running.admin.put(&path(&id), &body).ok();
        let _ = create(&running, &with(small(), json!({ code: "ж-1" })));
        // Codes that were given up are free.
        let _ = running.admin.put(&path(&id), &small()).ok();
        let _ = running.admin.put(&path(PIER), &body).ok();
        taken(running.admin.put(&path(&id), &body));
        running.admin.delete(&path(PIER)).is_bare(204);
        let _ = running.admin.put(&path(&id), &body).ok();
        let _ = running.admin.put(&path(&id), &small()).ok();
        let again = with(super::gate(), json!({ "id": PIER, "name": "Pier", "kind": "point" }));
        let _ = running.store.import(&patrol_tests::DataSet::new([again])).exited(0);
    }
    // QR and RFID codes do not clash.
    let _ = create(&running, &with(small(), json!({ "qrCode": "same" })));
    let _ = create(&running, &with(small(), json!({ "rfidCode": "same" })));
}
