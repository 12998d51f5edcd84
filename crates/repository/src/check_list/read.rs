//! Reads check-lists with their actions.

use std::collections::HashMap;

use diesel::prelude::*;
use patrol_domain::{
    Version, Versioned,
    check_list::{CheckList, CheckListAction},
    ids::CheckListId,
};
use patrol_stored::{
    Abort,
    check_list::{ActionRow, CheckListRow, in_order, is_in_list},
    schema::{check_list_actions, check_lists},
    sql::{Id, columns, id, ids},
    statement::{Lock, with_lock},
};

use crate::Connection;

/// A check-list with its version and its actions, read by one statement.
pub(super) async fn get<E: Send>(
    conn: &impl Connection,
    list: CheckListId,
) -> Result<Option<Versioned<CheckList>>, Abort<E>> {
    let query = check_lists::table
        .left_join(check_list_actions::table.on(is_in_list()))
        .filter(check_lists::id.eq(id(list)))
        .order(in_order())
        .select((columns::<CheckListRow>(), check_lists::version, columns::<Option<ActionRow>>()));
    let rows: Vec<(CheckListRow, i64, Option<ActionRow>)> = conn.load(query).await?;
    let mut actions = Vec::with_capacity(rows.len());
    let mut found = None;
    for (list, version, action) in rows {
        found = Some((list, Version(version)));
        actions.extend(action.map(ActionRow::action).transpose()?);
    }
    let Some((read, version)) = found else { return Ok(None) };
    Ok(Some(Versioned { record: read.list(actions)?, version }))
}

/// A check-list with its version and its actions. With a lock, nothing of it changes until the end of the
/// transaction: every change of an action locks its check-list first.
pub(super) async fn find<E: Send>(
    conn: &impl Connection,
    list: CheckListId,
    lock: Lock,
) -> Result<Option<Versioned<CheckList>>, Abort<E>> {
    let query = check_lists::table
        .filter(check_lists::id.eq(id(list)))
        .select((columns::<CheckListRow>(), check_lists::version));
    let found: Option<(CheckListRow, i64)> = conn.first(with_lock(query, lock)).await?;
    let Some((read, version)) = found else { return Ok(None) };
    let actions = check_list_actions::table
        .inner_join(check_lists::table.on(is_in_list()))
        .filter(check_lists::id.eq(id(list)))
        .order(in_order())
        .select(columns::<ActionRow>());
    let actions: Vec<ActionRow> = conn.load(actions).await?;
    let actions = actions.into_iter().map(ActionRow::action).collect::<Result<_, _>>()?;
    Ok(Some(Versioned { record: read.list(actions)?, version: Version(version) }))
}

/// Those of these check-lists that exist, by id, read by one statement.
pub(crate) async fn find_all<E: Send>(
    conn: &impl Connection,
    lists: &[CheckListId],
) -> Result<Vec<CheckList>, Abort<E>> {
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let query = check_lists::table
        .left_join(check_list_actions::table.on(is_in_list()))
        .filter(check_lists::id.eq_any(ids(lists)))
        .order((check_lists::id, in_order()))
        .select((columns::<CheckListRow>(), columns::<Option<ActionRow>>()));
    let rows: Vec<(CheckListRow, Option<ActionRow>)> = conn.load(query).await?;
    let mut found: Vec<CheckList> = Vec::new();
    for (list, action) in rows {
        let list = list.list(Vec::new())?;
        if found.last().is_none_or(|last| last.id != list.id) {
            found.push(list);
        }
        if let (Some(last), Some(action)) = (found.last_mut(), action) {
            last.actions.push(action.action()?);
        }
    }
    Ok(found)
}

/// The check-lists in these rows, in the same order.
pub(crate) async fn with_actions<E: Send>(
    conn: &impl Connection,
    rows: Vec<CheckListRow>,
) -> Result<Vec<CheckList>, Abort<E>> {
    let lists: Result<Vec<_>, _> = rows.into_iter().map(|row| row.list(Vec::new())).collect();
    let mut lists = lists?;
    let named: Vec<_> = lists.iter().map(|list| list.id).collect();
    let query = check_list_actions::table
        .inner_join(check_lists::table.on(is_in_list()))
        .filter(check_lists::id.eq_any(ids(&named)))
        .order(in_order())
        .select((check_lists::id, columns::<ActionRow>()));
    let found: Vec<(Id, ActionRow)> = conn.load(query).await?;
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
