//! GET of the list of points.

use patrol_tests::{
    Running, Store,
    company::{AIRPORT, EMPLOYEE, GATE, PIER, PORT, TOWER, company, point},
    detail, with,
};
use serde_json::{Value, json};

/// A server on which the points of the company differ in everything.
fn running() -> Running {
    let running = Running::with([]);
    for (id, change) in [
        (
            GATE,
            json!({
                "name": "Ворота 1", "type": "QR", "latitude": 1.5, "longitude": -2, "tags": ["Night", "out"],
                "qrCode": "Gate-1", "rfidCode": "04:A2",
            }),
        ),
        (PIER, json!({ "name": "pier", "type": "NFC", "rfidCode": "04:a2,b", "tags": ["night"] })),
    ] {
        let path = format!("/locations/points/{id}");
        let record = running.admin.get(&path).ok();
        let _ = running.admin.put(&path, &with(record, change)).ok();
    }
    running
}

/// The ids of the listed points.
fn ids(running: &Running, query: &str) -> Vec<String> {
    let list = running.admin.get(&format!("/locations/points?{query}")).ok();
    let data = list["data"].as_array().expect("data");
    assert_eq!(list["meta"]["count"], data.len(), "{query}");
    data.iter().map(|point| point["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn a_point_is_listed_with_the_full_record() {
    let running = running();
    let answer = running.api(EMPLOYEE).get(&format!("/locations/points?id={GATE}&sort=name,desc"));
    let expected = json!({
        "data": [running.admin.get(&format!("/locations/points/{GATE}")).ok()],
        "meta": {
            "offset": 0, "limit": 2_147_483_647, "count": 1,
            "sort": [{ "property": "name", "direction": "desc" }],
        },
        "filter": [{ "property": "id", "value": GATE }],
    });
    assert_eq!(answer.ok(), expected);
    assert_eq!(ids(&running, ""), [GATE, PIER, TOWER]);
    let _ = running.server.api().get("/locations/points").refused(401, "unauthorized");
    let gone = format!("/locations/points/{PIER}");
    running.admin.delete(&gone).is_bare(204);
    assert_eq!(ids(&running, ""), [GATE, TOWER]);
    let body = json!({ "locationId": AIRPORT, "name": "New", "type": "BLE", "tags": ["new"] });
    let made = running.admin.post("/locations/points", &body).json(201);
    assert_eq!(ids(&running, "tags=new&q=new"), [made["id"].as_str().expect("an id")]);
}

#[test]
fn points_are_filtered_searched_and_sorted() {
    let running = running();
    for (query, expected) in [
        ("name=ВОРОТА", &[GATE][..]),
        ("name=eq:PIER", &[PIER]),
        ("name=nin:pier,tower", &[GATE]),
        ("type=in:QR,NFC", &[GATE, PIER]),
        ("type=ne:QR", &[PIER, TOWER]),
        (&format!("locationId={PORT}"), &[GATE, PIER]),
        (&format!("id=in:{PIER},{TOWER}"), &[PIER, TOWER]),
        ("tags=night", &[PIER]),
        ("tags=in:Night,night", &[GATE, PIER]),
        // Codes are compared with case, except by like.
        ("qrCode=Gate-1", &[GATE]),
        ("qrCode=gate-1", &[]),
        ("qrCode=eq:Gate-1", &[GATE]),
        ("qrCode=in:gate-1,Gate-1", &[GATE]),
        ("qrCode=ne:Gate-1", &[PIER, TOWER]),
        ("qrCode=ne:gate-1", &[GATE, PIER, TOWER]),
        ("qrCode=nin:Gate-1,x", &[PIER, TOWER]),
        ("qrCode=like:gATE", &[GATE]),
        ("rfidCode=eq:04:a2,b", &[PIER]),
        ("rfidCode=04:a2,04:A2", &[GATE]),
        ("rfidCode=like:04:a", &[GATE, PIER]),
        ("q=04:A2,", &[PIER]),
        ("q=gate-", &[GATE]),
        ("q=NIGHT", &[GATE, PIER]),
        ("q=ОРОТ", &[GATE]),
        ("q=no such text", &[]),
        ("sort=qrCode", &[GATE, PIER, TOWER]),
        ("sort=rfidCode,desc", &[PIER, GATE, TOWER]),
        ("sort=latitude,desc&sort=id,desc", &[GATE, TOWER, PIER]),
        ("sort=locationId,desc", &[TOWER, GATE, PIER]),
    ] {
        assert_eq!(ids(&running, &query.replace(' ', "%20")), expected, "{query}");
    }
    assert_eq!(ids(&running, "sort=type")[1..], [GATE, TOWER].map(str::to_owned));
    let operators = ["eq", "ne", "in", "nin", "like"];
    let query = "/locations/points?qrCode=gt:a&rfidCode=in:&sort=tags&locationId=x";
    running.admin.get(query).misunderstood(&[
        detail("validation.enum.failed", "qrCode", &operators),
        detail("validation.notnull.failed", "rfidCode", &[]),
        detail(
            "validation.enum.failed",
            "sort",
            &["id", "locationId", "name", "type", "latitude", "longitude", "rfidCode", "qrCode"],
        ),
        detail("data.type.invalid", "locationId", &["UUID"]),
    ]);
}

#[test]
fn texts_of_points_that_an_older_version_has_written_are_found_after_a_start() {
    let store = Store::with(&company());
    // As an older version writes them: without the folded texts, or with outdated ones.
    store.execute(
        "UPDATE points SET name = 'Жанна', name_folded = NULL, tags_folded = NULL WHERE name = 'Gate';
         UPDATE points SET qr_code = 'ŠŤ', qr_code_folded = NULL WHERE name = 'Pier'",
    );
    let running = Running::on(store);
    assert_eq!(ids(&running, "q=жан"), [GATE]);
    assert_eq!(ids(&running, "name=ЖАННА"), [GATE]);
    assert_eq!(ids(&running, "qrCode=like:šť"), [PIER]);
    assert_eq!(ids(&running, "sort=name,desc")[0], GATE);
}

#[test]
fn many_points_are_listed_in_pages() {
    let many = (0..300).map(|number: u32| {
        let id = format!("0190a000-0103-7000-8000-{number:012x}");
        point(&id, AIRPORT, &format!("Door {number}"))
    });
    let running = Running::with(many);
    let mut seen: Vec<Value> = Vec::new();
    for page in 0..4 {
        let query = format!("/locations/points?sort=name&limit=100&offset={}", page * 100);
        let list = running.admin.get(&query).ok();
        assert_eq!(list["meta"]["count"], 303);
        seen.extend(list["data"].as_array().expect("data").iter().cloned());
    }
    let all = running.admin.get("/locations/points?sort=name").ok();
    assert_eq!(json!(seen), all["data"]);
    assert_eq!(ids(&running, "q=door%20299").len(), 1);
}
