//! The body of POST.

use patrol_domain::task_execution::ExecutionDraft;
use patrol_record::{
    json::fields::Fields,
    value::{Id, Priority, Tags, Time},
};

use super::content::{StepPuts, read_content};
use crate::{
    route::JsonObject,
    schema::{Assignees, LongText, Name, body},
};

body! {
    /// A new execution. If scheduledTaskId is absent or null, then name, locationId, endAt and steps
    /// are required, and the other members get their defaults. If it is given, members that are absent
    /// or null are taken from the task: locationId may be absent only if the task has one, and endAt
    /// is startAt plus the duration of the schedule, or plus an hour if the task has no schedule.
    TaskExecutionPost {
        /// A new id; Patrol makes one when absent.
        id: Option<Id>,
        /// The task that the execution is a run of; null for none.
        scheduled_task_id: Option<Id>,
        /// The user who performs the execution, if known.
        performer_id: Option<Id>,
        /// Whether performers should see the execution; false when absent, even if the task
        /// publishes its executions.
        published: Option<bool>,
        assignee_ids: Option<Assignees>,
        location_id: Option<Id>,
        name: Option<Name>,
        description: Option<LongText>,
        start_at: Time,
        /// Not before startAt.
        end_at: Option<Time>,
        priority: Option<Priority>,
        order_steps_required: Option<bool>,
        strict_time_required: Option<bool>,
        deadlined: Option<bool>,
        tags: Option<Tags>,
        /// Steps and actions of a new execution have no id yet.
        steps: Option<StepPuts>,
    }
}

impl JsonObject for ExecutionDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        read_execution(fields)
    }
}

/// Reads the body of `POST /v1/task-executions`.
pub fn read_execution(fields: &mut Fields<'_>) -> ExecutionDraft {
    ExecutionDraft {
        id: fields.uuid("id"),
        scheduled_task_id: fields.uuid("scheduledTaskId"),
        performer_id: fields.uuid("performerId"),
        published: fields.boolean("published").unwrap_or_default(),
        content: read_content(fields, "id"),
    }
}
