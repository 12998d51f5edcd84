//! The body and the response of a copy.

use patrol_application::{CopyDraft, MAX_COPIES};
use patrol_domain::{
    ids::UserId,
    task_execution::{Action, Step, TaskExecution},
};
use patrol_record::{
    json::{fields::Fields, write},
    value::{ActionType, Id, State, Time},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    route::JsonObject,
    schema::{body, inline_schema},
};

body! {
    /// The executions to copy.
    CopyPost {
        /// The executions to copy, each once.
        task_ids: TaskIds,
        /// Whether the copies are published.
        published: Option<bool>,
    }
}

inline_schema! {
    /// Ids of executions.
    TaskIds = {"minItems": 1, "maxItems": MAX_COPIES, "uniqueItems": true} of Id;
}

impl JsonObject for CopyDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            task_ids: fields.uuids("taskIds"),
            published: fields.boolean("published").unwrap_or_default(),
        }
    }
}

/// A copy of a task execution.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TaskExecutionCopy)]
pub(crate) struct CopiedRecord<'a> {
    id: Id,
    name: &'a str,
    state: State,
    published: bool,
    start_at: Time,
    end_at: Time,
    #[serde(serialize_with = "write::ids")]
    #[schema(value_type = Vec<Id>)]
    assignee_ids: &'a [UserId],
    steps: Vec<CopiedStep<'a>>,
}

impl<'a> CopiedRecord<'a> {
    /// The record of a copy.
    pub(crate) fn new(copy: &'a TaskExecution) -> Self {
        let TaskExecution {
            id,
            scheduled_task_id: _,
            series_id: _,
            name,
            description: _,
            location_id: _,
            performer_id: _,
            assignee_ids,
            progress,
            published,
            start_at,
            end_at,
            priority: _,
            order_steps_required: _,
            strict_time_required: _,
            deadlined: _,
            edited: _,
            flag_count: _,
            tags: _,
            steps,
        } = copy;
        Self {
            id: Id::of(*id),
            name,
            state: State(progress.state()),
            published: *published,
            start_at: Time(*start_at),
            end_at: Time(*end_at),
            assignee_ids,
            steps: steps.iter().map(CopiedStep::new).collect(),
        }
    }
}

/// A step of a copy.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CopiedStep<'a> {
    point_id: Option<Id>,
    name: &'a str,
    actions: Vec<CopiedAction<'a>>,
}

impl<'a> CopiedStep<'a> {
    fn new(step: &'a Step) -> Self {
        let Step {
            id: _,
            series_id: _,
            point_id,
            name,
            order: _,
            actual_order: _,
            started_at: _,
            ended_at: _,
            state: _,
            actions,
        } = step;
        let actions = actions.iter().map(CopiedAction::new).collect();
        Self { point_id: point_id.map(Id::of), name, actions }
    }
}

/// An action of a copy.
#[derive(Serialize, ToSchema)]
struct CopiedAction<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: ActionType,
    required: bool,
}

impl<'a> CopiedAction<'a> {
    fn new(action: &'a Action) -> Self {
        let Action {
            id: _,
            series_id: _,
            name,
            kind,
            order: _,
            required,
            min_value: _,
            max_value: _,
            outcome: _,
        } = action;
        Self { name, kind: ActionType(*kind), required: *required }
    }
}
