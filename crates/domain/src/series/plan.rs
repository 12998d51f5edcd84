//! The plan of a series. When the new executions of a schedule belong to a series, an update of
//! this series also changes the plan of the scheduled task.

use std::collections::HashSet;

use super::SeriesDraft;
use crate::{
    schedule::{LocalDateTime, MAX_DURATION_MINUTES, RuleFault, Schedule},
    scheduled_task::{PlannedAction, PlannedStep, ScheduledTask, is_derived},
    shared::{
        check,
        edit::Target,
        ids::{ActionId, SeriesId, StepId},
        timestamp::Timestamp,
        version::{Version, Versioned},
    },
    task_execution::{Action, Step, TaskExecution},
};

/// A series update that also changes the plan of a scheduled task, before the schedule is moved.
pub struct PlannedSeries {
    task: Versioned<ScheduledTask>,
    schedule: Schedule,
    execution: Versioned<TaskExecution>,
    /// The local start of the occurrence from which the execution was made.
    start: LocalDateTime,
    /// By how many seconds the local start of the execution changes. `None`: the new local start
    /// would be outside the years 1 to 9999.
    by: Option<i64>,
    duration_minutes: u16,
}

/// How the plan of a series changes, computed before the transaction of the update.
pub struct PlanMove {
    /// The task, in the version from which the change was computed.
    pub task: Target<ScheduledTask>,
    /// The version of the execution from which the change was computed.
    pub execution: Version,
    /// Occurrences with this local start or a later one move.
    pub from: LocalDateTime,
    /// By how many seconds they move.
    pub by: i64,
    /// The new schedule.
    pub schedule: Result<Schedule, RuleFault>,
}

impl PlannedSeries {
    /// The plan that the update `draft` of `execution` changes. `occurrence` is the local start of
    /// the occurrence from which the execution was made; `None` if it was not made from a schedule.
    /// Returns `None` when the plan stays as it is: the task has no schedule, its new executions
    /// belong to another series, the draft has no valid times, which is a fault, or the present
    /// local start is outside the years 1 to 9999.
    #[must_use]
    pub fn of(
        task: Versioned<ScheduledTask>,
        execution: Versioned<TaskExecution>,
        occurrence: Option<LocalDateTime>,
        draft: &SeriesDraft,
    ) -> Option<Self> {
        let schedule = task.record.schedule.clone()?;
        let is_current = task.record.series_id.is_some()
            && [execution.record.series_id, draft.series_id] == [task.record.series_id; 2];
        let (start_at, end_at) = draft.content.start_at.zip(draft.content.end_at)?;
        if !is_current || end_at < start_at {
            return None;
        }
        let before = schedule.time_zone.local(execution.record.start_at)?;
        let after = schedule.time_zone.local(start_at);
        Some(Self {
            start: occurrence.unwrap_or(before),
            by: after.map(|after| after.seconds() - before.seconds()),
            duration_minutes: minutes(start_at, end_at),
            schedule,
            task,
            execution,
        })
    }

    /// Moves the schedule. Blocks the thread for up to a third of a second with a hostile rule.
    #[must_use]
    pub fn moved(&self) -> PlanMove {
        let Self { task, schedule, execution, start, by, duration_minutes } = self;
        PlanMove {
            task: Target { id: task.record.id, expected: Some(task.version) },
            execution: execution.version,
            from: *start,
            by: by.unwrap_or(0),
            schedule: match by {
                Some(by) => schedule.continued(*start, *by, *duration_minutes),
                None => Err(RuleFault::new("an occurrence would leave the years 1 to 9999")),
            },
        }
    }
}

/// The duration in minutes, rounded up, and limited to the bounds of a schedule.
fn minutes(start_at: Timestamp, end_at: Timestamp) -> u16 {
    let minutes = (end_at.since(start_at) + 59_999) / 60_000;
    u16::try_from(minutes.clamp(1, MAX_DURATION_MINUTES)).unwrap_or(1)
}

impl PlanMove {
    /// The plan after the update, which changed the execution from `old` to `new`. `published` and
    /// `enabled` do not change. A step keeps its check-list only if the update changes no action of
    /// the list and the last of the step's own actions keeps its order, because the actions of the
    /// list are placed after it. Otherwise the actions of the list become actions of the step.
    #[must_use]
    pub fn apply(
        &self,
        task: &ScheduledTask,
        old: &TaskExecution,
        new: &TaskExecution,
    ) -> ScheduledTask {
        let planned = |step: &Step| {
            let series = step.series_id?;
            let planned = task.steps.iter().find(|planned| planned.id.0 == series.0)?;
            Some((planned, old.steps.iter().find(|old| old.series_id == Some(series))?))
        };
        let steps = new.steps.iter().map(|step| planned_step(step, planned(step))).collect();
        ScheduledTask {
            id: task.id,
            name: new.name.clone(),
            description: new.description.clone(),
            location_id: Some(new.location_id),
            assignee_ids: new.assignee_ids.clone(),
            priority: new.priority,
            order_steps_required: new.order_steps_required,
            strict_time_required: new.strict_time_required,
            deadlined: new.deadlined,
            tags: new.tags.clone(),
            published: task.published,
            steps,
            schedule: self.schedule.clone().ok().or_else(|| task.schedule.clone()),
            enabled: task.enabled,
            series_id: new.series_id,
        }
    }
}

/// The planned step for the changed step `new` of the execution. `before` is the planned step and the
/// step of the execution before the update.
fn planned_step(new: &Step, before: Option<(&PlannedStep, &Step)>) -> PlannedStep {
    let list = before.and_then(|(planned, old)| {
        let listed = listed(planned, old);
        let is_kept = keeps_listed(new, &listed, planned);
        planned.check_list_id.filter(|_| is_kept).map(|list| (list, listed))
    });
    let is_own = |action: &&Action| {
        !list
            .iter()
            .any(|(_, listed)| listed.iter().any(|known| known.series_id == action.series_id))
    };
    PlannedStep {
        id: new.series_id.map_or(new.id, |series| StepId(series.0)),
        point_id: new.point_id,
        name: new.name.clone(),
        order: new.order,
        actions: new.actions.iter().filter(is_own).map(planned_action).collect(),
        check_list_id: list.map(|(list, _)| list),
    }
}

/// The actions of a step that were made from a check-list: those with a derived series id that is
/// not the id of one of the planned actions.
fn listed<'a>(planned: &PlannedStep, made: &'a Step) -> Vec<&'a Action> {
    let own: HashSet<_> = planned.actions.iter().map(|action| SeriesId(action.id.0)).collect();
    let is_listed =
        |action: &&Action| action.series_id.is_some_and(|id| is_derived(id) && !own.contains(&id));
    made.actions.iter().filter(is_listed).collect()
}

/// Whether the step still has the listed actions unchanged, after its own actions. A check-list
/// without actions changes nothing, so it stays.
fn keeps_listed(new: &Step, listed: &[&Action], planned: &PlannedStep) -> bool {
    let with_series = |series| new.actions.iter().find(move |action| action.series_id == series);
    let are_same = listed.iter().all(|action| {
        with_series(action.series_id)
            .is_some_and(|new| planned_action(new) == planned_action(action))
    });
    let is_own = |action: &&Action| !listed.iter().any(|known| known.series_id == action.series_id);
    let last = new.actions.iter().filter(is_own).map(|action| action.order).max();
    let is_last_kept = last == planned.actions.iter().map(|action| action.order).max();
    listed.is_empty() || (are_same && is_last_kept)
}

/// Without bounds that no value keeps, which an imported execution may have and a plan may not.
fn planned_action(action: &Action) -> PlannedAction {
    let Action { id, series_id, name, kind, order, required, min_value, max_value, outcome: _ } =
        action;
    let are_possible = check::are_bounds_possible(*min_value, *max_value);
    PlannedAction {
        id: series_id.map_or(*id, |series| ActionId(series.0)),
        name: name.clone(),
        kind: *kind,
        order: *order,
        required: *required,
        min_value: min_value.filter(|_| are_possible),
        max_value: max_value.filter(|_| are_possible),
    }
}
