//! The occurrences of imported and exported executions and scheduled tasks.

use std::collections::{BTreeSet, HashMap};

use diesel::{prelude::*, sql_types::BigInt};
use patrol_domain::{
    data_set::{NewExecution, NewTask, OccurrenceKey},
    ids::{ScheduledTaskId, TaskExecutionId},
    schedule::LocalDateTime,
};

use crate::{
    Connection,
    stored::{
        list::{Bind, BuiltStatement, Sql},
        scheduled_task::rounds::{Occurrence, has_execution},
        schema::{scheduled_task_occurrences, task_executions},
        sql::{Id, id, ids},
    },
};

/// Stores the occurrences of imported executions. The caller has checked that no other existing
/// execution has one of these occurrences: this function would take the occurrence from it.
pub(super) async fn insert(conn: &impl Connection, new: &[&NewExecution]) -> QueryResult<()> {
    // Diesel's own form would be prepared again for each row.
    let row = |new: &&NewExecution| {
        let OccurrenceKey { task, start } = new.occurrence()?;
        // A row that already exists names a deleted execution.
        let insert = "INSERT INTO scheduled_task_occurrences (task_id, start, execution_id) \
            VALUES (?, ?, ?) \
            ON CONFLICT (task_id, start) DO UPDATE SET execution_id = excluded.execution_id";
        let values = [Bind::id(task), Bind::Integer(start.seconds()), Bind::id(new.execution.id)];
        Some(BuiltStatement::<BigInt>::from(Sql::filled(insert, values)))
    };
    conn.execute_all(new.iter().filter_map(row).collect()).await.map(drop)
}

/// The existing execution that was made from this occurrence.
///
/// # Errors
/// Those of the database.
pub async fn execution_of(
    conn: &impl Connection,
    OccurrenceKey { task, start }: OccurrenceKey,
) -> QueryResult<Option<TaskExecutionId>> {
    let query = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(has_execution()))
        .filter(scheduled_task_occurrences::task_id.eq(id(task)))
        .filter(scheduled_task_occurrences::start.eq(start.seconds()))
        .select(task_executions::id);
    let found: Option<Id> = conn.first(query).await?;
    Ok(found.and_then(Id::get))
}

/// Stores the occurrences that imported tasks leave out.
pub(super) async fn leave_out(conn: &impl Connection, tasks: &[&NewTask]) -> QueryResult<()> {
    let rows = tasks.iter().flat_map(|new| {
        new.left_out.iter().map(|start| {
            diesel::insert_into(scheduled_task_occurrences::table)
                .values(Occurrence::left_out(new.task.id, *start))
                .on_conflict_do_nothing()
        })
    });
    conn.execute_all(rows.collect()).await.map(drop)
}

/// The occurrences that these executions were made from.
pub(super) async fn made(
    conn: &impl Connection,
    executions: &[TaskExecutionId],
) -> QueryResult<HashMap<TaskExecutionId, LocalDateTime>> {
    let query = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(has_execution()))
        .filter(scheduled_task_occurrences::execution_id.eq_any(ids(executions)))
        .order(scheduled_task_occurrences::start)
        .select((task_executions::id, scheduled_task_occurrences::start));
    let found: Vec<(Id, i64)> = conn.load(query).await?;
    let start = |(id, start): (Id, _)| Some((id.get()?, LocalDateTime::from_seconds(start)?));
    Ok(found.into_iter().filter_map(start).collect())
}

/// The occurrences of these tasks whose executions were deleted.
pub(super) async fn left_out(
    conn: &impl Connection,
    tasks: &[ScheduledTaskId],
) -> QueryResult<HashMap<ScheduledTaskId, BTreeSet<LocalDateTime>>> {
    let query = scheduled_task_occurrences::table
        .left_join(task_executions::table.on(has_execution()))
        .filter(scheduled_task_occurrences::task_id.eq_any(ids(tasks)))
        .filter(task_executions::id.nullable().is_null())
        .select((scheduled_task_occurrences::task_id, scheduled_task_occurrences::start));
    let found: Vec<(Id, i64)> = conn.load(query).await?;
    let mut left_out: HashMap<_, BTreeSet<_>> = HashMap::new();
    for (task, start) in found {
        let Some(task) = task.get() else { continue };
        left_out.entry(task).or_default().extend(LocalDateTime::from_seconds(start));
    }
    Ok(left_out)
}
