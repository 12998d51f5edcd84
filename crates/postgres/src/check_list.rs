//! Check-lists and their actions.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError, Versioned,
    check_list::{CheckList, CheckListAction, CheckListActions},
    ids::{CheckListActionId, CheckListId},
    task_execution::Edit,
};
use patrol_stored::{
    check_list::{ListRead, ListWritten, Read, Written},
    schema::{check_list_actions, check_lists},
    sql::{StoredId, id},
};

use crate::{
    Store,
    change::{self, Editable, Entity, Removable, unversioned},
    engine::{Abort, Connection},
};

#[async_trait]
impl CheckListActions for Store {
    async fn update(
        &self,
        id: CheckListActionId,
        edit: Edit<CheckListAction>,
    ) -> Result<CheckListAction, EditError> {
        Ok(self
            .transaction_on(id.0, async |conn| change::update(&conn, id, None, &edit, ()).await)
            .await?
            .record)
    }

    async fn delete(&self, id: CheckListActionId) -> Result<(), EditError> {
        self.transaction_on(id.0, async |conn| {
            change::delete::<CheckListAction>(&conn, id, None, ()).await
        })
        .await
    }
}

impl Entity for CheckListAction {
    type Id = CheckListActionId;
    type At = ();

    async fn lock(
        mut conn: &Connection,
        action: CheckListActionId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let place = check_list_actions::table.find(id(action));
        let query = place.select(Read::as_select()).for_update();
        let found = query.first(&mut conn).await.optional()?.map(Read::action).transpose()?;
        Ok(found.map(unversioned))
    }
}

impl Editable for CheckListAction {
    async fn replace(
        mut conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let place = check_list_actions::table.find(id(old.record.id));
        diesel::update(place).set(Written::of(new)).execute(&mut conn).await?;
        Ok(())
    }
}

impl Removable for CheckListAction {
    async fn remove(
        mut conn: &Connection,
        action: CheckListActionId,
    ) -> Result<(), Abort<EditError>> {
        let place = check_list_actions::table.find(id(action));
        diesel::delete(place).execute(&mut conn).await?;
        Ok(())
    }
}

/// Stores new check-lists with their actions.
pub(crate) async fn insert(mut conn: &Connection, lists: &[&CheckList]) -> QueryResult<()> {
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
        diesel::insert_into(check_list_actions::table).values(actions).execute(&mut conn).await?;
    }
    Ok(())
}

/// The check-lists in these rows.
pub(crate) async fn with_actions(
    mut conn: &Connection,
    rows: Vec<ListRead>,
) -> Result<Vec<CheckList>, Abort<StoreError>> {
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
