//! The statements by which executions are read and written.

use std::collections::HashSet;

use diesel::{
    dsl::{AsSelect, Select},
    pg::Pg,
    prelude::*,
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Named, Timestamp, Version, Versioned,
    ids::{SeriesId, TaskExecutionId, Uuid},
    task_execution::{State, TaskExecution},
};

use super::row::{self, Read, Written};
use crate::{
    engine::{Abort, Connection, Copied},
    schema::task_executions,
    value::{Document, time, uuids},
};

/// Executions with their steps.
pub(super) fn query() -> Select<task_executions::table, AsSelect<Read, Pg>> {
    task_executions::table.select(Read::as_select())
}

/// The execution, or none.
pub(super) async fn get<E>(
    mut conn: &Connection,
    id: TaskExecutionId,
) -> Result<Option<Versioned<TaskExecution>>, Abort<E>> {
    let found = query().filter(task_executions::id.eq(id.0)).first(&mut conn).await.optional()?;
    Ok(found.map(row::read).transpose()?)
}

/// The execution, or none, which nobody else changes until the transaction ends.
pub(crate) async fn lock<E>(
    mut conn: &Connection,
    id: TaskExecutionId,
) -> Result<Option<Versioned<TaskExecution>>, Abort<E>> {
    let query = query().filter(task_executions::id.eq(id.0)).for_update();
    Ok(query.first(&mut conn).await.optional()?.map(row::read).transpose()?)
}

/// The version of the execution, or none, which nobody else changes until the transaction ends.
pub(super) async fn lock_version(
    mut conn: &Connection,
    id: TaskExecutionId,
) -> QueryResult<Option<Version>> {
    let query = task_executions::table.select(task_executions::version);
    let query = query.filter(task_executions::id.eq(id.0)).for_update();
    Ok(query.first(&mut conn).await.optional()?.map(Version))
}

/// Whether there is this execution.
pub(super) async fn has(mut conn: &Connection, id: TaskExecutionId) -> QueryResult<bool> {
    let same = task_executions::table.filter(task_executions::id.eq(id.0));
    diesel::select(diesel::dsl::exists(same)).get_result(&mut conn).await
}

/// Those of `executions` that there are.
pub(super) async fn known(
    mut conn: &Connection,
    executions: &[TaskExecutionId],
) -> QueryResult<HashSet<TaskExecutionId>> {
    let known: Vec<Uuid> = task_executions::table
        .filter(task_executions::id.eq_any(uuids(executions)))
        .select(task_executions::id)
        .load(&mut conn)
        .await?;
    Ok(known.into_iter().map(TaskExecutionId).collect())
}

/// The PENDING executions of `series` that start at `from` or later, by id, which nobody else
/// changes until the transaction ends.
pub(crate) async fn lock_pending<E>(
    mut conn: &Connection,
    series: SeriesId,
    from: Timestamp,
) -> Result<Vec<Versioned<TaskExecution>>, Abort<E>> {
    let found: Vec<Read> = query()
        .filter(task_executions::series_id.eq(series.0))
        .filter(task_executions::state.eq(State::Pending.code()))
        .filter(task_executions::start_at.ge(time(from)))
        .order(task_executions::id)
        .for_update()
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().map(row::read).collect::<Result<_, _>>()?)
}

/// At most `limit` executions by id, those after `after`.
pub(crate) async fn page<E>(
    mut conn: &Connection,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<TaskExecution>, Abort<E>> {
    let mut page = query().order(task_executions::id).limit(limit).into_boxed();
    if let Some(after) = after {
        page = page.filter(task_executions::id.gt(after));
    }
    let found: Vec<Read> = page.load(&mut conn).await?;
    let executions = found.into_iter().map(|read| Ok(row::read(read)?.record));
    executions.collect()
}

/// How many executions are made ready to be stored at once.
const AT_ONCE: usize = 32;

/// Stores new executions in this version.
pub(crate) async fn insert<E>(
    conn: &Connection,
    executions: &[&TaskExecution],
    version: Version,
) -> Result<(), Abort<E>> {
    let rows = executions.chunks(AT_ONCE).map(move |executions| {
        let mut written = Vec::with_capacity(executions.len());
        for execution in executions {
            let steps = task_executions::steps.eq(row::document(&execution.steps)?);
            written.push((Written::of(execution, version), steps));
        }
        Ok(Copied::of(&diesel::insert_into(task_executions::table).values(written))?)
    });
    conn.copy(Box::new(rows)).await
}

/// Stores `new` where `old` is, in this version.
pub(crate) async fn replace<E>(
    mut conn: &Connection,
    old: &TaskExecution,
    new: &TaskExecution,
    version: Version,
) -> Result<(), Abort<E>> {
    // A document that stays is not written again: it is most of the row.
    let steps = if old.steps == new.steps { None } else { Some(row::document(&new.steps)?) };
    let steps = steps.map(|steps: Document| task_executions::steps.eq(steps));
    diesel::update(task_executions::table.find(old.id.0))
        .set((Written::of(new, version), steps))
        .execute(&mut conn)
        .await?;
    Ok(())
}

/// Removes the execution.
pub(super) async fn delete(mut conn: &Connection, id: TaskExecutionId) -> QueryResult<()> {
    diesel::delete(task_executions::table.find(id.0)).execute(&mut conn).await?;
    Ok(())
}
