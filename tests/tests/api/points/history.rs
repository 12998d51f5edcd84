//! GET /locations/points/history: what is recorded, and in which form.

use std::time::Duration;

use patrol_tests::{
    DataSet, Running, Server,
    company::{ADMIN, EMPLOYEE, GATE, PIER, TOWER, company, point},
    with,
};
use serde_json::{Value, json};

use super::{HISTORY, create, gate, history_of, operations_on, path, small, whole};

#[test]
fn a_record_is_the_point_and_what_happened_when() {
    let running = Running::with([]);
    let id = create(&running, &whole());
    let created = with(whole(), json!({ "id": id }));
    assert_eq!(running.admin.get(&path(&id)).ok(), created);
    std::thread::sleep(Duration::from_millis(20));
    let changed = running.admin.put(&path(&id), &small()).ok();
    std::thread::sleep(Duration::from_millis(20));
    running.admin.delete(&path(&id)).is_bare(204);
    let records = history_of(&running, &id);
    assert_eq!(records.len(), 3);
    let expected = [("CREATE", &created), ("UPDATE", &changed), ("DELETE", &changed)];
    for (record, (operation, point)) in records.iter().zip(expected) {
        assert_eq!(record["operation"], operation);
        let mut rest = record.clone();
        let members = rest.as_object_mut().unwrap();
        let history_id = members.remove("historyId").expect("a history id");
        assert!(history_id.is_i64() && history_id.as_i64() > Some(0), "{history_id}");
        let at = members.remove("recordedAt").expect("a time");
        assert_eq!(at.as_str().map(str::len), Some(24), "{at}");
        members.remove("operation");
        assert_eq!(rest, *point, "the point as it was, and nothing else");
    }
    let of = |member: &str| -> Vec<Value> {
        records.iter().map(|record| record[member].clone()).collect()
    };
    let ids: Vec<_> = of("historyId").iter().map(|id| id.as_i64().unwrap()).collect();
    assert!(ids[0] < ids[1] && ids[1] < ids[2], "{ids:?}");
    let times: Vec<_> = of("recordedAt").iter().map(|at| at.as_str().unwrap().to_owned()).collect();
    assert!(times[0] < times[1] && times[1] < times[2], "{times:?}");
    assert!(times[2].as_str() > "2026-01-01" && times[2].ends_with('Z'), "{times:?}");
}

#[test]
fn an_import_is_a_creation() {
    let running = Running::with([]);
    for id in [GATE, PIER, TOWER] {
        assert_eq!(operations_on(&running, id), ["CREATE"]);
    }
    let record = &history_of(&running, GATE)[0];
    for (name, value) in gate().as_object().unwrap() {
        assert_eq!(record[name], *value, "{name}");
    }
    // The history starts again after an export and import.
    let exported = running.exported();
    assert!(!exported.contains("historyId") && !exported.contains("recordedAt"));
}

#[test]
fn a_replacement_is_recorded_even_when_it_says_the_same() {
    let running = Running::with([]);
    let _ = running.admin.put(&path(GATE), &gate()).ok();
    let _ = running.admin.put(&path(GATE), &gate()).ok();
    assert_eq!(operations_on(&running, GATE), ["CREATE", "UPDATE", "UPDATE"]);
}

#[test]
fn history_outlives_the_point_and_its_numbers_are_not_given_out_again() {
    let running = Running::with([]);
    let _ = running.admin.put(&path(GATE), &small()).ok();
    running.admin.delete(&path(GATE)).is_bare(204);
    let last = history_of(&running, GATE).last().unwrap()["historyId"].as_i64().unwrap();
    // An id that is imported again continues its history.
    let again = DataSet::new([point(GATE, patrol_tests::company::PORT, "Gate again")]);
    let _ = running.store.import(&again).exited(0);
    assert_eq!(operations_on(&running, GATE), ["CREATE", "UPDATE", "DELETE", "CREATE"]);
    let Running { server, store, .. } = running;
    server.kill();
    let server = Server::start(&store);
    let admin = server.api().with_token(&store.token(ADMIN));
    let _ = admin.put(&path(GATE), &small()).ok();
    let list = admin.get(&format!("{HISTORY}?sort=historyId,desc&limit=2")).ok();
    let newest = list["data"][0]["historyId"].as_i64().unwrap();
    assert!(newest > list["data"][1]["historyId"].as_i64().unwrap());
    assert!(list["data"][1]["historyId"].as_i64().unwrap() > last);
}

#[test]
fn the_envelope_has_no_filter() {
    let running = Running::with([]);
    for query in ["", "?limit=0", "?name=gate&type=VIRTUAL"] {
        let answer = running.admin.get(&format!("{HISTORY}{query}"));
        let body = answer.ok();
        let members: Vec<_> = body.as_object().unwrap().keys().collect();
        assert_eq!(members, ["data", "meta"]);
        let meta: Vec<_> = body["meta"].as_object().unwrap().keys().collect();
        assert_eq!(meta, ["offset", "limit", "count", "sort"]);
        assert!(answer.text().starts_with("{\"data\":["), "data comes first");
    }
    let meta = json!({
        "offset": 0, "limit": 2_147_483_647, "count": 3,
        "sort": [{ "property": "id", "direction": "asc" }],
    });
    assert_eq!(running.admin.get(HISTORY).ok()["meta"], meta);
}

#[test]
fn everybody_may_read_it() {
    let running = Running::with([]);
    let answer = running.api(EMPLOYEE).get(HISTORY);
    assert_eq!(answer.ok()["meta"]["count"], 3);
    let _ = running.server.api().get(HISTORY).refused(401, "unauthorized");
    let head = running.admin.send("HEAD", HISTORY, None);
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn a_long_history_is_whole() {
    let id = |n: u32| format!("0190a000-0003-7000-8000-{:012x}", 0x1000 + n);
    let port = patrol_tests::company::PORT;
    let points = (0..3000).map(|n| point(&id(n), port, &format!("Point {n}")));
    let running = Running::with(points);
    let list = running.admin.get(HISTORY).ok();
    let count = company().records().iter().filter(|record| record["kind"] == "point").count();
    assert_eq!(list["data"].as_array().map(Vec::len), Some(3000 + count));
    assert_eq!(list["meta"]["count"], 3000 + count);
}
