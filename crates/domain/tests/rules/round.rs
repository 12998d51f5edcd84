//! Executions that are made from the occurrences of a schedule.

use std::collections::{BTreeSet, HashMap, HashSet};

use patrol_domain::{
    Timestamp, Version, Versioned,
    check_list::{CheckList, CheckListAction},
    ids::{
        ActionId, CheckListActionId, CheckListId, LocationId, PointId, ScheduledTaskId, SeriesId,
        StepId, UserId, Uuid,
    },
    schedule::{LocalDateTime, RecurrenceRule, Schedule, TimeZone},
    scheduled_task::{
        DryRunResult, ExecutionTimes, MadeOccurrence, PARTS_AT_ONCE, PlanDryRun, PlannedAction,
        PlannedStep, ROUNDS_AT_ONCE, Round, RoundBatch, RoundMaker, RoundProgress, ScheduledTask,
    },
    task_execution::{ActionType, Priority, Progress, TaskExecution},
};

use crate::sample::{Counting, id};

fn local(text: &str) -> LocalDateTime {
    LocalDateTime::parse(text).unwrap()
}

fn utc(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn schedule(zone: &str, start: &str, rule: &str) -> Schedule {
    Schedule {
        time_zone: TimeZone::named(zone).unwrap(),
        start: local(start),
        duration_minutes: 45,
        rule: Some(RecurrenceRule::parse(rule).unwrap()),
        exdates: Vec::new(),
        rdates: Vec::new(),
        pauses: Vec::new(),
    }
}

pub(crate) fn daily() -> Schedule {
    schedule("Europe/Berlin", "2026-12-01T22:00:00", "FREQ=DAILY")
}

/// A plan with two steps of one check-list (id 5), the first of which has an action of its own.
pub(crate) fn task(schedule: Option<Schedule>) -> ScheduledTask {
    let action = PlannedAction {
        id: ActionId(id(30)),
        name: "Closed".into(),
        kind: ActionType::Boolean,
        order: 4,
        required: true,
        min_value: None,
        max_value: None,
    };
    let step = |number: u128, actions| PlannedStep {
        id: StepId(id(number)),
        point_id: Some(PointId(id(90))),
        name: format!("Step {number}"),
        order: 1,
        check_list_id: Some(CheckListId(id(5))),
        actions,
    };
    ScheduledTask {
        description: Some("Every door".into()),
        location_id: Some(LocationId(id(1))),
        assignee_ids: vec![UserId(id(92))],
        priority: Priority::Major,
        order_steps_required: true,
        strict_time_required: true,
        deadlined: true,
        tags: vec!["night".into()],
        published: false,
        steps: vec![step(20, vec![action]), step(21, Vec::new())],
        schedule,
        series_id: Some(SeriesId(id(9))),
        ..ScheduledTask::new(ScheduledTaskId(id(7)), "Night round")
    }
}

/// A check-list without actions.
pub(crate) const EMPTY_LIST: CheckListId = CheckListId(Uuid::from_u128(6));

/// A check-list whose actions have the lowest order and the order -1.
pub(crate) const NEGATIVE_LIST: CheckListId = CheckListId(Uuid::from_u128(7));

pub(crate) fn check_list(actions: &[u128]) -> CheckList {
    let action = |number: &u128| CheckListAction {
        order: i32::try_from(*number).unwrap() - 40,
        ..CheckListAction::new(CheckListActionId(id(*number)), "Level", ActionType::Number)
    };
    let actions = actions.iter().map(action).collect();
    CheckList { id: CheckListId(id(5)), name: "Doors".into(), actions }
}

/// The next changes of `task` with executions made until the end of 2026.
fn next(task: &ScheduledTask, made: RoundProgress, known: &[Round]) -> RoundBatch {
    let task = Versioned { record: task.clone(), version: Version(3) };
    let empty = CheckList { id: EMPTY_LIST, ..check_list(&[]) };
    let mut negative = CheckList { id: NEGATIVE_LIST, ..check_list(&[38, 39]) };
    negative.actions[0].order = i32::MIN;
    let lists = [check_list(&[40, 41]), empty, negative].map(|list| (list.id, list)).into();
    let horizon = utc("2026-12-31T23:59:59Z");
    let ids = Counting::default();
    RoundMaker { task: &task, check_lists: &lists, horizon, ids: &ids }.next(made, known)
}

const fn due(at: Timestamp) -> RoundProgress {
    RoundProgress { compare_from: None, due_at: Some(at) }
}

/// The executions that `task` makes from `at` on, as they are stored.
pub(crate) fn made(task: &ScheduledTask, at: &str) -> Vec<Round> {
    let created = next(task, due(utc(at)), &[]).created.into_iter();
    let round =
        |(start, record)| Round { start, execution: Versioned { record, version: Version(1) } };
    created.map(round).collect()
}

pub(crate) fn compare(task: &ScheduledTask, known: &[Round]) -> RoundBatch {
    let made = RoundProgress { compare_from: Some(local("2026-12-01T00:00:00")), due_at: None };
    next(task, made, known)
}

#[test]
fn an_execution_has_the_content_of_the_plan() {
    let task = task(Some(daily()));
    let batch = next(&task, due(utc("2026-12-30T00:00:00Z")), &[]);
    assert_eq!((batch.task.id, batch.task.expected), (task.id, Some(Version(3))));
    assert_eq!(batch.after, due(utc("2027-01-01T21:00:00Z")));
    let starts: Vec<_> = batch.created.iter().map(|(start, _)| *start).collect();
    assert_eq!(starts, [local("2026-12-30T22:00:00"), local("2026-12-31T22:00:00")]);
    let first = &batch.created[0].1;
    let plain = TaskExecution::new(
        first.id,
        task.id,
        LocationId(id(1)),
        "Night round",
        [utc("2026-12-30T21:00:00Z"), utc("2026-12-30T21:45:00Z")],
    );
    let expected = TaskExecution {
        series_id: task.series_id,
        description: task.description.clone(),
        assignee_ids: task.assignee_ids.clone(),
        priority: Priority::Major,
        order_steps_required: true,
        strict_time_required: true,
        deadlined: true,
        tags: task.tags.clone(),
        steps: first.steps.clone(),
        ..plain
    };
    assert_eq!(*first, expected);
    let steps: Vec<_> = first.steps.iter().map(|step| (step.series_id, step.point_id)).collect();
    let point = Some(PointId(id(90)));
    assert_eq!(steps, [(Some(SeriesId(id(20))), point), (Some(SeriesId(id(21))), point)]);
}

#[test]
fn a_step_has_its_own_actions_and_then_those_of_its_check_list() {
    let rounds = made(&task(Some(daily())), "2026-12-30T00:00:00Z");
    let steps = &rounds[0].execution.record.steps;
    let orders =
        |at: usize| steps[at].actions.iter().map(|action| action.order).collect::<Vec<_>>();
    assert_eq!((orders(0), orders(1)), (vec![4, 5, 6], vec![0, 1]));
    assert_eq!(steps[0].actions[0].series_id, Some(SeriesId(id(30))));
    // Both steps have the check-list, and a series update tells their actions apart.
    let series = |round: &Round| {
        let steps = round.execution.record.steps.iter();
        steps.flat_map(|step| &step.actions).map(|action| action.series_id).collect::<Vec<_>>()
    };
    let distinct: BTreeSet<_> = series(&rounds[0]).into_iter().collect();
    assert_eq!(distinct.len(), 5);
    assert_eq!(series(&rounds[0]), series(&rounds[1]));
}

#[test]
fn negative_orders_of_a_check_list_stay_behind_the_own_actions() {
    let mut task = task(Some(daily()));
    for step in &mut task.steps {
        step.check_list_id = Some(NEGATIVE_LIST);
    }
    let rounds = made(&task, "2026-12-30T00:00:00Z");
    let orders = rounds[0].execution.record.steps.iter().map(|step| {
        step.actions.iter().map(|action| (action.order, action.name.as_str())).collect::<Vec<_>>()
    });
    let own = task.steps[0].actions[0].name.as_str();
    let expected = [
        vec![(4, own), (5, "Level"), (i32::MAX, "Level")],
        vec![(i32::MIN, "Level"), (-1, "Level")],
    ];
    assert_eq!(orders.collect::<Vec<_>>(), expected);
}

#[test]
fn a_batch_is_bounded_and_the_next_one_goes_on() {
    let hourly = schedule("UTC", "2026-01-01T00:00:00", "FREQ=HOURLY");
    let task = task(Some(hourly));
    let first = next(&task, due(utc("2026-12-01T00:00:00Z")), &[]);
    assert_eq!(first.created.len(), ROUNDS_AT_ONCE);
    assert_eq!(first.after, due(utc("2026-12-03T16:00:00Z")));
    assert_eq!(next(&task, first.after, &[]).created[0].0, local("2026-12-03T16:00:00"));

    // The last batch reaches the horizon, also when it is full.
    let last = next(&task, due(utc("2026-12-29T08:00:00Z")), &[]);
    assert_eq!(
        (last.created.len(), last.after),
        (ROUNDS_AT_ONCE, due(utc("2027-01-01T00:00:00Z")))
    );
    assert_eq!((first.is_last, last.is_last), (false, true));
}

#[test]
fn a_batch_of_large_executions_is_short() {
    let mut large = task(Some(daily()));
    let step = large.steps[0].clone();
    // Each with one action of its own and two of the check-list: 4 parts.
    let steps = (1_000..1_500).map(|number| PlannedStep { id: StepId(id(number)), ..step.clone() });
    large.steps = steps.collect();
    let batch = next(&large, due(utc("2026-12-01T00:00:00Z")), &[]);
    assert_eq!(batch.created.len(), PARTS_AT_ONCE / 2_001 + 1);
    assert_eq!(batch.after, due(utc("2026-12-06T21:00:00Z")));
}

#[test]
fn a_schedule_that_is_over_or_inactive_makes_nothing() {
    let over = schedule("UTC", "2026-01-01T00:00:00", "FREQ=DAILY;COUNT=3");
    let stopped = ScheduledTask { enabled: false, ..task(Some(daily())) };
    let nowhere = ScheduledTask { location_id: None, ..task(Some(daily())) };
    for task in [task(Some(over)), task(None), stopped, nowhere] {
        let batch = next(&task, due(utc("2026-12-01T00:00:00Z")), &[]);
        let nothing = RoundProgress { compare_from: None, due_at: None };
        assert_eq!((batch.created.len(), batch.after), (0, nothing));
    }
}

#[test]
fn every_day_has_one_round_over_both_changes_of_the_clocks() {
    let zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"];
    for (zone, time) in zones.into_iter().flat_map(|zone| ["01:45", "02:15"].map(|at| (zone, at))) {
        let start = format!("2026-01-01T{time}:00");
        let task = task(Some(schedule(zone, &start, "FREQ=DAILY")));
        let (mut days, mut starts) = (BTreeSet::new(), BTreeSet::new());
        let mut at = due(utc("2025-12-31T00:00:00Z"));
        while at.due_at.is_some_and(|at| at < utc("2026-12-31T00:00:00Z")) {
            let batch = next(&task, at, &[]);
            for (start, made) in batch.created {
                assert!(
                    days.insert(start.date()) && starts.insert(made.start_at),
                    "{zone} {start:?}"
                );
            }
            at = batch.after;
        }
        assert!(days.len() >= 365, "{zone}: {}", days.len());
    }
}

#[test]
fn executions_take_the_new_content_and_keep_their_ids() {
    let before = task(Some(daily()));
    let known = made(&before, "2026-12-29T00:00:00Z");
    assert!(compare(&before, &known).changed.is_empty());
    let mut after = ScheduledTask { name: "Short round".into(), ..before };
    after.steps.remove(0);
    after.schedule.as_mut().unwrap().duration_minutes = 15;
    let batch = compare(&after, &known);
    assert_eq!((batch.created.len(), batch.deleted.len()), (0, 0));
    assert_eq!(batch.after.compare_from, Some(local("2026-12-31T22:00:01")));
    assert_eq!(compare(&after, &[]).after.compare_from, None);
    assert_eq!(batch.changed.len(), known.len());
    for ((at, new), Round { execution, .. }) in batch.changed.iter().zip(&known) {
        let old = &execution.record;
        assert_eq!((at.id, at.expected), (old.id, Some(Version(1))));
        let expected = TaskExecution {
            name: "Short round".into(),
            end_at: old.start_at.shifted(15 * 60_000).unwrap(),
            steps: vec![old.steps[1].clone()],
            ..old.clone()
        };
        assert_eq!(*new, expected);
        assert_eq!(new.progress, Progress::Pending);
    }
}

#[test]
fn executions_whose_occurrence_is_gone_are_deleted() {
    let known = made(&task(Some(daily())), "2026-12-28T00:00:00Z");
    let mut mondays = daily();
    mondays.rule = Some(RecurrenceRule::parse("FREQ=WEEKLY;BYDAY=MO").unwrap());
    let batch = compare(&task(Some(mondays)), &known);
    let deleted: Vec<_> = batch.deleted.iter().map(|at| at.id).collect();
    // The 28th is a Monday.
    let gone: Vec<_> = known[1..].iter().map(|round| round.execution.record.id).collect();
    assert_eq!((deleted, batch.changed.len()), (gone.clone(), 0));
    let batch = compare(&task(None), &known);
    assert_eq!(batch.deleted.len(), gone.len() + 1);
    let later = schedule("Europe/Berlin", "2026-12-01T22:00:01", "FREQ=DAILY");
    assert_eq!(compare(&task(Some(later)), &known).deleted.len(), gone.len() + 1);
}

#[test]
fn a_dry_run_says_what_would_happen_to_each_execution() {
    let known = made(&task(Some(daily())), "2026-12-25T00:00:00Z");
    let result = |round: &Round| {
        let TaskExecution { id, start_at, end_at, .. } = round.execution.record;
        ExecutionTimes { id: Some(id), start_at, end_at }
    };
    // The first has begun, the second was deleted, the third was edited; the plan moves to Sundays, and
    // gets an occurrence that has begun.
    let made_rounds = vec![
        MadeOccurrence { start: known[0].start, execution: Some(result(&known[0])) },
        MadeOccurrence { start: known[1].start, execution: None },
        MadeOccurrence { start: known[2].start, execution: Some(result(&known[2])) },
        MadeOccurrence { start: known[3].start, execution: Some(result(&known[3])) },
        MadeOccurrence { start: known[4].start, execution: Some(result(&known[4])) },
    ];
    let mut sundays = daily();
    sundays.rule = Some(RecurrenceRule::parse("FREQ=WEEKLY;BYDAY=SU,TU,WE").unwrap());
    sundays.rdates = vec![local("2026-12-25T22:05:00")];
    let plan_dry_run = PlanDryRun {
        is_changed: true,
        task: Versioned { record: task(Some(sundays)), version: Version(3) },
        made: made_rounds,
        now: utc("2026-12-25T21:10:00Z"),
        horizon: utc("2026-12-31T23:59:59Z"),
    };
    let occurrences = plan_dry_run.occurrences();
    let deleted = HashSet::from([known[3].execution.record.id]);
    let changed = vec![result(&known[4])];
    let DryRunResult { created, changed, deleted, kept } =
        plan_dry_run.result(&occurrences, changed, &deleted);
    assert_eq!(kept, [result(&known[2])]);
    assert_eq!((changed, deleted), (vec![result(&known[4])], vec![result(&known[3])]));
    let starts: Vec<_> = created.iter().map(|round| (round.id, round.start_at)).collect();
    assert_eq!(starts, [(None, utc("2026-12-30T21:00:00Z"))]);
}

#[test]
fn a_long_comparison_goes_on_after_the_last_execution() {
    let hourly = task(Some(schedule("UTC", "2026-01-01T00:00:00", "FREQ=HOURLY")));
    let known = made(&hourly, "2026-12-01T00:00:00Z");
    let renamed = ScheduledTask { name: "Another".into(), ..hourly };
    let batch = compare(&renamed, &known);
    assert_eq!(batch.changed.len(), ROUNDS_AT_ONCE);
    assert_eq!(batch.after.compare_from, Some(local("2026-12-03T15:00:01")));
}

/// Executions far apart, also where the rule has very many occurrences between them.
#[test]
fn executions_are_compared_at_their_own_times() {
    let dense = "FREQ=HOURLY;BYMINUTE=0,15,30,45";
    let task = task(Some(schedule("Europe/Berlin", "2026-12-01T22:00:00", dense)));
    let mut known = made(&task, "2026-12-02T00:00:00Z");
    let far = ["2026-12-02T00:45:00", "2199-06-01T12:30:00", "8999-03-28T02:15:00"].map(local);
    known.truncate(far.len());
    for (round, start) in known.iter_mut().zip(far) {
        round.start = start;
    }
    let schedule = task.schedule.as_ref().unwrap();
    let found = schedule.occurrences_at(far);
    assert_eq!(found.keys().copied().collect::<BTreeSet<_>>(), BTreeSet::from(far));
    let none =
        schedule.occurrences_at([local("2026-12-02T00:46:00"), local("2026-11-01T00:00:00")]);
    assert_eq!(none, HashMap::new());
    assert_eq!(compare(&task, &known).deleted.len(), 0);
}
