//! GET, POST, PUT and DELETE of one location.

use patrol_tests::{
    Running,
    company::{ADMIN, EMPLOYEE, MANAGER, NOBODY, PORT, YARD},
    detail, planned, with,
};
use serde_json::{Value, json};

use super::{LIST, location_id, plan_id, running};

fn path(id: &str) -> String {
    format!("{LIST}/{id}")
}

fn in_use(held: &[(&str, &str)]) -> Vec<Value> {
    held.iter().map(|(kind, count)| detail("resource.in.use", kind, &[count])).collect()
}

#[test]
fn a_location_is_created_read_replaced_and_deleted() {
    let running = running();
    let created = running.api(MANAGER).post(LIST, &json!({ "name": "Склад" }));
    let record = created.json(201);
    let id = record["id"].as_str().expect("an id").to_owned();
    let expected = json!({
        "id": id, "name": "Склад", "address": "", "latitude": null, "longitude": null, "tags": [],
        "graphicPlanIds": [],
    });
    assert_eq!(record, expected);
    assert_eq!(created.header("Location"), Some(format!("/v1{}", path(&id)).as_str()));
    let read = running.api(EMPLOYEE).get(&path(&id));
    assert_eq!(read.ok(), record);
    let tag = read.etag();
    let known = running.admin.with("If-None-Match", &tag).get(&path(&id));
    assert_eq!((known.status, known.etag()), (304, tag.clone()));
    assert_eq!(running.admin.get("/locations?q=СКЛАД&tags=new").ok()["data"], json!([]));

    // The whole record may be sent back; what changes nothing keeps the version.
    let same = running.admin.put(&path(&id), &record);
    assert_eq!(same.header("Patrol-Ignored"), None);
    assert_eq!((same.ok(), same.etag()), (record.clone(), tag.clone()));
    let change = json!({ "address": "Двор", "latitude": 1.5, "longitude": -180, "tags": ["new"] });
    let changed = running.admin.with("If-Match", &tag).put(&path(&id), &with(record, change));
    let (next, changed) = (changed.etag(), changed.ok());
    assert_ne!(next, tag);
    assert_eq!(changed["tags"], json!(["new"]));
    assert_eq!(running.admin.get("/locations?q=склад&tags=new").ok()["data"], json!([changed]));
    let stale = running.admin.with("If-Match", &tag).put(&path(&id), &changed);
    stale.refused(412, "precondition.failed").shows(&[]);
    let stale = running.admin.with("If-Match", &tag).delete(&path(&id));
    stale.refused(412, "precondition.failed").shows(&[]);
    running.admin.with("If-Match", &next).delete(&path(&id)).is_bare(204);
    running.admin.get(&path(&id)).refused(404, "not.found").shows(&[]);
    running.admin.delete(&path(&id)).refused(404, "not.found").shows(&[]);
    assert_eq!(running.admin.get("/locations?tags=new").ok()["data"], json!([]));

    let events = running.admin.get(&format!("{}/events", path(&id))).ok();
    let events = events["data"].as_array().expect("events");
    let kinds: Vec<_> = events.iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["location.created", "location.updated", "location.deleted"]);
    assert_eq!((&events[0]["actorId"], &events[1]["actorId"]), (&json!(MANAGER), &json!(ADMIN)));
    let members: Vec<_> = events[1]["changes"].as_array().expect("changes").iter().collect();
    let members: Vec<_> = members.iter().map(|change| &change["member"]).collect();
    assert_eq!(members, ["address", "latitude", "longitude", "tags"]);
    // The id is free again, under other versions.
    let again = running.admin.post(LIST, &json!({ "id": id, "name": "Склад" }));
    assert_eq!(again.json(201)["id"], id);
    assert_ne!(running.admin.get(&path(&id)).etag(), tag);
}

#[test]
fn a_put_keeps_the_graphic_plans() {
    let running = running();
    let plans = json!([plan_id(1, 1), plan_id(1, 2)]);
    let replaced = running.admin.put(&path(&location_id(1)), &json!({ "name": "Порт" })).ok();
    assert_eq!((&replaced["graphicPlanIds"], &replaced["address"]), (&plans, &json!("")));
    assert_eq!(running.admin.get("/locations?tags=port").ok()["meta"]["count"], 1);
    let refused = running.admin.delete(&path(&location_id(1)));
    refused.refused(409, "resource.in.use").shows(&in_use(&[("graphicPlans", "2")]));
}

#[test]
fn a_location_in_use_is_kept() {
    let running = Running::with([planned(1), planned(2)]);
    let before = running.admin.get(&path(PORT));
    let linked = json!({ "locationIds": [YARD, PORT] });
    let _ = running.admin.patch(&format!("/users/{EMPLOYEE}"), &linked).ok();
    let refused = running.admin.delete(&path(PORT));
    let held = [("points", "2"), ("graphicPlans", "1"), ("taskExecutions", "2"), ("users", "1")];
    refused.refused(409, "resource.in.use").shows(&in_use(&held));
    let russian = running.admin.with("Accept-Language", "ru").delete(&path(PORT));
    assert_eq!(russian.json(409)["message"], "ресурс ещё нужен другим записям");
    assert_eq!(running.admin.get(&path(PORT)).ok(), before.ok());
}

#[test]
fn requests_at_fault_are_refused() {
    let running = running();
    let malformed = [detail("data.type.invalid", "id", &["UUID"])];
    running.admin.get(&path("x")).misunderstood(&malformed);
    running.admin.put(&path("x"), &json!({ "name": "a" })).misunderstood(&malformed);
    running.admin.delete(&path("x")).misunderstood(&malformed);
    running.admin.get(&format!("{}/events", path("x"))).misunderstood(&malformed);
    let _ = running.admin.put(&path(NOBODY), &json!({ "name": "a" })).refused(404, "not.found");
    let taken = json!({ "id": location_id(1), "latitude": 1 });
    running.admin.post(LIST, &taken).invalid(&[
        detail("validation.unique.failed", "id", &[]),
        detail("validation.notnull.failed", "name", &[]),
        detail("validation.notnull.failed", "longitude", &[]),
    ]);
    for answer in [
        running.api(EMPLOYEE).post(LIST, &json!({ "name": "a" })),
        running.api(EMPLOYEE).put(&path(&location_id(1)), &json!({ "name": "a" })),
        running.api(EMPLOYEE).delete(&path(&location_id(2))),
        running.api(EMPLOYEE).delete(&path("x")),
    ] {
        answer.refused(403, "access.denied").shows(&[]);
    }
    for method in ["GET", "POST", "PUT", "DELETE"] {
        let answer = running.admin.text(method, &path("graphic-plans"), "{}");
        let _ = answer.refused(405, "method.not.allowed");
    }
    assert_eq!(running.admin.get("/locations?limit=0").ok()["meta"]["count"], 6);
}

#[test]
fn a_repeated_request_is_answered_as_the_first() {
    let running = running();
    let keyed = |key: &str| running.admin.with("Idempotency-Key", key);
    let created = keyed("new").post(LIST, &json!({ "name": "Depot" }));
    let again = keyed("new").post(LIST, &json!({ "name": "Depot" }));
    assert_eq!(
        (created.json(201), created.header("Location")),
        (again.json(201), again.header("Location"))
    );
    assert_eq!(again.header("Idempotency-Replayed"), Some("true"));
    let id = created.json(201)["id"].as_str().expect("an id").to_owned();
    for _ in 0..2 {
        assert_eq!(keyed("put").put(&path(&id), &json!({ "name": "Hall" })).ok()["name"], "Hall");
        keyed("away").delete(&path(&id)).is_bare(204);
    }
    assert_eq!(running.admin.get("/locations?limit=0").ok()["meta"]["count"], 6);
}
