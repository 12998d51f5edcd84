//! An execution as it is stored: one row.

use diesel::{
    deserialize::{self, FromSql, FromSqlRow},
    pg::{Pg, PgValue},
    prelude::*,
    sql_types::Json,
};
use patrol_domain::{
    Named, StoreError, Version, Versioned,
    ids::Uuid,
    shared::text::fold,
    task_execution::{ExecutionSummary, Progress, Step, TaskExecution},
};
use patrol_stored as stored;

use crate::{
    schema::task_executions,
    value::{Document, Row, Time, folded_tags, ids, time, unwritable, uuids},
};

/// The columns that hold an execution, but for its steps. An update writes all of them: PostgreSQL
/// itself sees which have changed.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = task_executions)]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub(super) struct Written<'a> {
    id: Uuid,
    version: i64,
    scheduled_task_id: Uuid,
    series_id: Option<Uuid>,
    location_id: Uuid,
    performer_id: Option<Uuid>,
    assignee_ids: Vec<Uuid>,
    point_ids: Vec<Uuid>,
    state: i16,
    status: Option<i16>,
    priority: i16,
    published: bool,
    order_steps_required: bool,
    strict_time_required: bool,
    deadlined: bool,
    edited: bool,
    start_at: Time,
    end_at: Time,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    error_count: i32,
    warning_count: i32,
    step_count: i32,
    executed_step_count: i32,
    name: &'a str,
    name_folded: String,
    tags: &'a [String],
    tags_folded: String,
    description: Option<&'a str>,
    description_folded: Option<String>,
}

impl<'a> Written<'a> {
    /// The columns of `execution` in this version.
    pub(super) fn of(execution: &'a TaskExecution, version: Version) -> Self {
        let TaskExecution {
            id,
            scheduled_task_id,
            series_id,
            name,
            description,
            location_id,
            performer_id,
            assignee_ids,
            progress,
            published,
            start_at,
            end_at,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            edited,
            tags,
            steps: _,
        } = execution;
        let ExecutionSummary {
            status,
            error_count,
            warning_count,
            step_count,
            executed_step_count,
            ..
        } = execution.summary();
        Self {
            id: id.0,
            version: version.0,
            scheduled_task_id: scheduled_task_id.0,
            series_id: series_id.map(|id| id.0),
            location_id: location_id.0,
            performer_id: performer_id.map(|id| id.0),
            assignee_ids: uuids(assignee_ids),
            point_ids: uuids(&execution.point_ids()),
            state: progress.state().code(),
            status: status.map(Named::code),
            priority: priority.code(),
            published: *published,
            order_steps_required: *order_steps_required,
            strict_time_required: *strict_time_required,
            deadlined: *deadlined,
            edited: *edited,
            start_at: time(*start_at),
            end_at: time(*end_at),
            started_at: progress.started_at().map(time),
            ended_at: progress.ended_at().map(time),
            error_count,
            warning_count,
            step_count,
            executed_step_count,
            name,
            name_folded: fold(name),
            tags,
            tags_folded: folded_tags(tags),
            description: description.as_deref(),
            description_folded: description.as_deref().map(fold),
        }
    }
}

/// The document that holds `steps`.
pub(super) fn document(steps: &[Step]) -> Result<Document, StoreError> {
    Ok(Document(stored::steps::write(steps).map_err(unwritable)?))
}

/// The columns that an execution is read from.
#[derive(Queryable, Selectable)]
#[diesel(table_name = task_executions, check_for_backend(Pg))]
pub(super) struct Read {
    id: Uuid,
    version: i64,
    scheduled_task_id: Uuid,
    series_id: Option<Uuid>,
    location_id: Uuid,
    performer_id: Option<Uuid>,
    assignee_ids: Vec<Uuid>,
    state: i16,
    priority: i16,
    published: bool,
    order_steps_required: bool,
    strict_time_required: bool,
    deadlined: bool,
    edited: bool,
    start_at: Time,
    end_at: Time,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    name: String,
    tags: Vec<String>,
    description: Option<String>,
    steps: StoredSteps,
}

/// A document of steps, read where it lies.
#[derive(FromSqlRow)]
pub(super) struct StoredSteps(Result<Vec<Step>, stored::Error>);

impl FromSql<Json, Pg> for StoredSteps {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(stored::steps::read(value.as_bytes())))
    }
}

/// The execution that a row holds.
pub(super) fn read(read: Read) -> Result<Versioned<TaskExecution>, StoreError> {
    let Read {
        id,
        version,
        scheduled_task_id,
        series_id,
        location_id,
        performer_id,
        assignee_ids,
        state,
        priority,
        published,
        order_steps_required,
        strict_time_required,
        deadlined,
        edited,
        start_at,
        end_at,
        started_at,
        ended_at,
        name,
        tags,
        description,
        steps: StoredSteps(steps),
    } = read;
    let at = Row::new("task_executions", id);
    let record = TaskExecution {
        id: id.into(),
        scheduled_task_id: scheduled_task_id.into(),
        series_id: series_id.map(Into::into),
        name,
        description,
        location_id: location_id.into(),
        performer_id: performer_id.map(Into::into),
        assignee_ids: ids(assignee_ids),
        progress: progress(at, state, started_at, ended_at)?,
        published,
        start_at: at.time("start_at", start_at)?,
        end_at: at.time("end_at", end_at)?,
        priority: at.named("priority", priority)?,
        order_steps_required,
        strict_time_required,
        deadlined,
        edited,
        tags,
        steps: steps.map_err(|error| at.corrupt("steps", error))?,
    };
    Ok(Versioned { record, version: Version(version) })
}

/// The state with the times that belong to it.
pub(super) fn progress(
    at: Row,
    state: i16,
    started_at: Option<Time>,
    ended_at: Option<Time>,
) -> Result<Progress, StoreError> {
    let started_at = started_at.map(|time| at.time("started_at", time)).transpose()?;
    let ended_at = ended_at.map(|time| at.time("ended_at", time)).transpose()?;
    Progress::from_parts(at.named("state", state)?, started_at, ended_at)
        .ok_or_else(|| at.corrupt("state", "the times do not fit it"))
}
