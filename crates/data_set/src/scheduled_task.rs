//! Scheduled tasks as lines of the data set.

use patrol_domain::{
    ids::ScheduledTaskId,
    scheduled_task::{ScheduledTask, ScheduledTaskDraft},
};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

use crate::{
    line::{Context, Line},
    messages,
};

impl Line for ScheduledTask {
    type Draft = ScheduledTaskDraft;
    type Form<'a> = Row<'a>;

    fn read(fields: &mut Fields<'_>) -> ScheduledTaskDraft {
        ScheduledTaskDraft {
            id: fields.uuid("id"),
            name: fields.text("name"),
            description: fields.text("description"),
        }
    }

    fn check(draft: ScheduledTaskDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(context.rules))
    }

    fn form(&self) -> Row<'_> {
        let Self { id, name, description } = self;
        Row { id: *id, name, description: description.as_deref() }
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
