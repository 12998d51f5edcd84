//! Repairs the folded texts of scheduled tasks.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures_util::future::try_join_all;
use patrol_domain::ids::ScheduledTaskId;
use patrol_stored::{
    scheduled_task::{Folded, Unfolded},
    schema::scheduled_tasks,
    sql::id,
};

use crate::{data_set::page, engine::Connection};

/// Writes the texts of all tasks where they are missing or outdated.
pub(crate) async fn repair(conn: &Connection) -> QueryResult<()> {
    let mut after: Option<ScheduledTaskId> = None;
    loop {
        let rows: Vec<Unfolded> = page!(
            conn,
            after,
            scheduled_tasks,
            scheduled_tasks::table.select(Unfolded::as_select())
        );
        let Some(last) = rows.last().map(Unfolded::id) else { return Ok(()) };
        after = last;
        let outdated = rows.iter().filter_map(|task| Some((task, task.outdated()?)));
        // Sent one after another without waiting for the answers.
        try_join_all(outdated.map(|(task, folded)| write(conn, task, folded))).await?;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Writes the texts, unless another node has changed the task in the meantime.
async fn write(mut conn: &Connection, task: &Unfolded, folded: Folded) -> QueryResult<()> {
    let Some(task_id) = task.id() else { return Ok(()) };
    diesel::update(scheduled_tasks::table.find(id(task_id)))
        .filter(scheduled_tasks::version.eq(task.version))
        .set(folded)
        .execute(&mut conn)
        .await?;
    Ok(())
}
