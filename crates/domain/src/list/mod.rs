//! Lists: queries and their results.
//!
//! Each list declares its filters, its sort properties and its items with [`Listed`]. Conditions,
//! sorting and paging are the same for all lists.

mod batch;
mod condition;
mod sort;

use std::pin::Pin;

use futures_core::Stream;

pub use batch::{Batch, PART_BYTES, bytes_of};
pub use condition::{Comparison, Condition, Membership, Test};
pub(crate) use sort::sort_properties;
pub use sort::{Direction, Sort, SortProperty};

use crate::shared::{error::StoreError, timestamp::Timestamp};

/// Declares a list: its filters, sort properties and items. A type without values, such as
/// [`ExecutionList`](crate::task_execution::ExecutionList), implements it.
pub trait Listed: 'static {
    /// The properties that a filter can name.
    type Filter: Copy + Eq + std::fmt::Debug + Send + Sync + 'static;
    /// The properties that a sort can name.
    type Sort: SortProperty;
    /// An item of the list.
    type Item: Send + 'static;

    /// The approximate memory of an item in bytes, including its texts and lists. Limits the size of
    /// a [`Batch`].
    fn bytes(item: &Self::Item) -> usize;
}

/// A query of a list.
#[derive(Debug, Clone)]
pub struct Query<L: Listed> {
    /// The condition that all items meet.
    pub condition: Condition<L::Filter>,
    /// The quick search: a folded text that at least one of the searched fields contains.
    pub search: Option<String>,
    /// The sort criteria, the most important first. Items that sort equal are sorted by id,
    /// ascending. Nulls come last in both directions.
    pub sort: Vec<Sort<L::Sort>>,
    /// The items to return.
    pub page: Page,
    /// Whether a short page is sent in parts too. A long page is always sent in parts. If false,
    /// the store collects a short page in memory, and fails with `PageTooLarge` when the page
    /// takes more than [`PART_BYTES`].
    pub in_parts: bool,
    /// The current time. Three sorts of executions need it, other queries ignore it: the executed time of
    /// one that is IN_PROGRESS ends at `now`, and an execution is late or missed at `now`.
    pub now: Timestamp,
    /// How long after its planned start a round is late, in milliseconds. Only the sort by `late` reads it.
    pub late_after: i64,
}

impl<L: Listed> Query<L> {
    /// The query of all items that meet the condition, sorted by id; a short page is not sent in
    /// parts. To sort by what is late, set [`Query::late_after`].
    #[must_use]
    pub fn of(condition: Condition<L::Filter>, now: Timestamp) -> Self {
        Self {
            condition,
            search: None,
            sort: Vec::new(),
            page: Page::default(),
            in_parts: false,
            now,
            late_after: 0,
        }
    }

    /// Whether the result is sent in parts. Such a query keeps a snapshot of the store open for as
    /// long as the client reads, so only a few may run at a time.
    #[must_use]
    pub const fn is_long(&self) -> bool {
        self.in_parts || self.page.is_long()
    }
}

/// A page: a range of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The maximum number of items to return: 0 to 2147483647. With 0 only the total is returned.
    pub limit: u32,
    /// The number of items to skip: 0 to 9223372036854775807.
    pub offset: u64,
}

impl Page {
    /// The largest limit; also the default.
    pub const MAX_LIMIT: u32 = 2_147_483_647;
    /// The largest offset: the largest signed 64-bit integer, which is the integer type of both
    /// databases.
    pub const MAX_OFFSET: u64 = 9_223_372_036_854_775_807;

    /// The largest limit of a short page.
    const MAX_SHORT_LIMIT: u32 = 1_000;

    /// Whether the page may have more than 1,000 items.
    #[must_use]
    pub const fn is_long(self) -> bool {
        self.limit > Self::MAX_SHORT_LIMIT
    }

    /// The total of the list, if the page shows it: the list ends on this page when the `read`
    /// items are fewer than the limit. An empty page with an offset does not show it, because the
    /// list may end before that page.
    #[must_use]
    pub fn known_total(self, read: u64) -> Option<u64> {
        let is_last = read < u64::from(self.limit) && (read > 0 || self.offset == 0);
        is_last.then(|| self.offset.saturating_add(read))
    }
}

impl Default for Page {
    fn default() -> Self {
        Self { limit: Self::MAX_LIMIT, offset: 0 }
    }
}

/// A part of the result. The last part is the `Total`; a stream that ends without a total has failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Part<T> {
    /// The next items, in order.
    Rows(Vec<T>),
    /// The number of items that meet the condition, ignoring limit and offset. From the same snapshot
    /// as the rows.
    Total(u64),
}

/// The result of a [`Query`]. An error ends the stream. Dropping the stream cancels the query and
/// releases its snapshot.
pub type Listing<T> = Pin<Box<dyn Stream<Item = Result<Part<T>, StoreError>> + Send>>;
