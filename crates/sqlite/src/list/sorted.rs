//! Indexes that have rows in a requested order.

use diesel::{
    QueryResult, SqliteConnection,
    result::Error,
    sql_types::{BigInt, Binary, Text},
};
use patrol_domain::list::{Direction, Query};
use patrol_stored::list::Order;

use super::{
    ListTable,
    statement::{Bind, Select, Sql},
};

/// An order that an index gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sorted {
    /// The column.
    pub(super) key: &'static str,
    pub(super) order: Order,
    pub(super) direction: Direction,
}

/// A value of the column. Values compare as in the index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    Id([u8; 16]),
    Text(String),
    Time(i64),
}

/// The keys from the first on, up to the second; without a bound where it is `None`.
pub(super) type Range<'a> = (Option<&'a Key>, Option<&'a Key>);

type Entries<'a, T> = Box<dyn Iterator<Item = QueryResult<(u64, T)>> + 'a>;

impl Sorted {
    /// The order of the query; `None` when no index gives it.
    pub(super) fn of<L: ListTable>(query: &Query<L>) -> Option<Self> {
        match &query.sort[..] {
            [] => {
                let key = L::TIES.first()?;
                Some(Self { key, order: Order::Ids, direction: Direction::Ascending })
            }
            [one] => {
                let key = L::sort(one.property);
                let order = key.order?;
                Some(Self { key: key.sql.sqlite, order, direction: one.direction })
            }
            _ => None,
        }
    }

    /// The condition that the key is in this range.
    pub(super) fn within(self, (from, until): Range<'_>) -> Sql {
        let mut sql = Sql::default();
        for (operator, bound) in [(" >= ", from), (" < ", until)] {
            let Some(bound) = bound else { continue };
            let mut test = Sql::default();
            test.text(self.key);
            test.text(operator);
            test.bind(bound.bind());
            sql.and(&test);
        }
        sql
    }

    /// Selects the entries of the index that meet `filter`, which may be empty, in order.
    pub(super) fn select<L: ListTable>(self, filter: &Sql) -> Sql {
        let mut sql = self.start::<L>(self.has_groups(), filter);
        sql.text(" ORDER BY ");
        sql.text(self.key);
        if self.direction == Direction::Descending {
            sql.text(" DESC");
        }
        if self.order == Order::Texts && !self.has_groups() {
            for tie in L::TIES {
                sql.text(", ");
                sql.text(tie);
            }
        }
        sql
    }

    /// Selects the entries of the index that meet `filter`, which may be empty, ascending, with
    /// their keys.
    pub(super) fn select_keys<L: ListTable>(self, filter: &Sql) -> Sql {
        let mut sql = self.start::<L>(true, filter);
        sql.text(" ORDER BY ");
        sql.text(self.key);
        sql
    }

    /// Whether the index has entries with the same key in another order than requested. Equal texts are
    /// sorted by id, ascending, also in a descending order: SQLite would sort them all first.
    fn has_groups(self) -> bool {
        match self.order {
            Order::Ids => false,
            Order::Texts => self.direction == Direction::Descending,
            Order::Times => true,
        }
    }

    fn start<L: ListTable>(self, with_key: bool, filter: &Sql) -> Sql {
        let mut sql = Sql::default();
        sql.text("SELECT ");
        sql.text(L::KEY);
        if with_key {
            sql.text(", ");
            sql.text(self.key);
        }
        sql.text(" FROM ");
        sql.text(L::FROM);
        if !filter.pieces().is_empty() {
            sql.text(" WHERE ");
            sql.append(filter);
        }
        sql
    }

    /// The entries that [`Self::select`] finds. Entries with the same key are in any order; those
    /// without a key are each in their place.
    pub(super) fn entries(
        self,
        connection: &mut SqliteConnection,
        select: Sql,
    ) -> QueryResult<Entries<'_, Option<i64>>> {
        Ok(match self.order {
            Order::Texts if self.has_groups() => {
                let rows = <(BigInt, Text) as Select<(i64, String)>>::rows(select, connection)?;
                let (mut group, mut last) = (0, None);
                Box::new(rows.map(move |row| {
                    let (row, text) = row?;
                    if last.as_ref() != Some(&text) {
                        group += 1;
                        last = Some(text);
                    }
                    Ok((row.cast_unsigned(), Some(group)))
                }))
            }
            Order::Ids | Order::Texts => {
                let rows = <BigInt as Select<i64>>::rows(select, connection)?;
                Box::new(rows.map(|row| Ok((row?.cast_unsigned(), None))))
            }
            Order::Times => {
                let rows = <(BigInt, BigInt) as Select<(i64, i64)>>::rows(select, connection)?;
                Box::new(rows.map(|row| row.map(|(row, at)| (row.cast_unsigned(), Some(at)))))
            }
        })
    }

    /// The entries that [`Self::select_keys`] finds.
    pub(super) fn keys(
        self,
        connection: &mut SqliteConnection,
        select: Sql,
    ) -> QueryResult<Entries<'_, Key>> {
        Ok(match self.order {
            Order::Ids => {
                let rows = <(BigInt, Binary) as Select<(i64, Vec<u8>)>>::rows(select, connection)?;
                Box::new(rows.map(|row| {
                    let (row, id) = row?;
                    let id = <[u8; 16]>::try_from(id);
                    let id = id.map_err(|_| corrupt("an id has another length than 16 bytes"))?;
                    Ok((row.cast_unsigned(), Key::Id(id)))
                }))
            }
            Order::Texts => {
                let rows = <(BigInt, Text) as Select<(i64, String)>>::rows(select, connection)?;
                Box::new(
                    rows.map(|row| row.map(|(row, text)| (row.cast_unsigned(), Key::Text(text)))),
                )
            }
            Order::Times => {
                let rows = <(BigInt, BigInt) as Select<(i64, i64)>>::rows(select, connection)?;
                Box::new(rows.map(|row| row.map(|(row, at)| (row.cast_unsigned(), Key::Time(at)))))
            }
        })
    }
}

fn corrupt(what: &str) -> Error {
    Error::DeserializationError(what.into())
}

impl Key {
    fn bind(&self) -> Bind {
        match self {
            Self::Id(id) => Bind::Bytes(*id),
            Self::Text(text) => Bind::Text(text.clone()),
            Self::Time(time) => Bind::Integer(*time),
        }
    }
}
