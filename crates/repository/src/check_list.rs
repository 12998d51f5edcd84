//! Check-lists and their actions.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    At, Delete, Edit, EditError, List, References, StoreError, Timestamp, Update, Version,
    Versioned,
    check_list::{CheckList, CheckListAction, CheckListList, CheckLists, NewAction},
    event::Origin,
    ids::CheckListId,
};
use patrol_record::Recorded as _;
use patrol_stored::{
    Abort,
    aggregate::Aggregate,
    check_list::{ListRead, ListWritten, NewList, Read, Written, in_order, is_in_list},
    event::Change,
    schema::{check_list_actions, check_lists},
    sql::{StoredId, columns, id, ids},
    statement::{Lock, update, with_lock},
};

use crate::{
    Connection, Creatable, Dialect, Editable, Engine, Entity, Findable, Removable, Repository,
    change::{lock_at, record_changes},
    idempotency, reference,
};

#[async_trait]
impl<S: Engine + List<CheckListList>> CheckLists for Repository<S> {
    async fn add_action(&self, new: NewAction, by: Origin) -> Result<CheckListAction, EditError> {
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
    async fn delete(&self, at: At<CheckListAction>, by: Origin) -> Result<(), EditError> {
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
    let at = At::<CheckList>::any_version(new.list);
    let old = lock_at(conn, &at, &References::default()).await?;
    let list = &old.record;
    let action = (new.make)(list, &reference::existing(conn, &new.references).await?)?;
    let changed = list.plus(action.clone());
    CheckList::replace(conn, &old, &changed).await?;
    // The effect of the request is the action.
    let beside = Origin { keyed: None, ..*by };
    record_changes(conn, &[Change::Update(list, &changed)], &beside).await?;
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
        conn.execute(update(check_list_actions::table, same, Written::of(&new))).await?;
        raise_version(conn, &found).await?;
    }
    record_changes(conn, &[Change::Update(list, &changed)], by).await?;
    Ok(Versioned::unversioned(new))
}

async fn delete_action(
    conn: &impl Dialect,
    at: &At<CheckListAction>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let (_, found) = lock_action(conn, at).await?;
    let same = check_list_actions::table.filter(check_list_actions::id.eq(id(at.id)));
    conn.execute(diesel::delete(same)).await?;
    raise_version(conn, &found).await?;
    let list = &found.record;
    record_changes(conn, &[Change::Update(list, &list.without(at.id))], by).await
}

impl Entity for CheckList {
    const AGGREGATE: Aggregate = Aggregate::CheckList;
}

impl Findable for CheckList {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        list: CheckListId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = check_lists::table
            .filter(check_lists::id.eq(id(list)))
            .select((columns::<ListRead>(), check_lists::version));
        let found: Option<(ListRead, i64)> = conn.first(with_lock(query, lock)).await?;
        let Some((read, version)) = found else { return Ok(None) };
        let actions = check_list_actions::table
            .inner_join(check_lists::table.on(is_in_list()))
            .filter(check_lists::id.eq(id(list)))
            .order(in_order())
            .select(columns::<Read>());
        let actions: Vec<Read> = conn.load(actions).await?;
        let actions = actions.into_iter().map(Read::action).collect::<Result<_, _>>()?;
        Ok(Some(Versioned { record: read.list(actions)?, version: Version(version) }))
    }

    async fn get<C: Dialect>(
        conn: &C,
        list: CheckListId,
    ) -> Result<Option<Versioned<Self>>, Abort<StoreError>> {
        conn.together(Self::find(conn, list, Lock::None)).await
    }
}

impl Creatable for CheckList {
    async fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let rows = new
            .iter()
            .map(|new| diesel::insert_into(check_lists::table).values(NewList::of(new, at)));
        conn.execute_all(rows.collect()).await?;
        for list in new {
            conn.insert_actions(list).await?;
        }
        Ok(())
    }
}

impl Editable for CheckList {
    async fn replace<C: Dialect>(
        conn: &C,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let columns = (ListWritten::of(new), check_lists::version.eq(old.version.next().0));
        conn.execute(update(check_lists::table, check_lists::id.eq(id(new.id)), columns)).await?;
        if old.record.actions == new.actions {
            return Ok(());
        }
        let actions: Vec<_> = old.record.actions.iter().map(|action| action.id).collect();
        let of_list =
            check_list_actions::table.filter(check_list_actions::id.eq_any(ids(&actions)));
        conn.execute(diesel::delete(of_list)).await?;
        Ok(conn.insert_actions(new).await?)
    }
}

impl Removable for CheckList {
    /// The foreign key removes the actions too.
    async fn remove<C: Dialect>(conn: &C, old: &Self) -> QueryResult<Option<i64>> {
        let row = conn.row_of(Self::RESOURCE, old.id.0).await?;
        let same = check_lists::table.filter(check_lists::id.eq(id(old.id)));
        conn.execute(diesel::delete(same)).await?;
        Ok(row)
    }
}

/// An action and its check-list. Locks the check-list until the end of the transaction. Every change
/// locks it first: two changes of a list and its actions cannot deadlock.
async fn lock_action(
    conn: &impl Dialect,
    at: &At<CheckListAction>,
) -> Result<(CheckListAction, Versioned<CheckList>), Abort<EditError>> {
    let list = check_list_actions::table
        .inner_join(check_lists::table.on(is_in_list()))
        .filter(check_list_actions::id.eq(id(at.id)))
        .select(check_lists::id);
    let list: Option<StoredId> = conn.first(list).await?;
    let list = list.and_then(StoredId::get::<CheckListId>).ok_or(EditError::Missing)?;
    let at_list = At::<CheckList>::any_version(list);
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

/// Those of these check-lists that exist.
pub(crate) async fn find_all<E: Send>(
    conn: &impl Connection,
    lists: &[CheckListId],
) -> Result<Vec<CheckList>, Abort<E>> {
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let query = check_lists::table.filter(check_lists::id.eq_any(ids(lists)));
    let rows = conn.load(query.select(columns::<ListRead>())).await?;
    with_actions(conn, rows).await
}

/// The check-lists in these rows, in the same order.
pub(crate) async fn with_actions<E: Send>(
    conn: &impl Connection,
    rows: Vec<ListRead>,
) -> Result<Vec<CheckList>, Abort<E>> {
    let lists: Result<Vec<_>, _> = rows.into_iter().map(|row| row.list(Vec::new())).collect();
    let mut lists = lists?;
    let named: Vec<_> = lists.iter().map(|list| list.id).collect();
    let query = check_list_actions::table
        .inner_join(check_lists::table.on(is_in_list()))
        .filter(check_lists::id.eq_any(ids(&named)))
        .order(in_order())
        .select((check_lists::id, columns::<Read>()));
    let found: Vec<(StoredId, Read)> = conn.load(query).await?;
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
