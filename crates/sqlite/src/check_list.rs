//! Check-lists and their actions.

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    At, Delete, Edit, EditError, StoreError, Timestamp, Update, Version, Versioned,
    check_list::{CheckList, CheckListAction, CheckLists, NewAction},
    event::Origin,
    ids::CheckListId,
};
use patrol_stored::{
    check_list::{ListRead, ListWritten, NewList, Read, Written},
    schema::{check_list_actions, check_lists},
    sql::id,
};

use crate::{
    Store,
    change::{self, Change, Creatable, Editable, Entity, Findable, Found, Removable},
    data_set::{Failure, Import, Kind, page},
    engine::{Abort, snapshot},
    idempotency, reference,
    revision::Aggregate,
    statement::{self, last_insert_rowid},
};

#[async_trait]
impl CheckLists for Store {
    async fn add_action(&self, new: NewAction, by: Origin) -> Result<CheckListAction, EditError> {
        self.write(move |conn| {
            let old: Found<CheckList> = change::load(conn, &At::any_version(new.list))?;
            let list = &old.versioned.record;
            let action = (new.make)(list, &reference::existing(conn, &new.references)?)?;
            insert_action(conn, old.row, &action)?;
            raise_version(conn, &old)?;
            // The effect of the request is the action.
            let beside = Origin { keyed: None, ..by };
            let changes = [Change::Update(list, &list.plus(action.clone()))];
            change::record_changes(conn, &changes, &beside)?;
            idempotency::store_effect(conn, &by, [action.id.0].into_iter())?;
            Ok(action)
        })
        .await
    }
}

#[async_trait]
impl Update<CheckListAction> for Store {
    async fn update(
        &self,
        edit: Edit<CheckListAction>,
        by: Origin,
    ) -> Result<Versioned<CheckListAction>, EditError> {
        self.write(move |conn| {
            let (row, old, found) = load_action(conn, &edit.at)?;
            let existing = reference::existing(conn, &edit.references)?;
            let Some(new) = (edit.change)(&old, &existing)? else {
                return Ok(Versioned::unversioned(old));
            };
            let list = &found.versioned.record;
            let changed = list.with(&new);
            if changed != *list {
                let same = check_list_actions::row.eq(row);
                statement::update(check_list_actions::table, same, Written::of(&new))
                    .execute(conn)?;
                raise_version(conn, &found)?;
            }
            change::record_changes(conn, &[Change::Update(list, &changed)], &by)?;
            Ok(Versioned::unversioned(new))
        })
        .await
    }
}

#[async_trait]
impl Delete<CheckListAction> for Store {
    async fn delete(&self, at: At<CheckListAction>, by: Origin) -> Result<(), EditError> {
        self.write(move |conn| {
            let (row, _, found) = load_action(conn, &at)?;
            diesel::delete(check_list_actions::table.filter(check_list_actions::row.eq(row)))
                .execute(conn)?;
            raise_version(conn, &found)?;
            let list = &found.versioned.record;
            change::record_changes(conn, &[Change::Update(list, &list.without(at.id))], &by)
        })
        .await
    }
}

impl Entity for CheckList {
    const AGGREGATE: Aggregate = Aggregate::CheckList;
}

impl Findable for CheckList {
    fn find<E>(
        conn: &mut SqliteConnection,
        list: CheckListId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        let found: Option<(i64, i64, ListRead)> = check_lists::table
            .filter(check_lists::id.eq(id(list)))
            .select((check_lists::row, check_lists::version, ListRead::as_select()))
            .first(conn)
            .optional()?;
        let Some((row, version, read)) = found else { return Ok(None) };
        let record = with_actions(conn, row, read)?;
        Ok(Some(Found { row, versioned: Versioned { record, version: Version(version) } }))
    }

    fn get<E>(
        conn: &mut SqliteConnection,
        list: CheckListId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        snapshot(conn, |conn| Self::find(conn, list))
    }
}

impl Creatable for CheckList {
    fn insert<E>(conn: &mut SqliteConnection, new: &Self, at: Timestamp) -> Result<(), Abort<E>> {
        let row = insert_row(conn, new, at)?;
        insert_actions(conn, row, new)
    }
}

impl Editable for CheckList {
    fn replace<E>(
        conn: &mut SqliteConnection,
        old: &Found<Self>,
        new: &Self,
    ) -> Result<(), Abort<E>> {
        let version = check_lists::version.eq(old.versioned.version.next().0);
        let columns = (ListWritten::of(new), version);
        statement::update(check_lists::table, check_lists::row.eq(old.row), columns)
            .execute(conn)?;
        if old.versioned.record.actions == new.actions {
            return Ok(());
        }
        // The keys of the rows are in the order of the actions.
        let of_list = check_list_actions::check_list_row.eq(old.row);
        diesel::delete(check_list_actions::table.filter(of_list)).execute(conn)?;
        insert_actions(conn, old.row, new)
    }
}

impl Removable for CheckList {
    /// The foreign key removes the actions too.
    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>> {
        diesel::delete(check_lists::table.filter(check_lists::row.eq(old.row))).execute(conn)?;
        Ok(())
    }
}

/// The row of an action, the action, and its check-list.
fn load_action(
    conn: &mut SqliteConnection,
    at: &At<CheckListAction>,
) -> Result<(i64, CheckListAction, Found<CheckList>), Abort<EditError>> {
    let found: Option<(i64, i64)> = check_list_actions::table
        .filter(check_list_actions::id.eq(id(at.id)))
        .select((check_list_actions::row, check_list_actions::check_list_row))
        .first(conn)
        .optional()?;
    let (row, list_row) = found.ok_or(EditError::Missing)?;
    let list = check_lists::table.filter(check_lists::row.eq(list_row));
    let (version, read): (i64, ListRead) =
        list.select((check_lists::version, ListRead::as_select())).first(conn)?;
    let record = with_actions(conn, list_row, read)?;
    let action = record.action(at)?.clone();
    let versioned = Versioned { record, version: Version(version) };
    Ok((row, action, Found { row: list_row, versioned }))
}

/// Gives the check-list its next version, because one of its actions changes.
fn raise_version(conn: &mut SqliteConnection, old: &Found<CheckList>) -> QueryResult<()> {
    let version = check_lists::version.eq(old.versioned.version.next().0);
    statement::update(check_lists::table, check_lists::row.eq(old.row), version).execute(conn)?;
    Ok(())
}

impl Kind for CheckList {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        let row = insert_row(conn, self, import.at)?;
        insert_actions(conn, row, self).map_err(Failure::beside(row))
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, check_lists, ListRead, |row, read| with_actions(conn, row, read))
    }
}

/// Stores a new check-list without its actions. Returns the key of the row.
fn insert_row<E>(
    conn: &mut SqliteConnection,
    list: &CheckList,
    at: Timestamp,
) -> Result<i64, Abort<E>> {
    diesel::insert_into(check_lists::table).values(NewList::of(list, at)).execute(conn)?;
    Ok(diesel::select(last_insert_rowid()).get_result(conn)?)
}

/// Stores the actions of a check-list without any.
fn insert_actions<E>(
    conn: &mut SqliteConnection,
    row: i64,
    list: &CheckList,
) -> Result<(), Abort<E>> {
    Ok(list.actions.iter().try_for_each(|action| insert_action(conn, row, action))?)
}

fn insert_action(
    conn: &mut SqliteConnection,
    row: i64,
    action: &CheckListAction,
) -> QueryResult<()> {
    diesel::insert_into(check_list_actions::table)
        .values((check_list_actions::check_list_row.eq(row), Written::of(action)))
        .execute(conn)?;
    Ok(())
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
