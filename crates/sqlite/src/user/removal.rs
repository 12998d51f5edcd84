//! The removal of a user with everything that belongs to it.

use diesel::prelude::*;
use patrol_domain::{
    EditError, Named as _, References,
    access::Token,
    event::Origin,
    ids::UserId,
    task_execution::{State, TaskExecution},
    user::{Removal, User},
};
use patrol_stored::{
    access::Read as TokenRead,
    photo,
    schema::{task_execution_assignees, task_executions, tokens, users},
    sql::id,
};

use crate::{
    change::{self, Change, Editable as _, Found},
    engine::Abort,
    reference, scheduled_task,
    task_execution::by_row,
};

/// The number of executions that are looked up together.
const PAGE: i64 = 256;

/// Removes the user. See [`Users::remove`](patrol_domain::user::Users::remove).
pub(super) fn remove(
    conn: &mut SqliteConnection,
    removal: &Removal,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let Found { row, versioned } = change::load::<User>(conn, &removal.at)?;
    let user = versioned.record;
    let admins = References { active_admins: true, ..References::default() };
    (removal.check)(&user, &reference::existing(conn, &admins)?)?;
    // Only the removal of the user is the effect of the request.
    let beside = Origin { keyed: None, ..*by };
    unassign(conn, user.id, &beside)?;
    scheduled_task::unassign(conn, user.id, &beside)?;
    revoke_tokens(conn, user.id, &beside)?;
    if let Some(photo) = user.photo_id {
        photo::announce_for_removal(photo, by.at).execute(conn)?;
    }
    // Foreign keys also remove the locations, the password, the sessions and the invitations.
    diesel::delete(users::table.filter(users::row.eq(row))).execute(conn)?;
    change::record_changes(conn, &[Change::Delete(&user, Some(row))], by)
}

/// Removes the user from the assignees of PENDING executions.
fn unassign(
    conn: &mut SqliteConnection,
    user: UserId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let mut after = 0;
    loop {
        let assigned = task_execution_assignees::row.eq(task_executions::row);
        let rows: Vec<i64> = task_execution_assignees::table
            .inner_join(task_executions::table.on(assigned))
            .filter(task_execution_assignees::value.eq(id(user)))
            .filter(task_execution_assignees::row.gt(after))
            .filter(task_executions::state.eq(State::Pending.code()))
            .order(task_execution_assignees::row)
            .limit(PAGE)
            .select(task_execution_assignees::row)
            .load(conn)?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = *last;
        for row in rows {
            let Some(old) = by_row(conn, row)? else { continue };
            let Some(new) = old.versioned.record.without_deleted_assignee(user) else { continue };
            TaskExecution::replace(conn, &old, &new)?;
            change::record_changes(conn, &[Change::Update(&old.versioned.record, &new)], by)?;
        }
    }
}

fn revoke_tokens(
    conn: &mut SqliteConnection,
    user: UserId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let of_user = tokens::table.filter(tokens::user_id.eq(id(user))).order(tokens::id);
    let found: Vec<TokenRead> = of_user.select(TokenRead::as_select()).load(conn)?;
    let revoked: Vec<Token> = found.into_iter().map(TokenRead::token).collect::<Result<_, _>>()?;
    if revoked.is_empty() {
        return Ok(());
    }
    diesel::delete(tokens::table.filter(tokens::user_id.eq(id(user)))).execute(conn)?;
    let changes: Vec<_> = revoked.iter().map(|token| Change::Delete(token, None)).collect();
    change::record_changes(conn, &changes, by)
}
