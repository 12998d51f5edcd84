//! Check-lists and their actions.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    At, Delete, Edit, EditError, StoreError, Timestamp, Update, Versioned,
    check_list::{CheckList, CheckListAction},
    data_set::ImportError,
    event::Origin,
    ids::{CheckListId, Uuid},
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

#[async_trait]
impl Update<CheckListAction> for Store {
    async fn update(
        &self,
        edit: Edit<CheckListAction>,
        by: Origin,
    ) -> Result<Versioned<CheckListAction>, EditError> {
        self.transaction_on(edit.at.id.0, async |conn| {
            let mut conn = conn.as_ref();
            let (old, list) = load(conn, &edit.at).await?;
            let existing = reference::existing(conn, &edit.references).await?;
            let Some(new) = (edit.change)(&old, &existing)? else {
                return Ok(Versioned::unversioned(old));
            };
            let place = check_list_actions::table.find(id(new.id));
            diesel::update(place).set(Written::of(&new)).execute(&mut conn).await?;
            change::record_changes(conn, &[Change::Update(&list, &list.with(&new))], &by).await?;
            Ok(Versioned::unversioned(new))
        })
        .await
    }
}

#[async_trait]
impl Delete<CheckListAction> for Store {
    async fn delete(&self, at: At<CheckListAction>, by: Origin) -> Result<(), EditError> {
        self.transaction_on(at.id.0, async |conn| {
            let mut conn = conn.as_ref();
            let (_, list) = load(conn, &at).await?;
            let place = check_list_actions::table.find(id(at.id));
            diesel::delete(place).execute(&mut conn).await?;
            change::record_changes(conn, &[Change::Update(&list, &list.without(at.id))], &by).await
        })
        .await
    }
}

impl Entity for CheckList {}

/// An action and its check-list. Locks both until the end of the transaction: the check-list, because
/// an event shows all its actions, and the action, which is all that an older node locks.
async fn load(
    mut conn: &Connection,
    at: &At<CheckListAction>,
) -> Result<(CheckListAction, CheckList), Abort<EditError>> {
    let place = check_list_actions::table.find(id(at.id)).for_update();
    let list: Option<StoredId> =
        place.select(check_list_actions::check_list_id).first(&mut conn).await.optional()?;
    let list = list.and_then(StoredId::get::<CheckListId>).ok_or(EditError::Missing)?;
    let list = check_lists::table.find(id(list)).select(ListRead::as_select()).for_update();
    let list = with_actions(conn, vec![list.first(&mut conn).await?]).await?.pop();
    let list = list.ok_or(EditError::Missing)?;
    // Another transaction may have removed the action just before the lock.
    let action = list.action(at)?.clone();
    Ok((action, list))
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
