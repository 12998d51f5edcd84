//! The row of a scheduled task.

use diesel::{pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{StoreError, scheduled_task::ScheduledTask};

use crate::{
    row::Row,
    schema::scheduled_tasks,
    sql::{Id, StoredId, id},
};

/// The columns of a scheduled task.
#[derive(Insertable)]
#[diesel(table_name = scheduled_tasks, treat_none_as_default_value = false)]
pub struct Written<'a> {
    id: Id,
    name: &'a str,
    description: Option<&'a str>,
}

impl<'a> Written<'a> {
    /// The columns of `task`.
    #[must_use]
    pub fn of(task: &'a ScheduledTask) -> Self {
        let ScheduledTask { id: task_id, name, description } = task;
        Self { id: id(*task_id), name, description: description.as_deref() }
    }
}

/// The columns of a scheduled task, as read.
#[derive(Queryable, Selectable)]
#[diesel(table_name = scheduled_tasks, check_for_backend(Sqlite, Pg))]
pub struct Read {
    id: StoredId,
    name: String,
    description: Option<String>,
}

impl Read {
    /// Decodes the scheduled task.
    ///
    /// # Errors
    /// `Corrupt` when the id cannot be read.
    pub fn task(self) -> Result<ScheduledTask, StoreError> {
        let Self { id, name, description } = self;
        Ok(ScheduledTask { id: Row::new("scheduled_tasks", id).id("id", id)?, name, description })
    }
}
