//! Executions as lines of the data set, including states, times and results.

use patrol_domain::{
    data_set::{ActionReport, ExecutionRecordDraft, NewExecution, StepReport},
    task_execution::{ActionDraft, ContentDraft, StepDraft},
};
use patrol_record::{ExecutionRecord, json::fields::Fields, value::LocalDateTime};
use serde::Serialize;

use crate::{
    line::{Context, Line},
    messages,
};

/// An execution as a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row<'a> {
    #[serde(flatten)]
    execution: ExecutionRecord<'a>,
    occurrence_at: Option<LocalDateTime>,
}

impl Line for NewExecution {
    type Draft = ExecutionRecordDraft;
    type Form<'a> = Row<'a>;

    fn read(fields: &mut Fields<'_>) -> ExecutionRecordDraft {
        read(fields)
    }

    fn check(draft: ExecutionRecordDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(context.rules))
    }

    fn form(&self) -> Row<'_> {
        Row {
            execution: ExecutionRecord::line(&self.execution),
            occurrence_at: self.occurrence_at.map(LocalDateTime),
        }
    }
}

fn read(fields: &mut Fields<'_>) -> ExecutionRecordDraft {
    let id = fields.uuid("id");
    let scheduled_task_id = fields.uuid("scheduledTaskId");
    let series_id = fields.uuid("seriesId");
    let occurrence_at = fields.local_date_time("occurrenceAt");
    let name = fields.text("name");
    let description = fields.text("description");
    let location_id = fields.uuid("locationId");
    let performer_id = fields.uuid("performerId");
    let assignee_ids = fields.uuids("assigneeIds");
    let state = fields.text("state");
    let published = fields.boolean("published").unwrap_or_default();
    let start_at = fields.timestamp("startAt");
    let end_at = fields.timestamp("endAt");
    let started_at = fields.timestamp("startedAt");
    let ended_at = fields.timestamp("endedAt");
    let priority = fields.text("priority");
    let order_steps_required = fields.boolean("orderStepsRequired");
    let strict_time_required = fields.boolean("strictTimeRequired");
    let deadlined = fields.boolean("deadlined");
    let edited = fields.boolean("edited").unwrap_or_default();
    let tags = fields.texts("tags");
    // An absent list means an empty list.
    let steps = fields.list("steps", read_step).unwrap_or_default();
    let (steps, reports) = steps.into_iter().unzip();
    ExecutionRecordDraft {
        id,
        scheduled_task_id,
        series_id,
        occurrence_at,
        performer_id,
        state,
        published,
        edited,
        started_at,
        ended_at,
        content: ContentDraft {
            assignee_ids,
            location_id,
            name,
            description,
            start_at,
            end_at,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            tags,
            steps: Some(steps),
        },
        reports,
    }
}

fn read_step(fields: &mut Fields<'_>) -> (StepDraft, StepReport) {
    let key = fields.uuid("id");
    let series_id = fields.uuid("seriesId");
    let point_id = fields.uuid("pointId");
    let name = fields.text("name");
    let order = fields.integer("order");
    let actual_order = fields.integer("actualOrder");
    let state = fields.text("state");
    let actions = fields.list("actions", read_action).unwrap_or_default();
    let (actions, reports) = actions.into_iter().unzip();
    (
        StepDraft { key, point_id, name, order, check_list_id: None, actions },
        StepReport { series_id, actual_order, state, actions: reports },
    )
}

fn read_action(fields: &mut Fields<'_>) -> (ActionDraft, ActionReport) {
    let key = fields.uuid("id");
    let series_id = fields.uuid("seriesId");
    let name = fields.text("name");
    let kind = fields.text("type");
    let order = fields.integer("order");
    let required = fields.boolean("required").unwrap_or_default();
    let min_value = fields.patch_number("minValue");
    let max_value = fields.patch_number("maxValue");
    let state = fields.text("state");
    let number_value = fields.number("numberValue");
    let boolean_value = fields.boolean("booleanValue");
    let text_value = fields.text("textValue");
    let media_ids = fields.uuids("mediaIds").unwrap_or_default();
    (
        ActionDraft { key, name, kind, order, required, min_value, max_value },
        ActionReport { series_id, state, number_value, boolean_value, text_value, media_ids },
    )
}
