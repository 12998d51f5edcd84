//! The summary record of an execution, and its subset for PUT.

use patrol_domain::{
    ids::UserId,
    task_execution::{ExecutionSummary, Moment},
};
use patrol_record::{
    json::write,
    value::{Id, Priority, State, Status, Time},
};
use serde::Serialize;
use utoipa::ToSchema;

/// The summary record of a task execution.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = TaskExecutionSummary)]
pub(crate) struct SummaryRecord<'a> {
    id: Id,
    /// Null if the execution was made by hand without a scheduled task.
    scheduled_task_id: Option<Id>,
    performer_id: Option<Id>,
    #[serde(serialize_with = "write::ids")]
    #[schema(value_type = Vec<Id>)]
    assignee_ids: &'a [UserId],
    name: &'a str,
    state: State,
    /// Null until something has been reported.
    status: Option<Status>,
    /// Planned start.
    start_at: Time,
    /// Planned end.
    end_at: Time,
    /// Actual start.
    started_at: Option<Time>,
    /// Actual end.
    ended_at: Option<Time>,
    /// From actual start to actual end; increases while IN_PROGRESS, 0 while PENDING.
    #[schema(minimum = 0)]
    total_executed_time_in_millis: i64,
    /// Actions whose status is ERROR.
    error_count: i32,
    /// Actions whose status is WARNING.
    warning_count: i32,
    priority: Priority,
    series_id: Option<Id>,
    /// Whether there are assignees.
    assigned: bool,
    deadlined: bool,
    published: bool,
    edited: bool,
    step_count: i32,
    /// Steps in state COMPLETED.
    executed_step_count: i32,
    location_id: Id,
    tags: &'a [String],
    /// Whether the steps have to be done in their order.
    order_steps_required: bool,
    /// Entries of reports with a verdict.
    flag_count: i32,
    /// Published, and PENDING longer than the setting allows after startAt, or started after that.
    late: bool,
    /// Published, not COMPLETED, and after endAt.
    missed: bool,
}

impl<'a> SummaryRecord<'a> {
    /// The summary at this time; a duration that has not ended is counted up to it.
    pub(crate) fn new(summary: &'a ExecutionSummary, moment: Moment) -> Self {
        let timing = summary.timing();
        let ExecutionSummary {
            id,
            scheduled_task_id,
            performer_id,
            assignee_ids,
            name,
            progress,
            status,
            start_at,
            end_at,
            error_count,
            warning_count,
            priority,
            series_id,
            deadlined,
            published,
            edited,
            step_count,
            executed_step_count,
            location_id,
            tags,
            order_steps_required,
            flag_count,
        } = summary;
        Self {
            id: Id::of(*id),
            scheduled_task_id: scheduled_task_id.map(Id::of),
            performer_id: performer_id.map(Id::of),
            assignee_ids,
            name,
            state: State(progress.state()),
            status: status.map(Status),
            start_at: Time(*start_at),
            end_at: Time(*end_at),
            started_at: progress.started_at().map(Time),
            ended_at: progress.ended_at().map(Time),
            total_executed_time_in_millis: progress.executed_millis(moment.now),
            error_count: *error_count,
            warning_count: *warning_count,
            priority: Priority(*priority),
            series_id: series_id.map(Id::of),
            assigned: summary.assigned(),
            deadlined: *deadlined,
            published: *published,
            edited: *edited,
            step_count: *step_count,
            executed_step_count: *executed_step_count,
            location_id: Id::of(*location_id),
            tags,
            order_steps_required: *order_steps_required,
            flag_count: *flag_count,
            late: moment.is_late(timing),
            missed: moment.is_missed(timing),
        }
    }
}

/// The response of PUT: a part of the summary record.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = TaskExecutionReplaced)]
pub(crate) struct ReplacedRecord<'a> {
    id: Id,
    /// Null if the execution was made by hand without a scheduled task.
    scheduled_task_id: Option<Id>,
    performer_id: Option<Id>,
    #[serde(serialize_with = "write::ids")]
    #[schema(value_type = Vec<Id>)]
    assignee_ids: &'a [UserId],
    name: &'a str,
    state: State,
    /// Null until something has been reported.
    status: Option<Status>,
    /// Planned start.
    start_at: Time,
    /// Planned end.
    end_at: Time,
    /// From actual start to actual end; increases while IN_PROGRESS, 0 while PENDING.
    #[schema(minimum = 0)]
    total_executed_time_in_millis: i64,
    priority: Priority,
    step_count: i32,
    /// Steps in state COMPLETED.
    executed_step_count: i32,
}

impl<'a> ReplacedRecord<'a> {
    /// The response at this time; a duration that has not ended is counted up to it.
    pub(crate) fn new(summary: &'a ExecutionSummary, moment: Moment) -> Self {
        let SummaryRecord {
            id,
            scheduled_task_id,
            performer_id,
            assignee_ids,
            name,
            state,
            status,
            start_at,
            end_at,
            started_at: _,
            ended_at: _,
            total_executed_time_in_millis,
            error_count: _,
            warning_count: _,
            priority,
            series_id: _,
            assigned: _,
            deadlined: _,
            published: _,
            edited: _,
            step_count,
            executed_step_count,
            location_id: _,
            tags: _,
            order_steps_required: _,
            flag_count: _,
            late: _,
            missed: _,
        } = SummaryRecord::new(summary, moment);
        Self {
            id,
            scheduled_task_id,
            performer_id,
            assignee_ids,
            name,
            state,
            status,
            start_at,
            end_at,
            total_executed_time_in_millis,
            priority,
            step_count,
            executed_step_count,
        }
    }
}
