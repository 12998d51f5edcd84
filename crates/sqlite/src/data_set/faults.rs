//! Finds the faults of a record that the store refused.

use diesel::prelude::*;
use patrol_domain::{
    Fault,
    data_set::{Constraint, ImportError, Record},
    ids::CheckListActionId,
};
use patrol_stored::{schema::check_list_actions, sql::id};

use super::occurrences;
use crate::{
    engine::Abort,
    reference::{exists, owners_of},
};

/// The constraints that `record` breaks. `row` is the record's own row, if it was stored.
pub(super) fn of(
    conn: &mut SqliteConnection,
    record: &Record,
    row: Option<i64>,
) -> Result<Vec<Fault>, Abort<ImportError>> {
    let mut faults = Vec::new();
    for (identifier, constraint) in record.constraints() {
        let holds = match &constraint {
            // The record's own row was stored, so its id and its unique values were free.
            Constraint::New(_) | Constraint::Unique(..) if row.is_some() => true,
            Constraint::New(same) => !exists(conn, *same)?,
            Constraint::NewAction(action) => {
                list_of(conn, *action)?.is_none_or(|list| Some(list) == row)
            }
            Constraint::NewOccurrence(occurrence) => {
                let holder = occurrences::holder(conn, *occurrence)?;
                // A stored execution may have the id and the occurrence of a deleted one.
                holder.is_none_or(|holder| row.is_some() && record.reference() == holder.into())
            }
            Constraint::Unique(kind, value) => owners_of(conn, *kind, value)?.is_empty(),
            Constraint::Exists(reference) => exists(conn, *reference)?,
        };
        if !holds {
            faults.push(Fault { identifier, rule: constraint.rule() });
        }
    }
    Ok(faults)
}

/// The row of the check-list that has this action.
fn list_of(conn: &mut SqliteConnection, action: CheckListActionId) -> QueryResult<Option<i64>> {
    check_list_actions::table
        .filter(check_list_actions::id.eq(id(action)))
        .select(check_list_actions::check_list_row)
        .first(conn)
        .optional()
}
