//! The rounds of the demo company: one a day at each location, two hours apart, so that one is
//! always in progress.

use patrol_domain::{
    Timestamp,
    data_set::Record,
    ids::{ActionId, MediaId, SeriesId, StepId, TaskExecutionId, UserId},
    task_execution::{Action, ActionType, Outcome, Priority, Progress, State, Step, TaskExecution},
};

use super::{
    Kind,
    chance::Chance,
    company::{SITES, Site, location_id, point_id, sites, task_id},
    id,
    people::employee,
};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Days with rounds, from [`DAYS_BEFORE`] days ago on.
const DAYS: u64 = 25;
const DAYS_BEFORE: i64 = 14;
/// Longer than an hour, so that a round that starts at the full hour is still in progress.
const PLANNED: i64 = 90 * MINUTE;
/// Rounds later than this are not published yet.
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

/// The progress of a round and its results so far.
#[derive(Clone, Copy)]
struct Outlook {
    progress: Progress,
    /// The number of steps that were done.
    done: u64,
}

impl Round {
    /// The number among all rounds, from 1.
    const fn number(self) -> u64 {
        self.site * DAYS + self.day + 1
    }

    fn execution(self, site: &Site, now: Timestamp) -> Option<TaskExecution> {
        let mut chance = Chance::of(self.number());
        let end_at = self.start.shifted(PLANNED)?;
        let outlook = self.outlook(site, now, end_at, &mut chance)?;
        let assignees = [employee(self.site + self.day), employee(self.site + self.day + 7)];
        let words = site.phrases;
        let night = !(6..20).contains(&(self.start.millis().rem_euclid(DAY) / HOUR));
        let round = if night { words.night_round } else { words.day_round };
        Some(TaskExecution {
            id: TaskExecutionId(id(Kind::Execution, self.number())),
            scheduled_task_id: task_id(self.site),
            series_id: Some(SeriesId(id(Kind::Series, self.site + 1))),
            name: format!("{} · {round}", site.name),
            description: self.day.is_multiple_of(2).then(|| words.description.to_owned()),
            location_id: location_id(self.site),
            performer_id: self.performer(outlook, assignees),
            assignee_ids: assignees.to_vec(),
            progress: outlook.progress,
            published: self.start.since(now) < PUBLISHED_AHEAD,
            start_at: self.start,
            end_at,
            priority: site.priority,
            order_steps_required: site.priority == Priority::Critical,
            strict_time_required: self.site.is_multiple_of(3),
            deadlined: self.site.is_multiple_of(5),
            edited: false,
            tags: vec![if night { "night" } else { "day" }.to_owned(), site.tag.to_owned()],
            steps: (0..site.points).map(|at| self.step(site, at, outlook, &mut chance)).collect(),
        })
    }

    fn performer(self, outlook: Outlook, [first, second]: [UserId; 2]) -> Option<UserId> {
        match outlook.progress.state() {
            State::Pending => None,
            State::InProgress | State::Completed if self.day.is_multiple_of(4) => Some(second),
            State::InProgress | State::Completed => Some(first),
        }
    }

    fn outlook(
        self,
        site: &Site,
        now: Timestamp,
        end_at: Timestamp,
        chance: &mut Chance,
    ) -> Option<Outlook> {
        if self.start > now {
            return Some(Outlook { progress: Progress::Pending, done: 0 });
        }
        if end_at > now {
            let progress = Progress::InProgress { started_at: self.start };
            return Some(Outlook { progress, done: site.points / 2 });
        }
        let started_at = self.start.shifted(minutes(chance.below(9)))?;
        let ended_at = started_at.shifted(minutes(50 + chance.below(30)))?;
        // Sometimes a step is left out.
        let missed = u64::from(chance.percent(12));
        Some(Outlook {
            progress: Progress::Completed { started_at, ended_at },
            done: site.points - missed,
        })
    }

    fn step(self, site: &Site, at: u64, outlook: Outlook, chance: &mut Chance) -> Step {
        let done = at < outlook.done;
        let under_way =
            at == outlook.done && matches!(outlook.progress, Progress::InProgress { .. });
        let (number, order) = (self.number() * 10 + at, i32::try_from(at).unwrap_or(0));
        let name = site.phrases.points.into_iter().nth(usize::try_from(at).unwrap_or(0));
        Step {
            id: StepId(id(Kind::Step, number)),
            series_id: Some(SeriesId(id(Kind::StepSeries, self.site * 10 + at + 1))),
            point_id: Some(point_id(self.site, at)),
            name: name.unwrap_or_default().to_owned(),
            order,
            actual_order: done.then_some(order),
            state: match (done, under_way) {
                (true, _) => State::Completed,
                (false, true) => State::InProgress,
                (false, false) => State::Pending,
            },
            actions: self.actions(site, at, done, chance),
        }
    }

    fn actions(self, site: &Site, step: u64, done: bool, chance: &mut Chance) -> Vec<Action> {
        let words = site.phrases;
        let trouble = chance.percent(6);
        let remark = if trouble { chance.one_of(words.faulty) } else { chance.one_of(words.fine) };
        let photo = MediaId(id(Kind::Media, self.number() * 10 + step));
        let plans = [
            (words.is_locked, true, None, Some(Outcome::Boolean(!trouble))),
            (
                words.temperature,
                true,
                Some((5.0, 30.0)),
                Some(reading(12, 15, chance.percent(2), chance)),
            ),
            (
                words.battery,
                false,
                Some((20.0, 100.0)),
                Some(reading(50, 50, chance.percent(9), chance)),
            ),
            (
                words.remark,
                false,
                None,
                (trouble || chance.percent(30)).then(|| Outcome::Text(remark.to_owned())),
            ),
            (words.photo, false, None, trouble.then(|| Outcome::Media(vec![photo]))),
        ];
        let kinds = [
            ActionType::Boolean,
            ActionType::Number,
            ActionType::Number,
            ActionType::Text,
            ActionType::Media,
        ];
        (0..)
            .zip(plans.into_iter().zip(kinds))
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
                outcome: outcome.filter(|_| done),
            })
            .collect()
    }
}

/// A reading in tenths between `from` and `from + span`; far below when `off`.
fn reading(from: u64, span: u64, off: bool, chance: &mut Chance) -> Outcome {
    let tenths = u32::try_from(from * 10 + chance.below(span * 10)).unwrap_or(0);
    let usual = f64::from(tenths) / 10.0;
    Outcome::Number(if off { usual / 16.0 } else { usual })
}

fn minutes(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(0) * MINUTE
}

const _: () = assert!(SITES.len() * 25 == 300, "the demo company has 300 rounds");
