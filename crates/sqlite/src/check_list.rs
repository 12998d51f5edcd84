//! Check-lists and their actions.

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    Delete, Edit, EditError, StoreError, Update, Version, Versioned,
    check_list::{CheckList, CheckListAction, CheckListActions},
    event::Origin,
    ids::CheckListActionId,
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
        self.write(move |conn| {
            let old = load(conn, id, expected)?;
            let Some(action) =
                (edit.change)(&old.action, &reference::existing(conn, &edit.names)?)?
            else {
                return Ok(Versioned::unversioned(old.action));
            };
            let same = check_list_actions::row.eq(old.row);
            statement::update(check_list_actions::table, same, Written::of(&action))
                .execute(conn)?;
            let list = with_actions(conn, old.list_row, old.list_read)?;
            change::note(conn, &[Change::Update(&old.list, &list)], &by)?;
            Ok(Versioned::unversioned(action))
        })
        .await
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
        self.write(move |conn| {
            let old = load(conn, id, expected)?;
            diesel::delete(check_list_actions::table.filter(check_list_actions::row.eq(old.row)))
                .execute(conn)?;
            let list = with_actions(conn, old.list_row, old.list_read)?;
            change::note(conn, &[Change::Update(&old.list, &list)], &by)
        })
        .await
    }
}

impl Entity for CheckList {
    const AGGREGATE: Aggregate = Aggregate::CheckList;
}

/// An action in its check-list.
struct Found {
    row: i64,
    action: CheckListAction,
    list_row: i64,
    list_read: ListRead,
    list: CheckList,
}

fn load(
    conn: &mut SqliteConnection,
    action: CheckListActionId,
    expected: Option<Version>,
) -> Result<Found, Abort<EditError>> {
    let found: Option<(i64, i64, Read)> = check_list_actions::table
        .filter(check_list_actions::id.eq(id(action)))
        .select((check_list_actions::row, check_list_actions::check_list_row, Read::as_select()))
        .first(conn)
        .optional()?;
    let Some((row, of, read)) = found else { return Err(EditError::Missing.into()) };
    Version::NONE.check(expected)?;
    let list = check_lists::table.filter(check_lists::row.eq(of)).select(ListRead::as_select());
    let list_read: ListRead = list.first(conn)?;
    let list = with_actions(conn, of, list_read.clone())?;
    Ok(Found { row, action: read.action()?, list_row: of, list_read, list })
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
