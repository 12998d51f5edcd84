//! A check-list as it is stored: a row, and one for each of its actions.

use std::collections::HashMap;

use diesel::{pg::Pg, prelude::*};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Named, StoreError,
    check_list::{CheckList, CheckListAction},
    ids::{CheckListActionId, Uuid},
};

use crate::{
    engine::{Abort, Connection},
    schema::{check_list_actions, check_lists},
    value::Row,
};

/// The columns that hold an action, but for its list and its place among those of the same order.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = check_list_actions)]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub(super) struct Written<'a> {
    id: Uuid,
    name: &'a str,
    kind: i16,
    place: i32,
    required: bool,
    min_value: Option<f64>,
    max_value: Option<f64>,
}

impl<'a> Written<'a> {
    pub(super) fn of(action: &'a CheckListAction) -> Self {
        let CheckListAction { id, name, kind, order, required, min_value, max_value } = action;
        Self {
            id: id.0,
            name,
            kind: kind.code(),
            place: *order,
            required: *required,
            min_value: *min_value,
            max_value: *max_value,
        }
    }
}

/// Stores new check-lists with their actions.
pub(crate) async fn insert(mut conn: &Connection, lists: &[&CheckList]) -> QueryResult<()> {
    let mut rows = Vec::new();
    for list in lists {
        let CheckList { id, name, actions: _ } = list;
        rows.push((check_lists::id.eq(id.0), check_lists::name.eq(name)));
    }
    diesel::insert_into(check_lists::table).values(rows).execute(&mut conn).await?;
    for list in lists {
        let actions = (0_i32..).zip(&list.actions).map(|(position, action)| {
            (
                check_list_actions::check_list_id.eq(list.id.0),
                check_list_actions::position.eq(position),
                Written::of(action),
            )
        });
        let actions: Vec<_> = actions.collect();
        diesel::insert_into(check_list_actions::table).values(actions).execute(&mut conn).await?;
    }
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = check_list_actions, check_for_backend(Pg))]
struct Read {
    id: Uuid,
    name: String,
    kind: i16,
    place: i32,
    required: bool,
    min_value: Option<f64>,
    max_value: Option<f64>,
}

/// The action, or none, which nobody else changes until the transaction ends.
pub(super) async fn lock<E>(
    mut conn: &Connection,
    id: CheckListActionId,
) -> Result<Option<CheckListAction>, Abort<E>> {
    let query = check_list_actions::table.find(id.0).select(Read::as_select()).for_update();
    Ok(query.first(&mut conn).await.optional()?.map(read).transpose()?)
}

/// At most `limit` check-lists by id, those after `after`.
pub(crate) async fn page<E>(
    mut conn: &Connection,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<CheckList>, Abort<E>> {
    let mut page = check_lists::table.order(check_lists::id).limit(limit).into_boxed();
    if let Some(after) = after {
        page = page.filter(check_lists::id.gt(after));
    }
    let found: Vec<(Uuid, String)> = page.load(&mut conn).await?;
    let ids: Vec<_> = found.iter().map(|(id, _)| *id).collect();
    let of_lists: Vec<(Uuid, Read)> = check_list_actions::table
        .filter(check_list_actions::check_list_id.eq_any(ids))
        .order((check_list_actions::place, check_list_actions::position))
        .select((check_list_actions::check_list_id, Read::as_select()))
        .load(&mut conn)
        .await?;
    let mut actions: HashMap<Uuid, Vec<CheckListAction>> = HashMap::new();
    for (list, action) in of_lists {
        actions.entry(list).or_default().push(read(action)?);
    }
    let lists = found.into_iter().map(|(id, name)| {
        let actions = actions.remove(&id).unwrap_or_default();
        CheckList { id: id.into(), name, actions }
    });
    Ok(lists.collect())
}

fn read(read: Read) -> Result<CheckListAction, StoreError> {
    let Read { id, name, kind, place, required, min_value, max_value } = read;
    let at = Row::new("check_list_actions", id);
    Ok(CheckListAction {
        id: id.into(),
        name,
        kind: at.named("kind", kind)?,
        order: place,
        required,
        min_value,
        max_value,
    })
}
