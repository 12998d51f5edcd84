//! Lists on PostgreSQL: a feature declares its table ([`ListTable`]), the rest is the same for all.

mod condition;
mod produce;
mod statement;

use std::sync::Arc;

use patrol_domain::{
    StoreError,
    list::{Listed, Listing, Part, Query},
};

use self::{produce::produce, statement::Select};
use crate::{
    Store,
    engine::{Connection, Sender},
};

impl Store {
    /// Answers a list.
    pub(crate) fn listing<L: ListTable>(&self, query: Query<L>) -> Listing<L::Item> {
        let is_page = !query.page.is_long();
        let asked = Arc::new((query, self.counts().clone()));
        let produce = move |connection: Arc<Connection>, sender: Sender<Part<L::Item>>| {
            let asked = Arc::clone(&asked);
            async move {
                let (query, counts) = &*asked;
                produce(&connection, query, counts, &sender).await
            }
        };
        if is_page { self.page(produce) } else { self.stream(produce) }
    }
}

/// A list as it is stored.
pub(crate) trait ListTable: Listed {
    /// What stands after FROM: a table.
    const FROM: &'static str;
    /// What is selected, in the order of `Row`.
    const COLUMNS: &'static str;
    /// How rows that may be megabytes are read with care.
    const LARGE: Option<Large> = None;
    /// Expressions that break ties, ascending, most important first.
    const TIES: &'static [&'static str];
    /// What the quick search looks into: columns of folded text.
    const SEARCH: &'static [&'static str];
    /// The SQL types of `COLUMNS`: a tuple.
    type SqlType: Select<Self::Row>;
    /// A row.
    type Row: Send + 'static;

    /// The item that a row stands for.
    ///
    /// # Errors
    /// `Corrupt` when the row cannot be read.
    fn item(row: Self::Row) -> Result<Self::Item, StoreError>;
    /// Whether a large value was left out of a page's row, see [`Large::page_columns`].
    fn is_left_out(_row: &Self::Row) -> bool {
        false
    }
    /// Where a property is stored that is filtered by.
    fn column(filter: Self::Filter) -> Column;
    /// How a property is sorted by.
    fn sort(sort: Self::Sort) -> SortKey;
}

/// A list whose rows may be megabytes. The driver reads some rows ahead of the one that is asked for,
/// which is little as long as they are small.
pub(crate) struct Large {
    /// [`ListTable::COLUMNS`], with null in place of a value that is too large for a page.
    pub(crate) page_columns: &'static str,
    /// What stands before the SELECT of a cursor.
    pub(crate) declare: &'static str,
    /// What fetches from it: many rows, some, one.
    pub(crate) fetch: [&'static str; 3],
}

/// Where a property is stored that lists are filtered by.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column {
    /// A column or an expression: text as it is compared (folded), codes as small integers. Null
    /// fails every test but `None` and `NotEqual`.
    Plain(&'static str),
    /// A set: an array, never null. The column `or` counts as one more value of the set.
    Array {
        /// The column.
        column: &'static str,
        /// The other column.
        or: Option<&'static str>,
    },
    /// A condition that can be denied, which a flag asks for: compared with a value it would be
    /// worked out row by row.
    Truth(&'static str),
}

/// What to sort by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SortKey {
    /// An SQL expression; `:now` in it stands for the query's time.
    pub(crate) sql: &'static str,
    /// Whether it can be null.
    pub(crate) nullable: bool,
}

#[cfg(test)]
mod tests;
