//! The declaration of a list as a value. What takes it is compiled once, not once for each list.

use patrol_domain::{
    Resource, Timestamp,
    list::{Condition, Direction, Page, Query},
};

use super::{Column, ListTable, SortKey, Text, Trigrams};

/// What statements say of the table of a list: the constants of its [`ListTable`].
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the constants of the same names have the explanations")]
pub struct Table {
    pub key: &'static str,
    pub search: &'static [&'static str],
    pub trigrams: Option<Trigrams>,
    pub from: &'static str,
    pub columns: Text,
    pub ties: &'static [&'static str],
    pub page_columns: Option<&'static str>,
    pub kind: Resource,
    pub logged: Option<Resource>,
}

impl Table {
    /// The table of the list `L`.
    #[must_use]
    pub const fn of<L: ListTable>() -> &'static Self {
        const {
            &Self {
                key: L::KEY,
                search: L::SEARCH,
                trigrams: L::TRIGRAMS,
                from: L::FROM,
                columns: L::COLUMNS,
                ties: L::TIES,
                page_columns: L::PAGE_COLUMNS,
                kind: L::KIND,
                logged: L::PAGES_FROM_MEMORY,
            }
        }
    }
}

/// A query of a list, with columns of its table for filters, and expressions for sorts.
#[derive(Debug, Clone)]
pub struct TableQuery {
    /// The table.
    pub table: &'static Table,
    /// See [`Query::condition`].
    pub condition: Condition<Column>,
    /// See [`Query::search`].
    pub search: Option<String>,
    /// See [`Query::sort`].
    pub sort: Vec<(SortKey, Direction)>,
    /// See [`Query::page`].
    pub page: Page,
    /// See [`Query::now`].
    pub now: Timestamp,
    /// See [`Query::late_after`].
    pub late_after: i64,
}

impl<L: ListTable> From<Query<L>> for TableQuery {
    fn from(
        Query { condition, search, sort, page, in_parts: _, now, late_after }: Query<L>,
    ) -> Self {
        Self {
            table: Table::of::<L>(),
            condition: condition.map(L::column),
            search,
            sort: sort.into_iter().map(|by| (L::sort(by.property), by.direction)).collect(),
            page,
            now,
            late_after,
        }
    }
}
