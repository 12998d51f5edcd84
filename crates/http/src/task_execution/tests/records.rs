//! The exact JSON of records.

use patrol_domain::task_execution::{Moment, Punctuality, TaskExecution};
use patrol_record::ExecutionRecord;
use serde::Serialize;

use super::{
    super::{
        copy::CopiedRecord,
        summary::{ReplacedRecord, SummaryRecord},
    },
    fixture::{at, completed, in_progress, pending},
};

/// Two hours after the planned end of all executions here.
fn moment() -> Moment {
    Punctuality::default().at(at("2026-01-31T08:00:00Z"))
}

/// Checks that a record is written as these lines, joined without indentation.
fn assert_written(record: &impl Serialize, lines: &str) {
    let expected: String = lines.lines().map(str::trim).collect();
    assert_eq!(serde_json::to_string(record).unwrap(), expected);
}

#[test]
fn the_full_record_has_the_documented_fields_in_order() {
    assert_written(
        &ExecutionRecord::shown(&completed(), moment()),
        r#"{"id":"0190a000-0000-7000-8000-000000000e01",
        "scheduledTaskId":"0190a000-0000-7000-8000-000000000a01",
        "name":"Night round, порт","description":"Gate first",
        "locationId":"0190a000-0000-7000-8000-000000000001",
        "performerId":"0190a000-0000-7000-8000-000000000b01",
        "status":"ERROR","state":"COMPLETED","published":true,
        "startAt":"2026-01-31T00:00:00.000Z","endAt":"2026-01-31T06:00:00.000Z",
        "steps":[
          {"id":"0190a000-0000-7000-8000-000000000101","name":"Gate","order":0,"actualOrder":1,
          "status":"WARNING","state":"COMPLETED","startedAt":null,"endedAt":null,"actions":[
            {"id":"0190a000-0000-7000-8000-000000000201","name":"Gate is locked",
            "type":"BOOLEAN","status":"SUCCESS","state":"COMPLETED",
            "numberValue":null,"minValue":null,"maxValue":null,"order":0,"required":true,
            "seriesId":"0190a000-0000-7000-8000-000000000401",
            "booleanValue":true,"textValue":null,"mediaIds":null},
            {"id":"0190a000-0000-7000-8000-000000000202","name":"Temperature",
            "type":"NUMBER","status":"WARNING","state":"COMPLETED",
            "numberValue":30,"minValue":-5,"maxValue":25.5,"order":1,"required":false,
            "seriesId":null,"booleanValue":null,"textValue":null,"mediaIds":null},
            {"id":"0190a000-0000-7000-8000-000000000203","name":"Remark",
            "type":"TEXT","status":"SUCCESS","state":"COMPLETED",
            "numberValue":null,"minValue":null,"maxValue":null,"order":2,"required":true,
            "seriesId":null,"booleanValue":null,"textValue":"all \"quiet\"","mediaIds":null},
            {"id":"0190a000-0000-7000-8000-000000000204","name":"Picture",
            "type":"MEDIA","status":"SUCCESS","state":"COMPLETED",
            "numberValue":null,"minValue":null,"maxValue":null,"order":3,"required":true,
            "seriesId":null,"booleanValue":null,"textValue":null,
            "mediaIds":["0190a000-0000-7000-8000-000000000501"]}],
          "pointId":"0190a000-0000-7000-8000-000000000c01",
          "seriesId":"0190a000-0000-7000-8000-000000000301"},
          {"id":"0190a000-0000-7000-8000-000000000102","name":"Cellar","order":1,
          "actualOrder":null,"status":"ERROR","state":"PENDING","startedAt":null,"endedAt":null,"actions":[
            {"id":"0190a000-0000-7000-8000-000000000205","name":"Pump runs",
            "type":"BOOLEAN","status":"ERROR","state":"PENDING",
            "numberValue":null,"minValue":null,"maxValue":null,"order":4,"required":true,
            "seriesId":null,"booleanValue":null,"textValue":null,"mediaIds":null}],
          "pointId":null,"seriesId":null}],
        "assigneeIds":["0190a000-0000-7000-8000-000000000b01",
        "0190a000-0000-7000-8000-000000000b02"],
        "seriesId":"0190a000-0000-7000-8000-000000000d01","priority":"NORMAL",
        "orderStepsRequired":true,"strictTimeRequired":false,"deadlined":true,
        "tags":["night","порт"],"edited":false,
        "startedAt":"2026-01-31T00:10:00.000Z","endedAt":"2026-01-31T01:40:00.500Z",
        "flagCount":0,"late":false,"missed":false}"#,
    );
}

#[test]
fn null_members_are_written() {
    let bare = TaskExecution {
        description: None,
        series_id: None,
        assignee_ids: Vec::new(),
        tags: Vec::new(),
        steps: Vec::new(),
        ..pending()
    };
    assert_written(
        &ExecutionRecord::shown(&bare, moment()),
        r#"{"id":"0190a000-0000-7000-8000-000000000e02",
        "scheduledTaskId":"0190a000-0000-7000-8000-000000000a01",
        "name":"Night round, порт","description":null,
        "locationId":"0190a000-0000-7000-8000-000000000001","performerId":null,
        "status":null,"state":"PENDING","published":true,
        "startAt":"2026-01-31T00:00:00.000Z","endAt":"2026-01-31T06:00:00.000Z",
        "steps":[],"assigneeIds":[],"seriesId":null,"priority":"NORMAL",
        "orderStepsRequired":true,"strictTimeRequired":false,"deadlined":true,
        "tags":[],"edited":false,"startedAt":null,"endedAt":null,"flagCount":0,"late":true,"missed":true}"#,
    );
    assert_written(
        &SummaryRecord::new(&bare.summary(), moment()),
        r#"{"id":"0190a000-0000-7000-8000-000000000e02",
        "scheduledTaskId":"0190a000-0000-7000-8000-000000000a01","performerId":null,
        "assigneeIds":[],"name":"Night round, порт","state":"PENDING","status":null,
        "startAt":"2026-01-31T00:00:00.000Z","endAt":"2026-01-31T06:00:00.000Z",
        "startedAt":null,"endedAt":null,"totalExecutedTimeInMillis":0,
        "errorCount":0,"warningCount":0,"priority":"NORMAL","seriesId":null,
        "assigned":false,"deadlined":true,"published":true,"edited":false,
        "stepCount":0,"executedStepCount":0,
        "locationId":"0190a000-0000-7000-8000-000000000001","tags":[],"orderStepsRequired":true,
        "flagCount":0,"late":true,"missed":true}"#,
    );
}

#[test]
fn the_summary_record_has_the_documented_fields() {
    assert_written(
        &SummaryRecord::new(&completed().summary(), moment()),
        r#"{"id":"0190a000-0000-7000-8000-000000000e01",
        "scheduledTaskId":"0190a000-0000-7000-8000-000000000a01",
        "performerId":"0190a000-0000-7000-8000-000000000b01",
        "assigneeIds":["0190a000-0000-7000-8000-000000000b01",
        "0190a000-0000-7000-8000-000000000b02"],
        "name":"Night round, порт","state":"COMPLETED","status":"ERROR",
        "startAt":"2026-01-31T00:00:00.000Z","endAt":"2026-01-31T06:00:00.000Z",
        "startedAt":"2026-01-31T00:10:00.000Z","endedAt":"2026-01-31T01:40:00.500Z",
        "totalExecutedTimeInMillis":5400500,"errorCount":1,"warningCount":1,
        "priority":"NORMAL","seriesId":"0190a000-0000-7000-8000-000000000d01",
        "assigned":true,"deadlined":true,"published":true,"edited":false,
        "stepCount":2,"executedStepCount":1,
        "locationId":"0190a000-0000-7000-8000-000000000001","tags":["night","порт"],
        "orderStepsRequired":true,
        "flagCount":0,"late":false,"missed":false}"#,
    );
}

#[test]
fn the_response_of_put_is_a_part_of_the_summary() {
    assert_written(
        &ReplacedRecord::new(&in_progress().summary(), moment()),
        r#"{"id":"0190a000-0000-7000-8000-000000000e02",
        "scheduledTaskId":"0190a000-0000-7000-8000-000000000a01","performerId":null,
        "assigneeIds":["0190a000-0000-7000-8000-000000000b01",
        "0190a000-0000-7000-8000-000000000b02"],
        "name":"Night round, порт","state":"IN_PROGRESS","status":null,
        "startAt":"2026-01-31T00:00:00.000Z","endAt":"2026-01-31T06:00:00.000Z",
        "totalExecutedTimeInMillis":1800000,"priority":"NORMAL",
        "stepCount":2,"executedStepCount":0}"#,
    );
}

#[test]
fn the_response_of_a_copy_has_the_documented_fields() {
    assert_written(
        &CopiedRecord::new(&pending()),
        r#"{"id":"0190a000-0000-7000-8000-000000000e02","name":"Night round, порт",
        "state":"PENDING","published":true,
        "startAt":"2026-01-31T00:00:00.000Z","endAt":"2026-01-31T06:00:00.000Z",
        "assigneeIds":["0190a000-0000-7000-8000-000000000b01",
        "0190a000-0000-7000-8000-000000000b02"],
        "steps":[
          {"pointId":"0190a000-0000-7000-8000-000000000c01","name":"Gate","actions":[
            {"name":"Gate is locked","type":"BOOLEAN","required":true},
            {"name":"Temperature","type":"NUMBER","required":false},
            {"name":"Remark","type":"TEXT","required":true},
            {"name":"Picture","type":"MEDIA","required":true}]},
          {"pointId":null,"name":"Cellar","actions":[
            {"name":"Pump runs","type":"BOOLEAN","required":true}]}]}"#,
    );
}
