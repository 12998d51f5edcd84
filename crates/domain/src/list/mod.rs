//! Lists: queries, and the answers of a store.
//!
//! A list is declared by naming what it filters and sorts by ([`Listed`]); conditions, sorting and
//! paging are the same for all lists.

mod batch;
mod condition;

use std::pin::Pin;

use futures_core::Stream;

pub use batch::{Batch, PART_BYTES, bytes_of};
pub use condition::{Comparison, Condition, Membership, Test};

use crate::shared::{error::StoreError, timestamp::Timestamp};

/// A kind of list: its filters, sort properties and items.
pub trait Listed: 'static {
    /// The properties that a filter can name.
    type Filter: Copy + Eq + std::fmt::Debug + Send + Sync + 'static;
    /// The properties that a sort can name.
    type Sort: Copy + Eq + std::fmt::Debug + Send + Sync + 'static;
    /// One row of the list.
    type Item: Send + 'static;

    /// The approximate memory of an item in bytes, its texts and lists included. [`Batch`] limits
    /// batches by it.
    fn bytes(item: &Self::Item) -> usize;
}

/// A query of a list.
#[derive(Debug, Clone)]
pub struct Query<L: Listed> {
    /// The condition that every listed record meets.
    pub condition: Condition<L::Filter>,
    /// The quick search: folded text that at least one searched field contains.
    pub search: Option<String>,
    /// The sort criteria, most important first. Ties are always broken by id, ascending; nulls come
    /// last in both directions.
    pub sort: Vec<Sort<L::Sort>>,
    /// The range of records to return.
    pub page: Page,
    /// Whether a short page may be sent in parts, like a long list. Otherwise a store holds it in
    /// memory until it is complete, and fails with `PageTooLarge` when it takes more than
    /// [`PART_BYTES`].
    pub in_parts: bool,
    /// The time up to which running durations are measured.
    pub now: Timestamp,
}

impl<L: Listed> Query<L> {
    /// Whether only a few such lists may be read at a time: it is sent in parts at the pace of its
    /// reader, and keeps its snapshot open meanwhile.
    #[must_use]
    pub const fn is_long(&self) -> bool {
        self.in_parts || self.page.is_long()
    }
}

/// One criterion to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort<P> {
    /// The property to compare, for example the name.
    pub property: P,
    /// Ascending or descending; nulls come last in both.
    pub direction: Direction,
}

/// The direction of a sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Greatest first.
    Descending,
}

/// A range of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The most items to return: 0 to 2147483647. With 0 only the total is needed.
    pub limit: u32,
    /// The number of items to skip: 0 to 9223372036854775807.
    pub offset: u64,
}

impl Page {
    /// The greatest limit, which is also the default.
    pub const MAX_LIMIT: u32 = 2_147_483_647;
    /// The greatest offset: the greatest signed 64-bit number, because stores count with those.
    pub const MAX_OFFSET: u64 = 9_223_372_036_854_775_807;

    /// The greatest limit of a short page.
    const SHORT: u32 = 1_000;

    /// Whether the page has more items than a short one.
    #[must_use]
    pub const fn is_long(self) -> bool {
        self.limit > Self::SHORT
    }

    /// The total of the list (ignoring limit and offset), if this page shows it: `read` items were
    /// found, fewer than the limit, so none follow.
    #[must_use]
    pub fn known_total(self, read: u64) -> Option<u64> {
        let is_end = read < u64::from(self.limit) && (read > 0 || self.offset == 0);
        is_end.then(|| self.offset.saturating_add(read))
    }
}

impl Default for Page {
    fn default() -> Self {
        Self { limit: Self::MAX_LIMIT, offset: 0 }
    }
}

/// A piece of an answer. The last one is the only `Total`; a stream that ends without it has
/// failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Part<T> {
    /// The next items, in order.
    Rows(Vec<T>),
    /// The number of records that meet the condition, ignoring limit and offset, in the same
    /// snapshot as the rows.
    Total(u64),
}

/// The answer to a [`Query`]. Dropping it cancels the query and releases its snapshot. An error is
/// the last item.
pub type Listing<T> = Pin<Box<dyn Stream<Item = Result<Part<T>, StoreError>> + Send>>;
