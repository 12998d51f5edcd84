//! Rounds of today that were made by hand, outside the schedules. Around `now`, at any hour and in any
//! time zone, they are completed, under way, late, missed and about to begin.

use std::collections::HashMap;

use patrol_domain::{
    Timestamp,
    check_list::CheckList,
    event::Origin,
    ids::{CheckListId, PointId, ReportId, UserId},
    location::Position,
    point::{Point, PointType},
    report::{
        Entry, EntryOutcome, EntryType, LastAccepted, PresenceRadius, Report, ReportPosition, Round,
    },
    schedule::{LocalDateTime, Schedule, TimeZone},
    task_execution::{Outcome, TaskExecution},
};

use super::{
    ids::{Kind, id},
    random::Random,
    rounds::{MINUTE, Number, RoundPlan, made, numbered, results},
};

/// Planned starts are on a multiple of so many minutes.
const GRID: i64 = 5 * MINUTE;

/// The accuracy of a device's position in metres.
const ACCURACY: f64 = 10.0;

/// A round of today. Times are in minutes.
struct Today {
    /// The number of the task, from 0.
    task: u64,
    /// How long ago the planned start is.
    ago: i64,
    /// From the planned start to the planned end.
    duration: i64,
    /// What a guard has done of it; `None` before its start.
    walk: Option<Walked>,
}

/// What a guard has done of a round.
struct Walked {
    /// Minutes from the planned to the actual start.
    delay: i64,
    /// How many steps are done. A round whose steps are all done is COMPLETED.
    steps: usize,
    /// What was read at the first step instead of its code.
    misread: Option<Misread>,
}

#[derive(Clone, Copy)]
enum Misread {
    NoCode,
    AnotherCode,
}

const TODAY: [Today; 7] = [
    Today {
        task: 8,
        ago: 170,
        duration: 240,
        walk: Some(Walked { delay: 4, steps: 3, misread: Some(Misread::AnotherCode) }),
    },
    // Still under way after its end: missed.
    Today {
        task: 1,
        ago: 160,
        duration: 120,
        walk: Some(Walked { delay: 15, steps: 1, misread: None }),
    },
    // Never begun: missed.
    Today { task: 5, ago: 150, duration: 90, walk: None },
    Today {
        task: 2,
        ago: 50,
        duration: 180,
        walk: Some(Walked { delay: 24, steps: 1, misread: None }),
    },
    Today {
        task: 4,
        ago: 35,
        duration: 150,
        walk: Some(Walked { delay: 2, steps: 2, misread: Some(Misread::NoCode) }),
    },
    // The demo's guard has these two. The first one is late.
    Today { task: 6, ago: 20, duration: 120, walk: None },
    Today { task: 0, ago: 0, duration: 120, walk: None },
];

/// The rounds of today with their reports.
pub(super) fn rounds(
    plans: &[RoundPlan<'_>],
    check_lists: &HashMap<CheckListId, CheckList>,
    points: &HashMap<PointId, Point>,
    now: Timestamp,
) -> Vec<(TaskExecution, Vec<Report>)> {
    TODAY.iter().filter_map(|today| today.round(plans, check_lists, points, now)).collect()
}

impl Today {
    fn round(
        &self,
        plans: &[RoundPlan<'_>],
        check_lists: &HashMap<CheckListId, CheckList>,
        points: &HashMap<PointId, Point>,
        now: Timestamp,
    ) -> Option<(TaskExecution, Vec<Report>)> {
        let plan = plans.iter().find(|plan| plan.number == self.task)?;
        let start = now.millis().div_euclid(GRID) * GRID - self.ago * MINUTE;
        let plan = RoundPlan { schedule: self.schedule(start)?, ..*plan };
        let (_, execution) = made(&plan, check_lists, now).pop()?;
        let number = Number::of_today(self.task);
        let execution = numbered(execution, number).without_series();
        let Some(walked) = &self.walk else { return Some((execution, Vec::new())) };
        let performer = *execution.assignee_ids.first()?;
        let mut notebook = Notebook {
            number,
            at: execution.start_at.shifted(walked.delay * MINUTE)?,
            position: plan.position.map(reported_at),
            entries: Vec::new(),
        };
        walked.note(&mut notebook, &execution, &plan, performer, points)?;
        let by = Origin { actor: Some(performer), ..Origin::of_program(notebook.at) };
        let round = Round {
            execution,
            points: points.clone(),
            known: HashMap::new(),
            last: LastAccepted::default(),
        };
        let performed = round.perform(&notebook.entries, PresenceRadius::default(), &by);
        let reports = performed.answers.iter().filter_map(|answer| {
            let report = answer.newly_accepted()?.clone();
            let EntryOutcome::Accepted { verdicts, .. } = report.outcome else { return None };
            // The device has sent each entry at once. An import numbers the entries itself.
            let received_at = report.entry.at;
            let outcome = EntryOutcome::Accepted { number: 0, verdicts };
            Some(Report { received_at, outcome, ..report })
        });
        let reports = reports.collect();
        Some((without_counts(performed.execution), reports))
    }

    /// A schedule with this round alone.
    fn schedule(&self, start: i64) -> Option<Schedule> {
        Some(Schedule {
            time_zone: TimeZone::named("UTC")?,
            start: LocalDateTime::from_seconds(start.div_euclid(1_000))?,
            duration_minutes: self.duration.try_into().ok()?,
            rule: None,
            exdates: Vec::new(),
            rdates: Vec::new(),
            pauses: Vec::new(),
        })
    }
}

impl Walked {
    /// Notes the entries of the walk.
    fn note(
        &self,
        notebook: &mut Notebook,
        execution: &TaskExecution,
        plan: &RoundPlan<'_>,
        performer: UserId,
        points: &HashMap<PointId, Point>,
    ) -> Option<()> {
        notebook.add(0, EntryType::Start)?.performer_id = Some(performer);
        for (at, step) in (0..).zip(execution.steps.iter().take(self.steps)) {
            let point = points.get(&step.point_id?)?;
            let misread = self.misread.filter(|_| at == 0);
            notebook.position = point.position.map(reported_at).or(notebook.position);
            let scan = notebook.add(12 * MINUTE, EntryType::Scan)?;
            scan.step_id = Some(step.id);
            scan.technology = Some(point.kind);
            scan.code = match misread {
                Some(Misread::NoCode) => None,
                Some(Misread::AnotherCode) => Some("ANOTHER-CODE".to_owned()),
                None => code(point),
            };
            let number = notebook.number.part(at);
            let mut random = Random::of(number.0);
            for (action, outcome) in step.actions.iter().zip(results(plan.remarks, &mut random)) {
                let Some(outcome) = outcome else { continue };
                let result = notebook.add(MINUTE / 3, EntryType::Result)?;
                (result.step_id, result.action_id) = (Some(step.id), Some(action.id));
                match outcome {
                    Outcome::Boolean(value) => result.boolean_value = Some(value),
                    Outcome::Number(value) => result.number_value = Some(value),
                    Outcome::Text(text) => result.text_value = Some(text),
                    Outcome::Media(media) => result.media_ids = media,
                }
            }
            notebook.add(MINUTE / 3, EntryType::FinishStep)?.step_id = Some(step.id);
        }
        if self.steps >= execution.steps.len() {
            notebook.add(5 * MINUTE, EntryType::Complete)?;
        }
        Some(())
    }
}

/// The entries of a round.
struct Notebook {
    /// The number of the round.
    number: Number,
    /// The time of the last entry.
    at: Timestamp,
    position: Option<ReportPosition>,
    entries: Vec<Entry>,
}

impl Notebook {
    /// Adds an entry so many milliseconds after the last one. Returns it, to be completed.
    fn add(&mut self, after: i64, kind: EntryType) -> Option<&mut Entry> {
        self.at = self.at.shifted(after)?;
        let number = self.number.part(u64::try_from(self.entries.len()).ok()?);
        let id = ReportId(id(Kind::Report, number.0));
        self.entries.push(Entry { position: self.position, ..Entry::new(id, kind, self.at) });
        self.entries.last_mut()
    }
}

/// The position as a device reports it.
const fn reported_at(position: Position) -> ReportPosition {
    ReportPosition { position, accuracy: ACCURACY }
}

/// The code that is read at a point.
fn code(point: &Point) -> Option<String> {
    match point.kind {
        PointType::Qr => point.qr_code.clone(),
        PointType::Rfid | PointType::Nfc => point.rfid_code.clone(),
        _ => None,
    }
}

/// The round without what an import takes from its reports.
fn without_counts(mut execution: TaskExecution) -> TaskExecution {
    execution.flag_count = 0;
    for step in &mut execution.steps {
        (step.started_at, step.ended_at) = (None, None);
    }
    execution
}
