//! Check-lists and their actions.

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    At, Delete, Edit, EditError, StoreError, Update, Versioned,
    check_list::{CheckList, CheckListAction},
    event::Origin,
};
use patrol_stored::{
    check_list::{ListRead, ListWritten, Read, Written},
    schema::{check_list_actions, check_lists},
    sql::id,
};

use crate::{
    Store,
    change::{self, Change, Entity},
    data_set::{Failure, Import, Kind, page},
    engine::Abort,
    reference,
    revision::Aggregate,
    statement::{self, last_insert_rowid},
};

#[async_trait]
impl Update<CheckListAction> for Store {
    async fn update(
        &self,
        edit: Edit<CheckListAction>,
        by: Origin,
    ) -> Result<Versioned<CheckListAction>, EditError> {
        self.write(move |conn| {
            let (row, old, list) = load(conn, &edit.at)?;
            let existing = reference::existing(conn, &edit.references)?;
            let Some(new) = (edit.change)(&old, &existing)? else {
                return Ok(Versioned::unversioned(old));
            };
            let same = check_list_actions::row.eq(row);
            statement::update(check_list_actions::table, same, Written::of(&new)).execute(conn)?;
            change::record_changes(conn, &[Change::Update(&list, &list.with(&new))], &by)?;
            Ok(Versioned::unversioned(new))
        })
        .await
    }
}

#[async_trait]
impl Delete<CheckListAction> for Store {
    async fn delete(&self, at: At<CheckListAction>, by: Origin) -> Result<(), EditError> {
        self.write(move |conn| {
            let (row, _, list) = load(conn, &at)?;
            diesel::delete(check_list_actions::table.filter(check_list_actions::row.eq(row)))
                .execute(conn)?;
            change::record_changes(conn, &[Change::Update(&list, &list.without(at.id))], &by)
        })
        .await
    }
}

impl Entity for CheckList {
    const AGGREGATE: Aggregate = Aggregate::CheckList;
}

/// The row of an action, the action, and its check-list.
fn load(
    conn: &mut SqliteConnection,
    at: &At<CheckListAction>,
) -> Result<(i64, CheckListAction, CheckList), Abort<EditError>> {
    let found: Option<(i64, i64)> = check_list_actions::table
        .filter(check_list_actions::id.eq(id(at.id)))
        .select((check_list_actions::row, check_list_actions::check_list_row))
        .first(conn)
        .optional()?;
    let (row, list_row) = found.ok_or(EditError::Missing)?;
    let list = check_lists::table.filter(check_lists::row.eq(list_row));
    let list = list.select(ListRead::as_select()).first(conn)?;
    let list = with_actions(conn, list_row, list)?;
    let action = list.action(at)?.clone();
    Ok((row, action, list))
}

impl Kind for CheckList {
    fn store(&self, conn: &mut SqliteConnection, _: &mut Import<'_>) -> Result<(), Failure> {
        let values = ListWritten::of(self);
        diesel::insert_into(check_lists::table)
            .values(values)
            .execute(conn)
            .map_err(Abort::from)?;
        let row = diesel::select(last_insert_rowid()).get_result(conn).map_err(Abort::from)?;
        for action in &self.actions {
            diesel::insert_into(check_list_actions::table)
                .values((check_list_actions::check_list_row.eq(row), Written::of(action)))
                .execute(conn)
                .map_err(|error| Failure::beside(row)(error.into()))?;
        }
        Ok(())
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, check_lists, ListRead, |row, read| with_actions(conn, row, read))
    }
}

/// The check-list in a row.
fn with_actions<E>(
    conn: &mut SqliteConnection,
    row: i64,
    list: ListRead,
) -> Result<CheckList, Abort<E>> {
    let actions: Vec<Read> = check_list_actions::table
        .filter(check_list_actions::check_list_row.eq(row))
        .order((check_list_actions::place, check_list_actions::row))
        .select(Read::as_select())
        .load(conn)?;
    let actions: Result<_, StoreError> = actions.into_iter().map(Read::action).collect();
    Ok(list.list(actions?)?)
}
