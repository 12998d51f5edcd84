//! Lists on SQLite: a feature declares its table ([`ListTable`]), the rest is the same for all.

mod condition;
mod count;
mod produce;
mod statement;
mod trigrams;

use patrol_domain::{StoreError, list::Listed};

pub(crate) use count::Counts;
pub(crate) use produce::produce;

use self::statement::Select;
use crate::revision::Aggregate;

/// A list as it is stored.
pub(crate) trait ListTable: Listed {
    /// What stands after FROM.
    const FROM: &'static str;
    /// The integer key of a row, which link tables name `row`.
    const KEY: &'static str;
    /// What is selected, in the order of `Row`.
    const COLUMNS: &'static str;
    /// Expressions that break ties, ascending, most important first.
    const TIES: &'static [&'static str];
    /// What the quick search looks into: folded text.
    const SEARCH: &'static [Column];
    /// The trigrams of all text that `Contains` and the quick search look into, if they are kept.
    const TRIGRAMS: Option<Trigrams> = None;
    /// What is raised in `revision` by every change that the list can show or be filtered by.
    const AGGREGATE: Aggregate;
    /// The SQL types of `COLUMNS`: a tuple.
    type SqlType: Select<Self::Row>;
    /// A row.
    type Row;

    /// The item that a row stands for.
    ///
    /// # Errors
    /// `Corrupt` when the row cannot be read.
    fn item(row: Self::Row) -> Result<Self::Item, StoreError>;
    /// Where a property that is filtered by is stored.
    fn column(filter: Self::Filter) -> Column;
    /// How a property is sorted by.
    fn sort(sort: Self::Sort) -> SortKey;
}

/// Where a property is stored that lists are filtered by.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column {
    /// A column, or an expression over the row: text as it is compared (folded), ids as blobs,
    /// times in milliseconds, codes and flags as integers. Null fails every test but `None` and
    /// `NotEqual`.
    Plain(&'static str),
    /// A column of few values, each of which may stand in very many rows.
    Few {
        /// The column.
        column: &'static str,
        /// What an index sorts the rows of one value by.
        then: &'static [&'static str],
    },
    /// A set: a table of `(value, row)` pairs. The column `or` of the row itself counts as one more
    /// value of the set.
    Linked {
        /// The table.
        table: &'static str,
        /// The column.
        or: Option<&'static str>,
    },
}

/// What to sort by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SortKey {
    /// An SQL expression; `:now` in it stands for the query's time in milliseconds.
    pub(crate) sql: &'static str,
    /// Whether it can be null.
    pub(crate) nullable: bool,
    /// Whether it is a column of few values with an index that goes on with the ties. It gives the
    /// ascending order only: in the descending one, all rows of a value would be read and sorted.
    pub(crate) few: bool,
}

/// Where trigrams are kept: folded, three characters each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trigrams {
    /// Selects the keys of rows by a query of FTS5, which has to follow.
    pub(crate) matching: &'static str,
    /// Selects the keys of rows that are not in the index yet.
    pub(crate) missing: &'static str,
}

#[cfg(test)]
mod tests;
