//! The statements that read and write executions. Each has a fixed form, so that it stays prepared.

use diesel::{dsl, prelude::*};
use patrol_domain::{
    StoreError, Version, Versioned, ids::TaskExecutionId, task_execution::TaskExecution,
};
use patrol_repository::stored::{
    link::{Link, Linked as _},
    schema::{task_execution_steps, task_executions},
    sql::{PackedDocument, id},
    statement::update,
    task_execution::{Changed, ExecutionColumns},
};

use crate::{
    engine::Abort,
    link::{self, DeferredPairs},
};

/// Stores new executions with this version.
pub(crate) fn insert<E>(
    conn: &mut SqliteConnection,
    executions: &[&TaskExecution],
    version: Version,
) -> Result<(), Abort<E>> {
    for execution in executions {
        let (row, new) = (next_row(conn)?, PreparedExecution::of(execution)?);
        insert_row(conn, row, &new, version)?;
        insert_parts(conn, row, &new, None)?;
    }
    Ok(())
}

/// Replaces `old` by `new` under the next version. Writes only the differences.
pub(crate) fn replace<E>(
    conn: &mut SqliteConnection,
    old: &Versioned<TaskExecution>,
    new: &TaskExecution,
) -> Result<(), Abort<E>> {
    let row = row_of(conn, new.id)?;
    let (old_points, new_points) = (old.record.point_ids(), new.point_ids());
    let changed = Changed::between(old, new, [&old_points, &new_points]);
    let old = &old.record;
    update(task_executions::table, task_executions::row.eq(row), changed).execute(conn)?;
    if old.steps != new.steps {
        let document = task_execution_steps::document.eq(PackedDocument::of(new)?);
        update(task_execution_steps::table, task_execution_steps::row.eq(row), document)
            .execute(conn)?;
    }
    Ok(link::replace(conn, row, &old.links(), &new.links())?)
}

/// Removes an execution. Returns the key of its row.
pub(crate) fn remove(conn: &mut SqliteConnection, old: &TaskExecution) -> QueryResult<Option<i64>> {
    let row = row_of(conn, old.id)?;
    link::replace(conn, row, &old.links(), &[])?;
    // The foreign key removes the steps too.
    diesel::delete(task_executions::table.filter(task_executions::row.eq(row))).execute(conn)?;
    Ok(Some(row))
}

/// The key of the row of an existing execution.
fn row_of(conn: &mut SqliteConnection, execution: TaskExecutionId) -> QueryResult<i64> {
    let same = task_executions::table.filter(task_executions::id.eq(id(execution)));
    same.select(task_executions::row).first(conn)
}

/// The columns, document and links of a new execution, which are prepared without the store.
pub(crate) struct PreparedExecution {
    written: ExecutionColumns,
    document: PackedDocument,
    links: Vec<Link>,
}

impl PreparedExecution {
    pub(crate) fn of(execution: &TaskExecution) -> Result<Self, StoreError> {
        Ok(Self {
            written: ExecutionColumns::of(execution, &execution.point_ids()),
            document: PackedDocument::of(execution)?,
            links: execution.links(),
        })
    }
}

/// The row key of the next new execution, while the transaction holds the write lock.
pub(crate) fn next_row(conn: &mut SqliteConnection) -> QueryResult<i64> {
    let last: Option<i64> =
        task_executions::table.select(dsl::max(task_executions::row)).first(conn)?;
    Ok(last.map_or(1, |last| last.saturating_add(1)))
}

/// Stores the row of a new execution with this version.
pub(crate) fn insert_row<E>(
    conn: &mut SqliteConnection,
    row: i64,
    new: &PreparedExecution,
    version: Version,
) -> Result<(), Abort<E>> {
    let key = (task_executions::row.eq(row), task_executions::version.eq(version.0));
    diesel::insert_into(task_executions::table).values((key, &new.written)).execute(conn)?;
    Ok(())
}

/// Stores the steps and the pairs of a new execution. With `deferred`, the pairs are collected
/// there and stored later.
pub(crate) fn insert_parts<E>(
    conn: &mut SqliteConnection,
    row: i64,
    new: &PreparedExecution,
    deferred: Option<&mut DeferredPairs>,
) -> Result<(), Abort<E>> {
    diesel::insert_into(task_execution_steps::table)
        .values((
            task_execution_steps::row.eq(row),
            task_execution_steps::document.eq(&new.document),
        ))
        .execute(conn)?;
    match deferred {
        Some(deferred) => deferred.add(conn, row, &new.links)?,
        None => link::replace(conn, row, &[], &new.links)?,
    }
    Ok(())
}
