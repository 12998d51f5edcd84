//! PUT of an execution.

use patrol_domain::{
    Existing, Named, Patch, Refusal, Rule,
    ids::{LocationId, PointId, UserId},
    task_execution::{
        ActionDraft, ActionType, ContentDraft, Outcome, Priority, State, Status, StepDraft,
        TaskExecution,
    },
};

use crate::sample::{Counting, completed, draft_of, execution, faults, id, nothing_exists, rules};

fn put(execution: &TaskExecution, draft: &ContentDraft) -> Result<TaskExecution, Refusal> {
    execution.with_content(draft, &nothing_exists(), &rules(), &Counting::default())
}

#[test]
fn a_put_of_the_current_content_only_sets_edited() {
    let before = execution();
    let after = put(&before, &draft_of(&before, false)).unwrap();
    assert_eq!(after, TaskExecution { edited: true, ..before });
}

#[test]
fn a_completed_execution_cannot_be_replaced() {
    let before = completed();
    assert_eq!(put(&before, &draft_of(&before, false)), Err(Refusal::State("state".to_owned())));
    // The state is checked before the fields.
    assert_eq!(put(&before, &ContentDraft::default()), Err(Refusal::State("state".to_owned())));
}

#[test]
fn name_location_times_and_steps_are_required() {
    let wanted = ["locationId", "name", "startAt", "endAt", "steps"];
    let found = faults(put(&execution(), &ContentDraft::default()));
    assert_eq!(found, wanted.map(|name| (name.to_owned(), Rule::NotNull)));
}

#[test]
fn absent_members_get_their_defaults() {
    let before = execution();
    let mut draft = draft_of(&before, false);
    draft = ContentDraft {
        location_id: draft.location_id,
        name: draft.name.take(),
        start_at: draft.start_at,
        end_at: draft.end_at,
        steps: Some(Vec::new()),
        ..ContentDraft::default()
    };
    let after = put(&before, &draft).unwrap();
    assert_eq!((after.assignee_ids, after.tags, after.steps), (vec![], vec![], vec![]));
    assert_eq!((after.description, after.priority), (None, Priority::Normal));
    assert!(!after.order_steps_required && !after.strict_time_required && !after.deadlined);
    // A PUT cannot change these members.
    assert_eq!((after.performer_id, after.published), (before.performer_id, before.published));
    assert_eq!(after.progress, before.progress);
}

#[test]
fn all_faults_are_reported_in_the_order_of_the_fields() {
    let mut draft = draft_of(&execution(), false);
    draft.assignee_ids.get_or_insert_default().push(UserId(id(666)));
    draft.location_id = Some(LocationId(id(666)));
    draft.name = Some(String::new());
    draft.description = Some("a\0b".into());
    draft.end_at = draft.start_at.and_then(|start| start.shifted(-1));
    draft.priority = Some("URGENT".into());
    draft.tags = Some(vec!["ok".into(), String::new(), "x".repeat(101)]);
    let step = &mut draft.steps.as_mut().unwrap()[0];
    step.point_id = Some(PointId(id(666)));
    step.name = None;
    step.order = Some(i64::MAX);
    step.actions[0].kind = Some("boolean".into());
    step.actions[1].kind = None;
    step.actions[1].name = Some("ü".repeat(256));
    let length = |min, max| Rule::Length { min, max };
    let order = Rule::Range { min: i32::MIN.into(), max: i32::MAX.into() };
    let wanted = [
        ("assigneeIds[2]", Rule::Reference),
        ("locationId", Rule::Reference),
        ("name", length(1, 255)),
        ("description", Rule::Characters),
        ("endAt", Rule::Period),
        ("priority", Rule::Enum(Priority::NAMES)),
        ("tags[1]", length(1, 100)),
        ("tags[2]", length(1, 100)),
        ("steps[0].pointId", Rule::Reference),
        ("steps[0].name", Rule::NotNull),
        ("steps[0].order", order),
        ("steps[0].actions[0].type", Rule::Enum(ActionType::NAMES)),
        ("steps[0].actions[1].name", length(1, 255)),
        ("steps[0].actions[1].type", Rule::NotNull),
    ];
    let wanted: Vec<_> = wanted.into_iter().map(|(at, rule)| (at.to_owned(), rule)).collect();
    assert_eq!(faults(put(&execution(), &draft)), wanted);
}

#[test]
fn bounds_count_characters_and_elements() {
    let good = |draft: &ContentDraft| put(&execution(), draft).is_ok();
    let mut draft = draft_of(&execution(), false);
    draft.name = Some("\u{1F6E1}".repeat(255));
    draft.description = Some("я".repeat(10_000));
    draft.tags = Some((0..100).map(|at| format!("{at:0>100}")).collect());
    assert!(good(&draft));

    let step = StepDraft { name: Some("s".into()), ..StepDraft::default() };
    let action =
        ActionDraft { name: Some("a".into()), kind: Some("TEXT".into()), ..ActionDraft::default() };
    draft.steps = Some(vec![step.clone(); 500]);
    draft.steps.as_mut().unwrap()[0].actions = vec![action.clone(); 200];
    assert!(good(&draft));
    draft.steps.as_mut().unwrap()[0].actions.push(action);
    draft.steps.as_mut().unwrap().push(step);
    draft.tags.get_or_insert_default().push("one more".into());
    draft.description.as_mut().unwrap().push('я');
    let found = faults(put(&execution(), &draft));
    let length = |max| Rule::Length { min: 0, max };
    assert_eq!(
        found,
        [
            ("description".to_owned(), length(10_000)),
            ("tags".to_owned(), length(100)),
            ("steps".to_owned(), length(500)),
            ("steps[0].actions".to_owned(), length(200)),
        ]
    );
    let existing = (0..1001).map(|n| UserId(id(n))).collect::<Existing>();
    let mut draft = draft_of(&execution(), false);
    draft.assignee_ids = Some((0..1001).map(|number| UserId(id(number))).collect());
    let result = execution().with_content(&draft, &existing, &rules(), &Counting::default());
    assert_eq!(faults(result), [("assigneeIds".to_owned(), length(1000))]);
}

#[test]
fn steps_and_actions_are_matched_by_id_and_keep_their_results() {
    let before = execution();
    let mut draft = draft_of(&before, false);
    let steps = draft.steps.as_mut().unwrap();
    // The first step is left out, but one of its actions moves to the second step. A new step is
    // added.
    let mut moved = steps[0].actions.remove(1);
    moved.order = Some(-1);
    steps[1].actions.push(moved);
    steps[0] = StepDraft { name: Some("New".into()), order: Some(9), ..StepDraft::default() };
    let after = put(&before, &draft).unwrap();

    let names: Vec<_> = after.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["Step 2", "New"]);
    assert_eq!(after.steps[0].id, before.steps[1].id);
    let actions: Vec<_> = after.steps[0].actions.iter().map(|action| action.id).collect();
    assert_eq!(actions, [before.steps[0].actions[1].id, before.steps[1].actions[0].id]);
    assert_eq!(after.steps[0].actions[0].outcome, before.steps[0].actions[1].outcome);
    let new = &after.steps[1];
    assert_eq!((new.state, new.actual_order, new.point_id), (State::Pending, None, None));
    assert!(before.steps.iter().all(|step| step.id != new.id));
}

#[test]
fn an_unknown_or_repeated_id_is_a_fault() {
    let mut draft = draft_of(&execution(), false);
    let steps = draft.steps.as_mut().unwrap();
    steps[1].key = steps[0].key;
    steps[0].actions[0].key = Some(id(666));
    // The id of a step is not the id of an action.
    steps[1].actions[0].key = steps[0].key;
    let found = faults(put(&execution(), &draft));
    let at = ["steps[0].actions[0].id", "steps[1].id", "steps[1].actions[0].id"];
    assert_eq!(found, at.map(|at| (at.to_owned(), Rule::Reference)));
}

#[test]
fn an_action_with_a_new_type_loses_its_result_and_absent_bounds_are_kept() {
    let before = execution();
    let mut draft = draft_of(&before, false);
    let actions = &mut draft.steps.as_mut().unwrap()[0].actions;
    actions[0].kind = Some("TEXT".into());
    (actions[1].min_value, actions[1].max_value) = (Patch::Absent, Patch::Value(30.0));
    let after = put(&before, &draft).unwrap();
    let actions = &after.steps[0].actions;
    assert_eq!((actions[0].kind, &actions[0].outcome), (ActionType::Text, &None));
    assert_eq!(actions[0].state(), State::Pending);
    assert_eq!((actions[1].min_value, actions[1].max_value), (Some(10.0), Some(30.0)));
    assert_eq!(actions[1].outcome, before.steps[0].actions[1].outcome);

    // Only a NUMBER has bounds.
    let mut draft = draft_of(&before, false);
    draft.steps.as_mut().unwrap()[0].actions[0].min_value = Patch::Value(1.0);
    draft.steps.as_mut().unwrap()[0].actions[1].kind = Some("TEXT".into());
    let after = put(&before, &draft).unwrap();
    let bounds = after.steps[0].actions.iter().map(|action| (action.min_value, action.max_value));
    assert_eq!(bounds.collect::<Vec<_>>(), [(None, None), (None, None)]);
}

#[test]
fn a_null_bound_is_removed_and_the_status_is_derived_again() {
    let mut before = execution();
    before.steps[0].actions[1].outcome = Some(Outcome::Number(25.0));
    assert_eq!(before.steps[0].actions[1].status(false), Some(Status::Error));
    let mut draft = draft_of(&before, false);
    draft.steps.as_mut().unwrap()[0].actions[1].max_value = Patch::Null;
    let after = put(&before, &draft).unwrap();
    let reading = &after.steps[0].actions[1];
    assert_eq!((reading.min_value, reading.max_value), (Some(10.0), None));
    assert_eq!(reading.status(false), Some(Status::Success));
    // A new action has no previous bound.
    let mut draft = draft_of(&before, false);
    let action = &mut draft.steps.as_mut().unwrap()[0].actions[1];
    (action.key, action.min_value) = (None, Patch::Absent);
    let after = put(&before, &draft).unwrap();
    assert_eq!(after.steps[0].actions[1].min_value, None);
}

#[test]
fn order_defaults_to_the_position_and_equal_orders_keep_the_order_of_the_body() {
    let before = execution();
    let mut draft = draft_of(&before, false);
    let step =
        |name: &str, order| StepDraft { name: Some(name.into()), order, ..StepDraft::default() };
    draft.steps =
        Some(vec![step("a", Some(2)), step("b", None), step("c", Some(1)), step("d", None)]);
    let after = put(&before, &draft).unwrap();
    let order: Vec<_> = after.steps.iter().map(|step| (step.name.as_str(), step.order)).collect();
    assert_eq!(order, [("b", 1), ("c", 1), ("a", 2), ("d", 3)]);
}

#[test]
fn references_that_the_execution_already_has_are_not_checked_again() {
    let before = execution();
    let mut draft = draft_of(&before, false);
    // A step may refer to the point of another step.
    draft.steps.as_mut().unwrap()[1].point_id = before.steps[0].point_id;
    assert!(put(&before, &draft).is_ok());
    // A new assignee has to exist.
    draft.assignee_ids.get_or_insert_default().push(UserId(id(7)));
    assert!(put(&before, &draft).is_err());
    let existing = Existing::from_iter([UserId(id(7))]);
    let after = before.with_content(&draft, &existing, &rules(), &Counting::default()).unwrap();
    assert_eq!(after.assignee_ids.last(), Some(&UserId(id(7))));
}

#[test]
fn duplicate_assignees_and_tags_are_dropped() {
    let before = execution();
    let mut draft = draft_of(&before, false);
    let assignees = draft.assignee_ids.get_or_insert_default();
    assignees.rotate_left(1);
    assignees.push(assignees[0]);
    draft.tags = Some(["b", "a", "b", "B"].map(String::from).to_vec());
    let after = put(&before, &draft).unwrap();
    assert_eq!(after.assignee_ids, [UserId(id(104)), UserId(id(103))]);
    assert_eq!(after.tags, ["b", "a", "B"]);
}

#[test]
fn bounds_that_a_put_writes_are_in_order() {
    let before = execution();
    let with = |min, max| {
        let mut draft = draft_of(&before, false);
        let action = &mut draft.steps.as_mut().unwrap()[0].actions[1];
        (action.min_value, action.max_value) = (min, max);
        draft
    };
    let wrong = [("steps[0].actions[1].maxValue".to_owned(), Rule::Bounds)];
    for (min, max) in [
        (Patch::Value(2.0), Patch::Value(1.0)),
        // The other bound stays: from 10 to 20.
        (Patch::Absent, Patch::Value(9.5)),
        (Patch::Value(20.5), Patch::Absent),
    ] {
        assert_eq!(faults(put(&before, &with(min, max))), wrong, "{min:?} {max:?}");
    }
    for (min, max) in [
        (Patch::Value(1.0), Patch::Value(1.0)),
        (Patch::Null, Patch::Value(9.5)),
        (Patch::Value(20.5), Patch::Null),
    ] {
        assert!(put(&before, &with(min, max)).is_ok(), "{min:?} {max:?}");
    }
    // A new type has no stored bounds.
    let text = |min, max| {
        let mut draft = with(min, max);
        draft.steps.as_mut().unwrap()[0].actions[1].kind = Some("TEXT".to_owned());
        draft
    };
    assert_eq!(faults(put(&before, &text(Patch::Value(2.0), Patch::Value(1.0)))), wrong);
    assert!(put(&before, &text(Patch::Absent, Patch::Value(9.5))).is_ok());
    // Bounds that were imported and that the body leaves as they are stay.
    let mut imported = before.clone();
    imported.steps[0].actions[1].max_value = Some(1.0);
    assert!(put(&imported, &with(Patch::Absent, Patch::Absent)).is_ok());
}
