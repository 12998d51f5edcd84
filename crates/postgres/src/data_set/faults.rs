//! Finds the faults of a record that the store refuses.

use std::slice;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Fault, Reference,
    data_set::{Constraint, ImportError, Record},
    ids::CheckListActionId,
};
use patrol_stored::{
    schema::check_list_actions,
    sql::{StoredId, ids},
};

use super::occurrences;
use crate::{
    engine::{Abort, Connection},
    list::Bind,
    reference::{owners_of, records},
};

/// The constraints that `record` breaks; of its references, those that are not known. Nothing of
/// `record` has been stored.
pub(super) async fn of(
    conn: &Connection,
    record: &Record,
    is_known: impl Fn(&Reference) -> bool,
) -> Result<Vec<Fault>, Abort<ImportError>> {
    let constraints = record.constraints();
    let taken = taken_actions(conn, &constraints).await?;
    let mut faults = Vec::new();
    for (identifier, constraint) in constraints {
        let holds = match &constraint {
            Constraint::New(same) => {
                records(conn, same.kind, vec![same.id], false).await?.is_empty()
            }
            Constraint::NewAction(action) => !taken.contains(action),
            Constraint::NewOccurrence(occurrence) => {
                !occurrences::are_taken(conn, slice::from_ref(occurrence)).await?
            }
            Constraint::Unique(kind, value) => {
                let value = (*kind, Bind::texts(slice::from_ref(value)));
                owners_of(conn, [value].into_iter()).await?.is_empty()
            }
            Constraint::Exists(reference) => is_known(reference),
        };
        if !holds {
            faults.push(Fault { identifier, rule: constraint.rule() });
        }
    }
    Ok(faults)
}

/// The new actions that check-lists already have.
async fn taken_actions(
    mut conn: &Connection,
    constraints: &[(String, Constraint)],
) -> QueryResult<Vec<CheckListActionId>> {
    let named = constraints.iter().filter_map(|(_, constraint)| match constraint {
        Constraint::NewAction(action) => Some(*action),
        _ => None,
    });
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let same = check_list_actions::table.filter(check_list_actions::id.eq_any(ids(&named)));
    let found: Vec<StoredId> = same.select(check_list_actions::id).load(&mut conn).await?;
    Ok(found.into_iter().filter_map(StoredId::get).collect())
}
