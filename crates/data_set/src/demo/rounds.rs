//! The rounds of the demo company: each location has one round a day. They start two hours apart, so
//! that one round is always in progress.

use patrol_domain::{
    Timestamp,
    data_set::Record,
    ids::{ActionId, MediaId, SeriesId, StepId, TaskExecutionId, UserId},
    task_execution::{Action, ActionType, Outcome, Priority, Progress, State, Step, TaskExecution},
};

use super::{
    Kind,
    company::{SITES, Site, location_id, point_id, sites, task_id},
    id,
    people::employee,
    random::Random,
};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The number of days with rounds; the first is [`DAYS_BEFORE`] days ago.
const DAYS: u64 = 25;
const DAYS_BEFORE: i64 = 14;
/// The planned duration. Longer than an hour, so that a round that started at the full hour is still in
/// progress.
const DURATION: i64 = 90 * MINUTE;
/// Rounds that start later than this are not published yet.
const PUBLISHED_AHEAD: i64 = 7 * DAY;

pub(super) fn executions(now: Timestamp) -> Vec<Record> {
    let hour = now.millis() - now.millis().rem_euclid(HOUR);
    let rounds = sites().flat_map(|(number, site)| (0..DAYS).map(move |day| (number, site, day)));
    rounds
        .filter_map(|(number, site, day)| {
            let days = i64::try_from(day).ok()? - DAYS_BEFORE;
            let start = hour + days * DAY + i64::try_from(number).ok()? * 2 * HOUR;
            let round = Round { site: number, day, start: Timestamp::from_millis(start)? };
            Some(Record::TaskExecution(Box::new(round.execution(site, now)?)))
        })
        .collect()
}

#[derive(Clone, Copy)]
struct Round {
    site: u64,
    day: u64,
    start: Timestamp,
}

/// The progress of a round.
#[derive(Clone, Copy)]
struct RoundProgress {
    execution: Progress,
    /// The number of COMPLETED steps.
    completed_steps: u64,
}

impl Round {
    /// The number among all rounds, from 1.
    const fn number(self) -> u64 {
        self.site * DAYS + self.day + 1
    }

    fn execution(self, site: &Site, now: Timestamp) -> Option<TaskExecution> {
        let mut random = Random::of(self.number());
        let end_at = self.start.shifted(DURATION)?;
        let progress = self.progress(site, now, end_at, &mut random)?;
        let assignees = [employee(self.site + self.day), employee(self.site + self.day + 7)];
        let phrases = site.phrases;
        let night = !(6..20).contains(&(self.start.millis().rem_euclid(DAY) / HOUR));
        let round = if night { phrases.night_round } else { phrases.day_round };
        Some(TaskExecution {
            series_id: Some(SeriesId(id(Kind::Series, self.site + 1))),
            description: self.day.is_multiple_of(2).then(|| phrases.description.to_owned()),
            performer_id: self.performer(progress, assignees),
            assignee_ids: assignees.to_vec(),
            progress: progress.execution,
            published: self.start.since(now) < PUBLISHED_AHEAD,
            priority: site.priority,
            order_steps_required: site.priority == Priority::Critical,
            strict_time_required: self.site.is_multiple_of(3),
            deadlined: self.site.is_multiple_of(5),
            tags: vec![if night { "night" } else { "day" }.to_owned(), site.tag.to_owned()],
            steps: (0..site.points).map(|at| self.step(site, at, progress, &mut random)).collect(),
            ..TaskExecution::new(
                TaskExecutionId(id(Kind::Execution, self.number())),
                task_id(self.site),
                location_id(self.site),
                format!("{} · {round}", site.name),
                [self.start, end_at],
            )
        })
    }

    fn performer(self, progress: RoundProgress, [first, second]: [UserId; 2]) -> Option<UserId> {
        match progress.execution.state() {
            State::Pending => None,
            State::InProgress | State::Completed if self.day.is_multiple_of(4) => Some(second),
            State::InProgress | State::Completed => Some(first),
        }
    }

    fn progress(
        self,
        site: &Site,
        now: Timestamp,
        end_at: Timestamp,
        random: &mut Random,
    ) -> Option<RoundProgress> {
        if self.start > now {
            return Some(RoundProgress { execution: Progress::Pending, completed_steps: 0 });
        }
        if end_at > now {
            let execution = Progress::InProgress { started_at: self.start };
            return Some(RoundProgress { execution, completed_steps: site.points / 2 });
        }
        let started_at = self.start.shifted(minutes(random.below(9)))?;
        let ended_at = started_at.shifted(minutes(50 + random.below(30)))?;
        // Some rounds have a skipped step.
        let skipped = u64::from(random.percent(12));
        Some(RoundProgress {
            execution: Progress::Completed { started_at, ended_at },
            completed_steps: site.points - skipped,
        })
    }

    fn step(self, site: &Site, at: u64, progress: RoundProgress, random: &mut Random) -> Step {
        let is_completed = at < progress.completed_steps;
        let is_in_progress = at == progress.completed_steps
            && matches!(progress.execution, Progress::InProgress { .. });
        let (number, order) = (self.number() * 10 + at, i32::try_from(at).unwrap_or(0));
        let name = site.phrases.points.into_iter().nth(usize::try_from(at).unwrap_or(0));
        Step {
            id: StepId(id(Kind::Step, number)),
            series_id: Some(SeriesId(id(Kind::StepSeries, self.site * 10 + at + 1))),
            point_id: Some(point_id(self.site, at)),
            name: name.unwrap_or_default().to_owned(),
            order,
            actual_order: is_completed.then_some(order),
            state: match (is_completed, is_in_progress) {
                (true, _) => State::Completed,
                (false, true) => State::InProgress,
                (false, false) => State::Pending,
            },
            actions: self.actions(site, at, is_completed, random),
        }
    }

    fn actions(
        self,
        site: &Site,
        step: u64,
        is_completed: bool,
        random: &mut Random,
    ) -> Vec<Action> {
        let phrases = site.phrases;
        let has_problem = random.percent(6);
        let remark =
            if has_problem { random.one_of(phrases.faulty) } else { random.one_of(phrases.fine) };
        let photo = MediaId(id(Kind::Media, self.number() * 10 + step));
        let results = [
            (phrases.is_locked, true, None, Some(Outcome::Boolean(!has_problem))),
            (
                phrases.temperature,
                true,
                Some((5.0, 30.0)),
                Some(reading(12, 15, random.percent(2), random)),
            ),
            (
                phrases.battery,
                false,
                Some((20.0, 100.0)),
                Some(reading(50, 50, random.percent(9), random)),
            ),
            (
                phrases.remark,
                false,
                None,
                (has_problem || random.percent(30)).then(|| Outcome::Text(remark.to_owned())),
            ),
            (phrases.photo, false, None, has_problem.then(|| Outcome::Media(vec![photo]))),
        ];
        let kinds = [
            ActionType::Boolean,
            ActionType::Number,
            ActionType::Number,
            ActionType::Text,
            ActionType::Media,
        ];
        (0..)
            .zip(results.into_iter().zip(kinds))
            .map(|(at, ((name, required, bounds, outcome), kind))| Action {
                id: ActionId(id(Kind::Action, (self.number() * 10 + step) * 10 + at)),
                series_id: Some(SeriesId(id(
                    Kind::ActionSeries,
                    (self.site * 10 + step) * 10 + at + 1,
                ))),
                name: name.to_owned(),
                kind,
                order: i32::try_from(at).unwrap_or(0),
                required,
                min_value: bounds.map(|(min, _)| min),
                max_value: bounds.map(|(_, max)| max),
                outcome: outcome.filter(|_| is_completed),
            })
            .collect()
    }
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

const _: () = assert!(SITES.len() * 25 == 300, "the demo company has 300 rounds");
