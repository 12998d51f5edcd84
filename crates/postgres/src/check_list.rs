//! Check-lists and their actions.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Delete, Edit, EditError, StoreError, Timestamp, Update, Version, Versioned,
    check_list::{CheckList, CheckListAction, CheckListActions},
    data_set::ImportError,
    event::Origin,
    ids::{CheckListActionId, CheckListId, Uuid},
};
use patrol_stored::{
    check_list::{ListRead, ListWritten, Read, Written},
    schema::{check_list_actions, check_lists},
    sql::{StoredId, id},
};

use crate::{
    Store,
    change::{self, Change, Entity},
    data_set::{Kind, page},
    engine::{Abort, Connection},
    reference,
};

impl CheckListActions for Store {}

#[async_trait]
impl Update<CheckListAction> for Store {
    async fn update(
        &self,
        id: CheckListActionId,
        expected: Option<Version>,
        edit: Edit<CheckListAction>,
        by: Origin,
    ) -> Result<Versioned<CheckListAction>, EditError> {
        let changed = self
            .transaction_on(id.0, async |conn| update(&conn, id, expected, &edit, &by).await)
            .await?;
        Ok(Versioned::unversioned(changed))
    }
}

#[async_trait]
impl Delete<CheckListAction> for Store {
    async fn delete(
        &self,
        id: CheckListActionId,
        expected: Option<Version>,
        by: Origin,
    ) -> Result<(), EditError> {
        self.transaction_on(id.0, async |conn| delete(&conn, id, expected, &by).await).await
    }
}

impl Entity for CheckList {}

async fn update(
    mut conn: &Connection,
    action: CheckListActionId,
    expected: Option<Version>,
    edit: &Edit<CheckListAction>,
    by: &Origin,
) -> Result<CheckListAction, Abort<EditError>> {
    let (old, list) = load(conn, action, expected).await?;
    let existing = reference::existing(conn, &edit.names).await?;
    let Some(new) = (edit.change)(&old, &existing)? else { return Ok(old) };
    let place = check_list_actions::table.find(id(action));
    diesel::update(place).set(Written::of(&new)).execute(&mut conn).await?;
    note(conn, &list, by).await?;
    Ok(new)
}

async fn delete(
    mut conn: &Connection,
    action: CheckListActionId,
    expected: Option<Version>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let (_, list) = load(conn, action, expected).await?;
    diesel::delete(check_list_actions::table.find(id(action))).execute(&mut conn).await?;
    note(conn, &list, by).await
}

/// Adds the event of a change of an action of `old`.
async fn note(conn: &Connection, old: &CheckList, by: &Origin) -> Result<(), Abort<EditError>> {
    let new = lock(conn, old.id).await?;
    change::note(conn, &[Change::Update(old, &new)], by).await
}

/// An action with its check-list. Locks both until the end of the transaction: the check-list, because
/// an event shows all its actions, and the action, which is all that an older node locks.
async fn load(
    mut conn: &Connection,
    action: CheckListActionId,
    expected: Option<Version>,
) -> Result<(CheckListAction, CheckList), Abort<EditError>> {
    let place = check_list_actions::table.find(id(action));
    let list: Option<StoredId> = place
        .select(check_list_actions::check_list_id)
        .for_update()
        .first(&mut conn)
        .await
        .optional()?;
    let Some(list) = list.and_then(StoredId::get::<CheckListId>) else {
        return Err(EditError::Missing.into());
    };
    let list = lock(conn, list).await?;
    // Another transaction may have removed the action just before the lock.
    let found = list.actions.iter().find(|known| known.id == action).cloned();
    let found = found.ok_or(EditError::Missing)?;
    Version::NONE.check(expected)?;
    Ok((found, list))
}

/// The check-list with its actions, locked until the end of the transaction.
async fn lock(mut conn: &Connection, list: CheckListId) -> Result<CheckList, Abort<EditError>> {
    let list = check_lists::table.find(id(list)).select(ListRead::as_select()).for_update();
    let mut lists = with_actions(conn, vec![list.first(&mut conn).await?]).await?;
    Ok(lists.pop().ok_or(EditError::Missing)?)
}

impl Kind for CheckList {
    fn parts(&self) -> usize {
        1 + self.actions.len()
    }

    async fn store(
        mut conn: &Connection,
        lists: &[&Self],
        _: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        let rows: Vec<_> = lists.iter().map(|list| ListWritten::of(list)).collect();
        diesel::insert_into(check_lists::table).values(rows).execute(&mut conn).await?;
        for list in lists {
            let actions = (0_i32..).zip(&list.actions).map(|(position, action)| {
                (
                    check_list_actions::check_list_id.eq(id(list.id)),
                    check_list_actions::position.eq(position),
                    Written::of(action),
                )
            });
            let actions: Vec<_> = actions.collect();
            diesel::insert_into(check_list_actions::table)
                .values(actions)
                .execute(&mut conn)
                .await?;
        }
        Ok(())
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = check_lists::table.select(ListRead::as_select());
        with_actions(conn, page!(conn, after, check_lists, query)).await
    }
}

/// The check-lists in these rows.
async fn with_actions<E>(
    mut conn: &Connection,
    rows: Vec<ListRead>,
) -> Result<Vec<CheckList>, Abort<E>> {
    let lists: Result<Vec<_>, _> = rows.into_iter().map(|row| row.list(Vec::new())).collect();
    let mut lists = lists?;
    let ids: Vec<_> = lists.iter().map(|list| id(list.id)).collect();
    let found: Vec<(StoredId, Read)> = check_list_actions::table
        .filter(check_list_actions::check_list_id.eq_any(ids))
        .order((check_list_actions::place, check_list_actions::position))
        .select((check_list_actions::check_list_id, Read::as_select()))
        .load(&mut conn)
        .await?;
    let mut actions: HashMap<CheckListId, Vec<CheckListAction>> = HashMap::new();
    for (list, read) in found {
        let list = read.row().id("check_list_id", list)?;
        actions.entry(list).or_default().push(read.action()?);
    }
    for list in &mut lists {
        list.actions = actions.remove(&list.id).unwrap_or_default();
    }
    Ok(lists)
}
