//! The list of scheduled tasks.

use patrol_tests::{
    Running, Store,
    company::{self, ADMIN, EMPLOYEE, PORT, ROUND, YARD},
    detail, with,
};
use serde_json::{Value, json};

use super::{TASKS, everything, path};

/// The names of the listed tasks.
fn names(running: &Running, query: &str) -> Vec<String> {
    let list = running.admin.get(&format!("{TASKS}?{}", query.replace(' ', "%20"))).ok();
    let data = list["data"].as_array().expect("data");
    assert_eq!(list["meta"]["count"], data.len(), "{query}");
    data.iter().map(|task| task["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn tasks_are_listed_filtered_searched_and_sorted() {
    let running = Running::with([]);
    let port = running.admin.post(TASKS, &everything()).json(201);
    let yard =
        json!({ "name": "yard", "locationId": YARD, "tags": ["Night"], "priority": "MINOR" });
    let _ = running.admin.post(TASKS, &yard).json(201);
    let mut item = port.clone();
    item.as_object_mut().expect("an object").remove("steps");
    let id = port["id"].as_str().expect("an id");
    let query = format!("{TASKS}?id={id}&sort=name,desc");
    assert_eq!(
        running.api(EMPLOYEE).get(&query).ok(),
        json!({
            "data": [item],
            "meta": {
                "offset": 0, "limit": 2_147_483_647, "count": 1,
                "sort": [{ "property": "name", "direction": "desc" }],
            },
            "filter": [{ "property": "id", "value": id }],
        })
    );
    let (old, port) = ("Night round", "Обход порта");
    assert_eq!(names(&running, ""), [old, port, "yard"]);
    for (query, expected) in [
        ("name=ОБХОД", &[port][..]),
        ("name=ne:night round", &[port, "yard"]),
        (&format!("locationId={YARD}"), &["yard"]),
        (&format!("locationId=ne:{YARD}"), &[old, port]),
        (&format!("userId={EMPLOYEE}"), &[port]),
        (&format!("userId=nin:{EMPLOYEE},{ADMIN}"), &[old, "yard"]),
        ("tags=night", &[port]),
        ("tags=in:Night,порт", &[port, "yard"]),
        ("priority=in:MAJOR,MINOR", &[port, "yard"]),
        ("enabled=false", &[port]),
        ("enabled=ne:false", &[old, "yard"]),
        ("q=ночь", &[port]),
        ("q=night", &[old, port, "yard"]),
        ("q=порт", &[port]),
        ("q=no such text", &[]),
        ("sort=description,desc", &[port, old, "yard"]),
        ("sort=locationId", &[port, "yard", old]),
        ("sort=priority,desc", &[port, old, "yard"]),
        ("sort=enabled&sort=name,desc", &[port, "yard", old]),
    ] {
        assert_eq!(names(&running, query), expected, "{query}");
    }
    let _ = running.admin.get("/scheduled-tasks?sort=steps").refused(400, "input.data.invalid");
}

#[test]
fn tasks_of_an_older_version_are_found_after_a_start() {
    let store = Store::with(&company::company());
    // As an older version writes them: without the folded texts, or with outdated ones.
    store.execute(
        "UPDATE scheduled_tasks SET name = 'Жанна', name_folded = NULL, tags_folded = NULL",
    );
    let running = Running::on(store);
    assert_eq!(names(&running, "q=жан"), ["Жанна"]);
    let old = running.admin.get(&path(ROUND)).ok();
    assert_eq!((&old["locationId"], &old["steps"]), (&Value::Null, &json!([])));
    // It gets a location by PUT, which requires one.
    running.admin.put(&path(ROUND), &old).invalid(&[detail(
        "validation.notnull.failed",
        "locationId",
        &[],
    )]);
    let placed = running.admin.put(&path(ROUND), &with(old, json!({ "locationId": PORT }))).ok();
    assert_eq!(names(&running, &format!("locationId={PORT}")), [placed["name"].as_str().unwrap()]);
}
