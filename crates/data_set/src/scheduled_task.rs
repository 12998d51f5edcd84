//! Scheduled tasks as lines of the data set.

use std::collections::BTreeSet;

use patrol_domain::{data_set::NewTask, schedule, scheduled_task::ScheduledTaskDraft};
use patrol_record::{
    ScheduledTaskRecord, json::fields::Fields, read_scheduled_task, value::LocalDateTime,
};
use serde::Serialize;

use crate::{
    line::{Context, Line},
    messages,
};

/// A task as a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row<'a> {
    #[serde(flatten)]
    task: ScheduledTaskRecord<'a>,
    left_out: Vec<LocalDateTime>,
}

impl Line for NewTask {
    type Draft = (ScheduledTaskDraft, BTreeSet<schedule::LocalDateTime>);
    type Form<'a> = Row<'a>;

    fn read(fields: &mut Fields<'_>) -> Self::Draft {
        let id = fields.uuid("id");
        let plan = read_scheduled_task(fields);
        let task = ScheduledTaskDraft { id, series_id: fields.uuid("seriesId"), ..plan };
        let left_out = fields.local_date_times("leftOut").unwrap_or_default();
        (task, left_out.into_iter().collect())
    }

    fn check((draft, left_out): Self::Draft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        let task = messages::checked(draft.check(context.rules))?;
        Ok(Self { task, left_out })
    }

    /// Without nextStartAt, which is derived.
    fn form(&self) -> Row<'_> {
        Row {
            task: ScheduledTaskRecord::new(&self.task, None),
            left_out: self.left_out.iter().copied().map(LocalDateTime).collect(),
        }
    }
}
