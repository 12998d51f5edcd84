//! The body of PATCH.

use patrol_domain::task_execution::ExecutionPatch;
use patrol_record::{
    json::fields::Fields,
    value::{Id, Priority, Tags, Time},
};

use crate::{
    route::JsonObject,
    schema::{Assignees, LongText, Name, body},
};

body! {
    patch
    /// The members to change. Absent members are unchanged.
    TaskExecutionPatch {
        name: Name,
        description: Option<LongText>,
        location_id: Id,
        assignee_ids: Assignees,
        start_at: Time,
        /// Not before startAt.
        end_at: Time,
        priority: Priority,
        order_steps_required: bool,
        strict_time_required: bool,
        deadlined: bool,
        tags: Tags,
        published: bool,
    }
}

impl JsonObject for ExecutionPatch {
    fn read(fields: &mut Fields<'_>) -> Self {
        read_execution_patch(fields)
    }
}

/// Reads the body of `PATCH /v1/task-executions/{id}`.
pub fn read_execution_patch(fields: &mut Fields<'_>) -> ExecutionPatch {
    ExecutionPatch {
        name: fields.patch_text("name"),
        description: fields.patch_text("description"),
        location_id: fields.patch_uuid("locationId"),
        assignee_ids: fields.patch_uuids("assigneeIds"),
        start_at: fields.patch_timestamp("startAt"),
        end_at: fields.patch_timestamp("endAt"),
        priority: fields.patch_text("priority"),
        order_steps_required: fields.patch_boolean("orderStepsRequired"),
        strict_time_required: fields.patch_boolean("strictTimeRequired"),
        deadlined: fields.patch_boolean("deadlined"),
        tags: fields.patch_texts("tags"),
        published: fields.patch_boolean("published"),
    }
}
