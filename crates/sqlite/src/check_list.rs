//! Check-lists and their actions.

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    EditError, StoreError,
    check_list::{CheckList, CheckListAction, CheckListActions},
    ids::CheckListActionId,
    task_execution::Edit,
};
use patrol_stored::{
    check_list::{ListRead, ListWritten, Read, Written},
    schema::{check_list_actions, check_lists},
    sql::id,
};

use crate::{
    Store,
    change::{self, Editable, Entity, Found, Removable},
    engine::Abort,
    revision::Aggregate,
    statement::{self, last_insert_rowid},
};

#[async_trait]
impl CheckListActions for Store {
    async fn update(
        &self,
        id: CheckListActionId,
        edit: Edit<CheckListAction>,
    ) -> Result<CheckListAction, EditError> {
        self.write(move |conn| Ok(change::update(conn, id, None, &edit, ())?.record)).await
    }

    async fn delete(&self, id: CheckListActionId) -> Result<(), EditError> {
        self.write(move |conn| change::delete::<CheckListAction>(conn, id, None, ())).await
    }
}

impl Entity for CheckListAction {
    type Id = CheckListActionId;
    type At = ();
    const AGGREGATE: Aggregate = Aggregate::CheckList;

    fn find<E>(
        conn: &mut SqliteConnection,
        action: CheckListActionId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        let found: Option<(i64, Read)> = check_list_actions::table
            .filter(check_list_actions::id.eq(id(action)))
            .select((check_list_actions::row, Read::as_select()))
            .first(conn)
            .optional()?;
        let Some((row, read)) = found else { return Ok(None) };
        Ok(Some(Found::unversioned(row, read.action()?)))
    }
}

impl Editable for CheckListAction {
    fn replace<E>(
        conn: &mut SqliteConnection,
        old: &Found<Self>,
        new: &Self,
    ) -> Result<(), Abort<E>> {
        let same = check_list_actions::row.eq(old.row);
        statement::update(check_list_actions::table, same, Written::of(new)).execute(conn)?;
        Ok(())
    }
}

impl Removable for CheckListAction {
    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>> {
        let same = check_list_actions::row.eq(old.row);
        diesel::delete(check_list_actions::table.filter(same)).execute(conn)?;
        Ok(())
    }
}

/// Stores a new check-list without its actions; returns its row.
pub(crate) fn insert_row<E>(
    conn: &mut SqliteConnection,
    list: &CheckList,
) -> Result<i64, Abort<E>> {
    diesel::insert_into(check_lists::table).values(ListWritten::of(list)).execute(conn)?;
    Ok(diesel::select(last_insert_rowid()).get_result(conn)?)
}

/// Stores the actions of a new check-list.
pub(crate) fn insert_actions<E>(
    conn: &mut SqliteConnection,
    row: i64,
    list: &CheckList,
) -> Result<(), Abort<E>> {
    for action in &list.actions {
        diesel::insert_into(check_list_actions::table)
            .values((check_list_actions::check_list_row.eq(row), Written::of(action)))
            .execute(conn)?;
    }
    Ok(())
}

/// The check-list in a row.
pub(crate) fn with_actions(
    conn: &mut SqliteConnection,
    row: i64,
    list: ListRead,
) -> Result<CheckList, Abort<StoreError>> {
    let actions: Vec<Read> = check_list_actions::table
        .filter(check_list_actions::check_list_row.eq(row))
        .order((check_list_actions::place, check_list_actions::row))
        .select(Read::as_select())
        .load(conn)?;
    let actions: Result<_, StoreError> = actions.into_iter().map(Read::action).collect();
    Ok(list.list(actions?)?)
}
