//! The plans of the demo company: check-lists, and a scheduled task for each site.

use patrol_domain::{
    Timestamp,
    check_list::{CheckList, CheckListAction},
    ids::{ActionId, CheckListActionId, CheckListId, ScheduledTaskId, SeriesId, StepId},
    schedule::Schedule,
    scheduled_task::{PlannedAction, PlannedStep, ScheduledTask},
    task_execution::{ActionType, Priority},
};

use super::{
    company::{Site, location_id, point_id, sites},
    ids::{Kind, id},
    people::employee,
    phrases::{ENGLISH, GERMAN, LATVIAN, Phrases, RUSSIAN},
    timetable::{Shift, TIMETABLES, Timetable},
};

/// The plan of a site.
pub(super) struct Plan {
    pub(super) site: &'static Site,
    /// The number of the site, from 0.
    pub(super) number: u64,
    /// The scheduled task. One whose rounds are made by hand has no schedule.
    pub(super) task: ScheduledTask,
    /// When its rounds take place, also those that are made by hand.
    pub(super) schedule: Option<Schedule>,
}

/// The plans of all sites at `now`.
pub(super) fn plans(now: Timestamp) -> impl Iterator<Item = Plan> {
    sites().zip(&TIMETABLES).map(move |((number, site), timetable)| {
        let schedule = timetable.schedule(now);
        let planned = schedule.clone().filter(|_| !matches!(timetable.shift, Shift::ByHand));
        Plan { site, number, task: task(number, site, timetable, planned), schedule }
    })
}

/// The scheduled tasks. The steps of English plans have the check-list as it is, all others have actions
/// of their own.
pub(super) fn scheduled_tasks(now: Timestamp) -> Vec<ScheduledTask> {
    plans(now).map(|plan| plan.task).collect()
}

fn task(
    number: u64,
    site: &Site,
    timetable: &Timetable,
    schedule: Option<Schedule>,
) -> ScheduledTask {
    let Timetable { shift, .. } = timetable;
    let name = format!("{} · {}", site.name, shift.name(site.phrases));
    ScheduledTask {
        description: Some(site.phrases.description.to_owned()),
        location_id: Some(location_id(number)),
        assignee_ids: vec![employee(number), employee(number + 7)],
        priority: site.priority,
        order_steps_required: site.priority == Priority::Critical,
        strict_time_required: number.is_multiple_of(3),
        deadlined: number.is_multiple_of(5),
        tags: vec![shift.tag().to_owned(), site.tag.to_owned()],
        steps: (0..site.points).map(|at| planned_step(number, site, at)).collect(),
        series_id: schedule.as_ref().map(|_| SeriesId(id(Kind::Series, number + 1))),
        schedule,
        ..ScheduledTask::new(ScheduledTaskId(id(Kind::ScheduledTask, number + 1)), name)
    }
}

/// A step of the plan, with the id that the steps of the rounds have as seriesId.
fn planned_step(number: u64, site: &Site, at: u64) -> PlannedStep {
    let phrases = site.phrases;
    let name = phrases.points.into_iter().nth(usize::try_from(at).unwrap_or(0));
    let is_english = phrases.language == ENGLISH.language;
    let actions = if is_english { Vec::new() } else { actions_of(phrases) };
    let action = |(place, action): (u64, CheckListAction)| PlannedAction {
        id: ActionId(id(Kind::ActionSeries, (number * 10 + at) * 10 + place + 1)),
        name: action.name,
        kind: action.kind,
        order: action.order,
        required: action.required,
        min_value: action.min_value,
        max_value: action.max_value,
    };
    PlannedStep {
        id: StepId(id(Kind::StepSeries, number * 10 + at + 1)),
        point_id: Some(point_id(number, at)),
        name: name.unwrap_or_default().to_owned(),
        order: i32::try_from(at).unwrap_or(0),
        check_list_id: is_english.then_some(CheckListId(id(Kind::CheckList, 1))),
        actions: (0..).zip(actions).map(action).collect(),
    }
}

/// The check-lists: one in each language.
pub(super) fn check_lists() -> Vec<CheckList> {
    (0..)
        .zip([ENGLISH, RUSSIAN, GERMAN, LATVIAN])
        .map(|(number, phrases)| check_list(number, &phrases))
        .collect()
}

fn check_list(number: u64, phrases: &Phrases) -> CheckList {
    let with_id = |(at, action): (u64, CheckListAction)| CheckListAction {
        id: CheckListActionId(id(Kind::CheckListAction, number * 10 + at + 1)),
        ..action
    };
    CheckList {
        id: CheckListId(id(Kind::CheckList, number + 1)),
        name: phrases.day_round.to_owned(),
        actions: (0..).zip(actions_of(phrases)).map(with_id).collect(),
    }
}

/// What is checked at each point, in this language. The ids are placeholders.
fn actions_of(phrases: &Phrases) -> Vec<CheckListAction> {
    let actions = [
        (phrases.is_locked, ActionType::Boolean, true, None),
        (phrases.temperature, ActionType::Number, true, Some((5.0, 30.0))),
        (phrases.battery, ActionType::Number, false, Some((20.0, 100.0))),
        (phrases.remark, ActionType::Text, false, None),
        (phrases.photo, ActionType::Media, false, None),
    ];
    let action = |(at, action): (i32, (_, _, _, Option<(f64, f64)>))| {
        let (name, kind, required, bounds): (&str, ActionType, bool, _) = action;
        CheckListAction {
            order: at,
            required,
            min_value: bounds.map(|(min, _)| min),
            max_value: bounds.map(|(_, max)| max),
            ..CheckListAction::new(CheckListActionId(id(Kind::CheckListAction, 0)), name, kind)
        }
    };
    (0..).zip(actions).map(action).collect()
}
