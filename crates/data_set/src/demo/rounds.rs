//! The rounds of the demo company: the executions of all occurrences of the last and the next two weeks,
//! made from the plans as the service makes them. Those of the past have results.

use std::collections::HashMap;

use patrol_domain::{
    Ids, Timestamp, Version, Versioned,
    check_list::CheckList,
    data_set::{NewExecution, Record},
    ids::{ActionId, CheckListId, MediaId, StepId, TaskExecutionId, Uuid},
    schedule::LocalDateTime,
    scheduled_task::{RoundMaker, RoundProgress, ScheduledTask},
    task_execution::{Action, Outcome, Progress, State, Step, TaskExecution},
};

use super::{
    ids::{Kind, id},
    phrases::Phrases,
    plans::{Plan, check_lists, plans},
    random::Random,
    timetable::day_and_hour,
};

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// Rounds start at most so many days before or after now. Rounds of later days are made while the demo
/// runs: this is the default of `PATROL_SCHEDULE_HORIZON`.
const DAYS: i64 = 14;

pub(super) fn executions(now: Timestamp) -> Vec<Record> {
    let check_lists = check_lists().into_iter().map(|list| (list.id, list)).collect();
    plans(now)
        .flat_map(|plan| {
            let made = made(&plan, &check_lists, now);
            let rounds = made
                .into_iter()
                .filter_map(move |(start, execution)| round(&plan, start, execution, now));
            rounds.collect::<Vec<_>>()
        })
        .map(Record::from)
        .collect()
}

/// The executions as they are made from the plan, with the local starts of their occurrences. Their ids
/// are placeholders.
fn made(
    plan: &Plan,
    check_lists: &HashMap<CheckListId, CheckList>,
    now: Timestamp,
) -> Vec<(LocalDateTime, TaskExecution)> {
    let (Some(from), Some(horizon)) = (now.shifted(-DAYS * DAY), now.shifted(DAYS * DAY)) else {
        return Vec::new();
    };
    let task = ScheduledTask { schedule: plan.schedule.clone(), ..plan.task.clone() };
    let task = Versioned { record: task, version: Version::FIRST };
    let maker = RoundMaker { task: &task, check_lists, horizon, ids: &Placeholder };
    let mut made = RoundProgress { compare_from: None, due_at: Some(from) };
    let mut created = Vec::new();
    while made.due_at.is_some_and(|due_at| due_at <= horizon) {
        let batch = maker.next(made, &[]);
        created.extend(batch.created);
        made = batch.after;
    }
    created
}

/// The same id each time.
pub(super) struct Placeholder;

impl Ids for Placeholder {
    fn next(&self) -> Uuid {
        Uuid::nil()
    }
}

/// The execution as it is at `now`.
fn round(
    plan: &Plan,
    start: LocalDateTime,
    execution: TaskExecution,
    now: Timestamp,
) -> Option<NewExecution> {
    let (day, hour) = day_and_hour(now, start);
    let number = Number::of(plan.number, day, hour)?;
    let mut random = Random::of(number.0);
    let steps = u64::try_from(execution.steps.len()).ok()?;
    let report = Report::of(&execution, steps, now, &mut random)?;
    let is_by_hand = plan.task.schedule.is_none();
    let state = report.progress.state();
    let assignees = &execution.assignee_ids;
    let performer = if day.rem_euclid(4) == 0 { assignees.last() } else { assignees.first() };
    let new = TaskExecution {
        id: TaskExecutionId(id(Kind::Execution, number.0)),
        performer_id: performer.copied().filter(|_| state != State::Pending),
        published: !is_by_hand || state != State::Pending,
        progress: report.progress,
        steps: (0..)
            .zip(execution.steps)
            .map(|(at, step)| {
                reported(step, number.part(at), plan, report.of_step(at), &mut random)
            })
            .collect(),
        ..execution
    };
    Some(NewExecution {
        execution: if is_by_hand { without_series(new) } else { new },
        occurrence_at: (!is_by_hand).then_some(start),
    })
}

/// An execution that was made by hand belongs to no series.
fn without_series(mut execution: TaskExecution) -> TaskExecution {
    execution.series_id = None;
    for step in &mut execution.steps {
        step.series_id = None;
        for action in &mut step.actions {
            action.series_id = None;
        }
    }
    execution
}

/// The number of a record in its id: one byte each for the site, from 1; for the day, 14 is today; for
/// the local hour of the start; and for the parts of the execution, from 1.
#[derive(Clone, Copy)]
struct Number(u64);

impl Number {
    fn of(site: u64, day: i64, hour: i64) -> Option<Self> {
        let (day, hour) = (u64::try_from(day + DAYS).ok()?, u64::try_from(hour).ok()?);
        Some(Self((site + 1) << 16 | day << 8 | hour))
    }

    /// The number of its part.
    const fn part(self, at: u64) -> Self {
        Self(self.0 << 8 | (at + 1))
    }
}

/// What was reported of an execution.
#[derive(Clone, Copy)]
struct Report {
    progress: Progress,
    /// The number of COMPLETED steps.
    completed_steps: u64,
}

impl Report {
    fn of(
        execution: &TaskExecution,
        steps: u64,
        now: Timestamp,
        random: &mut Random,
    ) -> Option<Self> {
        let TaskExecution { start_at, end_at, .. } = execution;
        if *start_at > now {
            return Some(Self { progress: Progress::Pending, completed_steps: 0 });
        }
        if *end_at > now {
            let progress = Progress::InProgress { started_at: *start_at };
            return Some(Self { progress, completed_steps: steps / 2 });
        }
        let started_at = start_at.shifted(minutes(random.below(9)))?;
        let ended_at = started_at.shifted(minutes(50 + random.below(30)))?;
        // Some rounds have a skipped step.
        let skipped = u64::from(random.percent(12));
        let progress = Progress::Completed { started_at, ended_at };
        Some(Self { progress, completed_steps: steps - skipped })
    }

    fn of_step(self, at: u64) -> State {
        let is_under_way = matches!(self.progress, Progress::InProgress { .. });
        match at.cmp(&self.completed_steps) {
            std::cmp::Ordering::Less => State::Completed,
            std::cmp::Ordering::Equal if is_under_way => State::InProgress,
            _ => State::Pending,
        }
    }
}

/// The step in this state; a COMPLETED one has results.
fn reported(step: Step, number: Number, plan: &Plan, state: State, random: &mut Random) -> Step {
    let is_completed = state == State::Completed;
    let results = results(plan.site.phrases, number, random);
    let actions = (0..).zip(step.actions).zip(results).map(|((at, action), outcome)| Action {
        id: ActionId(id(Kind::Action, number.part(at).0)),
        outcome: outcome.filter(|_| is_completed),
        ..action
    });
    Step {
        id: StepId(id(Kind::Step, number.0)),
        actual_order: is_completed.then_some(step.order),
        state,
        actions: actions.collect(),
        ..step
    }
}

/// The results of the actions of a step, in their order.
fn results(phrases: &Phrases, step: Number, random: &mut Random) -> [Option<Outcome>; 5] {
    let has_problem = random.percent(6);
    let remark =
        if has_problem { random.one_of(phrases.faulty) } else { random.one_of(phrases.fine) };
    let photo = MediaId(id(Kind::Media, step.0));
    [
        Some(Outcome::Boolean(!has_problem)),
        Some(reading(12, 15, random.percent(2), random)),
        Some(reading(50, 50, random.percent(9), random)),
        (has_problem || random.percent(30)).then(|| Outcome::Text(remark.to_owned())),
        has_problem.then(|| Outcome::Media(vec![photo])),
    ]
}

/// A reading between `from` and `from + span` with one decimal; far below if `too_low`.
fn reading(from: u64, span: u64, too_low: bool, random: &mut Random) -> Outcome {
    let tenths = u32::try_from(from * 10 + random.below(span * 10)).unwrap_or(0);
    let normal = f64::from(tenths) / 10.0;
    Outcome::Number(if too_low { normal / 16.0 } else { normal })
}

fn minutes(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(0) * MINUTE
}
