//! The stored side of lists: each list declares its table once ([`ListTable`]), and the stores
//! build their statements from that.

mod bind;
mod column_test;
mod condition;
pub mod memory;
mod order;
mod statement;
mod table;

use patrol_domain::{Resource, StoreError, list::Listed};

pub use bind::Bind;
pub use column_test::{ColumnTest, Values};
pub use order::{by_name, by_order};
pub use statement::{BuiltStatement, Sql};
pub use table::{Table, TableQuery};

/// The table of a list.
pub trait ListTable: Listed {
    /// The integer key of a row, which SQLite's link tables call `row`. On PostgreSQL only tables
    /// with [`ListTable::PAGES_FROM_MEMORY`] have one.
    const KEY: &'static str;
    /// The folded columns that the quick search compares.
    const SEARCH: &'static [&'static str];
    /// The trigrams of all text for `Contains` and the quick search, if SQLite has them.
    const TRIGRAMS: Option<Trigrams> = None;
    /// The FROM clause: a table.
    const FROM: &'static str;
    /// The selected columns, in the order of `Row`.
    const COLUMNS: Text;
    /// Columns that break ties, ascending, most important first. The last one is unique.
    const TIES: &'static [&'static str] = &["id"];
    /// [`Self::COLUMNS`] with null instead of values that are too large for a page, for a list whose rows
    /// may take megabytes. PostgreSQL's driver reads some rows ahead, which takes much memory for large
    /// rows, so longer lists of such rows are read with a cursor.
    const PAGE_COLUMNS: Option<&'static str> = None;
    /// The kind of record whose changes can change the list.
    const KIND: Resource;
    /// The kind of record that the rows are, if every change of a row is an event of this kind. Then
    /// short pages are found in memory ([`memory`]).
    const PAGES_FROM_MEMORY: Option<Resource> = None;
    /// The SQL types of `COLUMNS`: a tuple.
    type SqlType: Send + 'static;
    /// The columns as read.
    type Row: Send + 'static;

    /// The column of a filter property.
    fn column(filter: Self::Filter) -> Column;
    /// Decodes the item of a row.
    ///
    /// # Errors
    /// `Corrupt` when the row cannot be read.
    fn item(row: Self::Row) -> Result<Self::Item, StoreError>;
    /// Whether a large value was left out of this row, see [`Self::PAGE_COLUMNS`].
    fn lacks_large_value(_row: &Self::Row) -> bool {
        false
    }
    /// The expression of a sort property.
    fn sort(sort: Self::Sort) -> SortKey;
}

/// SQL text in the forms of both stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text {
    /// The form for SQLite.
    pub sqlite: &'static str,
    /// The form for PostgreSQL.
    pub postgres: &'static str,
}

impl Text {
    /// SQL that is the same in both stores.
    #[must_use]
    pub const fn same(sql: &'static str) -> Self {
        Self { sqlite: sql, postgres: sql }
    }
}

/// The column of a filter property. Null fails every test except `None` and `NotEqual`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// A column or an expression of the row; text is folded.
    Plain(&'static str),
    /// An expression of the row that the stores write differently.
    Computed(Text),
    /// A text that is compared exactly, and searched in folded form.
    Exact {
        /// The column with the text.
        text: &'static str,
        /// The column with the folded text.
        folded: &'static str,
    },
    /// A column with few values, each of which may occur in very many rows.
    LowCardinality {
        /// The name of the column.
        column: &'static str,
        /// How an index sorts the rows of one value.
        then: &'static [&'static str],
    },
    /// A set of values, stored in different ways.
    Set {
        /// The table of `(value, row)` pairs on SQLite.
        table: &'static str,
        /// The array on PostgreSQL, never null.
        array: &'static str,
        /// A column of the row that counts as another value of the set.
        or: Option<&'static str>,
    },
    /// A condition, for a boolean filter.
    Condition(&'static str),
}

impl Column {
    /// The column that this test compares.
    #[must_use]
    pub const fn of_test(self, test: &ColumnTest<'_>) -> Self {
        match (self, test) {
            (Self::Exact { folded, .. }, ColumnTest::Contains(_)) => Self::Plain(folded),
            (Self::Exact { text, .. }, _) => Self::Plain(text),
            (column, _) => column,
        }
    }
}

/// An expression to sort by.
#[derive(Debug, Clone, Copy)]
pub struct SortKey {
    /// An SQL expression; `:now` is [`TableQuery::now`], `:late_after` [`TableQuery::late_after`].
    pub sql: Text,
    /// The beginning of a text that may be too long for an index of PostgreSQL. An index has this
    /// expression, and rows with the same beginning are sorted.
    pub beginning: Option<&'static str>,
    /// Whether it can be null.
    pub nullable: bool,
    /// Whether it is a column of few values whose index continues with the tie-breakers. On SQLite
    /// the index serves only the ascending order: descending, all rows of a value would be read and
    /// sorted.
    pub few: bool,
    /// The order of the rows, if it is kept in memory. The key must never be null, and SQLite needs
    /// an index that begins with it.
    pub order: Option<OrderKind>,
}

/// What the rows are sorted by, before the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderKind {
    /// Nothing: the key is the id.
    Ids,
    /// A text.
    Texts,
    /// A time.
    Times,
}

impl SortKey {
    /// A column that is never null, or such an expression.
    #[must_use]
    pub const fn of(sql: &'static str) -> Self {
        Self { sql: Text::same(sql), beginning: None, nullable: false, few: false, order: None }
    }

    /// A column that can be null.
    #[must_use]
    pub const fn nullable(sql: &'static str) -> Self {
        Self { nullable: true, ..Self::of(sql) }
    }

    /// Declares the beginning of a long text.
    #[must_use]
    pub const fn long(self, beginning: &'static str) -> Self {
        Self { beginning: Some(beginning), ..self }
    }

    /// Declares an order that is kept in memory.
    #[must_use]
    pub const fn ordered(self, order: OrderKind) -> Self {
        Self { order: Some(order), ..self }
    }

    /// Declares a column of few values.
    #[must_use]
    pub const fn few(self) -> Self {
        Self { few: true, ..self }
    }
}

/// The trigram tables of SQLite: folded, three characters each.
#[derive(Debug, Clone, Copy)]
pub struct Trigrams {
    /// The FTS5 table, whose rows have the keys of the list's rows.
    pub table: &'static str,
    /// Selects the keys of rows that are not indexed yet.
    pub missing: &'static str,
    /// A term with more candidate rows is not looked up by trigrams: it is faster to compare rows in the
    /// order of the list until a page is full.
    pub max_candidates: i64,
}

impl Trigrams {
    /// A table that every change of a row updates at once.
    #[must_use]
    pub const fn of(table: &'static str) -> Self {
        Self { table, missing: "SELECT NULL WHERE FALSE", max_candidates: 2_000 }
    }
}
