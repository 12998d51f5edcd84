//! Check-lists and their actions.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    At, Delete, Edit, EditError, References, StoreError, Timestamp, Update, Version, Versioned,
    check_list::{CheckList, CheckListAction, CheckLists, NewAction},
    data_set::ImportError,
    event::Origin,
    ids::{CheckListId, Uuid},
};
use patrol_stored::{
    check_list::{ListRead, ListWritten, NewList, Read, Written},
    schema::{check_list_actions, check_lists},
    sql::{StoredId, id, ids},
};

use crate::{
    Store,
    change::{self, Change, Creatable, Editable, Entity, Findable, Removable},
    data_set::{Kind, page},
    engine::{Abort, Connection},
    idempotency, reference,
};

#[async_trait]
impl CheckLists for Store {
    async fn add_action(&self, new: NewAction, by: Origin) -> Result<CheckListAction, EditError> {
        self.transaction_on(new.list.0, async |conn| {
            let at = At::any_version(new.list);
            let old: Versioned<CheckList> =
                change::load(&conn, &at, &References::default()).await?;
            let list = &old.record;
            let action = (new.make)(list, &reference::existing(&conn, &new.references).await?)?;
            let changed = list.plus(action.clone());
            replace(&conn, &old, &changed).await?;
            // The effect of the request is the action.
            let beside = Origin { keyed: None, ..by };
            change::record_changes(&conn, &[Change::Update(list, &changed)], &beside).await?;
            idempotency::store_effect(&conn, &by, [action.id.0].into_iter()).await?;
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
        self.transaction_on(edit.at.id.0, async |conn| {
            let (old, found) = load_action(&conn, &edit.at).await?;
            let existing = reference::existing(&conn, &edit.references).await?;
            let Some(new) = (edit.change)(&old, &existing)? else {
                return Ok(Versioned::unversioned(old));
            };
            let list = &found.record;
            let changed = list.with(&new);
            if changed != *list {
                let place = check_list_actions::table.find(id(new.id));
                diesel::update(place).set(Written::of(&new)).execute(&mut conn.as_ref()).await?;
                raise_version(&conn, &found).await?;
            }
            change::record_changes(&conn, &[Change::Update(list, &changed)], &by).await?;
            Ok(Versioned::unversioned(new))
        })
        .await
    }
}

#[async_trait]
impl Delete<CheckListAction> for Store {
    async fn delete(&self, at: At<CheckListAction>, by: Origin) -> Result<(), EditError> {
        self.transaction_on(at.id.0, async |conn| {
            let (_, found) = load_action(&conn, &at).await?;
            let place = check_list_actions::table.find(id(at.id));
            diesel::delete(place).execute(&mut conn.as_ref()).await?;
            raise_version(&conn, &found).await?;
            let list = &found.record;
            let changes = [Change::Update(list, &list.without(at.id))];
            change::record_changes(&conn, &changes, &by).await
        })
        .await
    }
}

impl Entity for CheckList {}

impl Findable for CheckList {
    async fn find<E: Send>(
        mut conn: &Connection,
        list: CheckListId,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let columns = (ListRead::as_select(), check_lists::version);
        let query = check_lists::table.find(id(list)).select(columns);
        let found: Option<(ListRead, i64)> = query.first(&mut conn).await.optional()?;
        versioned(conn, found).await
    }

    async fn lock(
        mut conn: &Connection,
        list: CheckListId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let columns = (ListRead::as_select(), check_lists::version);
        let query = check_lists::table.find(id(list)).select(columns).for_update();
        let found: Option<(ListRead, i64)> = query.first(&mut conn).await.optional()?;
        versioned(conn, found).await
    }
}

impl Creatable for CheckList {
    async fn insert<E: Send>(
        mut conn: &Connection,
        lists: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let rows: Vec<_> = lists.iter().map(|list| NewList::of(list, at)).collect();
        diesel::insert_into(check_lists::table).values(rows).execute(&mut conn).await?;
        for list in lists {
            insert_actions(conn, list).await?;
        }
        Ok(())
    }
}

impl Editable for CheckList {
    async fn replace(
        conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        Ok(replace(conn, old, new).await?)
    }
}

impl Removable for CheckList {
    /// The foreign key removes the actions too.
    async fn remove(
        mut conn: &Connection,
        list: CheckListId,
    ) -> Result<Option<i64>, Abort<EditError>> {
        diesel::delete(check_lists::table.find(id(list))).execute(&mut conn).await?;
        Ok(None)
    }
}

/// Replaces a check-list and all its actions under the next version.
async fn replace(
    mut conn: &Connection,
    old: &Versioned<CheckList>,
    new: &CheckList,
) -> QueryResult<()> {
    diesel::update(check_lists::table.find(id(new.id)))
        .set((ListWritten::of(new), check_lists::version.eq(old.version.next().0)))
        .execute(&mut conn)
        .await?;
    if old.record.actions == new.actions {
        return Ok(());
    }
    let of_list = check_list_actions::check_list_id.eq(id(new.id));
    diesel::delete(check_list_actions::table.filter(of_list)).execute(&mut conn).await?;
    insert_actions(conn, new).await
}

/// Stores the actions of a check-list without any.
async fn insert_actions(mut conn: &Connection, list: &CheckList) -> QueryResult<()> {
    let actions = (0_i32..).zip(&list.actions).map(|(position, action)| {
        (
            check_list_actions::check_list_id.eq(id(list.id)),
            check_list_actions::position.eq(position),
            Written::of(action),
        )
    });
    let actions: Vec<_> = actions.collect();
    diesel::insert_into(check_list_actions::table).values(actions).execute(&mut conn).await?;
    Ok(())
}

/// Gives the check-list its next version, because one of its actions changes.
async fn raise_version(mut conn: &Connection, old: &Versioned<CheckList>) -> QueryResult<()> {
    diesel::update(check_lists::table.find(id(old.record.id)))
        .set(check_lists::version.eq(old.version.next().0))
        .execute(&mut conn)
        .await?;
    Ok(())
}

/// An action and its check-list. Locks the check-list until the end of the transaction. Every change
/// locks it first: two changes of a list and its actions cannot deadlock.
async fn load_action(
    mut conn: &Connection,
    at: &At<CheckListAction>,
) -> Result<(CheckListAction, Versioned<CheckList>), Abort<EditError>> {
    let place = check_list_actions::table.find(id(at.id));
    let list: Option<StoredId> =
        place.select(check_list_actions::check_list_id).first(&mut conn).await.optional()?;
    let list = list.and_then(StoredId::get::<CheckListId>).ok_or(EditError::Missing)?;
    let at_list = At::any_version(list);
    let found: Versioned<CheckList> = change::load(conn, &at_list, &References::default()).await?;
    // Another transaction may have removed the action just before the lock.
    let action = found.record.action(at)?.clone();
    Ok((action, found))
}

/// The check-list in a row with its version.
async fn versioned<E>(
    conn: &Connection,
    found: Option<(ListRead, i64)>,
) -> Result<Option<Versioned<CheckList>>, Abort<E>> {
    let Some((read, version)) = found else { return Ok(None) };
    let list = with_actions(conn, vec![read]).await?.pop();
    Ok(list.map(|record| Versioned { record, version: Version(version) }))
}

impl Kind for CheckList {
    fn parts(&self) -> usize {
        1 + self.actions.len()
    }

    async fn store(
        conn: &Connection,
        lists: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(conn, lists, at).await
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = check_lists::table.select(ListRead::as_select());
        with_actions(conn, page!(conn, after, check_lists, query)).await
    }
}

/// Those of these check-lists that exist.
pub(crate) async fn find_all<E>(
    mut conn: &Connection,
    lists: &[CheckListId],
) -> Result<Vec<CheckList>, Abort<E>> {
    let query = check_lists::table.filter(check_lists::id.eq_any(ids(lists)));
    let rows = query.select(ListRead::as_select()).load(&mut conn).await?;
    with_actions(conn, rows).await
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
