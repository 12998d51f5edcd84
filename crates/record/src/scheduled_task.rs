//! Scheduled tasks; see `docs/api/scheduled-tasks.md`.

use patrol_domain::{
    Timestamp,
    ids::UserId,
    scheduled_task::{PlannedAction, PlannedStep, ScheduledTask, ScheduledTaskDraft},
    task_execution::{ActionDraft, ContentDraft, StepDraft},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    ScheduleRecord,
    json::{fields::Fields, write},
    read_schedule,
    value::{ActionType, Id, Priority, Time},
};

/// Declares a record of a scheduled task: the common members, and `$further` ones.
macro_rules! record {
    (
        $(#[$about:meta])* $name:ident {
            $($(#[$note:meta])* $further:ident: $type:ty = |$task:ident| $value:expr,)*
        }
    ) => {
        #[derive(Serialize, ToSchema, Debug)]
        #[serde(rename_all = "camelCase")]
        $(#[$about])*
        pub struct $name<'a> {
            id: Id,
            name: &'a str,
            description: Option<&'a str>,
            /// Where the round takes place. Null only for a task of an earlier version: no execution is
            /// made from it.
            location_id: Option<Id>,
            /// The users who may perform the round.
            #[serde(serialize_with = "write::ids")]
            #[schema(value_type = Vec<Id>)]
            assignee_ids: &'a [UserId],
            priority: Priority,
            /// Whether the steps have to be performed in their order.
            order_steps_required: bool,
            /// Whether the round has to be performed within its planned period.
            strict_time_required: bool,
            deadlined: bool,
            tags: &'a [String],
            /// Whether the executions of the schedule are published.
            published: bool,
            $($(#[$note])* $further: $type,)*
            /// When the rounds take place; null if they are made by hand.
            schedule: Option<ScheduleRecord<'a>>,
            /// Whether the schedule makes executions.
            enabled: bool,
            /// The series that new executions of the schedule belong to.
            series_id: Option<Id>,
            /// The start of the next occurrence; null if there is none, and while the task is not
            /// enabled.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(value_type = Option<Time>, required = true)]
            next_start_at: Option<Option<Time>>,
        }

        impl<'a> $name<'a> {
            /// The record of a task with its nextStartAt; without that member when it is `None`.
            #[must_use]
            pub fn new(task: &'a ScheduledTask, next: Option<Option<Timestamp>>) -> Self {
                let ScheduledTask {
                    id,
                    name,
                    description,
                    location_id,
                    assignee_ids,
                    priority,
                    order_steps_required,
                    strict_time_required,
                    deadlined,
                    tags,
                    published,
                    steps: _,
                    schedule,
                    enabled,
                    series_id,
                } = task;
                Self {
                    id: Id::of(*id),
                    name,
                    description: description.as_deref(),
                    location_id: location_id.map(Id::of),
                    assignee_ids,
                    priority: Priority(*priority),
                    order_steps_required: *order_steps_required,
                    strict_time_required: *strict_time_required,
                    deadlined: *deadlined,
                    tags,
                    published: *published,
                    $($further: { let $task = task; $value },)*
                    schedule: schedule.as_ref().map(ScheduleRecord::new),
                    enabled: *enabled,
                    series_id: series_id.map(Id::of),
                    next_start_at: next.map(|next| next.map(Time)),
                }
            }
        }
    };
}

record! {
    /// A scheduled task: the plan of a round.
    #[schema(as = ScheduledTask)]
    ScheduledTaskRecord {
        /// Sorted by `order`.
        steps: Vec<PlannedStepRecord<'a>> = |task| {
            task.steps.iter().map(PlannedStepRecord::new).collect()
        },
    }
}

impl ScheduledTaskRecord<'_> {
    pub(crate) fn without_steps(self) -> Self {
        Self { steps: Vec::new(), ..self }
    }
}

record! {
    /// A scheduled task without its steps.
    #[schema(as = ScheduledTaskItem)]
    ScheduledTaskItem {}
}

/// A step of a scheduled task.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlannedStep)]
struct PlannedStepRecord<'a> {
    /// The seriesId of the steps that are made from it.
    id: Id,
    /// The point of the step. The point may have been deleted.
    point_id: Option<Id>,
    name: &'a str,
    order: i32,
    /// The check-list whose actions the step gets besides its own when an execution is made.
    check_list_id: Option<Id>,
    /// Sorted by `order`.
    actions: Vec<PlannedActionRecord<'a>>,
}

impl<'a> PlannedStepRecord<'a> {
    fn new(step: &'a PlannedStep) -> Self {
        let PlannedStep { id, point_id, name, order, check_list_id, actions } = step;
        Self {
            id: Id::of(*id),
            point_id: point_id.map(Id::of),
            name,
            order: *order,
            check_list_id: check_list_id.map(Id::of),
            actions: actions.iter().map(PlannedActionRecord::new).collect(),
        }
    }
}

/// An action of a step of a scheduled task.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlannedAction)]
struct PlannedActionRecord<'a> {
    /// The seriesId of the actions that are made from it.
    id: Id,
    name: &'a str,
    #[serde(rename = "type")]
    kind: ActionType,
    order: i32,
    required: bool,
    /// The smallest value that passes; only NUMBER.
    #[serde(serialize_with = "write::number_or_null")]
    min_value: Option<f64>,
    /// The largest value that passes; only NUMBER.
    #[serde(serialize_with = "write::number_or_null")]
    max_value: Option<f64>,
}

impl<'a> PlannedActionRecord<'a> {
    fn new(action: &'a PlannedAction) -> Self {
        let PlannedAction { id, name, kind, order, required, min_value, max_value } = action;
        Self {
            id: Id::of(*id),
            name,
            kind: ActionType(*kind),
            order: *order,
            required: *required,
            min_value: *min_value,
            max_value: *max_value,
        }
    }
}

/// Reads the members of a scheduled task, except its id and its series.
pub fn read_scheduled_task(fields: &mut Fields<'_>) -> ScheduledTaskDraft {
    ScheduledTaskDraft {
        id: None,
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
        series_id: None,
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
