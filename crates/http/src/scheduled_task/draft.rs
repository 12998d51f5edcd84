//! The bodies of POST and PUT.

use patrol_domain::{
    scheduled_task::ScheduledTaskDraft,
    task_execution::{ContentDraft, StepDraft},
};
use patrol_record::{
    json::fields::Fields,
    value::{Id, Priority, Tags},
};

use super::schedule::{SchedulePut, read_schedule};
use crate::{
    route::JsonObject,
    schema::{Assignees, LongText, Name, body, inline_schema},
    task_execution::{ActionPuts, read_step},
};

body! {
    /// The new content. Members that are absent or null get their defaults.
    ScheduledTaskPut {
        name: Name,
        description: Option<LongText>,
        location_id: Id,
        /// Duplicate ids are dropped.
        assignee_ids: Option<Assignees>,
        /// NORMAL when absent.
        priority: Option<Priority>,
        order_steps_required: Option<bool>,
        strict_time_required: Option<bool>,
        deadlined: Option<bool>,
        tags: Option<Tags>,
        /// Whether the executions of the schedule are published; true when absent.
        published: Option<bool>,
        steps: Option<PlannedStepPuts>,
        /// Null when the rounds are made by hand.
        schedule: Option<SchedulePut>,
        /// Whether the schedule makes executions; true when absent.
        enabled: Option<bool>,
    }
}

body! {
    /// A new scheduled task. Members that are absent or null get their defaults.
    ScheduledTaskPost {
        /// A new id; Patrol makes one when absent.
        id: Option<Id>,
        #[serde(flatten)]
        plan: ScheduledTaskPut,
    }
}

body! {
    /// The new content of a step.
    PlannedStepPut {
        /// The id of the step; absent or null for a new one.
        id: Option<Id>,
        point_id: Option<Id>,
        name: Name,
        /// Defaults to the position.
        order: Option<i32>,
        /// The check-list whose actions the step gets besides its own when an execution is made.
        check_list_id: Option<Id>,
        actions: Option<ActionPuts>,
    }
}

inline_schema! {
    /// The steps of a scheduled task.
    PlannedStepPuts = {"maxItems": "{limit_steps}"} of PlannedStepPut;
}

/// Members that a POST ignores, so that a client can send a record that it has read.
const READ_ONLY_IN_POST: &[&str] = &["seriesId", "nextStartAt"];

impl JsonObject for ScheduledTaskDraft {
    /// Reads the body of a POST.
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.accept(READ_ONLY_IN_POST);
        Self { id: fields.uuid("id"), ..members(fields) }
    }
}

/// Reads the members of a body, except its id.
pub(super) fn members(fields: &mut Fields<'_>) -> ScheduledTaskDraft {
    ScheduledTaskDraft {
        id: None,
        content: ContentDraft {
            assignee_ids: fields.uuids("assigneeIds"),
            location_id: fields.uuid("locationId"),
            name: fields.text("name"),
            description: fields.text("description"),
            priority: fields.text("priority"),
            order_steps_required: fields.boolean("orderStepsRequired"),
            strict_time_required: fields.boolean("strictTimeRequired"),
            deadlined: fields.boolean("deadlined"),
            tags: fields.texts("tags"),
            steps: fields.list("steps", planned_step),
            ..ContentDraft::default()
        },
        published: fields.boolean("published"),
        schedule: fields.object("schedule", read_schedule),
        enabled: fields.boolean("enabled"),
        series_id: None,
    }
}

fn planned_step(fields: &mut Fields<'_>) -> StepDraft {
    let check_list_id = fields.uuid("checkListId");
    StepDraft { check_list_id, ..read_step(fields, "id") }
}
