//! Looks up which of the named records exist, and which records have the named values.

use std::collections::{BTreeMap, BTreeSet};

use diesel::prelude::*;
use futures_util::{FutureExt as _, future::BoxFuture};
use patrol_domain::{
    Existing, Holder, Reference, References, Resource, UniqueValue,
    ids::{ScheduledTaskId, Uuid},
    scheduled_task::{ScheduledTask, TaskPlan},
};

use crate::{
    Dialect, Findable, check_list,
    stored::{
        Abort,
        list::{Bind, BuiltStatement, Text},
        reference::{OwnerTypes, RecordTypes, owner, owners as select_owners, record, select},
        schema::check_list_actions,
        sql::{Id, ids},
        statement::Lock,
        user,
    },
};

/// Looks `references` up, in the transaction of the change. A record that is found stays until the
/// end of the transaction. A unique value or an action id that is free now may be stored by another
/// node before this transaction ends: then the unique index refuses this transaction, and the
/// change runs again.
pub(crate) async fn existing<E: Send>(
    conn: &impl Dialect,
    references: &References,
) -> Result<Existing, Abort<E>> {
    let mut existing = keep(conn, references).await?;
    complete(conn, references, &mut existing).await?;
    Ok(existing)
}

/// The first part of [`existing`]: the records with the named ids. A change takes these locks before
/// that of its record, because the removal of a user locks the user before the records that name it:
/// so the two cannot deadlock.
pub(crate) async fn keep<E: Send>(
    conn: &impl Dialect,
    references: &References,
) -> Result<Existing, Abort<E>> {
    let mut existing = Existing::default();
    for (kind, ids) in &references.records {
        let named: Vec<_> = ids.iter().copied().collect();
        existing.extend(records(conn, *kind, &named, needs_lock(*kind)).await?);
    }
    Ok(existing)
}

/// The second part of [`existing`]: what has to be looked up after the locks of the record and of the
/// names of users.
pub(crate) async fn complete<E: Send>(
    conn: &impl Dialect,
    references: &References,
    existing: &mut Existing,
) -> Result<(), Abort<E>> {
    if !references.values.is_empty() {
        for (kind, value, owner) in owners(conn, &references.values).await? {
            existing.add_owner(kind, value, owner);
        }
    }
    if !references.check_list_actions.is_empty() {
        let named: Vec<_> = references.check_list_actions.iter().copied().collect();
        let known = check_list_actions::table
            .filter(check_list_actions::id.eq_any(ids(&named)))
            .select(check_list_actions::id);
        let known: Vec<Id> = conn.load(known).await?;
        existing.check_list_actions = known.into_iter().filter_map(Id::get).collect();
    }
    if let Some(task) = references.plan {
        existing.plan = plan(conn, task).await?;
    }
    if references.active_admins {
        existing.active_admins = user::ids(conn.load(user::active_admins()).await?)?;
    }
    Ok(())
}

/// Keeps the selected records from being deleted until the end of the transaction.
const KEEP: Text = Text { sqlite: "", postgres: " ORDER BY id FOR KEY SHARE" };

/// Those of the records with these ids that exist. With `keep`, they stay until the end of the
/// transaction.
pub(crate) async fn records<C: Dialect, E: Send>(
    conn: &C,
    kind: Resource,
    ids: &[Uuid],
    keep: bool,
) -> Result<Vec<Reference>, Abort<E>> {
    let mut found = Vec::new();
    let named = Bind::ids(ids);
    // All at once as an array, or one by one, so that the statement has a fixed form and stays prepared.
    let named = if C::HAS_ARRAYS { vec![named] } else { named.each() };
    for same in named {
        let Some(mut sql) = select(kind) else { return Ok(found) };
        sql.is_one_of(&same);
        sql.text(if keep { C::text(KEEP) } else { "" });
        for row in conn.load(BuiltStatement::<RecordTypes>::from(sql)).await? {
            found.push(record(kind, row)?);
        }
    }
    Ok(found)
}

/// [`records`] for an adapter. Boxed, because the compiler cannot show of a known connection that the
/// future is `Send` (rust-lang/rust#100013).
///
/// # Errors
/// Those of the database; `Corrupt` when an id cannot be read.
pub fn existing_records<'a, E: Send + 'a>(
    conn: &'a impl Dialect,
    kind: Resource,
    ids: &'a [Uuid],
    keep: bool,
) -> BoxFuture<'a, Result<Vec<Reference>, Abort<E>>> {
    records(conn, kind, ids, keep).boxed()
}

/// Whether the record exists and belongs to the required parent.
pub(crate) async fn exists<E: Send>(
    conn: &impl Dialect,
    reference: Reference,
) -> Result<bool, Abort<E>> {
    let found = records(conn, reference.kind, &[reference.id], false).await?;
    Ok(found.iter().any(|found| reference.accepts_parent(found.parent)))
}

/// The records that have one of the values, each with its value. PostgreSQL looks all of them up in one
/// statement, so that a user who gets two names at this moment is seen with both or with neither.
pub(crate) async fn owners<C: Dialect, E: Send>(
    conn: &C,
    values: &BTreeMap<UniqueValue, BTreeSet<String>>,
) -> Result<Vec<(UniqueValue, String, Uuid)>, Abort<E>> {
    let named = values.iter().map(|(kind, values)| (*kind, Bind::texts(values)));
    let named: Vec<Vec<_>> = if C::HAS_ARRAYS {
        vec![named.collect()]
    } else {
        let each =
            |(kind, values): (_, Bind)| values.each().into_iter().map(move |one| (kind, one));
        named.flat_map(each).map(|one| vec![one]).collect()
    };
    let mut found = Vec::new();
    for values in named {
        let sql = select_owners(values);
        for row in conn.load(BuiltStatement::<OwnerTypes>::from(sql)).await? {
            found.push(owner(row)?);
        }
    }
    Ok(found)
}

/// Whether a record of this kind has to stay locked until the record that names it is stored,
/// because it can be deleted. Changes name no executions and tokens.
const fn needs_lock(kind: Resource) -> bool {
    matches!(kind, Resource::Point | Resource::ScheduledTask | Resource::User)
        || !Holder::of(kind).is_empty()
}

/// The task with the check-lists of its steps, if it exists. The task does not change until the end of
/// the transaction.
async fn plan<E: Send>(
    conn: &impl Dialect,
    task: ScheduledTaskId,
) -> Result<Option<TaskPlan>, Abort<E>> {
    let Some(found) = ScheduledTask::find(conn, task, Lock::Read).await? else { return Ok(None) };
    let task = found.record;
    let check_lists = check_list::find_all(conn, &task.check_list_ids()).await?;
    let check_lists = check_lists.into_iter().map(|list| (list.id, list)).collect();
    Ok(Some(TaskPlan { task, check_lists }))
}
