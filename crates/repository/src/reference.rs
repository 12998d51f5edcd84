//! Looks up which of the named records exist, and which records have the named values.

use diesel::prelude::*;
use patrol_domain::{
    Existing, Holder, References, Resource,
    ids::ScheduledTaskId,
    scheduled_task::{ScheduledTask, TaskPlan},
};
use patrol_stored::{
    Abort,
    schema::check_list_actions,
    sql::{StoredId, ids},
    statement::Lock,
    user,
};

use crate::{Dialect, Findable, check_list};

/// The lookup of `references`, in the transaction of the change. A record that is found stays until the
/// end of the transaction. Another node may take a value or the id of an action before that: then the
/// unique index refuses this transaction, and the change runs again.
pub(crate) async fn existing<E: Send>(
    conn: &impl Dialect,
    references: &References,
) -> Result<Existing, Abort<E>> {
    let mut existing = Existing::default();
    for (kind, ids) in &references.records {
        let named: Vec<_> = ids.iter().copied().collect();
        existing.extend(conn.records(*kind, named, can_be_deleted(*kind)).await?);
    }
    if !references.values.is_empty() {
        for (kind, value, owner) in conn.owners(&references.values).await? {
            existing.add_owner(kind, value, owner);
        }
    }
    if !references.check_list_actions.is_empty() {
        let named: Vec<_> = references.check_list_actions.iter().copied().collect();
        let known = check_list_actions::table
            .filter(check_list_actions::id.eq_any(ids(&named)))
            .select(check_list_actions::id);
        let known: Vec<StoredId> = conn.load(known).await?;
        existing.check_list_actions = known.into_iter().filter_map(StoredId::get).collect();
    }
    if let Some(task) = references.plan {
        existing.plan = plan(conn, task).await?;
    }
    if references.active_admins {
        existing.active_admins = user::ids(conn.load(user::active_admins()).await?)?;
    }
    Ok(existing)
}

/// Whether records of this kind can be deleted, and others that name them then need their lock.
const fn can_be_deleted(kind: Resource) -> bool {
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
