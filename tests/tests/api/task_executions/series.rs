//! PUT /task-executions/{id}/series.

use patrol_tests::{
    Running,
    company::{AIRPORT, EMPLOYEE, GATE, GUARD, NOBODY},
    completed, detail, in_progress, planned, series_of, with,
};
use serde_json::{Value, json};

use super::{MALFORMED, path};

/// Execution `n` as a member of series `series`, on day `n` of a month. Its steps and actions have
/// the same series ids in the whole series.
fn member(mut execution: Value, series: u32, n: u32) -> Value {
    execution["seriesId"] = json!(series_of(series));
    execution["startAt"] = json!(format!("2026-03-{n:02}T08:00:00.000Z"));
    execution["endAt"] = json!(format!("2026-03-{n:02}T09:00:00.000Z"));
    for (at, step) in (100..).zip(execution["steps"].as_array_mut().unwrap()) {
        step["seriesId"] = json!(series_of(at));
        for (action_at, action) in (10 * at..).zip(step["actions"].as_array_mut().unwrap()) {
            action["seriesId"] = json!(series_of(action_at));
        }
    }
    execution
}

fn body() -> Value {
    json!({
        "seriesId": series_of(1),
        "assigneeIds": [EMPLOYEE],
        "locationId": AIRPORT,
        "name": "New plan",
        "description": null,
        "startAt": "2026-03-03T10:30:00.000Z",
        "endAt": "2026-03-03T11:00:00.000Z",
        "priority": "MINOR",
        "orderStepsRequired": false,
        "strictTimeRequired": true,
        "deadlined": false,
        "tags": ["new"],
        "steps": [
            { "seriesId": null, "name": "New step", "pointId": GATE, "actions": [
                { "seriesId": null, "name": "New check", "type": "BOOLEAN", "required": true },
            ] },
            { "seriesId": series_of(100), "name": "Gate again", "order": 7, "actions": [
                {
                    "seriesId": series_of(1001), "name": "Pressure", "type": "NUMBER",
                    "maxValue": 9,
                },
                { "name": "Newer check", "type": "TEXT" },
            ] },
        ],
    })
}

fn update(running: &Running, n: u32, body: &Value) -> patrol_tests::Answer {
    running.admin.put(&format!("{}/series", path(n)), body)
}

/// Days 1 to 6 of series 1: 1 is before the change, 2 is completed, 5 is in progress. 7 is in
/// another series, 8 in no series.
fn running() -> Running {
    Running::with([
        member(planned(1), 1, 1),
        member(completed(2), 1, 4),
        member(planned(3), 1, 3),
        with(member(planned(4), 1, 4), json!({ "published": false, "performerId": GUARD })),
        member(in_progress(5), 1, 5),
        with(member(planned(6), 1, 6), json!({ "endAt": "2026-03-06T23:00:00.000Z" })),
        member(planned(7), 2, 7),
        planned(8),
    ])
}

#[test]
fn this_and_the_following_move_to_a_new_series() {
    let running = running();
    let before: Vec<_> = (1..=8).map(|n| running.read(n)).collect();
    let answer = update(&running, 3, &body()).ok();
    let created = answer["createdSeriesId"].clone();
    let exact = json!({ "updatingSeriesId": series_of(1), "createdSeriesId": created });
    assert_eq!(answer, exact, "exactly these members");
    assert_ne!(created, json!(series_of(1)));

    for n in [1, 2, 5, 7, 8] {
        assert_eq!(running.read(n), before[n as usize - 1], "{n} stays as it was");
    }
    let mut new_ids = Vec::new();
    for (n, start, end) in [
        (3, "2026-03-03T10:30:00.000Z", "2026-03-03T11:00:00.000Z"),
        (4, "2026-03-04T10:30:00.000Z", "2026-03-04T11:00:00.000Z"),
        (6, "2026-03-06T10:30:00.000Z", "2026-03-06T11:00:00.000Z"),
    ] {
        let after = running.read(n);
        let before = &before[n as usize - 1];
        let mut expected = with(
            before.clone(),
            json!({
                "seriesId": created, "startAt": start, "endAt": end, "edited": true,
                "steps": after["steps"],
            }),
        );
        for member in [
            "assigneeIds",
            "locationId",
            "name",
            "description",
            "priority",
            "orderStepsRequired",
            "strictTimeRequired",
            "deadlined",
            "tags",
        ] {
            expected[member] = body()[member].clone();
        }
        assert_eq!(after, expected, "{n}");

        let (new, kept) = (&after["steps"][0], &after["steps"][1]);
        assert_eq!(kept["id"], before["steps"][0]["id"]);
        assert_eq!(kept["seriesId"], series_of(100));
        assert_eq!((&kept["name"], &kept["order"]), (&json!("Gate again"), &json!(7)));
        let pressure = &kept["actions"][0];
        assert_eq!(pressure["id"], before["steps"][0]["actions"][1]["id"]);
        assert_eq!(pressure["seriesId"], series_of(1001));
        assert_eq!((&pressure["minValue"], &pressure["maxValue"]), (&json!(1), &json!(9)));
        assert_eq!(after["steps"].as_array().unwrap().len(), 2, "left out is removed");
        assert_eq!(kept["actions"].as_array().unwrap().len(), 2);
        assert_eq!((&new["name"], &new["pointId"]), (&json!("New step"), &json!(GATE)));
        new_ids.push([new, &new["actions"][0], &kept["actions"][1]].map(|part| {
            assert!(part["seriesId"].is_string(), "{part}");
            (part["id"].clone(), part["seriesId"].clone())
        }));
    }
    let [first, others @ ..] = new_ids.as_slice() else { panic!("three have moved") };
    for other in others {
        for ((id, series), (first_id, first_series)) in other.iter().zip(first) {
            assert_ne!(id, first_id, "an id of its own in each execution");
            assert_eq!(series, first_series, "one series id in all");
        }
    }
}

#[test]
fn the_new_series_can_be_updated_in_turn_and_the_old_one_goes_on() {
    let running = running();
    let created = update(&running, 3, &body()).ok()["createdSeriesId"].clone();
    let steps = json!({ "steps": [], "seriesId": created });
    let again = update(&running, 4, &with(body(), steps.clone())).ok();
    assert_eq!(again["updatingSeriesId"], created);
    assert_eq!(running.read(3)["seriesId"], created);
    assert_eq!(running.read(6)["seriesId"], again["createdSeriesId"]);
    let old = with(body(), json!({ "steps": [] }));
    let _ = update(&running, 1, &old).ok();
    assert_eq!(running.read(3)["seriesId"], created, "3 is no longer of the old series");
}

#[test]
fn those_that_start_at_the_same_time_move_too() {
    let running = Running::with([
        member(planned(1), 1, 3),
        member(planned(2), 1, 3),
        with(member(planned(3), 1, 3), json!({ "startAt": "2026-03-03T07:59:59.999Z" })),
    ]);
    let created = update(&running, 2, &with(body(), json!({ "steps": [] }))).ok();
    assert_eq!(running.read(1)["seriesId"], created["createdSeriesId"]);
    assert_eq!(running.read(3)["seriesId"], series_of(1));
}

#[test]
fn only_a_pending_execution_of_the_series_begins_a_change() {
    let running = running();
    for n in [2, 5] {
        update(&running, n, &body()).misunderstood(&[detail("state.not.allowed", "state", &[])]);
    }
    for n in [7, 8] {
        update(&running, n, &with(body(), json!({ "steps": [] }))).misunderstood(&[detail(
            "validation.reference.failed",
            "seriesId",
            &[],
        )]);
    }
    let unknown = format!("/task-executions/{NOBODY}/series");
    let _ = running.admin.put(&unknown, &body()).refused(404, "not.found");
    assert_eq!(running.read(6)["seriesId"], series_of(1));
}

#[test]
fn a_bound_that_is_null_is_removed_in_the_whole_series() {
    let running = Running::with([member(planned(1), 1, 3), member(planned(2), 1, 4)]);
    let steps = json!([{ "seriesId": series_of(100), "name": "Gate", "actions": [
        {
            "seriesId": series_of(1001), "name": "Pressure", "type": "NUMBER",
            "minValue": null, "maxValue": null,
        },
    ] }]);
    let _ = update(&running, 1, &with(body(), json!({ "steps": steps }))).ok();
    for n in [1, 2] {
        let action = &running.read(n)["steps"][0]["actions"][0];
        assert_eq!((&action["minValue"], &action["maxValue"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn a_version_that_has_passed_begins_no_change() {
    let running = running();
    let tag = |n: u32| running.admin.get(&path(n)).header("etag").expect("an ETag").to_owned();
    let update = |n: u32, tag: &str, body: &Value| {
        running.admin.with("If-Match", tag).put(&format!("{}/series", path(n)), body)
    };
    let old = tag(3);
    let _ = running.admin.patch(&path(3), &json!({ "name": "Renamed" })).ok();
    let before: Vec<_> = (1..=8).map(|n| running.read(n)).collect();
    let _ = update(3, &old, &body()).refused(412, "precondition.failed");
    // The condition is checked after existence, before the state and the rules.
    let _ = update(2, "\"1\"", &body()).refused(412, "precondition.failed");
    let _ = update(3, &old, &json!({})).refused(412, "precondition.failed");
    let unknown = format!("/task-executions/{NOBODY}/series");
    let conditional = running.admin.with("If-Match", &old);
    let _ = conditional.put(&unknown, &body()).refused(404, "not.found");
    let after: Vec<_> = (1..=8).map(|n| running.read(n)).collect();
    assert_eq!(after, before, "nothing has changed");
    let _ = update(3, &tag(3), &body()).ok();
    let _ = update(
        6,
        "*",
        &with(body(), json!({ "seriesId": running.read(6)["seriesId"], "steps": [] })),
    )
    .ok();
}

#[test]
fn failures_of_the_body_are_invalid_input() {
    let running = running();
    let required = ["seriesId", "locationId", "name", "startAt", "endAt", "steps"];
    update(&running, 3, &json!({}))
        .misunderstood(&required.map(|name| detail("validation.notnull.failed", name, &[])));
    update(&running, 3, &json!({ "seriesId": 1, "steps": [{ "seriesId": "x" }] })).misunderstood(
        &[
            detail("data.type.invalid", "seriesId", &["UUID"]),
            detail("data.type.invalid", "steps[0].seriesId", &["UUID"]),
        ],
    );
    let steps = json!([
        { "seriesId": series_of(999), "name": "unknown" },
        { "seriesId": series_of(100), "name": "s", "actions": [
            { "seriesId": series_of(9999), "name": "a", "type": "TEXT" },
            { "seriesId": series_of(1000), "name": "", "type": "TEXT" },
        ] },
        { "seriesId": series_of(100), "name": "twice" },
    ]);
    let bad = json!({ "steps": steps, "endAt": "2026-03-03T10:00:00Z", "locationId": NOBODY });
    update(&running, 3, &with(body(), bad)).misunderstood(&[
        detail("validation.reference.failed", "locationId", &[]),
        detail("validation.period.failed", "endAt", &[]),
        detail("validation.reference.failed", "steps[0].seriesId", &[]),
        detail("validation.reference.failed", "steps[1].actions[0].seriesId", &[]),
        detail("validation.length.failed", "steps[1].actions[1].name", &["1", "255"]),
        detail("validation.reference.failed", "steps[2].seriesId", &[]),
    ]);
    for id in MALFORMED {
        running
            .admin
            .put(&format!("/task-executions/{id}/series"), &body())
            .misunderstood(&[detail("data.type.invalid", "id", &["UUID"])]);
    }
    for n in 1..=8 {
        assert_eq!(running.read(n)["edited"], false, "nothing has changed");
    }
}
