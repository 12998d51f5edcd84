//! Scheduled tasks as lines of the data set.

use patrol_domain::{
    ids::ScheduledTaskId,
    scheduled_task::{ScheduledTask, ScheduledTaskDraft},
};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

pub(crate) fn read(fields: &mut Fields<'_>) -> ScheduledTaskDraft {
    ScheduledTaskDraft {
        id: fields.uuid("id"),
        name: fields.text("name"),
        description: fields.text("description"),
    }
}

/// A scheduled task as a line.
#[derive(Serialize)]
pub(crate) struct Row<'a> {
    #[serde(serialize_with = "write::id")]
    id: ScheduledTaskId,
    name: &'a str,
    description: Option<&'a str>,
}

impl<'a> From<&'a ScheduledTask> for Row<'a> {
    fn from(task: &'a ScheduledTask) -> Self {
        let ScheduledTask { id, name, description } = task;
        Self { id: *id, name, description: description.as_deref() }
    }
}
