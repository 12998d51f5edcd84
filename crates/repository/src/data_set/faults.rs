//! Finds the faults of a record that the database refuses.

use std::collections::{BTreeMap, HashMap};

use diesel::prelude::*;
use futures_util::{FutureExt as _, future::BoxFuture};
use patrol_domain::{
    Fault, Reference, UniqueValue,
    data_set::{Constraint, ImportError, Record},
    ids::{CheckListActionId, CheckListId},
    shared::text::fold,
};

use super::occurrences;
use crate::{
    Connection, Dialect,
    reference::{exists, owners},
    stored::{
        Abort,
        check_list::is_in_list,
        schema::{check_list_actions, check_lists},
        sql::{Id, ids},
    },
};

/// The constraints that `record` breaks. With `own_row_is_stored`, the own row was stored before
/// the failure: its id and its unique values were free, and are not tested. Boxed, because the
/// compiler cannot show of a known connection that the future is `Send` (rust-lang/rust#100013).
///
/// # Errors
/// Those of the database; `Corrupt` when an id cannot be read.
pub fn faults<'a>(
    conn: &'a impl Dialect,
    record: &'a Record,
    own_row_is_stored: bool,
) -> BoxFuture<'a, Result<Vec<Fault>, Abort<ImportError>>> {
    find(conn, record, own_row_is_stored).boxed()
}

async fn find(
    conn: &impl Dialect,
    record: &Record,
    own_row_is_stored: bool,
) -> Result<Vec<Fault>, Abort<ImportError>> {
    let constraints = record.constraints();
    let lists = lists_of_actions(conn, &constraints).await?;
    // What the record itself has stored is no fault.
    let is_own = |holder: Reference| own_row_is_stored && holder == record.reference();
    let mut faults = Vec::new();
    for (identifier, constraint) in constraints {
        let holds = match &constraint {
            Constraint::New(_) | Constraint::Unique(..) if own_row_is_stored => true,
            Constraint::New(same) => !exists(conn, *same).await?,
            Constraint::NewAction(action) => {
                lists.get(action).is_none_or(|list| is_own((*list).into()))
            }
            Constraint::NewOccurrence(occurrence) => {
                let holder = occurrences::execution_of(conn, *occurrence).await?;
                // The occurrence may already name this execution, when a deleted one had the same
                // id.
                holder.is_none_or(|holder| is_own(holder.into()))
            }
            Constraint::Unique(kind, value) => {
                let values = BTreeMap::from([(*kind, [value.clone()].into())]);
                owners::<_, ImportError>(conn, &values).await?.is_empty()
            }
            Constraint::Exists(reference) => exists(conn, *reference).await?,
        };
        if !holds {
            faults.push(Fault { identifier, rule: constraint.rule() });
        }
    }
    Ok(faults)
}

/// Whether a new record breaks a rule that no constraint of a table ensures: a point is on a graphic plan of
/// another location, or the employee number of a user is the email address of another one.
///
/// # Errors
/// Those of [`faults`].
pub fn breaks_rule<'a>(
    conn: &'a impl Dialect,
    record: &'a Record,
) -> BoxFuture<'a, Result<bool, Abort<ImportError>>> {
    async move {
        match record {
            Record::Point(point) => {
                for place in &point.graphic_plans {
                    if !exists(conn, Reference::to_plan(place.plan, point.location_id)).await? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Record::User(new) => {
                let names = [&new.user.employee_no, &new.user.email];
                let names = names.into_iter().flatten().map(|name| fold(name)).collect();
                let values = BTreeMap::from([(UniqueValue::UserName, names)]);
                Ok(!owners::<_, ImportError>(conn, &values).await?.is_empty())
            }
            _ => Ok(false),
        }
    }
    .boxed()
}

/// The check-lists that have the new actions.
async fn lists_of_actions(
    conn: &impl Connection,
    constraints: &[(String, Constraint)],
) -> QueryResult<HashMap<CheckListActionId, CheckListId>> {
    let named = constraints.iter().filter_map(|(_, constraint)| match constraint {
        Constraint::NewAction(action) => Some(*action),
        _ => None,
    });
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return Ok(HashMap::new());
    }
    let query = check_list_actions::table
        .inner_join(check_lists::table.on(is_in_list()))
        .filter(check_list_actions::id.eq_any(ids(&named)))
        .select((check_list_actions::id, check_lists::id));
    let found: Vec<(Id, Id)> = conn.load(query).await?;
    Ok(found.into_iter().filter_map(|(action, list)| Some((action.get()?, list.get()?))).collect())
}
