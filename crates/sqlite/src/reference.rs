//! Looks up which of the named records exist, and which records have the named values. Each lookup
//! is a statement of its own, because Diesel keeps no prepared statement for a list of variable
//! length.

use std::collections::HashMap;

use diesel::prelude::*;
use patrol_domain::{
    Existing, Reference, References, Resource, UniqueValue,
    check_list::CheckList,
    ids::{ScheduledTaskId, Uuid},
    scheduled_task::{ScheduledTask, TaskPlan},
};
use patrol_stored::{
    reference::{OwnerTypes, RecordTypes, owner, owners, record, select},
    schema::check_list_actions,
    sql::id,
    user,
};

use crate::{
    change::Findable,
    engine::Abort,
    list::{Bind, Select as _},
};

/// The result of looking up `references`. Runs in the transaction of the change; because there is
/// only one writer, the result still holds when the change is written, and a change that respects
/// it violates no constraint.
pub(crate) fn existing<E>(
    conn: &mut SqliteConnection,
    references: &References,
) -> Result<Existing, Abort<E>> {
    let mut existing = Existing::default();
    for (kind, ids) in &references.records {
        for id in ids {
            existing.extend(find(conn, *kind, *id)?);
        }
    }
    for (kind, values) in &references.values {
        for value in values {
            for owner in owners_of(conn, *kind, value)? {
                existing.add_owner(*kind, value.clone(), owner);
            }
        }
    }
    for action in &references.check_list_actions {
        let known = check_list_actions::table.filter(check_list_actions::id.eq(id(*action)));
        if known.select(check_list_actions::row).first::<i64>(conn).optional()?.is_some() {
            existing.check_list_actions.insert(*action);
        }
    }
    if let Some(task) = references.plan {
        existing.plan = plan(conn, task)?;
    }
    if references.active_admins {
        existing.active_admins = user::ids(user::active_admins().load(conn)?)?;
    }
    Ok(existing)
}

/// The task with the check-lists of its steps, if it exists.
fn plan<E>(
    conn: &mut SqliteConnection,
    task: ScheduledTaskId,
) -> Result<Option<TaskPlan>, Abort<E>> {
    let Some(found) = ScheduledTask::find(conn, task)? else { return Ok(None) };
    let task = found.versioned.record;
    let mut check_lists = HashMap::new();
    for list in task.check_list_ids() {
        let found = CheckList::find(conn, list)?;
        check_lists.extend(found.map(|found| (list, found.versioned.record)));
    }
    Ok(Some(TaskPlan { task, check_lists }))
}

/// The record with this id, if it exists.
pub(crate) fn find<E>(
    conn: &mut SqliteConnection,
    kind: Resource,
    id: Uuid,
) -> Result<Option<Reference>, Abort<E>> {
    let Some(mut sql) = select(kind) else { return Ok(None) };
    sql.text(" = ");
    sql.bind(Bind::Bytes(id.into_bytes()));
    let found = RecordTypes::rows(sql, conn)?.next().transpose()?;
    Ok(found.map(|found| record(kind, found)).transpose()?)
}

/// Whether the record exists and belongs to the required parent.
pub(crate) fn exists<E>(
    conn: &mut SqliteConnection,
    reference: impl Into<Reference>,
) -> Result<bool, Abort<E>> {
    let reference = reference.into();
    let found = find(conn, reference.kind, reference.id)?;
    Ok(found.is_some_and(|found| reference.accepts_parent(found.parent)))
}

/// The records that have this value.
pub(crate) fn owners_of<E>(
    conn: &mut SqliteConnection,
    kind: UniqueValue,
    value: &str,
) -> Result<Vec<Uuid>, Abort<E>> {
    let sql = owners([(kind, Bind::Text(value.to_owned()))], |sql, value| {
        sql.text(" = ");
        sql.bind(value);
    });
    let mut found = Vec::new();
    for row in OwnerTypes::rows(sql, conn)? {
        let (_, _, id) = owner(row?)?;
        found.push(id);
    }
    Ok(found)
}
