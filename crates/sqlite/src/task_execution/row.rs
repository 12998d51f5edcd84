//! An execution as it is stored: a row and a document of steps.

use diesel::{
    deserialize::{self, FromSql, FromSqlRow},
    prelude::*,
    sql_types::Binary,
    sqlite::{Sqlite, SqliteValue},
};
use patrol_domain::{
    Named, StoreError, Version, Versioned,
    ids::{PointId, UserId},
    shared::text::fold,
    task_execution::{ExecutionSummary, Progress, Step, TaskExecution},
};
use patrol_stored as stored;

use crate::{
    schema::task_executions,
    value::{self, Id, Row, StoredId, StoredIds, StoredTexts, id, unwritable},
};

/// The columns that hold an execution, but for its key, its version and its steps.
#[derive(Insertable)]
#[diesel(table_name = task_executions, treat_none_as_default_value = false)]
pub(super) struct Written {
    pub(super) id: Id,
    pub(super) scheduled_task_id: Id,
    pub(super) series_id: Option<Id>,
    pub(super) location_id: Id,
    pub(super) performer_id: Option<Id>,
    pub(super) assignee_ids: Vec<u8>,
    pub(super) point_ids: Vec<u8>,
    pub(super) state: i16,
    pub(super) status: Option<i16>,
    pub(super) priority: i16,
    pub(super) published: bool,
    pub(super) order_steps_required: bool,
    pub(super) strict_time_required: bool,
    pub(super) deadlined: bool,
    pub(super) edited: bool,
    pub(super) start_at: i64,
    pub(super) end_at: i64,
    pub(super) started_at: Option<i64>,
    pub(super) ended_at: Option<i64>,
    pub(super) error_count: i32,
    pub(super) warning_count: i32,
    pub(super) step_count: i32,
    pub(super) executed_step_count: i32,
    pub(super) name: String,
    pub(super) name_folded: String,
    pub(super) tags: String,
    pub(super) tags_folded: String,
    pub(super) description: Option<String>,
    pub(super) description_folded: Option<String>,
}

impl Written {
    pub(super) fn of(execution: &TaskExecution, points: &[PointId]) -> Result<Self, StoreError> {
        let TaskExecution {
            id: execution_id,
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
        Ok(Self {
            id: id(*execution_id),
            scheduled_task_id: id(*scheduled_task_id),
            series_id: series_id.map(id),
            location_id: id(*location_id),
            performer_id: performer_id.map(id),
            assignee_ids: stored::ids::write(assignee_ids),
            point_ids: stored::ids::write(points),
            state: progress.state().code(),
            status: status.map(Named::code),
            priority: priority.code(),
            published: *published,
            order_steps_required: *order_steps_required,
            strict_time_required: *strict_time_required,
            deadlined: *deadlined,
            edited: *edited,
            start_at: start_at.millis(),
            end_at: end_at.millis(),
            started_at: progress.started_at().map(|time| time.millis()),
            ended_at: progress.ended_at().map(|time| time.millis()),
            error_count,
            warning_count,
            step_count,
            executed_step_count,
            name: name.clone(),
            name_folded: fold(name),
            tags: stored::texts::write(tags).map_err(unwritable)?,
            tags_folded: value::folded_tags(tags),
            description: description.clone(),
            description_folded: description.as_deref().map(fold),
        })
    }
}

/// The columns of a row that differ from what is there. Those left out keep their indexes as they
/// are, which is most of the cost of an update.
#[derive(AsChangeset)]
#[diesel(table_name = task_executions)]
pub(super) struct Changed {
    version: i64,
    scheduled_task_id: Option<Id>,
    series_id: Option<Option<Id>>,
    location_id: Option<Id>,
    performer_id: Option<Option<Id>>,
    assignee_ids: Option<Vec<u8>>,
    point_ids: Option<Vec<u8>>,
    state: Option<i16>,
    status: Option<Option<i16>>,
    priority: Option<i16>,
    published: Option<bool>,
    order_steps_required: Option<bool>,
    strict_time_required: Option<bool>,
    deadlined: Option<bool>,
    edited: Option<bool>,
    start_at: Option<i64>,
    end_at: Option<i64>,
    started_at: Option<Option<i64>>,
    ended_at: Option<Option<i64>>,
    error_count: Option<i32>,
    warning_count: Option<i32>,
    step_count: Option<i32>,
    executed_step_count: Option<i32>,
    name: Option<String>,
    name_folded: Option<String>,
    tags: Option<String>,
    tags_folded: Option<String>,
    description: Option<Option<String>>,
    description_folded: Option<Option<String>>,
}

/// The fields of `$new` that differ from those of `$old`; all but the id, which never changes.
macro_rules! changed {
    ($version:ident, $old:ident, $new:ident: $($field:ident),+ $(,)?) => {{
        let Written { id: _, $($field),+ } = $new;
        Changed { version: $version.0, $($field: ($old.$field != $field).then_some($field)),+ }
    }};
}

impl Changed {
    /// What makes the row of `old` that of `new`, in this version.
    pub(super) fn between(old: &Written, new: Written, version: Version) -> Self {
        changed!(
            version, old, new:
            scheduled_task_id,
            series_id,
            location_id,
            performer_id,
            assignee_ids,
            point_ids,
            state,
            status,
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
            error_count,
            warning_count,
            step_count,
            executed_step_count,
            name,
            name_folded,
            tags,
            tags_folded,
            description,
            description_folded,
        )
    }
}

/// The columns that an execution is read from, but for its steps.
#[derive(Queryable, Selectable)]
#[diesel(table_name = task_executions, check_for_backend(Sqlite))]
pub(crate) struct Read {
    row: i64,
    id: StoredId,
    version: i64,
    scheduled_task_id: StoredId,
    series_id: Option<StoredId>,
    location_id: StoredId,
    performer_id: Option<StoredId>,
    assignee_ids: StoredIds<UserId>,
    state: i16,
    priority: i16,
    published: bool,
    order_steps_required: bool,
    strict_time_required: bool,
    deadlined: bool,
    edited: bool,
    start_at: i64,
    end_at: i64,
    started_at: Option<i64>,
    ended_at: Option<i64>,
    name: String,
    tags: StoredTexts,
    description: Option<String>,
}

/// A document of steps, read where it lies.
#[derive(FromSqlRow)]
pub(crate) struct StoredSteps(Result<Vec<Step>, stored::Error>);

impl FromSql<Binary, Sqlite> for StoredSteps {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(stored::steps::read(value.read_blob())))
    }
}

/// A stored execution.
pub(crate) struct Stored {
    /// Its key.
    pub(crate) row: i64,
    pub(crate) found: Versioned<TaskExecution>,
}

/// The execution that a row and a document hold.
pub(crate) fn read((read, steps): (Read, Option<StoredSteps>)) -> Result<Stored, StoreError> {
    let Read {
        row,
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
    } = read;
    let at = Row::new("task_executions", id);
    let document = Row::new("task_execution_steps", id);
    let Some(StoredSteps(steps)) = steps else {
        return Err(document.corrupt("document", "missing"));
    };
    let record = TaskExecution {
        id: at.id("id", id)?,
        scheduled_task_id: at.id("scheduled_task_id", scheduled_task_id)?,
        series_id: series_id.map(|id| at.id("series_id", id)).transpose()?,
        name,
        description,
        location_id: at.id("location_id", location_id)?,
        performer_id: performer_id.map(|id| at.id("performer_id", id)).transpose()?,
        assignee_ids: at.ids("assignee_ids", assignee_ids)?,
        progress: progress(at, state, started_at, ended_at)?,
        published,
        start_at: at.time("start_at", start_at)?,
        end_at: at.time("end_at", end_at)?,
        priority: at.named("priority", priority)?,
        order_steps_required,
        strict_time_required,
        deadlined,
        edited,
        tags: at.texts("tags", tags)?,
        steps: steps.map_err(|error| document.corrupt("document", error))?,
    };
    Ok(Stored { row, found: Versioned { record, version: Version(version) } })
}

/// The state with the times that belong to it.
pub(super) fn progress(
    at: Row,
    state: i16,
    started_at: Option<i64>,
    ended_at: Option<i64>,
) -> Result<Progress, StoreError> {
    let started_at = started_at.map(|time| at.time("started_at", time)).transpose()?;
    let ended_at = ended_at.map(|time| at.time("ended_at", time)).transpose()?;
    Progress::from_parts(at.named("state", state)?, started_at, ended_at)
        .ok_or_else(|| at.corrupt("state", "the times do not fit it"))
}
