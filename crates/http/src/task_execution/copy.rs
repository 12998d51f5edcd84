//! The body and the response of a copy.

use patrol_application::CopyDraft;
use patrol_domain::{
    Named, Timestamp,
    ids::{PointId, TaskExecutionId, UserId},
    task_execution::{Action, Step, TaskExecution},
};
use patrol_json::{fields::Fields, write};
use serde::{Serialize, Serializer};

use crate::route::JsonObject;

impl JsonObject for CopyDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            task_ids: fields.uuids("taskIds"),
            published: fields.boolean("published").unwrap_or_default(),
        }
    }
}

/// The response of a copy: exactly these fields.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CopiedRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: TaskExecutionId,
    name: &'a str,
    state: &'static str,
    published: bool,
    #[serde(serialize_with = "write::timestamp")]
    start_at: Timestamp,
    #[serde(serialize_with = "write::timestamp")]
    end_at: Timestamp,
    #[serde(serialize_with = "write::ids")]
    assignee_ids: &'a [UserId],
    steps: Steps<'a>,
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
            tags: _,
            steps,
        } = copy;
        Self {
            id: *id,
            name,
            state: progress.state().name(),
            published: *published,
            start_at: *start_at,
            end_at: *end_at,
            assignee_ids,
            steps: Steps(steps),
        }
    }
}

#[derive(Debug)]
struct Steps<'a>(&'a [Step]);

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().map(CopiedStep::new))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CopiedStep<'a> {
    #[serde(serialize_with = "write::id_or_null")]
    point_id: Option<PointId>,
    name: &'a str,
    actions: Actions<'a>,
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
            state: _,
            actions,
        } = step;
        Self { point_id: *point_id, name, actions: Actions(actions) }
    }
}

struct Actions<'a>(&'a [Action]);

impl Serialize for Actions<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().map(CopiedAction::new))
    }
}

#[derive(Serialize)]
struct CopiedAction<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
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
        Self { name, kind: kind.name(), required: *required }
    }
}
