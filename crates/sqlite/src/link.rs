//! The sets of a record as rows. Link tables have `(value, row)` pairs, by which lists find the
//! records that have a value; the locations of a user also have a position.

use std::{collections::HashSet, hash::Hash};

use diesel::{prelude::*, result::Error::NotFound};
use patrol_domain::{Resource, location::Location, scheduled_task::ScheduledTask, user::User};
use patrol_repository::stored::{schema::user_locations, sql::id};

use crate::row::row_of;

/// Declares a module with the statements of a link table, whose values are texts or ids of this type.
macro_rules! link_table {
    ($name:ident, $table:ident, text) => {
        $crate::link::link_table!($name, $table, String, &str, String::as_str);
    };
    ($name:ident, $table:ident, $id:ident) => {
        $crate::link::link_table!(
            $name,
            $table,
            patrol_domain::ids::$id,
            patrol_repository::stored::sql::Id,
            |item: &_| patrol_repository::stored::sql::id(*item)
        );
    };
    ($name:ident, $table:ident, $item:ty, $value:ty, $of:expr) => {
        pub(crate) mod $name {
            use diesel::{ExpressionMethods, QueryDsl, QueryResult, RunQueryDsl, SqliteConnection};
            use patrol_repository::stored::schema::$table;

            pub(crate) fn add(
                conn: &mut SqliteConnection,
                row: i64,
                item: &$item,
            ) -> QueryResult<()> {
                let value: $value = $of(item);
                diesel::insert_into($table::table)
                    .values(($table::value.eq(value), $table::row.eq(row)))
                    .execute(conn)?;
                Ok(())
            }

            fn remove(conn: &mut SqliteConnection, row: i64, item: &$item) -> QueryResult<()> {
                let value: $value = $of(item);
                let pair =
                    $table::table.filter($table::value.eq(value)).filter($table::row.eq(row));
                diesel::delete(pair).execute(conn)?;
                Ok(())
            }

            /// Changes the pairs of `row` from `old` to `new`. Writes only the differences.
            pub(crate) fn replace(
                conn: &mut SqliteConnection,
                row: i64,
                old: &[$item],
                new: &[$item],
            ) -> QueryResult<()> {
                for item in $crate::link::missing(old, new) {
                    remove(conn, row, item)?;
                }
                for item in $crate::link::missing(new, old) {
                    add(conn, row, item)?;
                }
                Ok(())
            }
        }
    };
}
pub(crate) use link_table;

link_table!(location_tags, location_tags, text);
link_table!(task_assignees, scheduled_task_assignees, UserId);
link_table!(task_tags, scheduled_task_tags, text);
link_table!(task_lists, scheduled_task_check_lists, CheckListId);

/// The values of `some` that are not in `others`.
pub(crate) fn missing<'a, T: Eq + Hash>(
    some: &'a [T],
    others: &'a [T],
) -> impl Iterator<Item = &'a T> {
    let others: HashSet<_> = if some.is_empty() { HashSet::new() } else { others.iter().collect() };
    some.iter().filter(move |value| !others.contains(value))
}

/// Changes the tags of a location from `old` to `new`.
pub(crate) fn location(
    conn: &mut SqliteConnection,
    old: Option<&Location>,
    new: Option<&Location>,
) -> QueryResult<()> {
    let [before, after] = [old, new].map(|of| of.map_or(&[][..], |of| of.tags.as_slice()));
    let (Some(some), true) = (new.or(old), before != after) else { return Ok(()) };
    let row = row_of(conn, Resource::Location, some.id.0)?.ok_or(NotFound)?;
    location_tags::replace(conn, row, before, after)
}

/// Changes the locations of a user from `old` to `new`, in the order of `new`.
pub(crate) fn user(conn: &mut SqliteConnection, old: Option<&User>, new: &User) -> QueryResult<()> {
    let before = old.map_or(&[][..], |old| &old.location_ids);
    if before == new.location_ids {
        return Ok(());
    }
    let row = row_of(conn, Resource::User, new.id.0)?.ok_or(NotFound)?;
    if !before.is_empty() {
        diesel::delete(user_locations::table.filter(user_locations::user_row.eq(row)))
            .execute(conn)?;
    }
    for (position, location) in (0_i32..).zip(&new.location_ids) {
        diesel::insert_into(user_locations::table)
            .values((
                user_locations::user_row.eq(row),
                user_locations::position.eq(position),
                user_locations::location_id.eq(id(*location)),
            ))
            .execute(conn)?;
    }
    Ok(())
}

/// Changes the sets of a task from `old` to `new`.
pub(crate) fn task(
    conn: &mut SqliteConnection,
    old: Option<&ScheduledTask>,
    new: Option<&ScheduledTask>,
) -> QueryResult<()> {
    let sets = |of: Option<&ScheduledTask>| {
        of.map(|of| (of.assignee_ids.clone(), of.tags.clone(), of.check_list_ids()))
            .unwrap_or_default()
    };
    let (before, after) = (sets(old), sets(new));
    let (Some(some), true) = (new.or(old), before != after) else { return Ok(()) };
    let row = row_of(conn, Resource::ScheduledTask, some.id.0)?.ok_or(NotFound)?;
    task_assignees::replace(conn, row, &before.0, &after.0)?;
    task_tags::replace(conn, row, &before.1, &after.1)?;
    task_lists::replace(conn, row, &before.2, &after.2)
}
