//! How bodies are read.

use patrol_application::CopyDraft;
use patrol_domain::{
    Patch,
    task_execution::{ActionDraft, ContentDraft, ExecutionPatch, StepDraft},
};
use patrol_record::json::{
    document,
    fields::{self, Fields},
};

use super::fixture::{at, id};
use crate::{route::JsonObject as _, task_execution::read_content};

fn read<T>(body: &str, read: fn(&mut Fields<'_>) -> T) -> Result<T, Vec<(String, &'static str)>> {
    fields::object(&document::parse(body.as_bytes(), 64).unwrap(), read).map_err(|faults| {
        let answer = |fault: fields::TypeFault| {
            (fault.identifier.unwrap_or_default(), fault.expected.name())
        };
        faults.into_iter().map(answer).collect()
    })
}

#[test]
fn a_put_is_read_with_all_its_members() {
    let body = r#"{
        "assigneeIds": ["0190a000-0000-7000-8000-000000000b02"],
        "locationId": "0190A000-0000-7000-8000-000000000001",
        "name": "Round", "description": "Go", "unknown": {"a": 1},
        "startAt": "2026-01-31T08:00:00+01:00", "endAt": "2026-01-31T08:00:00.1239Z",
        "priority": "MAJOR", "orderStepsRequired": true, "strictTimeRequired": true,
        "deadlined": true, "tags": ["a"],
        "steps": [{"id": "0190a000-0000-7000-8000-000000000101",
          "seriesId": "0190a000-0000-7000-8000-000000000301",
          "pointId": "0190a000-0000-7000-8000-000000000c01", "name": "Gate", "order": 4,
          "actions": [{"id": null, "name": "Reading", "type": "NUMBER", "order": 2,
            "required": true, "minValue": -1.5, "maxValue": 10}]}]}"#;
    let expected = ContentDraft {
        assignee_ids: Some(vec![id(0xb02)]),
        location_id: Some(id(1)),
        name: Some("Round".into()),
        description: Some("Go".into()),
        start_at: Some(at("2026-01-31T07:00:00Z")),
        end_at: Some(at("2026-01-31T08:00:00.123Z")),
        priority: Some("MAJOR".into()),
        order_steps_required: Some(true),
        strict_time_required: Some(true),
        deadlined: Some(true),
        tags: Some(vec!["a".into()]),
        steps: Some(vec![StepDraft {
            key: Some(id(0x101)),
            point_id: Some(id(0xc01)),
            name: Some("Gate".into()),
            order: Some(4),
            check_list_id: None,
            actions: vec![ActionDraft {
                key: None,
                name: Some("Reading".into()),
                kind: Some("NUMBER".into()),
                order: Some(2),
                required: true,
                min_value: Patch::Value(-1.5),
                max_value: Patch::Value(10.0),
            }],
        }]),
    };
    assert_eq!(read(body, ContentDraft::read).unwrap(), expected);
}

#[test]
fn a_series_update_matches_steps_and_actions_by_series_id() {
    let body = r#"{"steps": [{"id": "0190a000-0000-7000-8000-000000000101",
        "seriesId": "0190a000-0000-7000-8000-000000000301",
        "actions": [{"seriesId": "0190a000-0000-7000-8000-000000000401"}]}]}"#;
    let draft = read(body, |fields| read_content(fields, "seriesId")).unwrap();
    let steps = draft.steps.unwrap();
    assert_eq!(steps[0].key, Some(id(0x301)));
    assert_eq!(steps[0].actions[0].key, Some(id(0x401)));
}

#[test]
fn in_a_put_absent_and_null_are_the_same_except_for_bounds() {
    let nulls = r#"{"assigneeIds": null, "locationId": null, "name": null, "description": null,
        "startAt": null, "endAt": null, "priority": null, "orderStepsRequired": null,
        "strictTimeRequired": null, "deadlined": null, "tags": null, "steps": null}"#;
    assert_eq!(read(nulls, ContentDraft::read).unwrap(), ContentDraft::default());
    assert_eq!(read("{}", ContentDraft::read).unwrap(), ContentDraft::default());
    let step = r#"{"steps": [{"id": null, "pointId": null, "name": null, "order": null,
        "actions": [{"id": null, "name": null, "type": null, "order": null, "required": null,
          "minValue": null}]}, {"actions": null}]}"#;
    let steps = read(step, ContentDraft::read).unwrap().steps.unwrap();
    // Bounds are the exception: null removes one, an absent one is kept.
    let action = ActionDraft { min_value: Patch::Null, ..ActionDraft::default() };
    let bare = StepDraft { actions: vec![action], ..StepDraft::default() };
    assert_eq!(steps, [bare, StepDraft::default()]);
}

#[test]
fn every_member_of_a_put_has_its_type() {
    let body = r#"{"assigneeIds": ["x", null], "locationId": 1, "name": 2, "description": [],
        "startAt": "soon", "endAt": 5, "priority": true, "orderStepsRequired": "true",
        "strictTimeRequired": 1, "deadlined": {}, "tags": "a",
        "steps": [{"id": 1, "pointId": "p", "name": 1, "order": 1.5,
          "actions": [{"id": "1", "name": {}, "type": 1, "order": "1", "required": 0,
            "minValue": "1", "maxValue": false}, 7]}, "step"]}"#;
    let expected = [
        ("assigneeIds[0]", "UUID"),
        ("assigneeIds[1]", "UUID"),
        ("locationId", "UUID"),
        ("name", "STRING"),
        ("description", "STRING"),
        ("startAt", "TIMESTAMP"),
        ("endAt", "TIMESTAMP"),
        ("priority", "STRING"),
        ("orderStepsRequired", "BOOLEAN"),
        ("strictTimeRequired", "BOOLEAN"),
        ("deadlined", "BOOLEAN"),
        ("tags", "ARRAY"),
        ("steps[0].id", "UUID"),
        ("steps[0].pointId", "UUID"),
        ("steps[0].name", "STRING"),
        ("steps[0].order", "INTEGER"),
        ("steps[0].actions[0].id", "UUID"),
        ("steps[0].actions[0].name", "STRING"),
        ("steps[0].actions[0].type", "STRING"),
        ("steps[0].actions[0].order", "INTEGER"),
        ("steps[0].actions[0].required", "BOOLEAN"),
        ("steps[0].actions[0].minValue", "NUMBER"),
        ("steps[0].actions[0].maxValue", "NUMBER"),
        ("steps[0].actions[1]", "OBJECT"),
        ("steps[1]", "OBJECT"),
    ];
    let expected: Vec<_> = expected.map(|(path, name)| (path.to_owned(), name)).into();
    assert_eq!(read(body, ContentDraft::read).unwrap_err(), expected);
}

#[test]
fn a_patch_distinguishes_absent_null_and_value() {
    assert_eq!(read(r#"{"steps": []}"#, ExecutionPatch::read).unwrap(), ExecutionPatch::default());
    let nulls = r#"{"name": null, "description": null, "locationId": null, "assigneeIds": null,
        "startAt": null, "endAt": null, "priority": null, "orderStepsRequired": null,
        "strictTimeRequired": null, "deadlined": null, "tags": null, "published": null}"#;
    let expected = ExecutionPatch {
        name: Patch::Null,
        description: Patch::Null,
        location_id: Patch::Null,
        assignee_ids: Patch::Null,
        start_at: Patch::Null,
        end_at: Patch::Null,
        priority: Patch::Null,
        order_steps_required: Patch::Null,
        strict_time_required: Patch::Null,
        deadlined: Patch::Null,
        tags: Patch::Null,
        published: Patch::Null,
    };
    assert_eq!(read(nulls, ExecutionPatch::read).unwrap(), expected);
    let values = r#"{"name": "n", "description": "", "assigneeIds": [],
        "locationId": "0190a000-0000-7000-8000-000000000001",
        "startAt": "2026-01-31T07:00:00Z", "endAt": "2026-01-31T08:00:00Z", "priority": "MINOR",
        "orderStepsRequired": false, "strictTimeRequired": true, "deadlined": false,
        "tags": ["a", "a"], "published": true}"#;
    let expected = ExecutionPatch {
        name: Patch::Value("n".into()),
        description: Patch::Value(String::new()),
        location_id: Patch::Value(id(1)),
        assignee_ids: Patch::Value(Vec::new()),
        start_at: Patch::Value(at("2026-01-31T07:00:00Z")),
        end_at: Patch::Value(at("2026-01-31T08:00:00Z")),
        priority: Patch::Value("MINOR".into()),
        order_steps_required: Patch::Value(false),
        strict_time_required: Patch::Value(true),
        deadlined: Patch::Value(false),
        tags: Patch::Value(vec!["a".into(), "a".into()]),
        published: Patch::Value(true),
    };
    assert_eq!(read(values, ExecutionPatch::read).unwrap(), expected);
}

#[test]
fn a_copy_is_unpublished_by_default() {
    let ids = r#""taskIds": ["0190a000-0000-7000-8000-000000000e01"]"#;
    for (body, published) in [
        (format!("{{{ids}}}"), false),
        (format!("{{{ids}, \"published\": null}}"), false),
        (format!("{{{ids}, \"published\": true}}"), true),
    ] {
        let expected = CopyDraft { task_ids: Some(vec![id(0xe01)]), published };
        assert_eq!(read(&body, CopyDraft::read).unwrap(), expected, "{body}");
    }
    assert_eq!(read("{\"taskIds\": null}", CopyDraft::read).unwrap(), CopyDraft::default());
    let faults = read(r#"{"taskIds": ["a"], "published": 1}"#, CopyDraft::read).unwrap_err();
    assert_eq!(faults, [("taskIds[0]".into(), "UUID"), ("published".into(), "BOOLEAN")]);
}
