//! The rounds of the demo company: the executions of all occurrences of the last and the next two weeks,
//! made from the plans as the service makes them. Those of the past have results.

use std::collections::HashMap;

use patrol_domain::{
    Ids, Timestamp, Version, Versioned,
    check_list::CheckList,
    data_set::NewExecution,
    ids::{ActionId, CheckListId, StepId, TaskExecutionId, Uuid},
    location::{Location, Position},
    schedule::{LocalDateTime, RecurrenceRule, Schedule, TimeZone},
    scheduled_task::{RoundMaker, RoundProgress, ScheduledTask},
    task_execution::{Action, Outcome, Progress, State, Step, TaskExecution},
};

use super::{
    company::{SECONDS_OF_A_DAY, today},
    ids::{DEMO_MEDIUM, Kind, id},
    random::Random,
};

pub(super) const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// Rounds start at most so many days before or after now. Rounds of later days are made while the demo
/// runs: this is the default of `PATROL_SCHEDULE_HORIZON`.
const DAYS: i64 = 14;

/// The plan of the rounds of a location.
pub(super) struct RoundPlan<'a> {
    /// The number of the task, from 0.
    pub(super) number: u64,
    pub(super) task: &'a ScheduledTask,
    /// When its rounds take place, also those that are made by hand.
    pub(super) schedule: Schedule,
    pub(super) remarks: &'static Remarks,
    /// The place of its location.
    pub(super) position: Option<Position>,
}

/// What guards write, in one language.
pub(super) struct Remarks {
    /// The tag of the locations where guards write in it.
    language: &'static str,
    fine: &'static [&'static str],
    faulty: &'static [&'static str],
}

const REMARKS: [Remarks; 4] = [
    Remarks {
        language: "en",
        fine: &["All quiet", "Nothing to report", "Seal replaced", "Cleaners still at work"],
        faulty: &["Door found open, locked it", "Alarm does not reset", "Window pane cracked"],
    },
    Remarks {
        language: "ru",
        fine: &["Всё спокойно", "Без замечаний", "Пломба заменена", "Ещё работают уборщики"],
        faulty: &["Дверь была открыта, запер", "Сигнализация не сбрасывается", "Разбито стекло"],
    },
    Remarks {
        language: "de",
        fine: &["Alles ruhig", "Keine Vorkommnisse", "Plombe ersetzt", "Reinigung noch im Haus"],
        faulty: &[
            "Tür stand offen, verschlossen",
            "Melder lässt sich nicht zurücksetzen",
            "Scheibe gesprungen",
        ],
    },
    Remarks {
        language: "lv",
        fine: &["Viss mierīgi", "Bez piezīmēm", "Plomba nomainīta", "Apkopēji vēl strādā"],
        faulty: &[
            "Durvis bija vaļā, aizslēdzu",
            "Signalizācija neatiestatās",
            "Ieplaisājis stikls",
        ],
    },
];

/// When the rounds of a task without a schedule take place. Each is made by hand.
fn by_hand() -> Option<Schedule> {
    Some(Schedule {
        time_zone: TimeZone::named("Europe/Kaliningrad")?,
        start: LocalDateTime::parse("2024-01-01T10:00:00")?,
        duration_minutes: 120,
        rule: Some(RecurrenceRule::parse("FREQ=DAILY;INTERVAL=3").ok()?),
        exdates: Vec::new(),
        rdates: Vec::new(),
        pauses: Vec::new(),
    })
}

impl<'a> RoundPlan<'a> {
    pub(super) fn of(
        number: u64,
        task: &'a ScheduledTask,
        locations: &[&Location],
    ) -> Option<Self> {
        let location = locations.iter().find(|one| Some(one.id) == task.location_id)?;
        let is_spoken =
            |remarks: &&Remarks| location.tags.iter().any(|tag| tag == remarks.language);
        let remarks = REMARKS.iter().find(is_spoken)?;
        let schedule = task.schedule.clone().or_else(by_hand)?;
        Some(Self { number, task, schedule, remarks, position: location.position })
    }
}

/// The rounds of the schedule of a plan, as they are at `now`.
pub(super) fn scheduled(
    plan: &RoundPlan<'_>,
    check_lists: &HashMap<CheckListId, CheckList>,
    now: Timestamp,
) -> Vec<NewExecution> {
    let made = made(plan, check_lists, now).into_iter();
    made.filter_map(|(start, execution)| round(plan, start, execution, now)).collect()
}

/// The days from `now` to a local date, and the hour of the day.
const fn day_and_hour(now: Timestamp, time: LocalDateTime) -> (i64, i64) {
    let seconds = time.seconds();
    let hour = seconds.rem_euclid(SECONDS_OF_A_DAY) / 3_600;
    (seconds.div_euclid(SECONDS_OF_A_DAY) - today(now), hour)
}

/// The executions as they are made from the plan, with the local starts of their occurrences. Their ids
/// are placeholders.
pub(super) fn made(
    plan: &RoundPlan<'_>,
    check_lists: &HashMap<CheckListId, CheckList>,
    now: Timestamp,
) -> Vec<(LocalDateTime, TaskExecution)> {
    let (Some(from), Some(horizon)) = (now.shifted(-DAYS * DAY), now.shifted(DAYS * DAY)) else {
        return Vec::new();
    };
    let task = ScheduledTask { schedule: Some(plan.schedule.clone()), ..plan.task.clone() };
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
    plan: &RoundPlan<'_>,
    start: LocalDateTime,
    execution: TaskExecution,
    now: Timestamp,
) -> Option<NewExecution> {
    let (day, hour) = day_and_hour(now, start);
    let number = Number::of(plan.number, day, hour)?;
    let execution = numbered(execution, number);
    let mut random = Random::of(number.0);
    let steps = u64::try_from(execution.steps.len()).ok()?;
    let report = Report::of(&execution, steps, now, &mut random)?;
    let is_by_hand = plan.task.schedule.is_none();
    let state = report.progress.state();
    let assignees = &execution.assignee_ids;
    let performer = if day.rem_euclid(4) == 0 { assignees.last() } else { assignees.first() };
    let new = TaskExecution {
        performer_id: performer.copied().filter(|_| state != State::Pending),
        published: !is_by_hand || state != State::Pending,
        progress: report.progress,
        steps: (0..)
            .zip(execution.steps)
            .map(|(at, step)| reported(step, plan, report.of_step(at), &mut random))
            .collect(),
        ..execution
    };
    Some(NewExecution {
        execution: if is_by_hand { new.without_series() } else { new },
        occurrence_at: (!is_by_hand).then_some(start),
    })
}

/// The execution with ids that follow from its number.
pub(super) fn numbered(mut execution: TaskExecution, number: Number) -> TaskExecution {
    execution.id = TaskExecutionId(id(Kind::Execution, number.0));
    for (at, step) in (0..).zip(&mut execution.steps) {
        let number = number.part(at);
        step.id = StepId(id(Kind::Step, number.0));
        for (at, action) in (0..).zip(&mut step.actions) {
            action.id = ActionId(id(Kind::Action, number.part(at).0));
        }
    }
    execution
}

/// The number of a record in its id: one byte each for the site, from 1; for the day, 14 is today; for
/// the local hour of the start; and for the parts of the execution, from 1.
#[derive(Clone, Copy)]
pub(super) struct Number(pub(super) u64);

impl Number {
    fn of(site: u64, day: i64, hour: i64) -> Option<Self> {
        let (day, hour) = (u64::try_from(day + DAYS).ok()?, u64::try_from(hour).ok()?);
        Some(Self((site + 1) << 16 | day << 8 | hour))
    }

    /// The number of the round of today at a site: the byte of the day is past those of [`DAYS`].
    pub(super) const fn of_today(site: u64) -> Self {
        Self((site + 1) << 16 | 0xff << 8)
    }

    /// The number of its part.
    pub(super) const fn part(self, at: u64) -> Self {
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
        let delay = if random.percent(8) { 11 + random.below(20) } else { random.below(9) };
        let started_at = start_at.shifted(minutes(delay))?;
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
fn reported(step: Step, plan: &RoundPlan<'_>, state: State, random: &mut Random) -> Step {
    let is_completed = state == State::Completed;
    let results = results(plan.remarks, random);
    let actions = step
        .actions
        .into_iter()
        .zip(results)
        .map(|(action, outcome)| Action { outcome: outcome.filter(|_| is_completed), ..action });
    Step {
        actual_order: is_completed.then(|| step.order.saturating_add(1)),
        state,
        actions: actions.collect(),
        ..step
    }
}

/// The results of the actions of a step, in their order.
pub(super) fn results(remarks: &Remarks, random: &mut Random) -> [Option<Outcome>; 5] {
    let has_problem = random.percent(6);
    let remark =
        if has_problem { random.one_of(remarks.faulty) } else { random.one_of(remarks.fine) };
    [
        Some(Outcome::Boolean(!has_problem)),
        Some(reading(12, 15, random.percent(2), random)),
        Some(reading(50, 50, random.percent(9), random)),
        (has_problem || random.percent(30)).then(|| Outcome::Text(remark.to_owned())),
        has_problem.then(|| Outcome::Media(vec![DEMO_MEDIUM])),
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
