//! The body of PUT, which a series update shares.

use patrol_domain::{
    ids::Uuid,
    task_execution::{ActionDraft, ContentDraft, StepDraft},
};
use patrol_record::{
    json::fields::Fields,
    value::{ActionType, Id, Priority, Tags, Time},
};

use crate::{
    route::JsonObject,
    schema::{Assignees, LongText, Name, body, inline_schema},
};

/// Declares the schema of the content of an execution, of its steps and of its actions. Steps and
/// actions are matched by the member `$key`.
macro_rules! content {
    (
        $(#[$about:meta])* $content:ident { $($(#[$note:meta])* $member:ident: $value:ty,)* }
        $(#[$about_step:meta])* $step:ident, $steps:ident;
        $(#[$about_action:meta])* $action:ident, $actions:ident;
        $key:ident: $of_step:literal, $of_action:literal
    ) => {
        body! {
            $(#[$about])*
            $content {
                $($(#[$note])* $member: $value,)*
                assignee_ids: Option<Assignees>,
                location_id: Id,
                name: Name,
                description: Option<LongText>,
                start_at: Time,
                /// Not before startAt.
                end_at: Time,
                /// NORMAL when absent.
                priority: Option<Priority>,
                order_steps_required: Option<bool>,
                strict_time_required: Option<bool>,
                deadlined: Option<bool>,
                tags: Option<Tags>,
                steps: $steps,
            }
        }

        body! {
            $(#[$about_step])*
            $step {
                #[doc = $of_step]
                $key: Option<Id>,
                point_id: Option<Id>,
                name: Name,
                /// Defaults to the position.
                order: Option<i32>,
                actions: Option<$actions>,
            }
        }

        body! {
            $(#[$about_action])*
            $action {
                #[doc = $of_action]
                $key: Option<Id>,
                name: Name,
                r#type: ActionType,
                /// Defaults to the position.
                order: Option<i32>,
                /// Whether a missing or wrong result is an ERROR; otherwise a wrong one is a
                /// WARNING.
                required: Option<bool>,
                /// The least reading that is right; NUMBER only. Absent keeps the bound of an
                /// existing action; null removes the bound.
                min_value: Option<f64>,
                /// The greatest reading that is right; NUMBER only. Absent keeps the bound of an
                /// existing action; null removes the bound.
                max_value: Option<f64>,
            }
        }

        inline_schema! {
            /// The steps of an execution.
            $steps = {"maxItems": "{limit_steps}"} of $step;
            /// The actions of a step.
            $actions = {"maxItems": "{limit_actions}"} of $action;
        }
    };
}

content! {
    /// The new content. Members that are absent or null get their defaults.
    TaskExecutionPut {}
    /// The new content of a step.
    StepPut, StepPuts;
    /// The new content of an action.
    ActionPut, ActionPuts;
    id: "The id of the step; absent or null for a new one.",
        "The id of the action; absent or null for a new one."
}

content! {
    /// The new content of this execution and those that follow in its series.
    SeriesPut {
        /// The current series of the execution in the path.
        series_id: Id,
    }
    /// The new content of a step in all executions of the new series.
    SeriesStepPut, SeriesStepPuts;
    /// The new content of an action in all executions of the new series.
    SeriesActionPut, SeriesActionPuts;
    series_id: "The seriesId of the step; absent or null for a new one.",
        "The seriesId of the action; absent or null for a new one."
}

/// Read-only members of the full record, its steps and its actions. POST and PUT accept and ignore
/// them, so that a client can send a record that it has read.
const READ_ONLY_MEMBERS: &[&str] = &[
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
    "flagCount",
    "late",
    "missed",
];
const READ_ONLY_STEP_MEMBERS: &[&str] =
    &["id", "seriesId", "actualOrder", "status", "state", "startedAt", "endedAt"];
const READ_ONLY_ACTION_MEMBERS: &[&str] =
    &["id", "seriesId", "status", "state", "numberValue", "booleanValue", "textValue", "mediaIds"];

impl JsonObject for ContentDraft {
    /// Reads the body of a PUT.
    fn read(fields: &mut Fields<'_>) -> Self {
        read_content(fields, "id")
    }
}

/// Reads the content of an execution. `key` is the member by which steps and actions are matched.
pub(crate) fn read_content(fields: &mut Fields<'_>, key: &str) -> ContentDraft {
    fields.accept(READ_ONLY_MEMBERS);
    ContentDraft {
        assignee_ids: fields.uuids("assigneeIds"),
        location_id: fields.uuid("locationId"),
        name: fields.text("name"),
        description: fields.text("description"),
        start_at: fields.timestamp("startAt"),
        end_at: fields.timestamp("endAt"),
        priority: fields.text("priority"),
        order_steps_required: fields.boolean("orderStepsRequired"),
        strict_time_required: fields.boolean("strictTimeRequired"),
        deadlined: fields.boolean("deadlined"),
        tags: fields.texts("tags"),
        steps: fields.list("steps", |fields| read_step(fields, key)),
    }
}

/// Reads a step, without the members that only a plan has.
pub(crate) fn read_step(fields: &mut Fields<'_>, key: &str) -> StepDraft {
    fields.accept(READ_ONLY_STEP_MEMBERS);
    StepDraft {
        key: fields.uuid::<Uuid>(key),
        point_id: fields.uuid("pointId"),
        name: fields.text("name"),
        order: fields.integer("order"),
        check_list_id: None,
        actions: fields.list("actions", |fields| action(fields, key)).unwrap_or_default(),
    }
}

fn action(fields: &mut Fields<'_>, key: &str) -> ActionDraft {
    fields.accept(READ_ONLY_ACTION_MEMBERS);
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
