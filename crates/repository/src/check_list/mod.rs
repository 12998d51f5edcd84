//! Check-lists and their actions.

mod action;
mod read;

use diesel::prelude::*;
use patrol_domain::{
    EditError, StoreError, Timestamp, Versioned, check_list::CheckList, ids::CheckListId,
};
use patrol_stored::{
    Abort,
    aggregate::Aggregate,
    check_list::{CheckListColumns, NewList},
    schema::{check_list_actions, check_lists},
    sql::{id, ids},
    statement::{Lock, update},
};

pub(crate) use read::{find_all, with_actions};

use crate::{Creatable, Dialect, Editable, Entity, Findable, Removable};

impl Entity for CheckList {
    const AGGREGATE: Aggregate = Aggregate::CheckList;
}

impl Findable for CheckList {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        id: CheckListId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        read::find(conn, id, lock).await
    }

    async fn get<C: Dialect>(
        conn: &C,
        id: CheckListId,
    ) -> Result<Option<Versioned<Self>>, Abort<StoreError>> {
        read::get(conn, id).await
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
