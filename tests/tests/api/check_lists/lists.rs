//! The list of check-lists, and GET, POST, PUT and DELETE of one; POST of an action.

use patrol_tests::{
    Running,
    company::{CHECK_LIST, EMPLOYEE, LOCKED, MANAGER, NOBODY, TEMPERATURE},
    detail, in_progress, planned, step_id, with,
};
use serde_json::{Value, json};

fn path(id: &str) -> String {
    format!("/check-lists/{id}")
}

fn actions_of(id: &str) -> String {
    format!("/check-lists/{id}/actions")
}

/// The check-list of the company.
fn cold_store() -> Value {
    json!({
        "id": CHECK_LIST, "name": "Cold store",
        "actions": [
            {
                "id": TEMPERATURE, "name": "Temperature", "type": "NUMBER", "order": 0,
                "required": true, "minValue": -25, "maxValue": -15.5,
            },
            {
                "id": LOCKED, "name": "Locked", "type": "BOOLEAN", "order": 1, "required": false,
                "minValue": null, "maxValue": null,
            },
        ],
    })
}

/// The types of the events of a check-list.
fn events(running: &Running, id: &str) -> Vec<Value> {
    let page = running.admin.get(&format!("{}/events", path(id))).ok();
    page["data"].as_array().expect("data").iter().map(|event| event["type"].clone()).collect()
}

#[test]
fn a_check_list_lives_from_its_creation_to_its_deletion() {
    let running = Running::with([planned(1)]);
    let before = running.read(1);
    let manager = running.api(MANAGER);
    let body = json!({
        "name": "Двери", "actions": [{ "name": "Closed", "type": "BOOLEAN" }, { "name": "°C", "type": "NUMBER" }],
    });
    let created = manager.post("/check-lists", &body);
    let list = created.json(201);
    let id = list["id"].as_str().expect("an id");
    let [closed, celsius] = [0, 1].map(|at| list["actions"][at]["id"].as_str().expect("an id"));
    let action = |id: &str, name: &str, kind: &str, order: i32| {
        json!({
            "id": id, "name": name, "type": kind, "order": order, "required": false,
            "minValue": null, "maxValue": null,
        })
    };
    let actions = [action(closed, "Closed", "BOOLEAN", 0), action(celsius, "°C", "NUMBER", 1)];
    assert_eq!(list, json!({ "id": id, "name": "Двери", "actions": actions }));
    assert_eq!(created.header("Location"), Some(format!("/v1{}", path(id)).as_str()));

    let read = running.api(EMPLOYEE).get(&path(id));
    assert_eq!(read.ok(), list);
    let tag = read.etag();
    let known = manager.with("If-None-Match", &tag).get(&path(id));
    assert_eq!((known.status, known.etag()), (304, tag.clone()));

    // The same content is no change.
    let same = manager.with("If-Match", &tag).put(&path(&id.to_uppercase()), &list);
    assert_eq!((same.ok(), same.etag()), (list.clone(), tag.clone()));
    let changed = json!({
        "name": "Doors",
        "actions": [
            { "id": celsius, "name": "Kelvin", "type": "NUMBER", "minValue": 0.1, "maxValue": 1e300 },
            { "id": NOBODY, "name": "Remark", "type": "TEXT", "required": true },
        ],
    });
    let replaced = manager.with("If-Match", &tag).put(&path(id), &changed);
    let kelvin =
        with(action(celsius, "Kelvin", "NUMBER", 0), json!({ "minValue": 0.1, "maxValue": 1e300 }));
    let remark = with(action(NOBODY, "Remark", "TEXT", 1), json!({ "required": true }));
    let expected = json!({ "id": id, "name": "Doors", "actions": [kelvin, remark] });
    assert_eq!(replaced.ok(), expected);
    assert_ne!(replaced.etag(), tag);
    assert_eq!(manager.get(&path(id)).ok(), expected);
    assert_eq!(manager.get(&format!("/check-lists?id={id}")).ok()["data"], json!([expected]));
    let _ = manager.delete(&format!("/check-lists/actions/{closed}")).refused(404, "not.found");

    manager
        .with("If-Match", &tag)
        .put(&path(id), &list)
        .refused(412, "precondition.failed")
        .shows(&[]);
    let _ = manager.with("If-Match", &tag).delete(&path(id)).refused(412, "precondition.failed");
    manager.with("If-Match", &replaced.etag()).delete(&path(id)).is_bare(204);
    for gone in [manager.get(&path(id)), manager.put(&path(id), &list), manager.delete(&path(id))] {
        gone.refused(404, "not.found").shows(&[]);
    }
    let _ = manager
        .post(&actions_of(id), &json!({ "name": "x", "type": "TEXT" }))
        .refused(404, "not.found");
    let kinds = ["checkList.created", "checkList.updated", "checkList.deleted"];
    assert_eq!(events(&running, id), kinds);
    assert_eq!(running.read(1), before);
    // The id may be used again, and then has other versions.
    let again = manager.post("/check-lists", &with(list.clone(), json!({ "name": "Again" })));
    let _ = again.json(201);
    assert_ne!(manager.get(&path(id)).etag(), tag);
}

#[test]
fn an_action_is_added_and_gives_the_list_another_version() {
    let running = Running::with([]);
    let api = &running.admin;
    let mut tags = vec![api.get(&path(CHECK_LIST)).etag()];
    let mut is_new = || {
        let tag = api.get(&path(CHECK_LIST)).etag();
        let is_new = !tags.contains(&tag);
        tags.push(tag);
        is_new
    };
    let body = json!({ "name": "Humidity", "type": "NUMBER", "minValue": 5, "maxValue": 5 });
    let added = api.post(&actions_of(CHECK_LIST), &body);
    let last = added.json(201);
    let id = last["id"].as_str().expect("an id");
    let expected = with(body, json!({ "id": id, "order": 2, "required": false }));
    assert_eq!(last, expected);
    let location = format!("/v1/check-lists/actions/{id}");
    assert_eq!(added.header("Location"), Some(location.as_str()));
    assert!(is_new());
    let first = json!({ "id": NOBODY, "name": "First", "type": "MEDIA", "order": -5 });
    let first = api.post(&actions_of(CHECK_LIST), &first).json(201);
    assert_eq!((&first["id"], &first["order"]), (&json!(NOBODY), &json!(-5)));
    assert!(is_new());
    let mut wanted = cold_store();
    let actions = wanted["actions"].as_array_mut().expect("actions");
    actions.insert(0, first);
    actions.push(expected);
    assert_eq!(api.get(&path(CHECK_LIST)).ok(), wanted);

    let action = |id: &str| format!("/check-lists/actions/{id}");
    let _ = api.put(&action(LOCKED), &json!({ "type": "BOOLEAN" })).ok();
    assert!(!is_new());
    let _ = api.put(&action(LOCKED), &json!({ "type": "TEXT" })).ok();
    assert!(is_new());
    api.delete(&action(LOCKED)).is_bare(204);
    assert!(is_new());
    assert_eq!(events(&running, CHECK_LIST), ["checkList.updated"; 4]);
}

#[test]
fn check_lists_are_filtered_searched_and_sorted() {
    let list = |number: u32, name: &str| {
        let id = format!("0190a000-000a-7000-8000-{number:012}");
        json!({ "kind": "checkList", "id": id, "name": name, "actions": [] })
    };
    let running = Running::with([list(2, "Двери"), list(3, "ДВЕРИ и окна"), list(4, "100%_x")]);
    let found = |query: &str| {
        let answer = running.admin.get(&format!("/check-lists?{query}")).ok();
        let data = answer["data"].as_array().expect("data");
        assert_eq!(answer["meta"]["count"], data.len(), "{query}");
        let number = |list: &Value| list["id"].as_str().expect("an id").as_bytes()[35] - b'0';
        data.iter().map(number).collect::<Vec<_>>()
    };
    for (query, expected) in [
        ("", &[1, 2, 3, 4][..]),
        ("q=двери", &[2, 3]),
        ("q=%25_", &[4]),
        ("name=окна", &[3]),
        ("name=eq:двери", &[2]),
        ("name=nin:двери,cold store", &[3, 4]),
        ("id=ne:0190a000-000a-7000-8000-000000000002", &[1, 3, 4]),
        ("sort=name,desc", &[3, 2, 1, 4]),
        ("sort=id,desc", &[4, 3, 2, 1]),
    ] {
        assert_eq!(found(query), expected, "{query}");
    }
    let answer = running.admin.get("/check-lists?name=cold&limit=1").ok();
    let id = json!({ "property": "id", "direction": "asc" });
    let meta = json!({ "offset": 0, "limit": 1, "count": 1, "sort": [id] });
    let filter = json!([{ "property": "name", "value": "cold" }]);
    assert_eq!(answer, json!({ "data": [cold_store()], "meta": meta, "filter": filter }));
    let wrong = running.admin.get("/check-lists?sort=actions&id=x");
    let _ = wrong.refused(400, "input.data.invalid");
}

#[test]
fn broken_rules_of_check_lists_are_reported_and_nothing_is_stored() {
    let running = Running::with([planned(1)]);
    let (api, before) = (&running.admin, running.exported());
    let fault = |code: &str, at: &str| detail(code, at, &[]);
    let missing = |at: &str| fault("validation.notnull.failed", at);
    let unique = |at: &str| fault("validation.unique.failed", at);
    let range = |at: &str| fault("validation.range.failed", at);
    let number = json!({ "name": "°C", "type": "NUMBER", "minValue": 2, "maxValue": 1 });
    let post = |body: Value| api.post("/check-lists", &body);
    post(json!({})).invalid(&[missing("name")]);
    let both = with(number.clone(), json!({ "id": LOCKED }));
    post(json!({ "id": CHECK_LIST, "name": "x", "actions": [{}, both] })).invalid(&[
        unique("id"),
        missing("actions[0].name"),
        missing("actions[0].type"),
        unique("actions[1].id"),
        range("actions[1].maxValue"),
    ]);
    let types = [
        detail("data.type.invalid", "id", &["UUID"]),
        detail("data.type.invalid", "actions", &["ARRAY"]),
    ];
    post(json!({ "id": 1, "actions": {} })).misunderstood(&types);
    let add = |body: Value| api.post(&actions_of(CHECK_LIST), &body);
    add(json!({ "type": "TEXT" })).invalid(&[missing("name")]);
    add(with(number.clone(), json!({ "id": TEMPERATURE })))
        .invalid(&[unique("id"), range("maxValue")]);
    add(with(number.clone(), json!({ "type": "TEXT" }))).invalid(&[range("maxValue")]);
    // The action of another list, and one that stands twice.
    let other =
        post(json!({ "name": "other", "actions": [{ "name": "x", "type": "TEXT" }] })).json(201);
    let foreign = &other["actions"][0];
    let again = &cold_store()["actions"][0];
    let body = json!({ "name": "x", "actions": [foreign, again, again, number] });
    let reference = |at: &str| fault("validation.reference.failed", at);
    let expected =
        [reference("actions[0].id"), reference("actions[2].id"), range("actions[3].maxValue")];
    api.put(&path(CHECK_LIST), &body).invalid(&expected);
    api.delete(&path(other["id"].as_str().expect("an id"))).is_bare(204);

    // Executions: of what PUT and a series write.
    let mut execution = running.read(1);
    execution["steps"][0]["actions"] = json!([number]);
    let answer =
        api.put(&format!("/task-executions/{}", patrol_tests::execution_id(1)), &execution);
    answer.invalid(&[range("steps[0].actions[0].maxValue")]);

    let malformed = [detail("data.type.invalid", "id", &["UUID"])];
    for method in ["GET", "PUT", "DELETE"] {
        api.text(method, &path("x"), "{}").misunderstood(&malformed);
    }
    api.text("POST", &actions_of("x"), "{}").misunderstood(&malformed);
    for answer in
        [api.put(&path(NOBODY), &json!({ "name": 1 })), api.put(&path(CHECK_LIST), &json!([]))]
    {
        let _ = answer.refused(400, "input.data.invalid");
    }
    let _ = api.put(&path(NOBODY), &json!({})).refused(404, "not.found");
    let employee = running.api(EMPLOYEE);
    for answer in [
        employee.post("/check-lists", &json!({})),
        employee.put(&path(CHECK_LIST), &json!({})),
        employee.delete(&path(CHECK_LIST)),
        employee.post(&actions_of(CHECK_LIST), &json!({})),
    ] {
        answer.refused(403, "access.denied").shows(&[]);
    }
    assert_eq!(running.exported(), before);
}

#[test]
fn an_import_takes_bounds_of_executions_as_they_are() {
    let mut execution = in_progress(1);
    execution["steps"][0]["actions"][0]["type"] = json!("NUMBER");
    let action = &mut execution["steps"][0]["actions"][0];
    for (member, value) in [("minValue", 5), ("maxValue", 1)] {
        action[member] = json!(value);
    }
    for member in ["booleanValue", "numberValue", "textValue", "mediaIds"] {
        action[member] = Value::Null;
    }
    action["state"] = json!("PENDING");
    let running = Running::with([execution]);
    let read = running.read(1);
    assert_eq!(read["steps"][0]["id"], step_id(1, 1));
    assert_eq!(read["steps"][0]["actions"][0]["maxValue"], 1);
}
