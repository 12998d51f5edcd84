//! The occurrences of imported executions.

use diesel::{
    prelude::*,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::data_set::NewExecution;
use patrol_repository::{
    data_set::execution_of,
    stored::{
        scheduled_task::rounds::{Occurrence, forget_executions},
        schema::scheduled_task_occurrences,
        sql::id,
    },
};

use crate::engine::{JobConnection, poll_once_diesel};

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
    let holder = poll_once_diesel(execution_of(&JobConnection::of(conn), occurrence))?;
    if holder.is_some_and(|holder| holder != execution) {
        let kind = DatabaseErrorKind::UniqueViolation;
        return Err(Error::DatabaseError(kind, Box::new(String::new())));
    }
    let key = (id(occurrence.task), occurrence.start.seconds());
    diesel::update(scheduled_task_occurrences::table.find(key))
        .set(scheduled_task_occurrences::execution_id.eq(id(execution)))
        .execute(conn)?;
    Ok(())
}
