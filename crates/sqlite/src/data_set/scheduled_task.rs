//! Scheduled tasks.

use diesel::prelude::*;
use patrol_domain::{StoreError, data_set::ScheduledTask};

use crate::{
    engine::Abort,
    schema::scheduled_tasks,
    value::{Row, StoredId, id},
};

/// Stores a new scheduled task.
pub(super) fn insert<E>(conn: &mut SqliteConnection, task: &ScheduledTask) -> Result<(), Abort<E>> {
    let ScheduledTask { id: task_id, name, description } = task;
    diesel::insert_into(scheduled_tasks::table)
        .values((
            scheduled_tasks::id.eq(id(*task_id)),
            scheduled_tasks::name.eq(name),
            scheduled_tasks::description.eq(description),
        ))
        .execute(conn)?;
    Ok(())
}

/// At most `limit` scheduled tasks of a row after `after`, by row, each with its row.
pub(super) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, ScheduledTask)>, Abort<E>> {
    let found: Vec<(i64, StoredId, String, Option<String>)> = scheduled_tasks::table
        .filter(scheduled_tasks::row.gt(after))
        .order(scheduled_tasks::row)
        .limit(limit)
        .load(conn)?;
    let tasks = found.into_iter().map(|(row, id, name, description)| {
        let id = Row::new("scheduled_tasks", id).id("id", id)?;
        Ok((row, ScheduledTask { id, name, description }))
    });
    Ok(tasks.collect::<Result<_, StoreError>>()?)
}
