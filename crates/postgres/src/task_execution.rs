//! Task executions: the statements that write them.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{Version, Versioned, ids::TaskExecutionId, task_execution::TaskExecution};
use patrol_repository::stored::{
    schema::{ExecutionSteps, task_executions},
    sql::{Document, Id, id, ids},
    task_execution::{Changed, ExecutionColumns},
};

use crate::engine::{Abort, Connection, Copied};

/// Replaces `old` by `new` under the next version. An unchanged document is not written again, because
/// it is most of the row.
pub(crate) async fn replace<E>(
    mut conn: &Connection,
    old: &Versioned<TaskExecution>,
    new: &TaskExecution,
) -> Result<(), Abort<E>> {
    let is_same = old.record.steps == new.steps;
    let steps = if is_same { None } else { Some(ExecutionSteps.eq(Document::of(new)?)) };
    let changed = Changed::between(old, new, [&old.record.point_ids(), &new.point_ids()]);
    diesel::update(task_executions::table.find(id(new.id)))
        .set((changed, steps))
        .execute(&mut conn)
        .await?;
    Ok(())
}

/// Locks executions until the end of the transaction, in the order of their ids.
pub(crate) async fn lock(mut conn: &Connection, executions: &[TaskExecutionId]) -> QueryResult<()> {
    if executions.is_empty() {
        return Ok(());
    }
    let _: Vec<Id> = task_executions::table
        .filter(task_executions::id.eq_any(ids(executions)))
        .order(task_executions::id)
        .select(task_executions::id)
        .for_no_key_update()
        .load(&mut conn)
        .await?;
    Ok(())
}

/// Removes an execution. Returns the key of its row.
pub(crate) async fn remove(
    mut conn: &Connection,
    execution: TaskExecutionId,
) -> QueryResult<Option<i64>> {
    let removed = diesel::delete(task_executions::table.find(id(execution)));
    // All rows, so that the statement is read to its end: it may fail after the row.
    let rows: Vec<i64> = removed.returning(task_executions::row).load(&mut conn).await?;
    Ok(rows.into_iter().next())
}

/// How many executions are serialised at once.
const AT_ONCE: usize = 32;

/// Stores new executions with this version.
pub(crate) async fn insert<E>(
    conn: &Connection,
    executions: &[&TaskExecution],
    version: Version,
) -> Result<(), Abort<E>> {
    let rows = executions.chunks(AT_ONCE).map(move |executions| {
        let mut written = Vec::with_capacity(executions.len());
        for execution in executions {
            let version = task_executions::version.eq(version.0);
            let steps = ExecutionSteps.eq(Document::of(execution)?);
            written.push((ExecutionColumns::of(execution, &execution.point_ids()), version, steps));
        }
        Ok(Copied::of(&diesel::insert_into(task_executions::table).values(written))?)
    });
    conn.copy(Box::new(rows)).await
}
