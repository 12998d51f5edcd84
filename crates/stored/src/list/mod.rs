//! Lists as they are stored: each declares its table once ([`ListTable`]), from which the stores
//! make their statements.

mod order;
mod statement;

use patrol_domain::{StoreError, list::Listed};

pub use order::{by_name, by_order};
pub use statement::{Piece, Sql};

use crate::aggregate::Aggregate;

/// A list as it is stored.
pub trait ListTable: Listed {
    /// What stands after FROM: a table.
    const FROM: &'static str;
    /// The integer key of a row on SQLite, which link tables name `row`.
    const KEY: &'static str;
    /// What is selected, in the order of `Row`.
    const COLUMNS: Text;
    /// Expressions that break ties, ascending, most important first.
    const TIES: &'static [&'static str];
    /// Where the quick search looks: folded text.
    const SEARCH: &'static [Column];
    /// The trigrams of all text that `Contains` and the quick search look into, if SQLite keeps
    /// them.
    const TRIGRAMS: Option<Trigrams> = None;
    /// How PostgreSQL reads rows that may be megabytes.
    const LARGE: Option<Large> = None;
    /// What every change raises that the list can show or be filtered by.
    const AGGREGATE: Aggregate;
    /// The SQL types of `COLUMNS`: a tuple.
    type SqlType: Send + 'static;
    /// A row.
    type Row: Send + 'static;

    /// The item of a row.
    ///
    /// # Errors
    /// `Corrupt` when the row cannot be read.
    fn item(row: Self::Row) -> Result<Self::Item, StoreError>;
    /// Whether a large value was left out of a page's row, see [`Large::page_columns`].
    fn is_left_out(_row: &Self::Row) -> bool {
        false
    }
    /// Where a property is stored that lists are filtered by.
    fn column(filter: Self::Filter) -> Column;
    /// How a property is sorted by.
    fn sort(sort: Self::Sort) -> SortKey;
}

/// SQL of both stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// What SQLite runs.
    pub sqlite: &'static str,
    /// What PostgreSQL runs.
    pub postgres: &'static str,
}

impl Text {
    /// SQL that both stores understand alike.
    #[must_use]
    pub const fn same(sql: &'static str) -> Self {
        Self { sqlite: sql, postgres: sql }
    }
}

/// Where a property is stored that lists are filtered by. Null fails every test but `None` and
/// `NotEqual`.
#[derive(Debug, Clone, Copy)]
pub enum Column {
    /// A column or an expression over the row; text is folded.
    Plain(&'static str),
    /// A column of few values, each of which may stand in very many rows.
    Few {
        /// The column.
        column: &'static str,
        /// What an index sorts the rows of one value by.
        then: &'static [&'static str],
    },
    /// A set.
    Set {
        /// Its table of `(value, row)` pairs on SQLite.
        table: &'static str,
        /// Its array on PostgreSQL, never null.
        array: &'static str,
        /// A column of the row that counts as one more value of the set.
        or: Option<&'static str>,
    },
    /// A condition, for a flag.
    Condition(&'static str),
}

/// What to sort by.
#[derive(Debug, Clone, Copy)]
pub struct SortKey {
    /// An SQL expression; `:now` in it stands for the query's time.
    pub sql: Text,
    /// Whether it can be null.
    pub nullable: bool,
    /// Whether it is a column of few values with an index that goes on with the ties. On SQLite it
    /// gives the ascending order only: in the descending one, all rows of a value would be read
    /// and sorted.
    pub few: bool,
}

impl SortKey {
    /// A column that is never null, or an expression.
    #[must_use]
    pub const fn of(sql: &'static str) -> Self {
        Self { sql: Text::same(sql), nullable: false, few: false }
    }

    /// A column that can be null.
    #[must_use]
    pub const fn nullable(sql: &'static str) -> Self {
        Self { nullable: true, ..Self::of(sql) }
    }

    /// The same, as a column of few values.
    #[must_use]
    pub const fn few(self) -> Self {
        Self { few: true, ..self }
    }
}

/// Where SQLite keeps trigrams: folded, three characters each.
#[derive(Debug, Clone, Copy)]
pub struct Trigrams {
    /// Selects the keys of rows by a query of FTS5, which has to follow.
    pub matching: &'static str,
    /// Selects the keys of rows that are not in the index yet.
    pub missing: &'static str,
}

/// A list whose rows may be megabytes. PostgreSQL's driver reads some rows ahead of the one that is
/// asked for, which is little as long as they are small.
#[derive(Debug, Clone, Copy)]
pub struct Large {
    /// [`ListTable::COLUMNS`], with null in place of a value that is too large for a page.
    pub page_columns: &'static str,
    /// What stands before the SELECT of a cursor.
    pub declare: &'static str,
    /// What fetches from it: many rows, some, one.
    pub fetch: [&'static str; 3],
}
