//! The removal of a user with everything that belongs to it.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References,
    access::Token,
    event::Origin,
    ids::UserId,
    task_execution::TaskExecution,
    user::{Removal, User},
};
use patrol_stored::{
    access::Read as TokenRead,
    photo,
    schema::{tokens, users},
    sql::id,
};

use crate::{
    change::{self, Change, Editable as _},
    engine::{Abort, Connection},
    reference, scheduled_task,
    task_execution::lock_assigned,
};

/// Removes the user. See [`Users::remove`](patrol_domain::user::Users::remove).
pub(super) async fn remove(
    mut conn: &Connection,
    removal: &Removal,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let admins = References { active_admins: true, ..References::default() };
    let user: User = change::load(conn, &removal.at, &admins).await?.record;
    (removal.check)(&user, &reference::existing(conn, &admins).await?)?;
    // Waits for transactions that name the user, and keeps others from naming it.
    let row = users::table.find(id(user.id)).select(users::version).for_update();
    row.first::<i64>(&mut conn).await?;
    // The effect of the request is the removal of the user alone.
    let beside = Origin { keyed: None, ..*by };
    unassign(conn, user.id, &beside).await?;
    scheduled_task::unassign(conn, user.id, &beside).await?;
    revoke_tokens(conn, user.id, &beside).await?;
    if let Some(photo) = user.photo_id {
        photo::announce_for_removal(photo, by.at).execute(&mut conn).await?;
    }
    // Foreign keys also remove the password, the sessions and the invitations.
    diesel::delete(users::table.find(id(user.id))).execute(&mut conn).await?;
    change::record_changes(conn, &[Change::Delete(&user, None)], by).await
}

/// Takes the user off PENDING executions.
async fn unassign(conn: &Connection, user: UserId, by: &Origin) -> Result<(), Abort<EditError>> {
    let mut after = None;
    loop {
        let found = lock_assigned(conn, user, after).await?;
        let Some(last) = found.last() else { return Ok(()) };
        after = Some(last.record.id);
        for old in found {
            let Some(new) = old.record.without_deleted_assignee(user) else { continue };
            TaskExecution::replace(conn, &old, &new).await?;
            change::record_changes(conn, &[Change::Update(&old.record, &new)], by).await?;
        }
    }
}

async fn revoke_tokens(
    mut conn: &Connection,
    user: UserId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let of_user = tokens::table.filter(tokens::user_id.eq(id(user))).order(tokens::id);
    let found: Vec<TokenRead> =
        of_user.select(TokenRead::as_select()).for_update().load(&mut conn).await?;
    let revoked: Vec<Token> = found.into_iter().map(TokenRead::token).collect::<Result<_, _>>()?;
    if revoked.is_empty() {
        return Ok(());
    }
    diesel::delete(tokens::table.filter(tokens::user_id.eq(id(user)))).execute(&mut conn).await?;
    let changes: Vec<_> = revoked.iter().map(|token| Change::Delete(token, None)).collect();
    change::record_changes(conn, &changes, by).await
}
