//! The occurrences of imported executions.

use std::collections::HashSet;

use diesel::{
    dsl::{self, sql},
    prelude::*,
    sql_types::{Array, BigInt, Bool},
};
use diesel_async::RunQueryDsl;
use patrol_domain::data_set::{NewExecution, OccurrenceKey};
use patrol_repository::stored::{
    scheduled_task::rounds::has_execution,
    schema::{scheduled_task_occurrences, scheduled_tasks, task_executions},
    sql::{Id, id, ids, types},
};

use crate::engine::Connection;

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
    let _: Vec<Id> = scheduled_tasks::table
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
        .inner_join(task_executions::table.on(has_execution()))
        .filter(is_named);
    diesel::select(dsl::exists(taken)).get_result(&mut conn).await
}
