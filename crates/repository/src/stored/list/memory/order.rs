//! Orders that are kept in memory, and the places of rows in them.

use std::cmp::Ordering;

use patrol_domain::list::Direction;

use crate::stored::list::{self, TableQuery, Text};

/// An order that is kept in memory: by a column that is never null, then by id ascending.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SortOrder {
    /// The column.
    pub column: Text,
    /// What the column contains.
    pub kind: list::OrderKind,
    /// The direction of the column.
    pub direction: Direction,
}

/// The place of a row in an order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortPosition {
    /// The value of the column.
    pub value: SortValue,
    /// The bytes of the id.
    pub id: [u8; 16],
}

/// A value of a column. Values compare as in the store.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SortValue {
    /// The column is the id.
    Id,
    /// A text, compared byte by byte.
    Text(String),
    /// A time, in milliseconds since 1970.
    Time(i64),
}

impl SortOrder {
    /// The order of the query; `None` when it is not kept in memory.
    pub(super) fn of(query: &TableQuery) -> Option<Self> {
        match &query.sort[..] {
            [] => Some(Self::BY_ID),
            [(key, direction)] => {
                Some(Self { column: key.sql, kind: key.order?, direction: *direction })
            }
            _ => None,
        }
    }

    /// The order of a list without a sort.
    pub const BY_ID: Self = Self {
        column: Text::same("id"),
        kind: list::OrderKind::Ids,
        direction: Direction::Ascending,
    };

    /// The order by a column of times, ascending.
    pub(super) const fn by_time(column: &'static str) -> Self {
        let (column, kind) = (Text::same(column), list::OrderKind::Times);
        Self { column, kind, direction: Direction::Ascending }
    }

    pub(super) fn compare(self, one: &SortPosition, other: &SortPosition) -> Ordering {
        let by_value = one.value.cmp(&other.value);
        let by_id = one.id.cmp(&other.id);
        match (self.kind, self.direction) {
            (list::OrderKind::Ids, Direction::Ascending) => by_id,
            (list::OrderKind::Ids, Direction::Descending) => by_id.reverse(),
            (_, Direction::Ascending) => by_value.then(by_id),
            (_, Direction::Descending) => by_value.reverse().then(by_id),
        }
    }
}
