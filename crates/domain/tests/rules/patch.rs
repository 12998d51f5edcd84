//! PATCH of an execution.

use patrol_domain::{
    Patch, Refusal, Rule,
    ids::{LocationId, UserId},
    task_execution::{ExecutionPatch, Priority, TaskExecution},
};

use crate::sample::{at, completed, execution, faults, id, nothing_exists, rules};

fn patch(
    execution: &TaskExecution,
    patch: &ExecutionPatch,
) -> Result<Option<TaskExecution>, Refusal> {
    patch.apply(execution, &nothing_exists(), &rules())
}

#[test]
fn a_patch_without_changes_returns_none() {
    let before = execution();
    assert_eq!(patch(&before, &ExecutionPatch::default()), Ok(None));
    let same = ExecutionPatch {
        name: Patch::Value(before.name.clone()),
        description: Patch::Value("All gates".into()),
        assignee_ids: Patch::Value(before.assignee_ids.clone()),
        start_at: Patch::Value(before.start_at),
        deadlined: Patch::Value(true),
        ..ExecutionPatch::default()
    };
    assert_eq!(patch(&before, &same), Ok(None));
}

#[test]
fn only_members_of_the_patch_change() {
    let before = execution();
    let patched = ExecutionPatch {
        start_at: Patch::Value(at(5)),
        description: Patch::Null,
        priority: Patch::Value("CRITICAL".into()),
        published: Patch::Value(false),
        tags: Patch::Value(vec!["b".into(), "b".into()]),
        ..ExecutionPatch::default()
    };
    let after = patch(&before, &patched).unwrap().unwrap();
    let wanted = TaskExecution {
        start_at: at(5),
        description: None,
        priority: Priority::Critical,
        published: false,
        tags: vec!["b".into()],
        edited: true,
        ..before
    };
    assert_eq!(after, wanted);
}

#[test]
fn null_is_a_fault_except_for_the_description() {
    let nulls = ExecutionPatch {
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
    let wanted = [
        "name",
        "locationId",
        "assigneeIds",
        "startAt",
        "endAt",
        "priority",
        "orderStepsRequired",
        "strictTimeRequired",
        "deadlined",
        "tags",
        "published",
    ];
    let found = faults(patch(&execution(), &nulls));
    assert_eq!(found, wanted.map(|name| (name.to_owned(), Rule::NotNull)));
}

#[test]
fn the_period_is_checked_with_the_stored_end() {
    let late = ExecutionPatch { start_at: Patch::Value(at(61)), ..ExecutionPatch::default() };
    assert_eq!(faults(patch(&execution(), &late)), [("endAt".to_owned(), Rule::Period)]);
    let equal = ExecutionPatch { start_at: Patch::Value(at(60)), ..ExecutionPatch::default() };
    assert!(patch(&execution(), &equal).is_ok());
}

#[test]
fn new_references_have_to_exist() {
    let references = ExecutionPatch {
        assignee_ids: Patch::Value(vec![UserId(id(104)), UserId(id(7))]),
        location_id: Patch::Value(LocationId(id(8))),
        ..ExecutionPatch::default()
    };
    assert_eq!(
        faults(patch(&execution(), &references)),
        [
            ("locationId".to_owned(), Rule::Reference),
            ("assigneeIds[1]".to_owned(), Rule::Reference)
        ]
    );
}

#[test]
fn of_a_completed_execution_only_published_and_tags_change() {
    let before = completed();
    let permitted = ExecutionPatch {
        published: Patch::Value(false),
        tags: Patch::Value(Vec::new()),
        ..ExecutionPatch::default()
    };
    let after = patch(&before, &permitted).unwrap().unwrap();
    assert!(after.edited && !after.published && after.tags.is_empty());

    let same_name = Patch::Value(before.name.clone());
    let refused = [
        ExecutionPatch { name: same_name, ..ExecutionPatch::default() },
        ExecutionPatch { description: Patch::Null, ..ExecutionPatch::default() },
        ExecutionPatch { location_id: Patch::Null, ..ExecutionPatch::default() },
        ExecutionPatch { assignee_ids: Patch::Null, ..ExecutionPatch::default() },
        ExecutionPatch { start_at: Patch::Null, ..ExecutionPatch::default() },
        ExecutionPatch { end_at: Patch::Null, ..ExecutionPatch::default() },
        ExecutionPatch { priority: Patch::Null, ..ExecutionPatch::default() },
        ExecutionPatch { order_steps_required: Patch::Null, ..ExecutionPatch::default() },
        ExecutionPatch { strict_time_required: Patch::Null, ..ExecutionPatch::default() },
        ExecutionPatch { deadlined: Patch::Value(true), ..ExecutionPatch::default() },
    ];
    for change in refused {
        assert_eq!(patch(&before, &change), Err(Refusal::State("state".to_owned())), "{change:?}");
    }
}
