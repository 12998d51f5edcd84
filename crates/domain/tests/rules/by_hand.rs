//! Executions that are made by hand: POST with a scheduled task and without one.

use std::collections::HashMap;

use patrol_domain::{
    Existing, Patch, Refusal, Resource, Rule, Timestamp,
    ids::{LocationId, PointId, ScheduledTaskId, TaskExecutionId, UserId, Uuid},
    scheduled_task::{ScheduledTask, TaskPlan},
    task_execution::{
        ActionDraft, ContentDraft, ExecutionDraft, Priority, Progress, StepDraft, TaskExecution,
    },
};

use crate::{
    round::{check_list, daily, task},
    sample::{Counting, at, draft_of, execution, faults, id, nothing_exists, rules},
};

const NEW: TaskExecutionId = TaskExecutionId(Uuid::from_u128(77));
const TASK: ScheduledTaskId = ScheduledTaskId(Uuid::from_u128(7));

fn create(draft: &ExecutionDraft, existing: &Existing) -> Result<TaskExecution, Refusal> {
    draft.create(NEW, existing, &rules(), &Counting::default())
}

/// Only the plan of this task exists.
fn planned(task: ScheduledTask) -> Existing {
    let list = check_list(&[40, 41]);
    let check_lists = HashMap::from([(list.id, list)]);
    Existing { plan: Some(TaskPlan { task, check_lists }), ..nothing_exists() }
}

/// A run of the task that starts at a fixed time.
fn run() -> ExecutionDraft {
    let content = ContentDraft { start_at: Some(at(0)), ..ContentDraft::default() };
    ExecutionDraft { scheduled_task_id: Some(TASK), content, ..ExecutionDraft::default() }
}

fn step(key: Option<u128>, point: Option<u128>) -> StepDraft {
    StepDraft {
        key: key.map(id),
        point_id: point.map(|point| PointId(id(point))),
        name: Some("Gate".into()),
        ..StepDraft::default()
    }
}

fn named<const N: usize>(expected: [(&str, Rule); N]) -> [(String, Rule); N] {
    expected.map(|(name, rule)| (name.to_owned(), rule))
}

/// The steps with the names of their actions; no step and no action is in a series.
fn actions(execution: &TaskExecution) -> Vec<(&str, Vec<(&str, i32)>)> {
    let steps = execution.steps.iter().map(|step| {
        assert_eq!(step.series_id, None);
        assert!(step.actions.iter().all(|action| action.series_id.is_none()));
        let actions = step.actions.iter().map(|action| (action.name.as_str(), action.order));
        (step.name.as_str(), actions.collect())
    });
    steps.collect()
}

#[test]
fn without_a_task_the_members_of_put_are_needed() {
    let found = faults(create(&ExecutionDraft::default(), &nothing_exists()));
    let needed = ["locationId", "name", "startAt", "endAt", "steps"];
    assert_eq!(found, named(needed.map(|name| (name, Rule::NotNull))));

    let mut content = draft_of(&execution(), false);
    content.assignee_ids = None;
    for step in content.steps.iter_mut().flatten() {
        (step.key, step.point_id) = (None, None);
        step.actions.iter_mut().for_each(|action| action.key = None);
    }
    let draft = ExecutionDraft { content, ..ExecutionDraft::default() };
    let location = execution().location_id;
    let made = create(&draft, &Existing::from_iter([location])).unwrap();
    assert_eq!((made.id, made.scheduled_task_id, made.series_id), (NEW, None, None));
    assert_eq!((made.progress, made.edited, made.published), (Progress::Pending, false, false));
    assert_eq!((made.start_at, made.end_at), (execution().start_at, execution().end_at));
    assert_eq!(made.steps.len(), execution().steps.len());
    let parts = made.steps.iter().flat_map(|step| &step.actions);
    assert!(parts.clone().all(|action| action.outcome.is_none() && action.series_id.is_none()));
    assert!(parts.count() > 0);
    // The plan of a task that the body does not name is not used.
    let existing = Existing { plan: planned(task(None)).plan, ..Existing::from_iter([location]) };
    assert_eq!(create(&draft, &existing), Ok(made));
}

#[test]
fn a_run_has_the_content_of_the_task_as_it_is_now() {
    let stopped = ScheduledTask { enabled: false, published: true, ..task(Some(daily())) };
    let made = create(&run(), &planned(stopped.clone())).unwrap();
    let expected = TaskExecution {
        description: stopped.description.clone(),
        assignee_ids: stopped.assignee_ids.clone(),
        priority: Priority::Major,
        order_steps_required: true,
        strict_time_required: true,
        deadlined: true,
        tags: stopped.tags.clone(),
        steps: made.steps.clone(),
        ..TaskExecution::new(NEW, TASK, LocationId(id(1)), "Night round", [at(0), at(45)])
    };
    assert_eq!(made, expected);
    let own = vec![("Closed", 4), ("Level", 5), ("Level", 6)];
    let expected = [("Step 20", own), ("Step 21", vec![("Level", 0), ("Level", 1)])];
    assert_eq!(actions(&made), expected);
    assert_eq!(made.steps[0].point_id, Some(PointId(id(90))));
    // Without a schedule a run takes an hour.
    assert_eq!(create(&run(), &planned(task(None))).unwrap().end_at, at(60));
}

#[test]
fn members_of_the_body_replace_those_of_the_task() {
    let mut draft = run();
    draft.performer_id = Some(UserId(id(5)));
    draft.published = true;
    draft.content = ContentDraft {
        end_at: Some(at(1)),
        name: Some("Extra".into()),
        description: Some(String::new()),
        location_id: Some(LocationId(id(2))),
        assignee_ids: Some(Vec::new()),
        priority: Some("MINOR".into()),
        order_steps_required: Some(false),
        strict_time_required: Some(false),
        deadlined: Some(false),
        tags: Some(Vec::new()),
        steps: Some(vec![step(None, Some(90))]),
        ..draft.content
    };
    let mut existing = planned(task(Some(daily())));
    existing.extend([LocationId(id(2)).into(), UserId(id(5)).into()]);
    let made = create(&draft, &existing).unwrap();
    let expected = TaskExecution {
        description: Some(String::new()),
        performer_id: Some(UserId(id(5))),
        published: true,
        priority: Priority::Minor,
        steps: made.steps.clone(),
        ..TaskExecution::new(NEW, TASK, LocationId(id(2)), "Extra", [at(0), at(1)])
    };
    assert_eq!(made, expected);
    assert_eq!(actions(&made), [("Gate", vec![])]);
}

/// Nothing that the task names exists any more.
#[test]
fn only_what_the_task_does_not_hold_is_checked() {
    let existing = planned(task(None));
    let mut draft = run();
    draft.content.location_id = Some(LocationId(id(1)));
    draft.content.assignee_ids = Some(vec![UserId(id(92)), UserId(id(92))]);
    draft.content.steps = Some(vec![step(None, Some(90))]);
    assert_eq!(create(&draft, &existing).unwrap().assignee_ids, [UserId(id(92))]);

    draft.performer_id = Some(UserId(id(92)));
    draft.content.location_id = Some(LocationId(id(2)));
    draft.content.assignee_ids = Some(vec![UserId(id(92)), UserId(id(93))]);
    // The id of a step of the task is not one of the new execution.
    draft.content.steps = Some(vec![step(Some(20), Some(91))]);
    let fields = ["performerId", "assigneeIds[1]", "locationId", "steps[0].id", "steps[0].pointId"];
    let expected = named(fields.map(|name| (name, Rule::Reference)));
    assert_eq!(faults(create(&draft, &existing)), expected);
    let references = draft.references(&rules().limits);
    assert_eq!((references.plan, references.records[&Resource::User].len()), (Some(TASK), 2));
}

#[test]
fn all_faults_of_a_run_are_named() {
    let mut draft = run();
    draft.id = Some(TaskExecutionId(Uuid::max()));
    (draft.content.start_at, draft.content.priority) = (None, Some("HIGH".into()));
    draft.content.name = Some(String::new());
    let mut action = ActionDraft {
        name: Some("Level".into()),
        kind: Some("NUMBER".into()),
        min_value: Patch::Value(2.0),
        max_value: Patch::Value(1.0),
        ..ActionDraft::default()
    };
    draft.content.steps =
        Some(vec![StepDraft { actions: vec![action.clone()], ..step(None, None) }]);
    let expected = named([
        ("id", Rule::Unique),
        ("scheduledTaskId", Rule::Reference),
        ("name", Rule::Length { min: 1, max: 255 }),
        ("startAt", Rule::NotNull),
        ("priority", Rule::Enum(&["MINOR", "NORMAL", "MAJOR", "CRITICAL"])),
        ("steps[0].actions[0].maxValue", Rule::Bounds),
    ]);
    assert_eq!(faults(create(&draft, &nothing_exists())), expected);
    action.max_value = Patch::Value(2.0);

    let nowhere = ScheduledTask { location_id: None, ..task(None) };
    let expected = named([("locationId", Rule::NotNull)]);
    assert_eq!(faults(create(&run(), &planned(nowhere.clone()))), expected);
    let mut somewhere = run();
    somewhere.content.location_id = Some(LocationId(id(2)));
    let mut existing = planned(nowhere);
    existing.extend([LocationId(id(2)).into()]);
    assert_eq!(create(&somewhere, &existing).unwrap().location_id, LocationId(id(2)));

    let mut backwards = run();
    backwards.content.end_at = Some(at(-1));
    let mut late = run();
    late.content.start_at = Timestamp::parse("9999-12-31T23:30:00Z");
    for draft in [backwards, late] {
        let found = faults(create(&draft, &planned(task(None))));
        assert_eq!(found, named([("endAt", Rule::Period)]));
    }
    let taken = ExecutionDraft { id: Some(NEW), ..run() };
    let existing = Existing { plan: planned(task(None)).plan, ..Existing::from_iter([NEW]) };
    assert_eq!(faults(create(&taken, &existing)), named([("id", Rule::Unique)]));
}
