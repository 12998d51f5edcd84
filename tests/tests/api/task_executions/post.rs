//! POST: executions that are made by hand.

use patrol_tests::{
    Running, Store,
    company::{
        self, ADMIN, CHECK_LIST, EMPLOYEE, GATE, GUARD, MANAGER, NOBODY, PIER, PORT, ROUND, YARD,
    },
    detail,
    round::{eventually, rounds, scheduled},
    with,
};
use serde_json::{Value, json};

use super::small;

const POST: &str = "/task-executions";
/// An id that clients of the tests make.
const OWN: &str = "0190a000-00ff-7000-8000-0000000000F1";
const NIL: &str = "00000000-0000-0000-0000-000000000000";

/// The path of a record.
fn path(record: &Value) -> String {
    format!("{POST}/{}", record["id"].as_str().expect("an id"))
}

/// A weekly plan with all members, which makes no executions.
fn plan() -> Value {
    let gate = json!({
        "name": "Gate", "pointId": GATE, "checkListId": CHECK_LIST,
        "actions": [{ "name": "Closed", "type": "BOOLEAN", "required": true }],
    });
    with(
        scheduled("Weekly", "FREQ=WEEKLY"),
        json!({
            "description": "All doors", "assigneeIds": [GUARD], "priority": "MAJOR", "tags": ["day"],
            "orderStepsRequired": true, "strictTimeRequired": true, "deadlined": true,
            "steps": [gate], "published": true, "enabled": false,
        }),
    )
}

/// The names of the actions in an array.
fn names(actions: &Value) -> Vec<Value> {
    actions.as_array().unwrap().iter().map(|action| action["name"].clone()).collect()
}

#[test]
fn an_execution_without_a_task_is_stored_once_and_returned() {
    let running = Running::with([]);
    let manager = running.api(MANAGER).with("Idempotency-Key", "one");
    let step = json!({ "name": "Pier", "pointId": PIER, "actions": [
        { "name": "Level", "type": "NUMBER", "minValue": 1, "maxValue": 2 },
    ] });
    let changes = json!({
        "id": OWN, "steps": [step], "performerId": GUARD, "published": true, "colour": "red",
        "state": "COMPLETED", "seriesId": NOBODY,
    });
    let body = with(small(), changes);
    let answer = manager.post(POST, &body);
    let made = answer.json(201);
    let location = format!("/v1{}", path(&made));
    assert_eq!(made["id"], OWN.to_lowercase());
    assert_eq!(answer.header("Location"), Some(location.as_str()));
    assert_eq!(answer.header("Patrol-Ignored"), Some("colour"));
    let read = running.admin.get(&path(&made));
    assert_eq!((read.ok(), read.etag()), (made.clone(), answer.etag()));
    for member in ["scheduledTaskId", "seriesId", "description", "startedAt", "endedAt", "status"] {
        assert_eq!(made[member], Value::Null, "{member}");
    }
    assert_eq!(made["steps"][0]["seriesId"], Value::Null);
    assert_eq!(made["steps"][0]["actions"][0]["maxValue"], 2);
    let set = json!([made["state"], made["edited"], made["published"], made["performerId"]]);
    assert_eq!(set, json!(["PENDING", false, true, GUARD]));
    let replayed = manager.post(POST, &body);
    assert_eq!(replayed.header("Idempotency-Replayed"), Some("true"));
    assert_eq!((replayed.json(201), replayed.etag()), (made.clone(), answer.etag()));
    assert_eq!(replayed.header("Location"), Some(location.as_str()));

    let events = running.admin.get(&format!("{}/events", path(&made))).ok();
    let events = events["data"].as_array().unwrap();
    assert_eq!((events.len(), &events[0]["type"]), (1, &json!("taskExecution.created")));
    assert_eq!(events[0]["actorId"], MANAGER);
    // A change leaves it without a task; so does a copy.
    let _ = running.admin.put(&path(&made), &made).ok();
    let copies = json!({ "taskIds": [made["id"]] });
    let copy = running.admin.post(&format!("{}/copy", path(&made)), &copies).ok();
    assert_eq!(running.admin.get(&path(&copy)).ok()["scheduledTaskId"], Value::Null);
    let exported = running.exported();
    let again = Store::empty();
    let _ = again.run_with(&["import", "-"], exported.clone()).exited(0);
    assert_eq!(again.run(&["export", "-"]).exited(0).stdout, exported);
}

#[test]
fn what_a_new_execution_names_has_to_be_right() {
    let running = Running::with([patrol_tests::planned(1)]);
    let employee = running.api(EMPLOYEE);
    employee.post(POST, &small()).refused(403, "access.denied").shows(&[]);
    let refused = |body: &Value, details: &[Value]| running.admin.post(POST, body).invalid(details);
    let missing = ["locationId", "name", "startAt", "endAt", "steps"];
    refused(&json!({}), &missing.map(|name| detail("validation.notnull.failed", name, &[])));
    let taken = with(small(), json!({ "id": patrol_tests::execution_id(1) }));
    refused(&taken, &[detail("validation.unique.failed", "id", &[])]);
    // The nil UUID is no task.
    for unknown in [NOBODY, NIL] {
        let body = json!({
            "scheduledTaskId": unknown, "startAt": "2026-02-01T10:00:00Z", "performerId": NOBODY,
            "assigneeIds": [NOBODY],
        });
        let fields = ["scheduledTaskId", "performerId", "assigneeIds[0]"];
        refused(&body, &fields.map(|name| detail("validation.reference.failed", name, &[])));
    }
    let action = json!({ "name": "a", "type": "NUMBER", "minValue": 2, "maxValue": 1 });
    let text = with(action.clone(), json!({ "type": "TEXT" }));
    let steps = json!([{ "id": NOBODY, "name": "s", "actions": [action, text] }]);
    refused(
        &with(small(), json!({ "steps": steps, "endAt": "2026-02-01T09:59:59Z" })),
        &[
            detail("validation.period.failed", "endAt", &[]),
            detail("validation.reference.failed", "steps[0].id", &[]),
            detail("validation.range.failed", "steps[0].actions[0].maxValue", &[]),
            detail("validation.range.failed", "steps[0].actions[1].maxValue", &[]),
        ],
    );
    running
        .admin
        .post(POST, &json!({ "id": 1, "scheduledTaskId": "x", "published": "no" }))
        .misunderstood(&[
            detail("data.type.invalid", "id", &["UUID"]),
            detail("data.type.invalid", "scheduledTaskId", &["UUID"]),
            detail("data.type.invalid", "published", &["BOOLEAN"]),
        ]);
    // A task of an earlier version has no location.
    let nowhere = json!({ "scheduledTaskId": ROUND, "startAt": "2026-02-01T10:00:00Z" });
    refused(&nowhere, &[detail("validation.notnull.failed", "locationId", &[])]);
    let made = running.admin.post(POST, &with(nowhere, json!({ "locationId": YARD }))).json(201);
    assert_eq!(
        (&made["locationId"], &made["endAt"]),
        (&json!(YARD), &json!("2026-02-01T11:00:00.000Z"))
    );
    // No task gets the nil UUID.
    let nil = json!({ "id": NIL, "name": "Nil", "locationId": PORT });
    let taken = [detail("validation.unique.failed", "id", &[])];
    running.admin.post("/scheduled-tasks", &nil).invalid(&taken);
}

#[test]
fn a_run_has_the_present_content_of_its_task_and_stays_as_it_is() {
    let running = Running::with([]);
    let task = running.admin.post("/scheduled-tasks", &plan()).json(201);
    let task_path = format!("/scheduled-tasks/{}", task["id"].as_str().unwrap());
    let start = "2099-02-01T10:00:00.000Z";
    let body = json!({ "scheduledTaskId": task["id"], "startAt": start });
    let made = running.admin.post(POST, &body).json(201);
    for member in [
        "name",
        "description",
        "locationId",
        "assigneeIds",
        "priority",
        "tags",
        "deadlined",
        "orderStepsRequired",
        "strictTimeRequired",
    ] {
        assert_eq!(made[member], task[member], "{member}");
    }
    let set = json!([made["scheduledTaskId"], made["seriesId"], made["published"], made["endAt"]]);
    assert_eq!(set, json!([task["id"], null, false, "2099-02-01T10:30:00.000Z"]));
    let list = format!("/check-lists/{CHECK_LIST}");
    let listed = running.admin.get(&list).ok();
    let step = &made["steps"][0];
    let expected = [vec![json!("Closed")], names(&listed["actions"])].concat();
    assert_eq!((names(&step["actions"]), &step["pointId"]), (expected.clone(), &json!(GATE)));
    let parts = step["actions"].as_array().unwrap().iter().chain([step]);
    assert!(parts.clone().all(|part| part["seriesId"].is_null()), "{step}");
    assert!(parts.clone().all(|part| part["id"] != task["steps"][0]["id"]), "{step}");

    // The check-list as it is now, and members of the body.
    let extra = json!({ "name": "Extra", "type": "TEXT" });
    let _ = running.admin.post(&format!("{list}/actions"), &extra).json(201);
    let changes = json!({
        "name": "Once more", "tags": [], "deadlined": false, "endAt": "2099-02-02T10:00:00Z",
        "description": null, "published": true,
    });
    let other = running.admin.post(POST, &with(body.clone(), changes)).json(201);
    let set = json!([other["name"], other["tags"], other["deadlined"], other["description"]]);
    assert_eq!(set, json!(["Once more", [], false, "All doors"]));
    assert_eq!(
        (&other["published"], &other["endAt"]),
        (&json!(true), &json!("2099-02-02T10:00:00.000Z"))
    );
    let more = [expected, vec![json!("Extra")]].concat();
    assert_eq!(names(&other["steps"][0]["actions"]), more);

    // What the task holds may have been deleted.
    running.admin.delete(&format!("/locations/points/{GATE}")).is_bare(204);
    let third = running.admin.post(POST, &body).json(201);
    assert_eq!(third["steps"][0]["pointId"], GATE);
    let steps = json!([{ "name": "Gate", "pointId": GATE }]);
    let _ = running.admin.post(POST, &with(body.clone(), json!({ "steps": steps }))).json(201);

    // Rounds of the schedule follow the plan; runs by hand do not, and outlive the task.
    let before = running.admin.get(&path(&made));
    let enabled = with(task, json!({ "enabled": true, "name": "Planned" }));
    let _ = running.admin.put(&task_path, &enabled).ok();
    let planned = || Some(rounds(&running.admin, "Planned")).filter(|rounds| rounds.len() > 1);
    let planned = eventually("rounds of the schedule", planned);
    assert!(planned.iter().all(|round| !round["seriesId"].is_null()), "{planned:?}");
    let renamed = with(enabled, json!({ "name": "Renamed", "schedule": null }));
    let _ = running.admin.put(&task_path, &renamed).ok();
    eventually("no future rounds", || {
        Some(()).filter(|()| rounds(&running.admin, "Planned").len() < planned.len())
    });
    running.admin.delete(&task_path).is_bare(204);
    let after = running.admin.get(&path(&made));
    assert_eq!((after.ok(), after.etag()), (before.ok(), before.etag()));
    running.admin.post(POST, &body).invalid(&[detail(
        "validation.reference.failed",
        "scheduledTaskId",
        &[],
    )]);
}

#[test]
fn executions_without_a_task_come_last_and_only_exclusions_match_them() {
    let running = Running::set(Store::with(&company::company()), &[]);
    let day = |day: u32| format!("2026-03-{day:02}T10:00:00Z");
    let by_hand = |number: u32, task: Value| {
        let id = format!("0190a000-00ff-7000-8000-0000000000e{number}");
        let body = json!({
            "id": id, "scheduledTaskId": task, "startAt": day(number), "endAt": day(number + 1),
            "name": "Sorted", "locationId": PORT, "steps": [],
        });
        let _ = running.api(ADMIN).post(POST, &body).json(201);
    };
    let other = json!({ "name": "Other", "locationId": PORT });
    let other = running.admin.post("/scheduled-tasks", &other).json(201)["id"].clone();
    // The id of ROUND is less than that of the other one.
    for (number, task) in
        [(1, Value::Null), (2, json!(ROUND)), (3, other.clone()), (4, Value::Null)]
    {
        by_hand(number, task);
    }
    let listed = |query: &str| {
        let found = running.admin.get(&format!("{POST}/info?{query}")).ok();
        let found = found["data"].as_array().unwrap().iter();
        found.map(|one| one["id"].as_str().unwrap().chars().last().unwrap()).collect::<String>()
    };
    assert_eq!(listed("sort=scheduledTaskId"), "2314");
    assert_eq!(listed("sort=scheduledTaskId,desc"), "3214");
    assert_eq!(listed("sort=scheduledTaskId&limit=2&offset=1"), "31");
    assert_eq!(listed("sort=scheduledTaskId,desc&limit=2&offset=2"), "14");
    let other = other.as_str().unwrap();
    assert_eq!(listed(&format!("scheduledTaskId={ROUND}")), "2");
    assert_eq!(listed(&format!("scheduledTaskId=ne:{ROUND}")), "134");
    assert_eq!(listed(&format!("scheduledTaskId=nin:{ROUND},{other}&sort=startAt,desc")), "41");
    assert_eq!(listed(&format!("scheduledTaskId=in:{NIL},{other}")), "3");
    assert_eq!(listed(&format!("scheduledTaskId=ne:{NIL}")), "1234");
}
