//! The plan that changes with an update of its series.

use patrol_domain::{
    Patch, Version, Versioned,
    ids::{CheckListId, ScheduledTaskId, SeriesId},
    scheduled_task::{PlannedAction, Round, ScheduledTask},
    series::{NewSeries, PlannedSeries, SeriesDraft},
    task_execution::{ActionDraft, ActionType, TaskExecution},
};

use crate::{
    round::{EMPTY_LIST, NEGATIVE_LIST, compare, daily, made, task},
    sample::{Counting, draft_of, id, nothing_exists, rules},
};

const HOUR: i64 = 3_600_000;

/// The body of an update that changes nothing.
fn draft(from: &TaskExecution) -> SeriesDraft {
    SeriesDraft { series_id: from.series_id, content: draft_of(from, true) }
}

/// The plan and the executions of `task` after an update of the rounds `known`, the first of which is in
/// the path.
fn updated(
    task: &ScheduledTask,
    known: &[Round],
    draft: &SeriesDraft,
) -> (ScheduledTask, Vec<TaskExecution>) {
    let executions: Vec<_> = known.iter().map(|round| round.execution.record.clone()).collect();
    let versioned = Versioned { record: task.clone(), version: Version(3) };
    let (from, start) = (known[0].execution.clone(), known[0].start);
    let plan = PlannedSeries::of(versioned, from, Some(start), draft).unwrap().moved();
    let created = NewSeries { id: SeriesId(id(501)), fault: plan.schedule.as_ref().err() };
    let (from, following) = executions.split_first().unwrap();
    let ids = Counting::default();
    let split = draft.split(from, following, created, &nothing_exists(), &rules(), &ids).unwrap();
    (plan.apply(task, from, &split[0]), split)
}

/// The execution without what differs from one execution of a plan to the next.
fn content(execution: &TaskExecution) -> TaskExecution {
    let mut content = TaskExecution { edited: false, ..execution.clone() };
    content.id.0 = id(0);
    for step in &mut content.steps {
        step.id.0 = id(0);
        for action in &mut step.actions {
            action.id.0 = id(0);
        }
    }
    content
}

/// Executions that the plan makes after the update are like those that the update has changed.
fn assert_made_alike(task: &ScheduledTask, split: &[TaskExecution]) {
    let made = made(task, "2026-12-03T12:00:00Z");
    assert_eq!(made.len(), split.len());
    for (made, split) in made.iter().zip(split) {
        assert_eq!(content(&made.execution.record), content(split));
    }
}

#[test]
fn later_executions_are_made_as_the_update_says() {
    let task = task(Some(daily()));
    let known = made(&task, "2026-12-03T12:00:00Z");
    let from = &known[0].execution.record;
    let mut body = draft(from);
    body.content.name = Some("Evening round".into());
    body.content.start_at = from.start_at.shifted(-2 * HOUR);
    body.content.end_at = from.start_at.shifted(-HOUR + 1);
    let (plan, _) = updated(&task, &known, &body);
    let schedule = plan.schedule.clone().unwrap();
    assert_eq!(schedule.start.to_string(), "2026-12-03T20:00:00");
    // A part of a minute counts as one.
    assert_eq!(schedule.duration_minutes, 61);
    let expected = ScheduledTask {
        name: "Evening round".into(),
        schedule: Some(schedule),
        series_id: Some(SeriesId(id(501))),
        ..task.clone()
    };
    assert_eq!(plan, expected);

    body.content.end_at = from.start_at.shifted(-HOUR);
    let (plan, split) = updated(&task, &known, &body);
    assert_made_alike(&plan, &split);
}

#[test]
fn a_changed_action_of_a_check_list_becomes_one_of_the_step() {
    let task = task(Some(daily()));
    let known = made(&task, "2026-12-03T12:00:00Z");
    let mut body = draft(&known[0].execution.record);
    let steps = body.content.steps.as_mut().unwrap();
    steps[0].actions[1].name = Some("Water level".into());
    let (plan, split) = updated(&task, &known, &body);
    let lists: Vec<_> = plan.steps.iter().map(|step| step.check_list_id).collect();
    assert_eq!(lists, [None, Some(CheckListId(id(5)))]);
    assert_eq!(plan.steps[0].actions.len(), split[0].steps[0].actions.len());
    assert_made_alike(&plan, &split);
}

#[test]
fn a_check_list_without_actions_stays_with_its_step() {
    let mut task = task(Some(daily()));
    task.steps[0].check_list_id = Some(EMPTY_LIST);
    let known = made(&task, "2026-12-03T12:00:00Z");
    let mut body = draft(&known[0].execution.record);
    let own = ActionDraft {
        name: Some("Seal".into()),
        kind: Some("TEXT".into()),
        order: Some(100),
        ..ActionDraft::default()
    };
    body.content.steps.as_mut().unwrap()[0].actions.push(own);
    let (plan, split) = updated(&task, &known, &body);
    assert_eq!(plan.steps[0].check_list_id, Some(EMPTY_LIST));
    assert_made_alike(&plan, &split);
}

#[test]
fn a_check_list_with_negative_orders_stays_with_its_step() {
    let mut task = task(Some(daily()));
    task.steps[0].check_list_id = Some(NEGATIVE_LIST);
    let known = made(&task, "2026-12-03T12:00:00Z");
    let (plan, split) = updated(&task, &known, &draft(&known[0].execution.record));
    assert_eq!(plan.steps[0].check_list_id, Some(NEGATIVE_LIST));
    assert_made_alike(&plan, &split);
}

#[test]
fn impossible_bounds_of_an_imported_execution_do_not_become_part_of_the_plan() {
    let task = task(Some(daily()));
    let mut known = made(&task, "2026-12-03T12:00:00Z");
    let action = &mut known[0].execution.record.steps[0].actions[0];
    action.kind = ActionType::Number;
    (action.min_value, action.max_value) = (Some(2.0), Some(1.0));
    let mut body = draft(&known[0].execution.record);
    for step in body.content.steps.iter_mut().flatten() {
        for action in &mut step.actions {
            (action.min_value, action.max_value) = (Patch::Absent, Patch::Absent);
        }
    }
    let (plan, split) = updated(&task, &known, &body);
    let action = &split[0].steps[0].actions[0];
    assert_eq!((action.min_value, action.max_value), (Some(2.0), Some(1.0)));
    let PlannedAction { kind, min_value, max_value, .. } = plan.steps[0].actions[0];
    assert_eq!((kind, min_value, max_value), (ActionType::Number, None, None));
}

#[test]
fn new_and_removed_steps_and_actions_are_those_of_the_plan() {
    let task = task(Some(daily()));
    let known = made(&task, "2026-12-03T12:00:00Z");
    for at_the_end in [true, false] {
        let mut body = draft(&known[0].execution.record);
        let steps = body.content.steps.as_mut().unwrap();
        let own = ActionDraft {
            name: Some("Seal".into()),
            kind: Some("TEXT".into()),
            order: Some(if at_the_end { 100 } else { 0 }),
            ..ActionDraft::default()
        };
        steps[0].actions.push(own);
        let mut new = steps[1].clone();
        (new.key, new.name) = (None, Some("New".into()));
        new.actions.iter_mut().for_each(|action| action.key = None);
        steps[1] = new;
        let (plan, split) = updated(&task, &known, &body);
        // An action behind those of the list would come before them.
        let list = Some(CheckListId(id(5))).filter(|_| !at_the_end);
        let lists: Vec<_> = plan.steps.iter().map(|step| step.check_list_id).collect();
        assert_eq!(lists, [list, None]);
        assert_made_alike(&plan, &split);
    }
}

#[test]
fn only_the_series_that_a_schedule_makes_now_has_a_plan() {
    let task = task(Some(daily()));
    let known = made(&task, "2026-12-03T12:00:00Z").swap_remove(0).execution;
    let of = |task: &ScheduledTask, draft: &SeriesDraft| {
        let task = Versioned { record: task.clone(), version: Version(3) };
        PlannedSeries::of(task, known.clone(), None, draft).is_some()
    };
    let body = draft(&known.record);
    assert!(of(&task, &body));
    assert!(of(&ScheduledTask { enabled: false, ..task.clone() }, &body));
    assert!(!of(&ScheduledTask { schedule: None, ..task.clone() }, &body));
    assert!(!of(&ScheduledTask { series_id: Some(SeriesId(id(8))), ..task.clone() }, &body));
    assert!(!of(&ScheduledTask { series_id: None, ..task.clone() }, &body));
    assert!(!of(&task, &SeriesDraft { series_id: None, ..body.clone() }));
    let mut without_times = body.clone();
    without_times.content.start_at = None;
    assert!(!of(&task, &without_times));
    let mut backwards = body;
    backwards.content.end_at = known.record.start_at.shifted(-1);
    assert!(!of(&task, &backwards));
}

/// Executions before the update are no longer in the plan. They stay, also when it changes again.
#[test]
fn executions_before_the_update_stay() {
    let task = task(Some(daily()));
    let known = made(&task, "2026-12-03T12:00:00Z");
    let (before, after) = known.split_at(2);
    let (plan, _) = updated(&task, after, &draft(&after[0].execution.record));
    let renamed = ScheduledTask { name: "Renamed".into(), ..plan };
    let batch = compare(&renamed, before);
    assert_eq!((batch.changed.len(), batch.deleted.len()), (0, 0));
    // Also where the moved rule has the time of an earlier one.
    let mut a_day_earlier = draft(&after[0].execution.record);
    for time in [&mut a_day_earlier.content.start_at, &mut a_day_earlier.content.end_at] {
        *time = time.and_then(|time| time.shifted(-24 * HOUR));
    }
    let (plan, _) = updated(&task, after, &a_day_earlier);
    let batch = compare(&plan, before);
    assert_eq!((batch.changed.len(), batch.deleted.len()), (0, 0));
    let other = ScheduledTask { id: ScheduledTaskId(id(7)), schedule: None, ..task };
    assert_eq!(compare(&other, before).deleted.len(), 2);
}
