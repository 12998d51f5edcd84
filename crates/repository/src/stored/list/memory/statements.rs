//! The statements of lists in memory that are the same for both stores.

use patrol_domain::list::Direction;

use super::SortOrder;
use crate::stored::list::{OrderKind, Sql, Table};

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
/// meet it, in any order; without, all rows in order.
#[must_use]
pub fn select_sort_positions(
    table: &Table,
    order: SortOrder,
    column: &'static str,
    among: Option<&Sql>,
) -> Sql {
    let mut sql = Sql::of(&["SELECT ", table.key, ", id"]);
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
            append_order(&mut sql, column, order.direction);
            if order.kind != OrderKind::Ids {
                sql.text(", id");
            }
        }
    }
    sql
}

/// Selects the key of each row and its value of `column`, in the order of the values.
#[must_use]
pub fn select_sort_values(table: &Table, column: &'static str, direction: Direction) -> Sql {
    let mut sql = Sql::of(&["SELECT ", table.key, ", ", column, " FROM ", table.from]);
    append_order(&mut sql, column, direction);
    sql
}

fn append_order(sql: &mut Sql, column: &'static str, direction: Direction) {
    sql.texts(&[" ORDER BY ", column]);
    if direction == Direction::Descending {
        sql.text(" DESC");
    }
}
