//! The occurrences of imported executions.

use diesel::{
    prelude::*,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{
    data_set::{NewExecution, OccurrenceKey},
    ids::TaskExecutionId,
};
use patrol_repository::stored::{
    scheduled_task::rounds::{Occurrence, forget_executions, has_execution},
    schema::{scheduled_task_occurrences, task_executions},
    sql::{Id, id},
};

/// Stores the occurrence of an imported execution, if it has one. Returns `UniqueViolation` if
/// another existing execution was made from this occurrence.
pub(super) fn insert(conn: &mut SqliteConnection, new: &NewExecution) -> QueryResult<()> {
    let execution = new.execution.id;
    forget_executions(&[execution]).execute(conn)?;
    let Some(occurrence) = new.occurrence() else { return Ok(()) };
    let added = diesel::insert_into(scheduled_task_occurrences::table)
        .values(Occurrence::new(occurrence.task, occurrence.start, execution))
        .on_conflict_do_nothing()
        .execute(conn)?;
    if added > 0 {
        return Ok(());
    }
    if execution_of(conn, occurrence)?.is_some_and(|execution_of| execution_of != execution) {
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
fn execution_of(
    conn: &mut SqliteConnection,
    occurrence: OccurrenceKey,
) -> QueryResult<Option<TaskExecutionId>> {
    let found: Option<Id> = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(has_execution()))
        .filter(scheduled_task_occurrences::task_id.eq(id(occurrence.task)))
        .filter(scheduled_task_occurrences::start.eq(occurrence.start.seconds()))
        .select(task_executions::id)
        .first(conn)
        .optional()?;
    Ok(found.and_then(Id::get))
}
