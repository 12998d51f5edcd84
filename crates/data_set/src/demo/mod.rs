//! The demo company: an invented security company with four languages, and its rounds of the last and
//! the next two weeks. All persons are invented.
//!
//! Rounds are made from the schedules of scheduled tasks, as the service itself makes them; while the
//! demo runs, it goes on with it. The same `now` gives the same data: ids are fixed, and random numbers
//! have fixed seeds.

mod company;
mod ids;
mod random;
mod rounds;
mod today;

use std::collections::HashMap;

use patrol_domain::{
    Timestamp,
    data_set::Record,
    ids::{GraphicPlanId, LocationId, ScheduledTaskId, UserId},
};

pub use self::ids::DEMO_MEDIUM;
use self::{
    ids::{Kind, id},
    rounds::RoundPlan,
};

/// The administrator of the demo company.
pub const DEMO_ADMIN: UserId = UserId(id(Kind::User, 1));

/// A guard of the demo company, who has rounds to walk at any time.
pub const DEMO_GUARD: UserId = UserId(id(Kind::User, 13));

/// The scheduled task whose rounds [`DEMO_GUARD`] walks.
pub const DEMO_TASK: ScheduledTaskId = ScheduledTaskId(id(Kind::ScheduledTask, 1));

/// The demo photo: a drawing of a face, as PNG.
pub const DEMO_PHOTO: &[u8] = include_bytes!("photo.png");

/// The employees with the demo photo. An example in the API document reads the photo of the first one,
/// another deletes the photo of the second one.
pub const DEMO_PHOTO_USERS: [UserId; 2] = [UserId(id(Kind::User, 11)), UserId(id(Kind::User, 12))];

/// Graphic plans with the demo photo as picture. An example in the API document reads the picture of the
/// first one, another deletes the second one.
pub const DEMO_PLANS: [GraphicPlanId; 2] =
    [GraphicPlanId(id(Kind::GraphicPlan, 1001)), GraphicPlanId(id(Kind::GraphicPlan, 1002))];

/// The location of [`DEMO_PLANS`].
pub const DEMO_PLAN_LOCATION: LocationId = LocationId(id(Kind::Location, 10));

/// The name of [`DEMO_PLANS`].
pub const DEMO_PLAN_NAME: &str = "Einkaufszentrum Lindenhof, Lageplan";

/// The records of the demo company at `now`. A record comes after the records that it refers to.
#[must_use]
pub fn demo(now: Timestamp) -> Vec<Record> {
    let mut records = company::company(now);
    records.extend(executions(&records, now));
    records
}

/// The executions of the tasks of the company, and then their reports, both in the order of the executions'
/// ids: so both stores export them in the same order.
fn executions(company: &[Record], now: Timestamp) -> Vec<Record> {
    let (mut check_lists, mut locations, mut tasks) = (HashMap::new(), Vec::new(), Vec::new());
    let mut points = HashMap::new();
    for record in company {
        match record {
            Record::CheckList(list) => drop(check_lists.insert(list.id, list.clone())),
            Record::Point(point) => drop(points.insert(point.id, (**point).clone())),
            Record::Location(location) => locations.push(location),
            Record::ScheduledTask(new) => tasks.push(&new.task),
            _ => {}
        }
    }
    let plans: Vec<_> = (0..)
        .zip(tasks)
        .filter_map(|(number, task)| RoundPlan::of(number, task, &locations))
        .collect();
    let rounds = plans.iter().flat_map(|plan| rounds::scheduled(plan, &check_lists, now));
    let mut rounds: Vec<_> = rounds.map(|round| (round, Vec::new())).collect();
    let today = today::rounds(&plans, &check_lists, &points, now);
    rounds.extend(today.into_iter().map(|(round, reports)| (round.into(), reports)));
    rounds.sort_by_key(|(new, _)| new.execution.id);
    let (rounds, reports): (Vec<_>, Vec<_>) = rounds.into_iter().unzip();
    let reports = reports.into_iter().flatten();
    rounds.into_iter().map(Record::from).chain(reports.map(Record::from)).collect()
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, io::Cursor, sync::Arc};

    use patrol_domain::{
        Limits, Reference, Resource, Rules, Version, Versioned,
        access::Role,
        data_set::NewExecution,
        report::EntryOutcome,
        scheduled_task::{Following, Round, RoundMaker},
        task_execution::{Punctuality, State, Status, TaskExecution},
        user::UserStatus,
    };

    use super::*;
    use crate::{Lines, lines::NoHashing, write_record};

    fn now() -> Timestamp {
        Timestamp::parse("2026-03-29T01:17:42.123Z").unwrap()
    }

    #[test]
    fn every_record_can_be_written_and_read() {
        let records = demo(now());
        let mut file = Vec::new();
        for record in &records {
            write_record(record, &mut file).unwrap();
        }
        let rules = Rules { limits: Limits::default(), is_email: |text| text.contains('@') };
        let read: Result<Vec<_>, _> =
            Lines::new(Cursor::new(file), rules, 64, Arc::new(NoHashing)).collect();
        let read: Vec<_> = read.unwrap().into_iter().map(|(_, record)| record).collect();
        assert_eq!(read.len(), records.len());
        for (read, record) in read.iter().zip(&records) {
            assert_eq!(read, record);
        }
        assert_eq!(demo(now()), records);
    }

    #[test]
    fn every_line_of_the_company_is_a_record() {
        let lines = include_str!("company.jsonl").lines().count();
        assert_eq!(company::company(now()).len(), lines);
    }

    #[test]
    fn the_company_has_12_sites_and_some_400_executions() {
        let mut counts = HashMap::new();
        let mut languages = HashSet::new();
        for record in demo(now()) {
            if let Record::User(new) = &record {
                languages.insert(new.user.language.clone());
            }
            *counts.entry(record.kind()).or_insert(0) += 1;
        }
        for (kind, count) in [
            (Resource::Location, 12),
            (Resource::Point, 40),
            (Resource::User, 25),
            (Resource::ScheduledTask, 12),
        ] {
            assert_eq!(counts.get(&kind), Some(&count), "{kind:?}");
        }
        // Weekdays and the change of clocks move some rounds into the four weeks or out of them.
        let executions = counts[&Resource::TaskExecution];
        assert!((400..=425).contains(&executions), "{executions}");
        assert!(languages.len() > 1);
    }

    /// Each hour of the days on which clocks change, and of the days around them.
    fn hours() -> impl Iterator<Item = Timestamp> {
        let days = ["2026-03-28T01:17:42.123Z", "2026-10-24T00:59:59.999Z"];
        let days = days.map(|day| Timestamp::parse(day).unwrap());
        days.into_iter().flat_map(|day| (0..48).map(move |at| day.shifted(at * HOUR).unwrap()))
    }

    const HOUR: i64 = 3_600_000;

    fn executions(now: Timestamp) -> Vec<NewExecution> {
        let executions = demo(now).into_iter().filter_map(|record| match record {
            Record::TaskExecution(new) => Some(*new),
            _ => None,
        });
        executions.collect()
    }

    /// Whether it is one of the rounds that are made by hand around now.
    const fn is_of_today(execution: &TaskExecution) -> bool {
        execution.id.0.as_u128() & 0xff00 == 0xff00
    }

    #[test]
    fn executions_have_all_states_and_statuses_at_any_hour() {
        for now in hours() {
            let (mut states, mut statuses) = (HashMap::new(), HashMap::new());
            for NewExecution { execution, .. } in executions(now) {
                let state = execution.progress.state();
                *states.entry(state).or_insert(0) += 1;
                *statuses.entry(execution.status()).or_insert(0) += 1;
                match state {
                    _ if is_of_today(&execution) => {}
                    State::Pending => assert!(execution.start_at > now),
                    State::InProgress => assert!(execution.end_at > now),
                    State::Completed => assert!(execution.end_at <= now),
                }
            }
            assert_eq!(states.len(), 3, "{now:?} {states:?}");
            for status in [Some(Status::Success), Some(Status::Warning), Some(Status::Error)] {
                assert!(statuses.get(&status).is_some_and(|count| *count >= 10), "{statuses:?}");
            }
        }
    }

    /// Whatever the hour is, and the time zone in which the day is looked at: a day begins at `now`, or has
    /// just not begun.
    #[test]
    fn the_day_has_rounds_in_each_state_at_any_hour() {
        let times = ["00:05", "03:00", "07:59", "10:55", "12:00", "17:30", "23:50"];
        let winter = times.map(|time| format!("2026-11-28T{time}:00Z"));
        let winter = winter.map(|time| Timestamp::parse(&time).unwrap());
        for now in hours().chain(winter) {
            let all = executions(now);
            let moment = Punctuality::default().at(now);
            let is_of_day = |one: &TaskExecution, [from, until]: [Timestamp; 2]| {
                let ended_at = one.progress.ended_at();
                let is_under_way = one.progress.state() == State::InProgress && now > from;
                let ends_in = one.end_at > from || ended_at.is_some_and(|at| at > from);
                one.start_at < until && (ends_in || is_under_way)
            };
            let days = [[0, 24], [-24, 0]].map(|day| {
                let [from, until] = day.map(|at| now.shifted(at * HOUR).unwrap());
                [from.shifted(-1).unwrap(), until.shifted(1).unwrap()]
            });
            for day in days {
                let rounds = all.iter().map(|new| &new.execution);
                let rounds: Vec<_> = rounds.filter(|one| is_of_day(one, day)).collect();
                let count = |is: &dyn Fn(&TaskExecution) -> bool| {
                    rounds.iter().filter(|one| is(one)).count()
                };
                let of = |state| count(&|one| one.progress.state() == state);
                let is_punctual = |one: &TaskExecution| {
                    !moment.is_late(one.timing()) && !moment.is_missed(one.timing())
                };
                let pending = |one: &TaskExecution| one.progress.state() == State::Pending;
                let counts = [
                    of(State::Pending),
                    count(&|one| pending(one) && is_punctual(one)),
                    of(State::InProgress),
                    of(State::Completed),
                    count(&|one| moment.is_late(one.timing())),
                    count(&|one| moment.is_missed(one.timing())),
                    // The rounds of others are walked.
                    count(&|one| {
                        one.progress.state() == State::InProgress
                            && one.end_at > now
                            && !one.assignee_ids.contains(&DEMO_GUARD)
                    }),
                ];
                assert!(counts.iter().all(|count| *count > 0), "{now:?} {counts:?}");
            }
        }
    }

    #[test]
    fn rounds_of_today_have_flags_and_pictures() {
        for now in hours() {
            let (mut flagged, mut pictures) = (HashSet::new(), HashSet::new());
            for record in demo(now) {
                match record {
                    Record::Report(report) => {
                        let EntryOutcome::Accepted { verdicts, .. } = report.outcome else {
                            panic!("{report:?}");
                        };
                        assert!(report.entry.at <= now);
                        if !verdicts.is_empty() {
                            flagged.insert(report.execution_id);
                        }
                    }
                    Record::TaskExecution(new) => pictures.extend(new.execution.media()),
                    _ => {}
                }
            }
            assert_eq!((flagged.len(), pictures), (2, HashSet::from([DEMO_MEDIUM])));
        }
    }

    /// As the app of guards lists them: a round of the guard's own, at one of its locations, that starts
    /// a day from now at most.
    #[test]
    fn the_guard_has_rounds_to_scan_at_any_hour() {
        let year = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
        let days = (0..52).map(|week| year.shifted((week * 7 * 24 + week % 24) * HOUR).unwrap());
        for now in hours().chain(days) {
            let records = demo(now);
            let guard = records.iter().find_map(|record| match record {
                Record::User(new) if new.user.id == DEMO_GUARD => Some(&new.user),
                _ => None,
            });
            let guard = guard.unwrap();
            assert_eq!((guard.role, guard.status), (Role::Employee, UserStatus::Active));
            let scanned = records.iter().filter_map(|record| match record {
                Record::Point(point) if point.qr_code.is_some() => Some(point.id),
                _ => None,
            });
            let scanned: HashSet<_> = scanned.collect();
            let due = executions(now).into_iter().filter(|NewExecution { execution, .. }| {
                execution.progress.state() == State::Pending
                    && execution.assignee_ids.contains(&DEMO_GUARD)
                    && guard.location_ids.contains(&execution.location_id)
                    && execution.start_at < now.shifted(24 * HOUR).unwrap()
                    && execution
                        .steps
                        .iter()
                        .all(|step| step.point_id.is_some_and(|id| scanned.contains(&id)))
            });
            assert!(due.count() >= 3, "{now:?}");
        }
    }

    #[test]
    fn executions_are_those_that_the_service_makes_of_the_schedules() {
        for now in hours() {
            let mut made: HashMap<_, Vec<_>> = HashMap::new();
            for new in executions(now).into_iter().filter(|new| !is_of_today(&new.execution)) {
                made.entry(new.execution.scheduled_task_id.unwrap()).or_default().push(new);
            }
            let [from, horizon] = [-14, 14].map(|days| now.shifted(days * 24 * HOUR).unwrap());
            let (mut check_lists, mut tasks) = (HashMap::new(), Vec::new());
            for record in company::company(now) {
                match record {
                    Record::CheckList(list) => drop(check_lists.insert(list.id, list)),
                    Record::ScheduledTask(new) => tasks.push(new.task),
                    _ => {}
                }
            }
            let mut by_hand = 0;
            for task in tasks {
                let made = made.remove(&task.id).unwrap();
                let Some(schedule) = task.schedule.clone() else {
                    let is_alone = |new: &NewExecution| {
                        new.occurrence_at.is_none() && new.execution.series_id.is_none()
                    };
                    assert!(made.iter().all(is_alone));
                    by_hand += 1;
                    continue;
                };
                let all = schedule.occurrences(from);
                let all = all.take_while(|occurrence| occurrence.start_at <= horizon);
                let all: Vec<_> = all.collect();
                let starts: Vec<_> = all.iter().map(|occurrence| Some(occurrence.start)).collect();
                assert_eq!(made.iter().map(|new| new.occurrence_at).collect::<Vec<_>>(), starts);
                // A comparison with the plan finds no difference.
                let pending = made.into_iter().filter(|new| new.execution.start_at > now);
                let known: Vec<_> = pending
                    .map(|NewExecution { execution, occurrence_at }| Round {
                        start: occurrence_at.unwrap(),
                        execution: Versioned { record: execution, version: Version::FIRST },
                    })
                    .collect();
                assert!(known.len() >= 3, "{}", task.name);
                let planned = all.into_iter().map(|one| (one.start, one)).collect();
                let task = Versioned { record: task, version: Version::FIRST };
                let ids = &rounds::Placeholder;
                let maker = RoundMaker { task: &task, check_lists: &check_lists, horizon, ids };
                let Following { changed, deleted } = maker.follow(&known, &planned);
                assert_eq!((changed.len(), deleted.len()), (0, 0), "{}", task.record.name);
            }
            assert_eq!((made.len(), by_hand), (0, 1));
        }
    }

    #[test]
    fn every_record_comes_after_the_records_that_it_refers_to() {
        let mut known = HashSet::new();
        for record in demo(now()) {
            for (path, reference) in record.references() {
                assert!(known.contains(&(reference.kind, reference.id)), "{path}");
            }
            let Reference { kind, id, parent: _ } = record.reference();
            known.insert((kind, id));
        }
        assert!(known.contains(&(Resource::User, DEMO_ADMIN.0)));
    }

    #[test]
    fn the_demo_administrator_has_the_role_admin() {
        let admin = demo(now()).into_iter().find_map(|record| match record {
            Record::User(new) if new.user.id == DEMO_ADMIN => Some(new.user.role),
            _ => None,
        });
        assert_eq!(admin, Some(Role::Admin));
    }
}
