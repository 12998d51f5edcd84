//! Values derived from results, in the record and in the summary.

use std::{thread, time::Duration};

use patrol_tests::{Running, completed, execution_id, in_progress, planned, with};
use serde_json::{Value, json};

use super::planned_record;

#[test]
fn an_execution_under_way_shows_what_was_reported() {
    let running = Running::with([in_progress(1)]);
    let mut expected = with(
        planned_record(1),
        json!({
            "state": "IN_PROGRESS", "status": "ERROR", "performerId": patrol_tests::company::GUARD,
            "startedAt": "2026-01-31T08:01:00.000Z", "late": false,
        }),
    );
    let step = &mut expected["steps"][0];
    step["state"] = json!("COMPLETED");
    step["status"] = json!("ERROR");
    step["actualOrder"] = json!(0);
    for (at, status, member, value) in
        [(0, "ERROR", "booleanValue", json!(false)), (1, "WARNING", "numberValue", json!(3))]
    {
        let action = &mut step["actions"][at];
        action["state"] = json!("COMPLETED");
        action["status"] = json!(status);
        action[member] = value;
    }
    assert_eq!(running.read(1), expected);
}

#[test]
fn summaries_count_and_measure() {
    let running = Running::with([planned(1), in_progress(2), completed(3)]);
    let expected = |n, over: Value| {
        let record = planned_record(n);
        let mut summary = json!({ "assigned": true, "errorCount": 0, "warningCount": 0 });
        for member in [
            "id",
            "scheduledTaskId",
            "performerId",
            "assigneeIds",
            "locationId",
            "name",
            "state",
            "status",
            "startAt",
            "endAt",
            "startedAt",
            "endedAt",
            "priority",
            "seriesId",
            "orderStepsRequired",
            "deadlined",
            "published",
            "edited",
            "tags",
            "flagCount",
            "late",
            "missed",
        ] {
            summary[member] = record[member].clone();
        }
        summary["stepCount"] = json!(2);
        summary["executedStepCount"] = json!(0);
        summary["totalExecutedTimeInMillis"] = json!(0);
        with(summary, over)
    };
    assert_eq!(running.summary(1), expected(1, json!({})));

    let mut under_way = running.summary(2);
    let time = under_way["totalExecutedTimeInMillis"].as_i64().unwrap();
    assert!(time > 0, "the time of an execution under way runs on");
    thread::sleep(Duration::from_millis(20));
    let later = running.summary(2)["totalExecutedTimeInMillis"].as_i64().unwrap();
    assert!(later >= time + 20, "{time} ms, then {later} ms");
    under_way["totalExecutedTimeInMillis"] = json!(0);
    let begun = json!({
        "state": "IN_PROGRESS", "status": "ERROR", "errorCount": 1, "warningCount": 1,
        "performerId": patrol_tests::company::GUARD, "startedAt": "2026-01-31T08:01:00.000Z",
        "executedStepCount": 1, "late": false,
    });
    assert_eq!(under_way, expected(2, begun));

    let done = json!({
        "state": "COMPLETED", "status": "SUCCESS", "executedStepCount": 2,
        "performerId": patrol_tests::company::GUARD, "startedAt": "2026-01-31T08:01:00.000Z",
        "endedAt": "2026-01-31T08:31:00.250Z", "totalExecutedTimeInMillis": 1_800_250,
        "late": false, "missed": false,
    });
    assert_eq!(running.summary(3), expected(3, done));
}

#[test]
fn a_summary_without_assignees_is_not_assigned() {
    let running = Running::with([with(planned(1), json!({ "assigneeIds": [] }))]);
    assert_eq!(running.summary(1)["assigned"], false);
}

/// Type and bounds, whether it is required, the result and the state of the execution, and the
/// expected status.
struct Case {
    action: Value,
    required: bool,
    result: Value,
    over: bool,
    status: Value,
}

fn case(action: Value, required: bool, result: Value, over: bool, status: Value) -> Case {
    Case { action, required, result, over, status }
}

fn cases() -> Vec<Case> {
    let number = || json!({ "type": "NUMBER", "minValue": 1, "maxValue": 2 });
    let least = || json!({ "type": "NUMBER", "minValue": 1 });
    let most = || json!({ "type": "NUMBER", "maxValue": 2 });
    let of = |kind: &str| json!({ "type": kind });
    let read = |value: f64| json!({ "numberValue": value });
    let (error, warning, success) = (json!("ERROR"), json!("WARNING"), json!("SUCCESS"));
    vec![
        case(number(), true, read(1.0), false, success.clone()),
        case(number(), true, read(2.0), false, success.clone()),
        case(number(), true, read(0.999), false, error.clone()),
        case(number(), true, read(2.001), true, error.clone()),
        case(number(), false, read(2.001), false, warning.clone()),
        case(least(), true, read(1e9), false, success.clone()),
        case(least(), true, read(0.5), false, error.clone()),
        case(most(), true, read(-1e9), false, success.clone()),
        case(most(), false, read(2.5), true, warning.clone()),
        case(of("NUMBER"), true, read(-7.0), false, success.clone()),
        case(of("BOOLEAN"), true, json!({ "booleanValue": true }), false, success.clone()),
        case(of("BOOLEAN"), true, json!({ "booleanValue": false }), false, error.clone()),
        case(of("BOOLEAN"), false, json!({ "booleanValue": false }), true, warning),
        case(of("TEXT"), true, json!({ "textValue": "x" }), false, success.clone()),
        case(
            of("MEDIA"),
            true,
            json!({ "mediaIds": [patrol_tests::series_of(1)] }),
            false,
            success,
        ),
        case(of("TEXT"), true, Value::Null, false, Value::Null),
        case(of("TEXT"), true, Value::Null, true, error),
        case(of("TEXT"), false, Value::Null, true, Value::Null),
    ]
}

#[test]
fn the_status_of_an_action_follows_from_its_result() {
    let cases = cases();
    let executions = cases.iter().zip(1..).map(|(case, n)| {
        let mut execution = if case.over { completed(n) } else { in_progress(n) };
        let mut action = json!({
            "id": patrol_tests::action_id(n, 1), "name": "Check", "required": case.required,
        });
        action = with(action, case.action.clone());
        if !case.result.is_null() {
            action = with(with(action, json!({ "state": "COMPLETED" })), case.result.clone());
        }
        execution["steps"][0]["actions"] = json!([action]);
        execution["steps"].as_array_mut().unwrap().truncate(1);
        execution
    });
    let running = Running::with(executions);
    let list = running.admin.get("/task-executions/info?sort=id").ok();
    for ((case, n), item) in cases.iter().zip(1..).zip(list["data"].as_array().unwrap()) {
        let record = running.read(n);
        let what = format!("{} {} {}", case.action, case.required, case.result);
        assert_eq!(record["steps"][0]["actions"][0]["status"], case.status, "{what}");
        assert_eq!(record["steps"][0]["status"], case.status, "{what}");
        assert_eq!(record["status"], case.status, "{what}");
        assert_eq!(item["id"], execution_id(n));
        assert_eq!(item["status"], case.status, "{what}");
        assert_eq!(item["errorCount"], u32::from(case.status == "ERROR"), "{what}");
        assert_eq!(item["warningCount"], u32::from(case.status == "WARNING"), "{what}");
    }
}

#[test]
fn a_status_is_never_taken_from_a_client() {
    let running = Running::with([in_progress(1)]);
    let record = running.read(1);
    let mut lie = with(record.clone(), json!({ "status": "SUCCESS", "state": "COMPLETED" }));
    lie["steps"][0]["status"] = json!("SUCCESS");
    lie["steps"][0]["actions"][0]["status"] = json!("SUCCESS");
    lie["steps"][0]["actions"][0]["booleanValue"] = json!(true);
    let _ = running.admin.put(&super::path(1), &lie).ok();
    assert_eq!(running.read(1), with(record, json!({ "edited": true })));
}
