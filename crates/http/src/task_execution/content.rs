//! The body of PUT, which a series update shares.

use patrol_domain::{
    ids::Uuid,
    task_execution::{ActionDraft, ContentDraft, StepDraft},
};
use patrol_json::fields::Fields;

use crate::route::JsonObject;

/// Members of the full record, its steps and its actions that a PUT ignores. A client may send back
/// what it has read.
const OF_RECORD: &[&str] = &[
    "id",
    "scheduledTaskId",
    "performerId",
    "status",
    "state",
    "published",
    "seriesId",
    "edited",
    "startedAt",
    "endedAt",
];
const OF_STEP: &[&str] = &["id", "seriesId", "actualOrder", "status", "state"];
const OF_ACTION: &[&str] =
    &["id", "seriesId", "status", "state", "numberValue", "booleanValue", "textValue", "mediaIds"];

impl JsonObject for ContentDraft {
    /// Reads the body of a PUT.
    fn read(fields: &mut Fields<'_>) -> Self {
        content(fields, "id")
    }
}

/// Reads the content of an execution. `key` is the member by which steps and actions are matched.
pub(crate) fn content(fields: &mut Fields<'_>, key: &str) -> ContentDraft {
    fields.accept(OF_RECORD);
    ContentDraft {
        assignee_ids: fields.uuids("assigneeIds").unwrap_or_default(),
        location_id: fields.uuid("locationId"),
        name: fields.text("name"),
        description: fields.text("description"),
        start_at: fields.timestamp("startAt"),
        end_at: fields.timestamp("endAt"),
        priority: fields.text("priority"),
        order_steps_required: fields.boolean("orderStepsRequired").unwrap_or_default(),
        strict_time_required: fields.boolean("strictTimeRequired").unwrap_or_default(),
        deadlined: fields.boolean("deadlined").unwrap_or_default(),
        tags: fields.texts("tags").unwrap_or_default(),
        steps: fields.list("steps", |fields| step(fields, key)),
    }
}

fn step(fields: &mut Fields<'_>, key: &str) -> StepDraft {
    fields.accept(OF_STEP);
    StepDraft {
        key: fields.uuid::<Uuid>(key),
        point_id: fields.uuid("pointId"),
        name: fields.text("name"),
        order: fields.integer("order"),
        actions: fields.list("actions", |fields| action(fields, key)).unwrap_or_default(),
    }
}

fn action(fields: &mut Fields<'_>, key: &str) -> ActionDraft {
    fields.accept(OF_ACTION);
    ActionDraft {
        key: fields.uuid::<Uuid>(key),
        name: fields.text("name"),
        kind: fields.text("type"),
        order: fields.integer("order"),
        required: fields.boolean("required").unwrap_or_default(),
        min_value: fields.patch_number("minValue"),
        max_value: fields.patch_number("maxValue"),
    }
}
