//! Scheduled tasks as lines of the data set.

use std::collections::BTreeSet;

use patrol_domain::{
    data_set::NewTask,
    schedule,
    scheduled_task::ScheduledTaskDraft,
    task_execution::{ActionDraft, ContentDraft, StepDraft},
};
use patrol_json::fields::Fields;
use patrol_record::{ScheduledTaskRecord, read_schedule, value::LocalDateTime};
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
        let task = ScheduledTaskDraft {
            id: fields.uuid("id"),
            content: ContentDraft {
                name: fields.text("name"),
                description: fields.text("description"),
                location_id: fields.uuid("locationId"),
                assignee_ids: fields.uuids("assigneeIds"),
                priority: fields.text("priority"),
                order_steps_required: fields.boolean("orderStepsRequired"),
                strict_time_required: fields.boolean("strictTimeRequired"),
                deadlined: fields.boolean("deadlined"),
                tags: fields.texts("tags"),
                steps: fields.list("steps", read_step),
                ..ContentDraft::default()
            },
            published: fields.boolean("published"),
            schedule: fields.object("schedule", read_schedule),
            enabled: fields.boolean("enabled"),
            series_id: fields.uuid("seriesId"),
        };
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

fn read_step(fields: &mut Fields<'_>) -> StepDraft {
    StepDraft {
        key: fields.uuid("id"),
        point_id: fields.uuid("pointId"),
        name: fields.text("name"),
        order: fields.integer("order"),
        check_list_id: fields.uuid("checkListId"),
        actions: fields.list("actions", read_action).unwrap_or_default(),
    }
}

fn read_action(fields: &mut Fields<'_>) -> ActionDraft {
    ActionDraft {
        key: fields.uuid("id"),
        name: fields.text("name"),
        kind: fields.text("type"),
        order: fields.integer("order"),
        required: fields.boolean("required").unwrap_or_default(),
        min_value: fields.patch_number("minValue"),
        max_value: fields.patch_number("maxValue"),
    }
}
