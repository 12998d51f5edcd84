//! The occurrences of imported and exported executions and scheduled tasks.

use std::collections::{BTreeSet, HashMap};

use diesel::{
    prelude::*,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{
    data_set::{NewTask, OccurrenceKey},
    ids::{ScheduledTaskId, TaskExecutionId},
    schedule::LocalDateTime,
};
use patrol_stored::{
    scheduled_task::rounds::{Occurrence, is_made},
    schema::{scheduled_task_occurrences, scheduled_tasks, task_executions},
    sql::{StoredId, id},
};

/// Stores the occurrence of an imported execution. Violates the constraint of a unique value if another
/// existing execution was made from it.
pub(crate) fn insert(
    conn: &mut SqliteConnection,
    occurrence: OccurrenceKey,
    execution: TaskExecutionId,
) -> QueryResult<()> {
    let added = diesel::insert_into(scheduled_task_occurrences::table)
        .values(Occurrence::new(occurrence.task, occurrence.start, execution))
        .on_conflict_do_nothing()
        .execute(conn)?;
    if added > 0 {
        return Ok(());
    }
    if holder(conn, occurrence)?.is_some_and(|holder| holder != execution) {
        let kind = DatabaseErrorKind::UniqueViolation;
        return Err(Error::DatabaseError(kind, Box::new(String::new())));
    }
    let key = (id(occurrence.task), occurrence.start.seconds());
    diesel::update(scheduled_task_occurrences::table.find(key))
        .set(scheduled_task_occurrences::execution_id.eq(id(execution)))
        .execute(conn)?;
    Ok(())
}

/// The existing execution that was made from this occurrence.
pub(super) fn holder(
    conn: &mut SqliteConnection,
    occurrence: OccurrenceKey,
) -> QueryResult<Option<TaskExecutionId>> {
    let found: Option<StoredId> = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(is_made()))
        .filter(scheduled_task_occurrences::task_id.eq(id(occurrence.task)))
        .filter(scheduled_task_occurrences::start.eq(occurrence.start.seconds()))
        .select(task_executions::id)
        .first(conn)
        .optional()?;
    Ok(found.and_then(StoredId::get))
}

/// Stores the occurrences that an imported task leaves out.
pub(crate) fn leave_out(conn: &mut SqliteConnection, new: &NewTask) -> QueryResult<()> {
    for start in &new.left_out {
        diesel::insert_into(scheduled_task_occurrences::table)
            .values(Occurrence::left_out(new.task.id, *start))
            .on_conflict_do_nothing()
            .execute(conn)?;
    }
    Ok(())
}

/// The occurrences of the executions with row keys above `after` up to `last`, by row key.
pub(crate) fn made(
    conn: &mut SqliteConnection,
    after: i64,
    last: i64,
) -> QueryResult<HashMap<i64, LocalDateTime>> {
    let found: Vec<(i64, i64)> = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(is_made()))
        .filter(task_executions::row.gt(after).and(task_executions::row.le(last)))
        .order(scheduled_task_occurrences::start)
        .select((task_executions::row, scheduled_task_occurrences::start))
        .load(conn)?;
    let start = |(row, start)| Some((row, LocalDateTime::from_seconds(start)?));
    Ok(found.into_iter().filter_map(start).collect())
}

/// The occurrences whose executions were deleted, of the tasks with row keys above `after` up to `last`.
pub(crate) fn left_out(
    conn: &mut SqliteConnection,
    after: i64,
    last: i64,
) -> QueryResult<HashMap<ScheduledTaskId, BTreeSet<LocalDateTime>>> {
    // A join would read all occurrences.
    let tasks = scheduled_tasks::table
        .filter(scheduled_tasks::row.gt(after).and(scheduled_tasks::row.le(last)))
        .select(scheduled_tasks::id);
    let found: Vec<(StoredId, i64)> = scheduled_task_occurrences::table
        .left_join(task_executions::table.on(is_made()))
        .filter(scheduled_task_occurrences::task_id.eq_any(tasks))
        .filter(task_executions::id.nullable().is_null())
        .select((scheduled_task_occurrences::task_id, scheduled_task_occurrences::start))
        .load(conn)?;
    let mut left_out: HashMap<_, BTreeSet<_>> = HashMap::new();
    for (task, start) in found {
        let Some(task) = task.get() else { continue };
        left_out.entry(task).or_default().extend(LocalDateTime::from_seconds(start));
    }
    Ok(left_out)
}
