//! The occurrences of imported and exported executions and scheduled tasks.

use std::collections::{BTreeSet, HashMap, HashSet};

use diesel::{
    dsl::{self, sql},
    prelude::*,
    sql_types::{Array, BigInt, Bool},
    upsert::excluded,
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    data_set::{NewExecution, NewTask, OccurrenceKey},
    ids::{ScheduledTaskId, TaskExecutionId},
    schedule::LocalDateTime,
};
use patrol_stored::{
    scheduled_task::rounds::{Occurrence, is_made},
    schema::{scheduled_task_occurrences, scheduled_tasks, task_executions},
    sql::{StoredId, id, ids, types},
};

use crate::engine::Connection;

/// How many occurrences one statement stores. It has three parameters for each.
const AT_ONCE: usize = 8_192;

/// Locks the tasks of the executions, so that no node makes executions of them until the end of the
/// transaction. Returns whether another existing execution was made from one of the occurrences.
pub(crate) async fn lock_and_find_clash(
    mut conn: &Connection,
    executions: &[&NewExecution],
) -> QueryResult<bool> {
    let occurrences: Vec<_> = executions.iter().filter_map(|new| new.occurrence()).collect();
    if occurrences.is_empty() {
        return Ok(false);
    }
    let tasks: HashSet<_> = occurrences.iter().map(|occurrence| occurrence.task).collect();
    let tasks: Vec<_> = tasks.into_iter().collect();
    let _: Vec<StoredId> = scheduled_tasks::table
        .filter(scheduled_tasks::id.eq_any(ids(&tasks)))
        .order(scheduled_tasks::id)
        .select(scheduled_tasks::id)
        .for_no_key_update()
        .load(&mut conn)
        .await?;
    let distinct: HashSet<_> = occurrences.iter().collect();
    Ok(distinct.len() < occurrences.len() || are_taken(conn, &occurrences).await?)
}

/// Whether an existing execution was made from one of these occurrences.
pub(super) async fn are_taken(
    mut conn: &Connection,
    occurrences: &[OccurrenceKey],
) -> QueryResult<bool> {
    let tasks: Vec<_> = occurrences.iter().map(|occurrence| id(occurrence.task)).collect();
    let starts: Vec<_> = occurrences.iter().map(|occurrence| occurrence.start.seconds()).collect();
    let is_named = sql::<Bool>("(task_id, start) IN (SELECT * FROM unnest(")
        .bind::<Array<types::Id>, _>(tasks)
        .sql(", ")
        .bind::<Array<BigInt>, _>(starts)
        .sql("))");
    let taken = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(is_made()))
        .filter(is_named);
    diesel::select(dsl::exists(taken)).get_result(&mut conn).await
}

/// Stores the occurrences of imported executions, none of which is taken.
pub(crate) async fn insert(mut conn: &Connection, executions: &[&NewExecution]) -> QueryResult<()> {
    let rows = executions.iter().filter_map(|new| {
        let OccurrenceKey { task, start } = new.occurrence()?;
        Some(Occurrence::new(task, start, new.execution.id))
    });
    let rows: Vec<_> = rows.collect();
    for rows in rows.chunks(AT_ONCE) {
        // The execution that was made from it before was deleted.
        diesel::insert_into(scheduled_task_occurrences::table)
            .values(rows)
            .on_conflict((scheduled_task_occurrences::task_id, scheduled_task_occurrences::start))
            .do_update()
            .set(
                scheduled_task_occurrences::execution_id
                    .eq(excluded(scheduled_task_occurrences::execution_id)),
            )
            .execute(&mut conn)
            .await?;
    }
    Ok(())
}

/// Stores the occurrences that imported tasks leave out.
pub(crate) async fn leave_out(mut conn: &Connection, tasks: &[&NewTask]) -> QueryResult<()> {
    let rows = tasks
        .iter()
        .flat_map(|new| new.left_out.iter().map(|start| Occurrence::left_out(new.task.id, *start)));
    let rows: Vec<_> = rows.collect();
    for rows in rows.chunks(AT_ONCE) {
        diesel::insert_into(scheduled_task_occurrences::table)
            .values(rows)
            .on_conflict_do_nothing()
            .execute(&mut conn)
            .await?;
    }
    Ok(())
}

/// The occurrences that these executions were made from.
pub(crate) async fn made(
    mut conn: &Connection,
    executions: &[TaskExecutionId],
) -> QueryResult<HashMap<TaskExecutionId, LocalDateTime>> {
    let found: Vec<(StoredId, i64)> = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(is_made()))
        .filter(scheduled_task_occurrences::execution_id.eq_any(ids(executions)))
        .order(scheduled_task_occurrences::start)
        .select((task_executions::id, scheduled_task_occurrences::start))
        .load(&mut conn)
        .await?;
    let start = |(id, start): (StoredId, _)| Some((id.get()?, LocalDateTime::from_seconds(start)?));
    Ok(found.into_iter().filter_map(start).collect())
}

/// The occurrences of these tasks whose executions were deleted.
pub(crate) async fn left_out(
    mut conn: &Connection,
    tasks: &[ScheduledTaskId],
) -> QueryResult<HashMap<ScheduledTaskId, BTreeSet<LocalDateTime>>> {
    let found: Vec<(StoredId, i64)> = scheduled_task_occurrences::table
        .left_join(task_executions::table.on(is_made()))
        .filter(scheduled_task_occurrences::task_id.eq_any(ids(tasks)))
        .filter(task_executions::id.nullable().is_null())
        .select((scheduled_task_occurrences::task_id, scheduled_task_occurrences::start))
        .load(&mut conn)
        .await?;
    let mut left_out: HashMap<_, BTreeSet<_>> = HashMap::new();
    for (task, start) in found {
        let Some(task) = task.get() else { continue };
        left_out.entry(task).or_default().extend(LocalDateTime::from_seconds(start));
    }
    Ok(left_out)
}
