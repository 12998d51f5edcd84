//! The statements of lists in memory that are the same for both stores.

use patrol_domain::list::Direction;

use super::SortOrder;
use crate::list::{OrderKind, Sql, Table};

/// Selects the keys of rows. A condition has to follow.
#[must_use]
pub fn select_keys(table: &Table) -> Sql {
    Sql::of(&["SELECT ", table.key, " FROM ", table.from, " WHERE "])
}

/// Selects the keys of the rows that meet both conditions.
#[must_use]
pub fn select_tested(table: &Table, among: &Sql, test: &Sql) -> Sql {
    let mut sql = select_keys(table);
    sql.append(among);
    sql.text(" AND ");
    sql.append(test);
    sql
}

/// Selects the key, the id and the value of `column` of rows. With a condition, these are the rows that
/// meet it, in any order; without, all rows in order, and those of a column of times without ids.
#[must_use]
pub fn select_sort_positions(
    table: &Table,
    order: SortOrder,
    column: &'static str,
    among: Option<&Sql>,
) -> Sql {
    let mut sql = Sql::of(&["SELECT ", table.key]);
    if has_ids(order, among) {
        sql.text(", id");
    }
    if order.kind != OrderKind::Ids {
        sql.texts(&[", ", column]);
    }
    sql.texts(&[" FROM ", table.from]);
    match among {
        Some(among) => {
            sql.text(" WHERE ");
            sql.append(among);
        }
        None => {
            sql.texts(&[" ORDER BY ", column]);
            if order.direction == Direction::Descending {
                sql.text(" DESC");
            }
            if order.kind == OrderKind::Texts {
                sql.text(", id");
            }
        }
    }
    sql
}

/// Whether the statement of [`select_sort_positions`] selects ids. The index of a time has none, and to read
/// them for the whole table takes several times as long.
#[must_use]
pub fn has_ids(order: SortOrder, among: Option<&Sql>) -> bool {
    order.kind != OrderKind::Times || among.is_some()
}
