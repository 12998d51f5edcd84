//! Executions with the content of a plan.

use std::collections::HashMap;

use uuid::{Uuid, Version};

use super::{PlannedStep, ScheduledTask};
use crate::{
    check_list::{CheckList, CheckListAction},
    shared::{
        ids::{
            ActionId, CheckListActionId, CheckListId, LocationId, SeriesId, StepId, TaskExecutionId,
        },
        ports::Ids,
        timestamp::Timestamp,
    },
    task_execution::{Action, Progress, State, Step, TaskExecution},
};

/// A scheduled task, with the check-lists from which its executions take actions.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskPlan {
    /// The task.
    pub task: ScheduledTask,
    /// The check-lists of its steps.
    pub check_lists: HashMap<CheckListId, CheckList>,
}

impl TaskPlan {
    /// Makes a PENDING execution for a client, outside the schedule, with the content of the task. The
    /// execution, its steps and its actions have no series.
    pub(crate) fn make_execution_by_hand(
        &self,
        location: LocationId,
        period: [Timestamp; 2],
        ids: &dyn Ids,
    ) -> TaskExecution {
        let Self { task, check_lists } = self;
        ExecutionMaker { task, check_lists, ids }.make(location, period, None).without_series()
    }
}

/// Makes the executions of a task.
pub(crate) struct ExecutionMaker<'a> {
    /// The task.
    pub(crate) task: &'a ScheduledTask,
    /// The check-lists of its steps, as they are now.
    pub(crate) check_lists: &'a HashMap<CheckListId, CheckList>,
    /// The generator of the new ids.
    pub(crate) ids: &'a dyn Ids,
}

impl ExecutionMaker<'_> {
    /// Makes the execution of the task in this period. `old` is the execution of the same
    /// occurrence before the plan changed; its ids are kept.
    pub(crate) fn make(
        &self,
        location_id: LocationId,
        [start_at, end_at]: [Timestamp; 2],
        old: Option<&TaskExecution>,
    ) -> TaskExecution {
        let ScheduledTask {
            id,
            name,
            description,
            location_id: _,
            assignee_ids,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            tags,
            published,
            steps,
            schedule: _,
            enabled: _,
            series_id,
        } = self.task;
        let old_steps: HashMap<_, _> =
            old.iter().flat_map(|old| &old.steps).map(|step| (step.series_id, step)).collect();
        TaskExecution {
            id: old.map_or_else(|| TaskExecutionId(self.ids.next()), |old| old.id),
            scheduled_task_id: Some(*id),
            series_id: *series_id,
            name: name.clone(),
            description: description.clone(),
            location_id,
            performer_id: old.and_then(|old| old.performer_id),
            assignee_ids: assignee_ids.clone(),
            progress: Progress::Pending,
            published: *published,
            start_at,
            end_at,
            priority: *priority,
            order_steps_required: *order_steps_required,
            strict_time_required: *strict_time_required,
            deadlined: *deadlined,
            edited: false,
            flag_count: old.map_or(0, |old| old.flag_count),
            tags: tags.clone(),
            steps: steps
                .iter()
                .map(|step| {
                    self.make_step(step, old_steps.get(&Some(SeriesId(step.id.0))).copied())
                })
                .collect(),
        }
    }

    fn make_step(&self, planned: &PlannedStep, old: Option<&Step>) -> Step {
        let PlannedStep { id, point_id, name, order, check_list_id, actions } = planned;
        let known: HashMap<_, _> = old
            .iter()
            .flat_map(|old| &old.actions)
            .map(|action| (action.series_id, action.id))
            .collect();
        let id_of =
            |series| known.get(&Some(series)).copied().unwrap_or_else(|| ActionId(self.ids.next()));
        let own = actions.iter().map(|action| {
            let series = SeriesId(action.id.0);
            action.make(id_of(series), series, 0)
        });
        let own: Vec<_> = own.collect();
        let list = check_list_id.and_then(|list| self.check_lists.get(&list));
        let listed = list.map_or(&[][..], |list| &list.actions);
        let behind = distance_behind(&own, listed);
        let listed = listed.iter().map(|action| {
            let series = series_of(*id, action.id);
            action.make(id_of(series), series, behind)
        });
        let listed: Vec<_> = listed.collect();
        let mut actions = [own, listed].concat();
        actions.sort_by_key(|action| action.order);
        Step {
            id: old.map_or_else(|| StepId(self.ids.next()), |old| old.id),
            series_id: Some(SeriesId(id.0)),
            point_id: *point_id,
            name: name.clone(),
            order: *order,
            actual_order: None,
            started_at: None,
            ended_at: None,
            state: State::Pending,
            actions,
        }
    }
}

/// The number to add to the order of each listed action, so that all of them come after the step's own
/// actions. 0 when the step has no action of its own.
fn distance_behind(own: &[Action], listed: &[CheckListAction]) -> i64 {
    let lowest = listed.iter().map(|action| i64::from(action.order)).min().unwrap_or(0).min(0);
    let last = own.iter().map(|action| i64::from(action.order)).max();
    last.map_or(0, |last| last + 1 - lowest)
}

/// The series id of all actions that are made from this action of a check-list for this step. Two
/// steps may have the same check-list, so the series id depends on both ids.
fn series_of(step: StepId, action: CheckListActionId) -> SeriesId {
    SeriesId(Uuid::new_v5(&step.0, action.0.as_bytes()))
}

/// Whether [`series_of`] may have made this id: it is a UUID of version 5. Clients may choose such
/// ids for other actions.
pub(crate) fn is_derived(series: SeriesId) -> bool {
    series.0.get_version() == Some(Version::Sha1)
}
