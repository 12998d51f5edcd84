//! Looks up which of the named records exist, and which records have the named values.

use diesel::{ExpressionMethods as _, QueryDsl as _};
use diesel_async::RunQueryDsl;
use futures_util::TryStreamExt as _;
use patrol_domain::{
    Existing, Holder, Reference, References, Resource, UniqueValue,
    ids::{ScheduledTaskId, Uuid},
    scheduled_task::TaskPlan,
};
use patrol_stored::{
    reference::{OwnerTypes, RecordTypes, owner, owners, record, select},
    schema::check_list_actions,
    sql::{StoredId, ids},
    user,
};

use crate::{
    check_list,
    engine::{Abort, Connection},
    list::{Bind, Select as _},
    scheduled_task,
};

/// The lookup of `references`. A record that is found stays until the end of the transaction. Another node
/// may take a value or the id of an action before that: then
/// the unique index refuses this transaction, and the change runs again.
pub(crate) async fn existing<E>(
    mut conn: &Connection,
    references: &References,
) -> Result<Existing, Abort<E>> {
    let mut existing = Existing::default();
    for (kind, ids) in &references.records {
        let lock = if can_be_deleted(*kind) { LOCK } else { "" };
        existing.extend(found(conn, *kind, ids.iter().copied().collect(), lock).await?);
    }
    if !references.values.is_empty() {
        let values = references.values.iter().map(|(kind, values)| (*kind, Bind::texts(values)));
        for (kind, value, id) in owners_of(conn, values).await? {
            existing.add_owner(kind, value, id);
        }
    }
    if !references.check_list_actions.is_empty() {
        let named: Vec<_> = references.check_list_actions.iter().copied().collect();
        let known: Vec<StoredId> = check_list_actions::table
            .filter(check_list_actions::id.eq_any(ids(&named)))
            .select(check_list_actions::id)
            .load(&mut conn)
            .await?;
        existing.check_list_actions = known.into_iter().filter_map(StoredId::get).collect();
    }
    if let Some(task) = references.plan {
        existing.plan = plan(conn, task).await?;
    }
    if references.active_admins {
        existing.active_admins = user::ids(user::active_admins().load(&mut conn).await?)?;
    }
    Ok(existing)
}

/// The task with the check-lists of its steps, if it exists. The task does not change until the end of
/// the transaction.
async fn plan<E>(conn: &Connection, task: ScheduledTaskId) -> Result<Option<TaskPlan>, Abort<E>> {
    let Some(task) = scheduled_task::find_unchanging(conn, task).await? else { return Ok(None) };
    let check_lists = check_list::find_all(conn, &task.check_list_ids()).await?;
    let check_lists = check_lists.into_iter().map(|list| (list.id, list)).collect();
    Ok(Some(TaskPlan { task, check_lists }))
}

/// Keeps the selected records from being deleted until the end of the transaction.
const LOCK: &str = " ORDER BY id FOR KEY SHARE";

/// Whether records of this kind can be deleted, and others that name them then need their lock.
const fn can_be_deleted(kind: Resource) -> bool {
    matches!(kind, Resource::Point | Resource::ScheduledTask | Resource::User)
        || !Holder::of(kind).is_empty()
}

/// Those of the records that exist. They stay until the end of the transaction if they may not be deleted
/// while others refer to them.
pub(crate) async fn find_referenced<E>(
    conn: &Connection,
    kind: Resource,
    ids: Vec<Uuid>,
) -> Result<Vec<Reference>, Abort<E>> {
    let lock = if Holder::of(kind).is_empty() { "" } else { LOCK };
    found(conn, kind, ids, lock).await
}

/// Those of the records that exist.
pub(crate) async fn find<E>(
    conn: &Connection,
    kind: Resource,
    ids: Vec<Uuid>,
) -> Result<Vec<Reference>, Abort<E>> {
    found(conn, kind, ids, "").await
}

/// Those of the records that exist. `lock` is the locking clause.
async fn found<E>(
    conn: &Connection,
    kind: Resource,
    ids: Vec<Uuid>,
    lock: &'static str,
) -> Result<Vec<Reference>, Abort<E>> {
    let Some(mut sql) = select(kind) else { return Ok(Vec::new()) };
    sql.text(" = ANY(");
    sql.bind(Bind::Uuids(ids));
    sql.text(")");
    sql.text(lock);
    let mut rows = RecordTypes::rows(sql, conn).await?;
    let mut found = Vec::new();
    while let Some(row) = rows.try_next().await? {
        found.push(record(kind, row)?);
    }
    Ok(found)
}

/// The records that have one of the values. One statement, so that a user who gets two names at
/// this moment is seen with both or with neither.
pub(crate) async fn owners_of<E>(
    conn: &Connection,
    values: impl Iterator<Item = (UniqueValue, Bind)>,
) -> Result<Vec<(UniqueValue, String, Uuid)>, Abort<E>> {
    let sql = owners(values, |sql, values| {
        sql.text(" = ANY(");
        sql.bind(values);
        sql.text(")");
    });
    let mut rows = OwnerTypes::rows(sql, conn).await?;
    let mut found = Vec::new();
    while let Some(row) = rows.try_next().await? {
        found.push(owner(row)?);
    }
    Ok(found)
}
