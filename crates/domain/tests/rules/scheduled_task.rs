//! POST and PUT of a scheduled task, and a line of the data set.

use patrol_domain::{
    DraftContext, Drafted as _, Existing, Patch, Refusal, Rule, Timestamp,
    ids::{
        ActionId, CheckListId, LocationId, PointId, ScheduledTaskId, SeriesId, StepId, UserId, Uuid,
    },
    schedule::{LocalDateTime, ScheduleDraft},
    scheduled_task::{PlannedAction, PlannedStep, ScheduledTask, ScheduledTaskDraft},
    task_execution::{ActionDraft, ActionType, ContentDraft, StepDraft},
};

use crate::sample::{Counting, faults, id, nothing_exists, rules};

const NEW: ScheduledTaskId = ScheduledTaskId(Uuid::from_u128(7));

fn draft(steps: Vec<StepDraft>) -> ScheduledTaskDraft {
    let content = ContentDraft {
        name: Some("Round".into()),
        location_id: Some(LocationId(id(1))),
        steps: Some(steps),
        ..ContentDraft::default()
    };
    ScheduledTaskDraft { content, ..ScheduledTaskDraft::default() }
}

fn step(key: Option<u128>, actions: Vec<ActionDraft>) -> StepDraft {
    StepDraft { key: key.map(id), name: Some("Gate".into()), actions, ..StepDraft::default() }
}

fn number(key: Option<u128>, min_value: Patch<f64>) -> ActionDraft {
    ActionDraft {
        key: key.map(id),
        name: Some("Level".into()),
        kind: Some("NUMBER".into()),
        min_value,
        ..ActionDraft::default()
    }
}

fn create(draft: &ScheduledTaskDraft, existing: &Existing) -> Result<ScheduledTask, Refusal> {
    let (ids, rules) = (Counting::default(), rules());
    let draft = ScheduledTaskDraft { id: draft.id.or(Some(NEW)), ..draft.clone() };
    ScheduledTask::create(&draft, DraftContext { existing, ids: &ids, rules: &rules })
}

fn replace(task: &ScheduledTask, draft: &ScheduledTaskDraft) -> Result<ScheduledTask, Refusal> {
    let (existing, ids, rules) = (nothing_exists(), Counting::default(), rules());
    let context = DraftContext { existing: &existing, ids: &ids, rules: &rules };
    Ok(task.replace(draft, context)?.unwrap_or_else(|| task.clone()))
}

/// A task with a step (id 2) that has an action (id 3).
fn task() -> ScheduledTask {
    let action = PlannedAction {
        id: ActionId(id(3)),
        name: "Level".into(),
        kind: ActionType::Number,
        order: 0,
        required: false,
        min_value: Some(1.5),
        max_value: None,
    };
    let step = PlannedStep {
        id: StepId(id(2)),
        point_id: Some(PointId(id(90))),
        name: "Gate".into(),
        order: 0,
        check_list_id: Some(CheckListId(id(91))),
        actions: vec![action],
    };
    ScheduledTask {
        location_id: Some(LocationId(id(1))),
        assignee_ids: vec![UserId(id(92))],
        steps: vec![step],
        ..ScheduledTask::new(NEW, "Round")
    }
}

#[test]
fn a_new_task_has_defaults_and_needs_what_it_names() {
    let location = Existing::from_iter([LocationId(id(1))]);
    let made = create(&draft(Vec::new()), &location).unwrap();
    let plain = ScheduledTask::new(NEW, "Round");
    assert_eq!(made, ScheduledTask { location_id: Some(LocationId(id(1))), ..plain });
    let missing = faults(create(&ScheduledTaskDraft::default(), &location));
    assert_eq!(missing, ["locationId", "name"].map(|name| (name.to_owned(), Rule::NotNull)));
    let mut wrong = step(Some(2), vec![number(Some(3), Patch::Absent)]);
    wrong.check_list_id = Some(CheckListId(id(91)));
    let references = ["steps[0].id", "steps[0].checkListId", "steps[0].actions[0].id"];
    let found = faults(create(&draft(vec![wrong]), &location));
    assert_eq!(found, references.map(|name| (name.to_owned(), Rule::Reference)));
}

#[test]
fn a_taken_id_is_reported_with_the_other_faults() {
    let taken = ScheduledTaskDraft { id: Some(NEW), ..draft(Vec::new()) };
    let found = faults(create(&taken, &Existing::from_iter([NEW])));
    let expected = [("id", Rule::Unique), ("locationId", Rule::Reference)];
    assert_eq!(found, expected.map(|(name, rule)| (name.to_owned(), rule)));
    assert_eq!(ScheduledTask::references(&taken, &rules().limits).records.len(), 2);
}

#[test]
fn no_task_has_the_nil_uuid() {
    let nil = ScheduledTaskDraft { id: Some(ScheduledTaskId(Uuid::nil())), ..draft(Vec::new()) };
    let location = Existing::from_iter([LocationId(id(1))]);
    let expected = [("id".to_owned(), Rule::Unique)];
    assert_eq!(faults(create(&nil, &location)), expected);
    assert_eq!(faults(nil.check(&rules())), expected);
}

#[test]
fn references_and_bounds_that_a_task_has_are_kept() {
    let before = task();
    let mut kept = step(Some(2), vec![number(Some(3), Patch::Absent)]);
    (kept.point_id, kept.check_list_id) = (Some(PointId(id(90))), Some(CheckListId(id(91))));
    let mut same = draft(vec![kept.clone()]);
    same.content.assignee_ids = Some(vec![UserId(id(92))]);
    assert_eq!(replace(&before, &same), Ok(before.clone()));
    kept.actions = vec![number(Some(3), Patch::Null)];
    let after = replace(&before, &draft(vec![kept.clone()])).unwrap();
    assert_eq!(after.steps[0].actions[0].min_value, None);
    // An action of another type loses its bounds.
    kept.actions[0].kind = Some("TEXT".into());
    kept.actions[0].min_value = Patch::Absent;
    let after = replace(&before, &draft(vec![kept])).unwrap();
    assert_eq!(after.steps[0].actions[0].min_value, None);
    let other = draft(vec![step(Some(4), Vec::new())]);
    assert_eq!(faults(replace(&before, &other)), [("steps[0].id".to_owned(), Rule::Reference)]);
}

#[test]
fn a_line_of_an_earlier_version_has_only_an_id_and_a_name() {
    let mut line = ScheduledTaskDraft { id: Some(NEW), ..ScheduledTaskDraft::default() };
    line.content.name = Some("Round".into());
    assert_eq!(line.check(&rules()), Ok(ScheduledTask::new(NEW, "Round")));
    line.id = None;
    line.content.steps = Some(vec![step(None, vec![number(None, Patch::Absent)])]);
    let missing = ["id", "steps[0].id", "steps[0].actions[0].id"];
    let missing = missing.map(|name| (name.to_owned(), Rule::NotNull));
    assert_eq!(faults(line.check(&rules())), missing);
}

#[test]
fn a_task_gets_a_series_with_its_first_schedule_and_keeps_it() {
    let location = Existing::from_iter([LocationId(id(1))]);
    let schedule = ScheduleDraft {
        time_zone: Some("Asia/Kathmandu".into()),
        start: LocalDateTime::parse("2026-12-01T22:00:00"),
        duration_minutes: Some(30),
        rrule: Some("FREQ=DAILY;COUNT=2".into()),
        ..ScheduleDraft::default()
    };
    let with = ScheduledTaskDraft { schedule: Some(schedule), ..draft(Vec::new()) };
    let made = create(&with, &location).unwrap();
    assert!(made.series_id.is_some());
    let later = replace(&made, &draft(Vec::new())).unwrap();
    assert_eq!((later.series_id, later.schedule.as_ref()), (made.series_id, None));
    assert_eq!(replace(&later, &with).unwrap().series_id, made.series_id);
    // 22:00 in Kathmandu is 16:15 in UTC.
    let next = |task: &ScheduledTask, now: &str| {
        let next = task.active_schedule()?.next_after(Timestamp::parse(now).unwrap());
        next.map(|start| start.to_string())
    };
    let (first, second) = ("2026-12-01T16:15:00.000Z", "2026-12-02T16:15:00.000Z");
    assert_eq!(next(&made, "2026-11-01T00:00:00Z").as_deref(), Some(first));
    assert_eq!(next(&made, first).as_deref(), Some(second));
    assert_eq!(next(&made, second), None);
    assert_eq!(next(&ScheduledTask { enabled: false, ..made.clone() }, first), None);
    assert_eq!(next(&ScheduledTask { location_id: None, ..made }, first), None);
    // An import that names no series gets one too.
    let line = ScheduledTaskDraft { id: Some(NEW), ..with };
    assert_eq!(line.check(&rules()).unwrap().series_id, Some(SeriesId(NEW.0)));
}

#[test]
fn a_task_loses_only_its_own_assignees() {
    let before = task();
    assert_eq!(before.without_deleted_assignee(UserId(id(5))), None);
    let after = before.without_deleted_assignee(UserId(id(92)));
    assert_eq!(after, Some(ScheduledTask { assignee_ids: Vec::new(), ..before }));
}
