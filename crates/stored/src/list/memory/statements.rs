//! The statements that both stores read with in the same way.

use patrol_domain::list::Direction;

use super::{ListTable, Sorted};
use crate::list::{Order, Sql};

/// Selects the keys of rows. A condition has to follow.
#[must_use]
pub fn select_keys<L: ListTable, B: Clone>() -> Sql<B> {
    let mut sql = Sql::default();
    sql.text("SELECT ");
    sql.text(L::KEY);
    sql.text(" FROM ");
    sql.text(L::FROM);
    sql.text(" WHERE ");
    sql
}

/// Selects the keys of the rows that meet both conditions.
#[must_use]
pub fn select_among<L: ListTable, B: Clone>(is_one: &Sql<B>, test: &Sql<B>) -> Sql<B> {
    let mut sql = select_keys::<L, B>();
    sql.append(is_one);
    sql.text(" AND ");
    sql.append(test);
    sql
}

/// Selects the key and the id of a row, and the value of `column`, which the order is by: of the rows
/// that meet the condition in any order, or of all rows in order.
#[must_use]
pub fn select_places<L: ListTable, B: Clone>(
    sorted: Sorted,
    column: &'static str,
    is_one: Option<&Sql<B>>,
) -> Sql<B> {
    let mut sql = Sql::default();
    sql.text("SELECT ");
    sql.text(L::KEY);
    sql.text(", id");
    if sorted.order != Order::Ids {
        sql.text(", ");
        sql.text(column);
    }
    sql.text(" FROM ");
    sql.text(L::FROM);
    match is_one {
        Some(is_one) => {
            sql.text(" WHERE ");
            sql.append(is_one);
        }
        None => {
            order(&mut sql, column, sorted.direction);
            if sorted.order != Order::Ids {
                sql.text(", id");
            }
        }
    }
    sql
}

/// Selects the key of each row and its value of `column`, in the order of that.
#[must_use]
pub fn select_values<L: ListTable, B: Clone>(column: &'static str, direction: Direction) -> Sql<B> {
    let mut sql = Sql::default();
    sql.text("SELECT ");
    sql.text(L::KEY);
    sql.text(", ");
    sql.text(column);
    sql.text(" FROM ");
    sql.text(L::FROM);
    order(&mut sql, column, direction);
    sql
}

fn order<B: Clone>(sql: &mut Sql<B>, column: &'static str, direction: Direction) {
    sql.text(" ORDER BY ");
    sql.text(column);
    if direction == Direction::Descending {
        sql.text(" DESC");
    }
}
