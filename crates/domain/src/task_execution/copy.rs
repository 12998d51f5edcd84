//! Copies of an execution.

use super::{Action, Progress, State, Step, TaskExecution};
use crate::shared::{
    ids::{ActionId, StepId, TaskExecutionId},
    ports::Ids,
};

/// Options of a copy.
#[derive(Clone, Copy)]
pub struct CopyOptions<'a> {
    /// Whether the copy is published.
    pub published: bool,
    /// The generator of the new ids.
    pub ids: &'a dyn Ids,
}

impl TaskExecution {
    /// A PENDING copy with new ids, without results, performer and series, and not edited.
    /// `published` comes from the options. The steps are PENDING too, without an actual order. All
    /// other members are copied.
    #[must_use]
    pub fn copy(&self, options: CopyOptions<'_>) -> Self {
        let Self {
            id: _,
            scheduled_task_id,
            series_id: _,
            name,
            description,
            location_id,
            performer_id: _,
            assignee_ids,
            progress: _,
            published: _,
            start_at,
            end_at,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            edited: _,
            flag_count: _,
            tags,
            steps,
        } = self;
        Self {
            id: TaskExecutionId(options.ids.next()),
            scheduled_task_id: *scheduled_task_id,
            series_id: None,
            name: name.clone(),
            description: description.clone(),
            location_id: *location_id,
            performer_id: None,
            assignee_ids: assignee_ids.clone(),
            progress: Progress::Pending,
            published: options.published,
            start_at: *start_at,
            end_at: *end_at,
            priority: *priority,
            order_steps_required: *order_steps_required,
            strict_time_required: *strict_time_required,
            deadlined: *deadlined,
            edited: false,
            flag_count: 0,
            tags: tags.clone(),
            steps: steps.iter().map(|step| step.copy(options.ids)).collect(),
        }
    }
}

impl Step {
    fn copy(&self, ids: &dyn Ids) -> Self {
        let Self {
            id: _,
            series_id: _,
            point_id,
            name,
            order,
            actual_order: _,
            started_at: _,
            ended_at: _,
            state: _,
            actions,
        } = self;
        Self {
            id: StepId(ids.next()),
            series_id: None,
            point_id: *point_id,
            name: name.clone(),
            order: *order,
            actual_order: None,
            started_at: None,
            ended_at: None,
            state: State::Pending,
            actions: actions.iter().map(|action| action.copy(ids)).collect(),
        }
    }
}

impl Action {
    fn copy(&self, ids: &dyn Ids) -> Self {
        let Self {
            id: _,
            series_id: _,
            name,
            kind,
            order,
            required,
            min_value,
            max_value,
            outcome: _,
        } = self;
        Self {
            id: ActionId(ids.next()),
            series_id: None,
            name: name.clone(),
            kind: *kind,
            order: *order,
            required: *required,
            min_value: *min_value,
            max_value: *max_value,
            outcome: None,
        }
    }
}
