//! Check-lists and their actions.

mod action;

use diesel::prelude::*;
use patrol_domain::{
    EditError, Timestamp, Version, Versioned, check_list::CheckList, ids::CheckListId,
};
use patrol_record::Recorded as _;

use crate::{
    Connection, Creatable, Dialect, Editable, Entity, Findable, Removable,
    stored::{
        Abort,
        check_list::{CheckListColumns, CheckListRow, all_columns},
        schema::{check_list_actions, check_lists},
        sql::{id, ids},
        statement::{Lock, update},
    },
};

impl Entity for CheckList {}

impl Findable for CheckList {
    /// With a lock, nothing of the check-list changes until the end of the transaction: every change of an
    /// action locks its check-list first.
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        list: CheckListId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        // A statement of its own, so that the next one sees the actions that were committed while this
        // one waited.
        if lock != Lock::None && !conn.lock_row(Self::RESOURCE, list.0, lock).await? {
            return Ok(None);
        }
        let query = check_lists::table
            .filter(check_lists::id.eq(id(list)))
            .select((all_columns(), check_lists::version));
        let found: Option<(CheckListRow, i64)> = conn.first(query).await?;
        let Some((read, version)) = found else { return Ok(None) };
        Ok(Some(Versioned { record: read.list()?, version: Version(version) }))
    }
}

/// Those of these check-lists that exist, by id.
pub(crate) async fn find_all<E: Send>(
    conn: &impl Connection,
    lists: &[CheckListId],
) -> Result<Vec<CheckList>, Abort<E>> {
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let query = check_lists::table
        .filter(check_lists::id.eq_any(ids(lists)))
        .order(check_lists::id)
        .select(all_columns());
    let rows: Vec<CheckListRow> = conn.load(query).await?;
    Ok(rows.into_iter().map(CheckListRow::list).collect::<Result<_, _>>()?)
}

impl Creatable for CheckList {
    async fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let rows = new.iter().map(|new| {
            let version = check_lists::version.eq(at.millis());
            diesel::insert_into(check_lists::table).values((CheckListColumns::of(new), version))
        });
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
        let columns = (CheckListColumns::of(new), check_lists::version.eq(old.version.next().0));
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
        let same = check_lists::table.filter(check_lists::id.eq(id(old.id)));
        conn.execute(diesel::delete(same)).await?;
        Ok(None)
    }
}
