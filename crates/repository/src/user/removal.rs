//! The removal of a user with everything that belongs to it.

use diesel::prelude::*;
use patrol_domain::{
    EditError, Named as _, References, Resource,
    access::Token,
    event::Origin,
    ids::{UserId, Uuid},
    scheduled_task::ScheduledTask,
    task_execution::{State, TaskExecution},
    user::{Removal, User},
};

use crate::{
    Dialect, Editable,
    change::{lock_at, record_changes},
    reference,
    stored::{
        Abort,
        access::TokenRow,
        event::RecordChange,
        photo, scheduled_task,
        schema::{scheduled_tasks, task_executions, tokens, users},
        sql::{Id, columns, id},
        statement::{Lock, locked},
        task_execution,
    },
};

/// Removes the user. See [`Users::remove`](patrol_domain::user::Users::remove).
pub(super) async fn remove(
    conn: &impl Dialect,
    removal: &Removal,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let admins = References { active_admins: true, ..References::default() };
    let user: User = lock_at(conn, &removal.at, &admins).await?.record;
    (removal.check)(&user, &reference::existing(conn, &admins).await?)?;
    // Waits for transactions that name the user, and keeps others from naming it.
    conn.lock_row(Resource::User, user.id.0, Lock::Removal).await?;
    // The effect of the request is the removal of the user alone.
    let without_key = by.without_key();
    // Locks tasks before executions, as `rounds::store` does, so that the two cannot deadlock.
    unassign_tasks(conn, user.id, &without_key).await?;
    unassign_executions(conn, user.id, &without_key).await?;
    revoke_tokens(conn, user.id, &without_key).await?;
    if let Some(photo) = user.photo_id {
        conn.execute(photo::announce_for_removal(photo, by.at)).await?;
    }
    // Foreign keys also remove the locations, the password, the sessions and the invitations.
    conn.execute(diesel::delete(users::table.filter(users::id.eq(id(user.id))))).await?;
    record_changes(conn, &[RecordChange::Delete(&user, None)], by).await
}

/// Removes the user from the assignees of PENDING executions, in order of id.
async fn unassign_executions(
    conn: &impl Dialect,
    user: UserId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let assigned = task_executions::table
        .filter(task_execution::is_assigned(user))
        .filter(task_executions::state.eq(State::Pending.code()))
        .order(task_executions::id)
        .select(task_executions::id);
    let found = conn.load(assigned).await?;
    unassign(conn, user, found, TaskExecution::without_deleted_assignee, by).await
}

/// Removes the user from the assignees of all tasks, in order of id.
async fn unassign_tasks(
    conn: &impl Dialect,
    user: UserId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let assigned = scheduled_tasks::table
        .filter(scheduled_task::is_assigned(user))
        .order(scheduled_tasks::id)
        .select(scheduled_tasks::id);
    let found = conn.load(assigned).await?;
    unassign(conn, user, found, ScheduledTask::without_deleted_assignee, by).await
}

/// Removes the user from the assignees of these records.
async fn unassign<T: Editable<Id: From<Uuid>>>(
    conn: &impl Dialect,
    user: UserId,
    found: Vec<Id>,
    without: fn(&T, UserId) -> Option<T>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    for id in found.into_iter().filter_map(Id::get) {
        let Some(old) = T::find(conn, id, Lock::Change).await? else { continue };
        let Some(new) = without(&old.record, user) else { continue };
        T::replace(conn, &old, &new).await?;
        record_changes(conn, &[RecordChange::Update(&old.record, &new)], by).await?;
    }
    Ok(())
}

async fn revoke_tokens(
    conn: &impl Dialect,
    user: UserId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let of_user = || tokens::table.filter(tokens::user_id.eq(id(user)));
    let found = of_user().order(tokens::id).select(columns::<TokenRow>());
    let found: Vec<TokenRow> = conn.load(locked(found)).await?;
    let revoked: Vec<Token> = found.into_iter().map(TokenRow::token).collect::<Result<_, _>>()?;
    if revoked.is_empty() {
        return Ok(());
    }
    conn.execute(diesel::delete(of_user())).await?;
    let changes: Vec<_> = revoked.iter().map(|token| RecordChange::Delete(token, None)).collect();
    record_changes(conn, &changes, by).await
}
