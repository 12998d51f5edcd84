//! POST, GET, PUT and DELETE of points.

use patrol_tests::{
    Running,
    company::{AIRPORT, EMPLOYEE, GATE, MANAGER, NOBODY, PIER, PORT},
    detail, planned, with,
};
use serde_json::{Value, json};

use super::{POINTS, create, defaults, gate, operations_on, path, small, whole};

#[test]
fn a_point_is_created_with_an_id_of_the_service() {
    let running = Running::with([]);
    let mut ids = Vec::new();
    for body in [
        small(),
        whole(),
        with(small(), json!({ "id": NOBODY, "operation": "DELETE", "unknown": 1 })),
        with(small(), defaults()),
        with(small(), json!({ "graphicPlans": null, "tags": null })),
    ] {
        let answer = running.admin.post(POINTS, &body);
        let point = answer.json(201);
        let id = point["id"].as_str().expect("an id").to_owned();
        assert_eq!(&id[14..15], "7", "a UUID of version 7: {id}");
        assert_eq!(answer.header("Location"), Some(format!("/v1{}", path(&id)).as_str()));
        let mut expected = with(defaults(), json!({ "id": id }));
        for (name, value) in body.as_object().unwrap() {
            let listed = ["operation", "unknown", "id"].iter().all(|other| other != name);
            if listed && !value.is_null() {
                expected[name] = value.clone();
            }
        }
        assert_eq!(point, expected);
        assert_eq!(running.admin.get(&path(&id)).ok(), expected, "it is stored");
        ids.push(id);
        // The codes are free for the next point.
        let _ = running.admin.put(&path(ids.last().unwrap()), &small()).ok();
    }
    assert!(ids.is_sorted(), "ids in the order of creation: {ids:?}");
}

#[test]
fn numbers_are_written_shortest() {
    let running = Running::with([]);
    let body = format!(
        "{{\"locationId\":\"{PORT}\",\"name\":\"x\",\"type\":\"BLE\",\"latitude\":4.0,\
         \"longitude\":1e1,\"graphicPlans\":[]}}"
    );
    let answer = running.admin.text("POST", POINTS, body);
    assert!(answer.text().contains("\"latitude\":4,\"longitude\":10,"), "{}", answer.text());
}

#[test]
fn every_type_is_taken_without_its_code() {
    let running = Running::with([]);
    for kind in ["VIRTUAL", "QR", "RFID", "NFC", "BLE"] {
        let point = running.admin.post(POINTS, &with(small(), json!({ "type": kind }))).json(201);
        assert_eq!(point["type"], kind);
    }
}

#[test]
fn a_point_is_read() {
    let running = Running::with([]);
    assert_eq!(running.admin.get(&path(GATE)).ok(), gate());
    assert_eq!(running.admin.get(&path(&GATE.to_uppercase())).ok(), gate());
    assert_eq!(running.api(EMPLOYEE).get(&path(GATE)).ok(), gate());
    let head = running.admin.send("HEAD", &path(GATE), None);
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn put_replaces_the_whole_point() {
    let running = Running::with([]);
    let id = json!({ "id": GATE });
    let answer = running.admin.put(&path(GATE), &whole());
    assert_eq!(answer.ok(), with(whole(), id.clone()));
    assert_eq!(running.admin.get(&path(GATE)).ok(), with(whole(), id.clone()));
    // Sending the same again is accepted, codes included.
    assert_eq!(running.admin.put(&path(GATE), &answer.ok()).ok(), with(whole(), id.clone()));
    // Members that are absent or null become null or empty.
    let expected = with(with(defaults(), small()), id);
    assert_eq!(running.admin.put(&path(GATE), &small()).ok(), expected);
    let _ = running.admin.put(&path(GATE), &whole()).ok();
    let nulls = with(with(small(), defaults()), json!({ "graphicPlans": null, "tags": null }));
    assert_eq!(running.admin.put(&path(GATE), &nulls).ok(), expected);
    // To another location too.
    let moved = with(small(), json!({ "locationId": AIRPORT }));
    assert_eq!(running.admin.put(&path(GATE), &moved).ok()["locationId"], AIRPORT);
}

#[test]
fn a_deleted_point_is_gone_and_steps_keep_its_id() {
    let running = Running::with([planned(1)]);
    running.admin.delete(&path(GATE)).is_bare(204);
    running.admin.delete(&path(GATE)).refused(404, "not.found").shows(&[]);
    running.admin.get(&path(GATE)).refused(404, "not.found").shows(&[]);
    running.admin.put(&path(GATE), &small()).refused(404, "not.found").shows(&[]);
    assert_eq!(running.read(1)["steps"][0]["pointId"], GATE);
    assert_eq!(running.read(1)["edited"], false);
    let list = running.admin.get(&format!("/task-executions/info?pointId={GATE}")).ok();
    assert_eq!(list["meta"]["count"], 1);
    // A record that was read can still be sent back.
    let execution = format!("/task-executions/{}", patrol_tests::execution_id(1));
    let _ = running.admin.put(&execution, &running.read(1)).ok();
    assert_eq!(running.read(1)["steps"][0]["pointId"], GATE);
    assert_eq!(running.admin.get(&path(PIER)).status, 200);
}

#[test]
fn an_unknown_point_is_not_found() {
    let running = Running::with([]);
    running.admin.get(&path(NOBODY)).refused(404, "not.found").shows(&[]);
    running.admin.delete(&path(NOBODY)).refused(404, "not.found").shows(&[]);
    for body in [whole(), json!({})] {
        running.admin.put(&path(NOBODY), &body).refused(404, "not.found").shows(&[]);
    }
    assert_eq!(operations_on(&running, NOBODY), [""; 0]);
}

#[test]
fn an_id_that_is_no_uuid_is_named_in_the_details() {
    let running = Running::with([]);
    let named = [detail("data.type.invalid", "id", &["UUID"])];
    for id in ["abc", "1", "0190a00000037000800000000000000f", "%7B%7D"] {
        running.admin.get(&path(id)).misunderstood(&named);
        running.admin.delete(&path(id)).misunderstood(&named);
        running.admin.put(&path(id), &json!({})).misunderstood(&named);
    }
}

#[test]
fn the_history_is_never_an_id() {
    let running = Running::with([]);
    for method in ["PUT", "DELETE", "POST", "PATCH"] {
        let answer = running.admin.text(method, super::HISTORY, "{}");
        let _ = answer.refused(405, "method.not.allowed");
    }
}

#[test]
fn an_employee_reads_and_a_manager_changes() {
    let running = Running::with([]);
    let (employee, manager) = (running.api(EMPLOYEE), running.api(MANAGER));
    for (method, path) in [
        ("POST", POINTS.to_owned()),
        ("PUT", path(GATE)),
        ("DELETE", path(GATE)),
        ("PUT", path("x")),
    ] {
        for body in [whole().to_string(), "{".to_owned()] {
            employee.text(method, &path, body).refused(403, "access.denied").shows(&[]);
        }
    }
    assert_eq!(running.admin.get(&path(GATE)).ok(), gate());
    let created = manager.post(POINTS, &small()).json(201);
    let id = created["id"].as_str().unwrap();
    let _ = manager.put(&path(id), &whole()).ok();
    manager.delete(&path(id)).is_bare(204);
}

#[test]
fn checks_come_in_their_order() {
    let running = Running::with([]);
    let put = |id: &str, body: Value| running.admin.put(&path(id), &body);
    let _ = running.server.api().put(&path("x"), &json!({})).refused(401, "unauthorized");
    let _ = running.admin.send("PUT", &path("x"), Some(b"{")).refused(406, "not.acceptable");
    let _ = put("x", json!({ "name": 1 })).refused(400, "input.data.invalid");
    let malformed = running.admin.text("PUT", &path(NOBODY), "{");
    malformed.refused(400, "input.data.invalid").shows_a_place();
    put(NOBODY, json!({ "name": 1 })).misunderstood(&[detail(
        "data.type.invalid",
        "name",
        &["STRING"],
    )]);
    let _ = put(NOBODY, json!({})).refused(404, "not.found");
    let _ = put(GATE, json!({})).refused(400, "validation.failed");
}

#[test]
fn an_error_records_nothing() {
    let running = Running::with([]);
    let before = running.exported();
    let taken = create(&running, &with(small(), json!({ "qrCode": "taken" })));
    for answer in [
        running.admin.put(&path(GATE), &with(small(), json!({ "name": "" }))),
        running.admin.put(&path(GATE), &with(small(), json!({ "qrCode": "taken" }))),
        running.admin.put(&path(GATE), &with(small(), json!({ "locationId": NOBODY }))),
        running.admin.post(POINTS, &with(small(), json!({ "qrCode": "taken" }))),
        running.admin.delete(&path(NOBODY)),
    ] {
        assert!([400, 404].contains(&answer.status), "{}", answer.text());
    }
    assert_eq!(operations_on(&running, GATE), ["CREATE"]);
    running.admin.delete(&path(&taken)).is_bare(204);
    assert_eq!(running.exported(), before);
}

#[test]
fn a_point_has_another_version_after_every_change() {
    let running = Running::with([]);
    let path = format!("/locations/points/{GATE}");
    let read = running.admin.get(&path);
    let (tag, record) = (read.etag(), read.ok());
    let known = running.admin.with("If-None-Match", &tag).get(&path);
    assert_eq!((known.status, known.etag()), (304, tag.clone()));
    let change = with(record, json!({ "name": "Another gate" }));
    let changed = running.admin.with("If-Match", &tag).put(&path, &change);
    let (next, _) = (changed.etag(), changed.ok());
    assert_ne!(next, tag);
    assert_eq!(running.admin.with("If-None-Match", &tag).get(&path).etag(), next);
    let stale = running.admin.with("If-Match", &tag);
    stale.put(&path, &change).refused(412, "precondition.failed").shows(&[]);
    stale.delete(&path).refused(412, "precondition.failed").shows(&[]);
    running.admin.with("If-Match", &next).delete(&path).is_bare(204);
}
