//! Check-lists and their actions.

use async_trait::async_trait;
use diesel::{prelude::*, sqlite::Sqlite};
use patrol_domain::{
    EditError, Named, StoreError,
    check_list::{CheckList, CheckListAction, CheckListActions},
    ids::CheckListActionId,
    task_execution::Edit,
};

use crate::{
    Store,
    engine::Abort,
    reference,
    revision::{self, Aggregate},
    schema::{check_list_actions, check_lists},
    update,
    value::{Id, Row, StoredId, id, last_insert_rowid},
};

#[async_trait]
impl CheckListActions for Store {
    async fn update(
        &self,
        id: CheckListActionId,
        edit: Edit<CheckListAction>,
    ) -> Result<CheckListAction, EditError> {
        self.write(move |conn| update(conn, id, &edit)).await
    }

    async fn delete(&self, id: CheckListActionId) -> Result<(), EditError> {
        self.write(move |conn| delete(conn, id)).await
    }
}

fn update(
    conn: &mut SqliteConnection,
    action_id: CheckListActionId,
    edit: &Edit<CheckListAction>,
) -> Result<CheckListAction, Abort<EditError>> {
    let query = check_list_actions::table
        .filter(check_list_actions::id.eq(id(action_id)))
        .select(Read::as_select());
    let Some(found) = query.first(conn).optional()? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    let action = read(found)?;
    let existing = reference::existing(conn, &edit.names)?;
    let changed =
        (edit.change)(&action, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let Some(changed) = changed else { return Ok(action) };
    let same = check_list_actions::id.eq(id(action_id));
    update::set(check_list_actions::table, same, written(&changed)).execute(conn)?;
    revision::raise(conn, Aggregate::CheckList)?;
    Ok(changed)
}

fn delete(conn: &mut SqliteConnection, action: CheckListActionId) -> Result<(), Abort<EditError>> {
    let same = check_list_actions::table.filter(check_list_actions::id.eq(id(action)));
    if diesel::delete(same).execute(conn)? == 0 {
        return Err(Abort::Refused(EditError::Missing));
    }
    revision::raise(conn, Aggregate::CheckList)?;
    Ok(())
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = check_list_actions)]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
struct Written<'a> {
    id: Id,
    name: &'a str,
    kind: i16,
    place: i32,
    required: bool,
    min_value: Option<f64>,
    max_value: Option<f64>,
}

fn written(action: &CheckListAction) -> Written<'_> {
    let CheckListAction { id: action_id, name, kind, order, required, min_value, max_value } =
        action;
    Written {
        id: id(*action_id),
        name,
        kind: kind.code(),
        place: *order,
        required: *required,
        min_value: *min_value,
        max_value: *max_value,
    }
}

/// Stores a new check-list without its actions, and returns its row.
pub(crate) fn insert_row<E>(
    conn: &mut SqliteConnection,
    list: &CheckList,
) -> Result<i64, Abort<E>> {
    let CheckList { id: list_id, name, actions: _ } = list;
    diesel::insert_into(check_lists::table)
        .values((check_lists::id.eq(id(*list_id)), check_lists::name.eq(name)))
        .execute(conn)?;
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
            .values((check_list_actions::check_list_row.eq(row), written(action)))
            .execute(conn)?;
    }
    Ok(())
}

/// At most `limit` check-lists of a row after `after`, by row, each with its row.
pub(crate) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, CheckList)>, Abort<E>> {
    let found: Vec<(i64, StoredId, String)> = check_lists::table
        .filter(check_lists::row.gt(after))
        .order(check_lists::row)
        .limit(limit)
        .load(conn)?;
    let lists = found.into_iter().map(|(row, id, name)| {
        let at = Row::new("check_lists", id);
        let list = CheckList { id: at.id("id", id)?, name, actions: actions(conn, row)? };
        Ok((row, list))
    });
    lists.collect()
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = check_list_actions, check_for_backend(Sqlite))]
struct Read {
    id: StoredId,
    name: String,
    kind: i16,
    place: i32,
    required: bool,
    min_value: Option<f64>,
    max_value: Option<f64>,
}

fn actions<E>(
    conn: &mut SqliteConnection,
    list_row: i64,
) -> Result<Vec<CheckListAction>, Abort<E>> {
    let found: Vec<Read> = check_list_actions::table
        .filter(check_list_actions::check_list_row.eq(list_row))
        .order((check_list_actions::place, check_list_actions::row))
        .select(Read::as_select())
        .load(conn)?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

fn read(read: Read) -> Result<CheckListAction, StoreError> {
    let Read { id, name, kind, place, required, min_value, max_value } = read;
    let at = Row::new("check_list_actions", id);
    Ok(CheckListAction {
        id: at.id("id", id)?,
        name,
        kind: at.named("kind", kind)?,
        order: place,
        required,
        min_value,
        max_value,
    })
}
