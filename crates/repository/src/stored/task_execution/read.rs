//! Reads executions.

use diesel::{pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    StoreError, Version, Versioned,
    task_execution::{Progress, TaskExecution},
};

use super::task;
use crate::stored::{
    row::Row,
    schema::task_executions,
    sql::{Id, Ids, StoredSteps, Texts, Time},
};

/// The columns of an execution, as read, without its steps.
#[derive(Queryable, Selectable)]
#[diesel(table_name = task_executions, check_for_backend(Sqlite, Pg))]
pub struct ExecutionRow {
    id: Id,
    version: i64,
    scheduled_task_id: Id,
    series_id: Option<Id>,
    location_id: Id,
    performer_id: Option<Id>,
    assignee_ids: Ids,
    state: i16,
    priority: i16,
    published: bool,
    order_steps_required: bool,
    strict_time_required: bool,
    deadlined: bool,
    edited: bool,
    flag_count: i32,
    start_at: Time,
    end_at: Time,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    name: String,
    tags: Texts,
    description: Option<String>,
}

impl ExecutionRow {
    /// The execution with these steps. `column` and `table` are the place of the steps, for errors.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read, or the steps are missing.
    pub fn execution(
        self,
        steps: Option<StoredSteps>,
        (table, column): (&'static str, &'static str),
    ) -> Result<Versioned<TaskExecution>, StoreError> {
        let at = Row::new("task_executions", self.id);
        let document = Row::new(table, self.id);
        let Some(StoredSteps(steps)) = steps else {
            return Err(document.corrupt(column, "missing"));
        };
        let record = TaskExecution {
            id: at.id("id", self.id)?,
            scheduled_task_id: task::read(at, self.scheduled_task_id)?,
            series_id: self.series_id.map(|id| at.id("series_id", id)).transpose()?,
            name: self.name,
            description: self.description,
            location_id: at.id("location_id", self.location_id)?,
            performer_id: self.performer_id.map(|id| at.id("performer_id", id)).transpose()?,
            assignee_ids: at.ids("assignee_ids", self.assignee_ids)?,
            progress: progress(at, self.state, self.started_at, self.ended_at)?,
            published: self.published,
            start_at: at.time("start_at", self.start_at)?,
            end_at: at.time("end_at", self.end_at)?,
            priority: at.named("priority", self.priority)?,
            order_steps_required: self.order_steps_required,
            strict_time_required: self.strict_time_required,
            deadlined: self.deadlined,
            edited: self.edited,
            flag_count: self.flag_count,
            tags: at.texts("tags", self.tags)?,
            steps: steps.map_err(|error| document.corrupt(column, error))?,
        };
        Ok(Versioned { record, version: Version(self.version) })
    }
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
