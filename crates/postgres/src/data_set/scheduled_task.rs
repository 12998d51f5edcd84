//! Scheduled tasks.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{data_set::ScheduledTask, ids::Uuid};

use crate::{engine::Connection, schema::scheduled_tasks};

/// Stores new scheduled tasks.
pub(super) async fn insert(mut conn: &Connection, tasks: &[&ScheduledTask]) -> QueryResult<()> {
    let mut written = Vec::new();
    for task in tasks {
        let ScheduledTask { id, name, description } = task;
        written.push((
            scheduled_tasks::id.eq(id.0),
            scheduled_tasks::name.eq(name),
            scheduled_tasks::description.eq(description),
        ));
    }
    diesel::insert_into(scheduled_tasks::table).values(written).execute(&mut conn).await?;
    Ok(())
}

/// At most `limit` scheduled tasks by id, those after `after`.
pub(super) async fn page(
    mut conn: &Connection,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<ScheduledTask>> {
    let mut page = scheduled_tasks::table.order(scheduled_tasks::id).limit(limit).into_boxed();
    if let Some(after) = after {
        page = page.filter(scheduled_tasks::id.gt(after));
    }
    let found: Vec<(Uuid, String, Option<String>)> = page.load(&mut conn).await?;
    let tasks = found.into_iter().map(|(id, name, description)| ScheduledTask {
        id: id.into(),
        name,
        description,
    });
    Ok(tasks.collect())
}
