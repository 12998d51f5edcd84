//! Changes of a single action of a check-list.

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    Delete, Edit, EditError, References, Target, Update, Versioned,
    check_list::{CheckList, CheckListAction, CheckListActions, NewAction},
    event::Origin,
    ids::CheckListId,
};

use crate::{
    Connection, Dialect, Editable as _, Engine, Repository,
    change::{lock_at, record_changes},
    idempotency, reference,
    stored::{
        Abort,
        check_list::{ActionColumns, is_in_list},
        event::RecordChange,
        schema::{check_list_actions, check_lists},
        sql::{Id, id},
        statement::update,
    },
};

#[async_trait]
impl<S: Engine> CheckListActions for Repository<S> {
    async fn add(&self, new: NewAction, by: Origin) -> Result<CheckListAction, EditError> {
        let list = new.list.0;
        self.0
            .write(Some(list), (new, by), |conn, (new, by)| add_action(conn, new, by).boxed())
            .await
    }
}

#[async_trait]
impl<S: Engine> Update<CheckListAction> for Repository<S> {
    async fn update(
        &self,
        edit: Edit<CheckListAction>,
        by: Origin,
    ) -> Result<Versioned<CheckListAction>, EditError> {
        let action = edit.at.id.0;
        self.0
            .write(Some(action), (edit, by), |conn, (edit, by)| {
                update_action(conn, edit, by).boxed()
            })
            .await
    }
}

#[async_trait]
impl<S: Engine> Delete<CheckListAction> for Repository<S> {
    async fn delete(&self, at: Target<CheckListAction>, by: Origin) -> Result<(), EditError> {
        let action = at.id.0;
        self.0
            .write(Some(action), (at, by), |conn, (at, by)| delete_action(conn, at, by).boxed())
            .await
    }
}

async fn add_action(
    conn: &impl Dialect,
    new: &NewAction,
    by: &Origin,
) -> Result<CheckListAction, Abort<EditError>> {
    let at = Target::<CheckList>::any_version(new.list);
    let old = lock_at(conn, &at, &References::default()).await?;
    let list = &old.record;
    let action = (new.make)(list, &reference::existing(conn, &new.references).await?)?;
    let changed = list.plus(action.clone());
    CheckList::replace(conn, &old, &changed).await?;
    // A repeated request returns the new action, so the effect is its id and not that of the check-list.
    record_changes(conn, &[RecordChange::Update(list, &changed)], &by.without_key()).await?;
    idempotency::store_effect(conn, by, &[action.id.0]).await?;
    Ok(action)
}

async fn update_action(
    conn: &impl Dialect,
    edit: &Edit<CheckListAction>,
    by: &Origin,
) -> Result<Versioned<CheckListAction>, Abort<EditError>> {
    let (old, found) = lock_action(conn, &edit.at).await?;
    let existing = reference::existing(conn, &edit.references).await?;
    let Some(new) = (edit.change)(&old, &existing)? else {
        return Ok(Versioned::unversioned(old));
    };
    let list = &found.record;
    let changed = list.with(&new);
    if changed != *list {
        let same = check_list_actions::id.eq(id(new.id));
        conn.execute(update(check_list_actions::table, same, ActionColumns::of(&new))).await?;
        raise_version(conn, &found).await?;
    }
    record_changes(conn, &[RecordChange::Update(list, &changed)], by).await?;
    Ok(Versioned::unversioned(new))
}

async fn delete_action(
    conn: &impl Dialect,
    at: &Target<CheckListAction>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let (_, found) = lock_action(conn, at).await?;
    let same = check_list_actions::table.filter(check_list_actions::id.eq(id(at.id)));
    conn.execute(diesel::delete(same)).await?;
    raise_version(conn, &found).await?;
    let list = &found.record;
    record_changes(conn, &[RecordChange::Update(list, &list.without(at.id))], by).await
}

/// An action and its check-list. Locks the check-list until the end of the transaction. Every
/// change of a list or an action locks the list first, so that two of them cannot deadlock.
async fn lock_action(
    conn: &impl Dialect,
    at: &Target<CheckListAction>,
) -> Result<(CheckListAction, Versioned<CheckList>), Abort<EditError>> {
    let list = check_list_actions::table
        .inner_join(check_lists::table.on(is_in_list()))
        .filter(check_list_actions::id.eq(id(at.id)))
        .select(check_lists::id);
    let list: Option<Id> = conn.first(list).await?;
    let list = list.and_then(Id::get::<CheckListId>).ok_or(EditError::Missing)?;
    let at_list = Target::<CheckList>::any_version(list);
    let found = lock_at(conn, &at_list, &References::default()).await?;
    // Another transaction may have removed the action just before the lock.
    let action = found.record.action(at)?.clone();
    Ok((action, found))
}

/// Gives the check-list its next version, because one of its actions changes.
async fn raise_version(conn: &impl Connection, old: &Versioned<CheckList>) -> QueryResult<()> {
    let same = check_lists::id.eq(id(old.record.id));
    let version = check_lists::version.eq(old.version.next().0);
    conn.execute(update(check_lists::table, same, version)).await.map(drop)
}
