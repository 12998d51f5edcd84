//! Scheduled tasks: their record and their changes.

mod list;

use patrol_tests::{
    Running, Store,
    company::{CHECK_LIST, EMPLOYEE, GATE, GUARD, MANAGER, NOBODY, PIER, PORT, ROUND, YARD},
    detail, planned, with,
};
use serde_json::{Value, json};

const TASKS: &str = "/scheduled-tasks";

fn path(id: &str) -> String {
    format!("{TASKS}/{id}")
}

/// A body with every member.
fn everything() -> Value {
    json!({
        "name": "Обход порта", "description": "Ночь", "locationId": PORT,
        "assigneeIds": [GUARD, EMPLOYEE, GUARD], "priority": "MAJOR", "orderStepsRequired": true,
        "strictTimeRequired": true, "deadlined": true, "tags": ["night", "порт", "night"],
        "published": false, "schedule": null, "enabled": false,
        "steps": [
            { "name": "Pier", "pointId": PIER, "order": 7, "actions": [
                { "name": "Level", "type": "NUMBER", "required": true, "minValue": -1, "maxValue": 2.5 },
                { "name": "Note", "type": "TEXT", "order": -3 },
            ] },
            { "name": "Gate", "pointId": GATE, "checkListId": CHECK_LIST },
        ],
    })
}

/// The record of [`everything`]; ids of steps and actions are those of `record`.
fn expected(record: &Value) -> Value {
    let id = |pointer: &str| record.pointer(pointer).cloned().expect("an id");
    with(
        everything(),
        json!({
            "id": record["id"], "assigneeIds": [GUARD, EMPLOYEE], "tags": ["night", "порт"],
            "seriesId": null, "nextStartAt": null,
            "steps": [
                {
                    "id": id("/steps/0/id"), "pointId": GATE, "name": "Gate", "order": 1,
                    "checkListId": CHECK_LIST, "actions": [],
                },
                {
                    "id": id("/steps/1/id"), "pointId": PIER, "name": "Pier", "order": 7,
                    "checkListId": null,
                    "actions": [
                        {
                            "id": id("/steps/1/actions/0/id"), "name": "Note", "type": "TEXT",
                            "order": -3, "required": false, "minValue": null, "maxValue": null,
                        },
                        {
                            "id": id("/steps/1/actions/1/id"), "name": "Level", "type": "NUMBER",
                            "order": 0, "required": true, "minValue": -1, "maxValue": 2.5,
                        },
                    ],
                },
            ],
        }),
    )
}

fn reference(identifier: &str) -> Value {
    detail("validation.reference.failed", identifier, &[])
}

#[test]
fn a_task_is_created_read_and_recorded() {
    let running = Running::with([]);
    let created = running.api(MANAGER).post(TASKS, &everything());
    let task = created.json(201);
    assert_eq!(task, expected(&task));
    let id = task["id"].as_str().expect("an id");
    assert_eq!(created.header("Location"), Some(format!("/v1{}", path(id)).as_str()));
    let read = running.api(EMPLOYEE).get(&path(id));
    assert_eq!(read.ok(), task);
    let known = running.admin.with("If-None-Match", &read.etag()).get(&path(id));
    assert_eq!((known.status, known.etag()), (304, read.etag()));
    let event = &running.admin.get(&format!("{}/events", path(id))).ok()["data"][0];
    assert_eq!(
        (&event["type"], &event["actorId"]),
        (&json!("scheduledTask.created"), &json!(MANAGER))
    );
    let changes = event["changes"].as_array().expect("changes");
    let steps = changes.iter().find(|change| change["member"] == "steps").expect("steps");
    assert_eq!(steps["after"], task["steps"]);
    assert!(changes.iter().all(|change| change["member"] != "nextStartAt"));

    let least = json!({ "id": NOBODY, "name": "Yard", "locationId": YARD, "colour": 1 });
    let created = running.admin.post(TASKS, &least);
    assert_eq!(created.header("Patrol-Ignored"), Some("colour"));
    assert_eq!(
        created.json(201),
        json!({
            "id": NOBODY, "name": "Yard", "description": null, "locationId": YARD,
            "assigneeIds": [], "priority": "NORMAL", "orderStepsRequired": false,
            "strictTimeRequired": false, "deadlined": false, "tags": [], "published": true,
            "steps": [], "schedule": null, "enabled": true, "seriesId": null, "nextStartAt": null,
        })
    );
    let taken = detail("validation.unique.failed", "id", &[]);
    running.admin.post(TASKS, &least).invalid(&[taken]);
    let keyed = running.admin.with("Idempotency-Key", "a-task");
    let first = keyed.post(TASKS, &everything()).json(201);
    let again = keyed.post(TASKS, &everything());
    assert_eq!((again.json(201), again.header("Idempotency-Replayed")), (first, Some("true")));
    assert_eq!(running.admin.get("/scheduled-tasks?limit=0").ok()["meta"]["count"], 4);
}

#[test]
fn faults_of_a_task_are_all_named() {
    let running = Running::with([]);
    running.admin.post(TASKS, &json!({ "steps": [{}] })).invalid(&[
        detail("validation.notnull.failed", "locationId", &[]),
        detail("validation.notnull.failed", "name", &[]),
        detail("validation.notnull.failed", "steps[0].name", &[]),
    ]);
    let step = json!({
        "id": NOBODY, "name": "", "pointId": NOBODY, "checkListId": NOBODY,
        "actions": [{ "id": NOBODY, "name": "a", "type": "SOUND" }],
    });
    let wrong = json!({
        "locationId": NOBODY, "assigneeIds": [GUARD, NOBODY], "priority": "HIGH", "steps": [step],
    });
    running.admin.post(TASKS, &with(everything(), wrong)).invalid(&[
        reference("assigneeIds[1]"),
        reference("locationId"),
        detail("validation.enum.failed", "priority", &["MINOR", "NORMAL", "MAJOR", "CRITICAL"]),
        reference("steps[0].id"),
        reference("steps[0].pointId"),
        detail("validation.length.failed", "steps[0].name", &["1", "255"]),
        reference("steps[0].checkListId"),
        reference("steps[0].actions[0].id"),
        detail(
            "validation.enum.failed",
            "steps[0].actions[0].type",
            &["BOOLEAN", "MEDIA", "NUMBER", "TEXT"],
        ),
    ]);
    let types = json!({ "published": 1, "enabled": "yes", "steps": [{ "checkListId": "x" }] });
    running.admin.post(TASKS, &with(everything(), types)).misunderstood(&[
        detail("data.type.invalid", "steps[0].checkListId", &["UUID"]),
        detail("data.type.invalid", "published", &["BOOLEAN"]),
        detail("data.type.invalid", "enabled", &["BOOLEAN"]),
    ]);
    for employee in [
        running.api(EMPLOYEE).post(TASKS, &everything()),
        running.api(EMPLOYEE).put(&path(ROUND), &everything()),
        running.api(EMPLOYEE).delete(&path(ROUND)),
    ] {
        employee.refused(403, "access.denied").shows(&[]);
    }
    let malformed = [detail("data.type.invalid", "id", &["UUID"])];
    running.admin.get(&path("x")).misunderstood(&malformed);
    running.admin.put(&path("x"), &everything()).misunderstood(&malformed);
    running.admin.delete(&path("x")).misunderstood(&malformed);
    running.admin.get(&path(NOBODY)).refused(404, "not.found").shows(&[]);
    running.admin.put(&path(NOBODY), &everything()).refused(404, "not.found").shows(&[]);
    assert_eq!(running.admin.get("/scheduled-tasks?limit=0").ok()["meta"]["count"], 1);
}

#[test]
fn a_put_keeps_what_it_names_by_id_and_removes_the_rest() {
    let running = Running::with([]);
    let task = running.admin.post(TASKS, &everything()).json(201);
    let path = path(task["id"].as_str().expect("an id"));
    let tag = running.admin.get(&path).etag();
    // What was read can be sent back, and changes nothing.
    let same = running.admin.put(&path, &task);
    assert_eq!((same.ok(), same.etag()), (task.clone(), tag.clone()));
    assert_eq!(same.header("Patrol-Ignored"), None);
    let (gate, level) = (&task["steps"][0]["id"], &task["steps"][1]["actions"][1]["id"]);
    let pier = &task["steps"][1]["id"];
    // An action may move to another step; absent bounds are kept, null removes one.
    let body = json!({
        "id": NOBODY, "name": "Shorter", "locationId": YARD,
        "steps": [
            { "name": "New" },
            { "id": gate, "name": "Gate", "actions": [
                { "id": level, "name": "Level", "type": "NUMBER", "maxValue": null },
            ] },
        ],
    });
    let replaced = running.admin.with("If-Match", &tag).put(&path, &body);
    let record = replaced.ok();
    assert_ne!(replaced.etag(), tag);
    assert_eq!(running.admin.get(&path).ok(), record);
    assert_eq!(running.admin.get(&path).etag(), replaced.etag());
    assert_eq!((&record["id"], &record["enabled"]), (&task["id"], &json!(true)));
    assert_eq!(record["assigneeIds"], json!([]));
    assert_eq!(
        (&record["steps"][1]["id"], &record["steps"][1]["checkListId"]),
        (gate, &Value::Null)
    );
    assert_ne!(&record["steps"][0]["id"], pier);
    let kept = &record["steps"][1]["actions"][0];
    assert_eq!(
        (&kept["id"], &kept["minValue"], &kept["maxValue"]),
        (level, &json!(-1), &Value::Null)
    );
    // The ids of what was removed are no longer those of the task.
    let gone = with(body.clone(), json!({ "steps": [{ "id": pier, "name": "Pier" }] }));
    running.admin.put(&path, &gone).invalid(&[reference("steps[0].id")]);
    let twice = json!({ "steps": [{ "id": gate, "name": "a" }, { "id": gate, "name": "b" }] });
    running.admin.put(&path, &with(body.clone(), twice)).invalid(&[reference("steps[1].id")]);
    let stale = running.admin.with("If-Match", &tag).put(&path, &body);
    stale.refused(412, "precondition.failed").shows(&[]);
    running
        .admin
        .with("If-Match", &tag)
        .delete(&path)
        .refused(412, "precondition.failed")
        .shows(&[]);
    let keyed = running.admin.with("Idempotency-Key", "a-put");
    let first = keyed.put(&path, &everything()).ok();
    assert_eq!(keyed.put(&path, &everything()).ok(), first);
    let log = running.admin.get(&format!("{path}/events")).ok();
    let types = log["data"].as_array().expect("data").iter().map(|event| event["type"].clone());
    let updated = "scheduledTask.updated";
    assert_eq!(types.collect::<Vec<_>>(), ["scheduledTask.created", updated, updated]);
}

#[test]
fn a_schedule_is_stored_and_its_next_occurrence_shown() {
    let running = Running::with([]);
    let schedule = json!({
        "timeZone": "Europe/Berlin", "start": "2099-12-01T22:00:00", "durationMinutes": 90,
        "rrule": "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=20", "exdates": ["2099-12-02T22:00:00"],
        "rdates": ["2099-12-08T01:30:00"], "pauses": [{ "from": "2099-12-24", "to": "2099-12-26" }],
    });
    let body = with(everything(), json!({ "schedule": schedule, "enabled": true }));
    let task = running.admin.post(TASKS, &body).json(201);
    assert_eq!(task["schedule"], schedule);
    assert_eq!(task["nextStartAt"], "2099-12-01T21:00:00.000Z");
    assert!(task["seriesId"].is_string());
    let own = path(task["id"].as_str().expect("an id"));
    let item = &running.admin.get(&format!("{TASKS}?enabled=true&q=ночь")).ok()["data"][0];
    assert_eq!((&item["schedule"], &item["nextStartAt"]), (&schedule, &task["nextStartAt"]));
    let off = running.admin.put(&own, &with(task.clone(), json!({ "enabled": false }))).ok();
    assert_eq!(off, with(task.clone(), json!({ "enabled": false, "nextStartAt": null })));
    let none = running.admin.put(&own, &with(task.clone(), json!({ "schedule": null }))).ok();
    assert_eq!((&none["schedule"], &none["seriesId"]), (&Value::Null, &task["seriesId"]));
    let wrong =
        json!({ "schedule": { "timeZone": "Mars/Base", "rrule": "FREQ=MINUTELY", "start": "x" } });
    running.admin.put(&own, &with(task.clone(), wrong)).misunderstood(&[detail(
        "data.type.invalid",
        "schedule.start",
        &["LOCAL_DATE_TIME"],
    )]);
    let wrong = json!({
        "timeZone": "Mars/Base", "durationMinutes": 10_081, "rrule": "FREQ=WEEKLY;BYDAY=1MO",
        "rdates": ["2099-12-01T21:59:59"], "pauses": [{ "from": "2099-12-26", "to": "2099-12-25" }],
    });
    let wrong = with(schedule, wrong);
    let broken = [
        detail("validation.enum.failed", "schedule.timeZone", &[]),
        detail("validation.range.failed", "schedule.durationMinutes", &["1", "10080"]),
        detail(
            "validation.rrule.failed",
            "schedule.rrule",
            &["BYDAY has numbers only with FREQ=MONTHLY and FREQ=YEARLY"],
        ),
        detail("validation.period.failed", "schedule.rdates[0]", &[]),
        detail("validation.period.failed", "schedule.pauses[0].to", &[]),
    ];
    running.admin.post(TASKS, &with(everything(), json!({ "schedule": wrong }))).invalid(&broken);
    running.admin.put(&own, &with(task.clone(), json!({ "schedule": wrong }))).invalid(&broken);
    let bounds = json!([{ "name": "s", "actions": [
        { "name": "a", "type": "NUMBER", "minValue": 2, "maxValue": 1 },
    ] }]);
    running.admin.put(&own, &with(task, json!({ "schedule": {}, "steps": bounds }))).invalid(&[
        detail("validation.range.failed", "steps[0].actions[0].maxValue", &[]),
        detail("validation.notnull.failed", "schedule.timeZone", &[]),
        detail("validation.notnull.failed", "schedule.start", &[]),
        detail("validation.notnull.failed", "schedule.durationMinutes", &[]),
    ]);
}

#[test]
fn executions_keep_the_id_of_a_deleted_task_and_tasks_lose_a_deleted_user() {
    let running = Running::with([planned(1)]);
    let task = running.admin.post(TASKS, &everything()).json(201);
    let own = path(task["id"].as_str().expect("an id"));
    let tag = running.admin.get(&own).etag();
    running.admin.delete(&format!("/users/{GUARD}")).is_bare(204);
    let after = running.admin.get(&own);
    assert_eq!(after.ok(), with(task, json!({ "assigneeIds": [EMPLOYEE] })));
    assert_ne!(after.etag(), tag);
    running.admin.delete(&path(ROUND)).is_bare(204);
    running.admin.delete(&path(ROUND)).refused(404, "not.found").shows(&[]);
    assert_eq!(running.read(1)["scheduledTaskId"], ROUND);
    running.admin.with("If-Match", &after.etag()).delete(&own).is_bare(204);
    assert_eq!(running.admin.get(TASKS).ok()["data"], json!([]));
    let deleted = running.admin.get("/events?type=scheduledTask.deleted").ok();
    assert_eq!(deleted["data"].as_array().map(Vec::len), Some(2));
    // An export without the task can be imported.
    let exported = running.exported();
    let other = Store::empty();
    let _ = other.run_with(&["import", "-"], exported.clone()).exited(0);
    assert_eq!(other.run(&["export", "-"]).exited(0).stdout, exported);
}

#[test]
fn a_location_or_a_check_list_of_a_task_is_kept() {
    let running = Running::with([]);
    let held = [detail("resource.in.use", "scheduledTasks", &["2"])];
    let other = json!({ "id": NOBODY, "name": "Shed" });
    let _ = running.admin.post("/locations", &other).json(201);
    let shed = with(everything(), json!({ "locationId": NOBODY }));
    let one = running.admin.post(TASKS, &shed).json(201);
    let other = running.admin.post(TASKS, &with(shed, json!({ "enabled": true }))).json(201);
    let (list, location) = (format!("/check-lists/{CHECK_LIST}"), format!("/locations/{NOBODY}"));
    for kept in [&list, &location] {
        running.admin.delete(kept).refused(409, "resource.in.use").shows(&held);
        assert_eq!(running.admin.get(kept).status, 200);
    }
    for task in [one, other] {
        running.admin.delete(&path(task["id"].as_str().expect("an id"))).is_bare(204);
    }
    running.admin.delete(&list).is_bare(204);
    running.admin.delete(&location).is_bare(204);
}
