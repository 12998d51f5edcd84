//! Lists: what is asked for, and how a store answers.
//!
//! A list is declared by naming what it filters and sorts by ([`Listed`]); conditions, sorting and
//! paging are the same for all of them.

mod batch;
mod condition;

use std::pin::Pin;

use futures_core::Stream;

pub use batch::{Batch, PART_BYTES, bytes_of};
pub use condition::{Comparison, Condition, Membership, Test};

use crate::shared::{error::StoreError, timestamp::Timestamp};

/// A kind of list.
pub trait Listed: 'static {
    /// What it can be filtered by.
    type Filter: Copy + Eq + std::fmt::Debug + Send + Sync + 'static;
    /// What it can be sorted by.
    type Sort: Copy + Eq + std::fmt::Debug + Send + Sync + 'static;
    /// Its items.
    type Item: Send + 'static;

    /// About how many bytes of memory an item takes, text and lists in it included. Stores bound
    /// the parts of a list by it ([`Batch`]).
    fn bytes(item: &Self::Item) -> usize;
}

/// What is asked of a list.
#[derive(Debug, Clone)]
pub struct Query<L: Listed> {
    /// What the records have to meet.
    pub condition: Condition<L::Filter>,
    /// The quick search: folded text that one of the list's searched fields contains.
    pub search: Option<String>,
    /// What to sort by, most important first. Ties are broken by id, ascending, whatever is here;
    /// nulls come last in both directions.
    pub sort: Vec<Sort<L::Sort>>,
    /// Which part of the records.
    pub page: Page,
    /// The time at which running durations are measured.
    pub now: Timestamp,
}

/// One criterion to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort<P> {
    /// The property.
    pub property: P,
    /// The direction.
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

/// A part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Most items: 0 to 2147483647. With 0 only the total is wanted.
    pub limit: u32,
    /// Items to skip: 0 to 9223372036854775807.
    pub offset: u64,
}

impl Page {
    /// The greatest limit, and the default (interface 8).
    pub const MAX_LIMIT: u32 = 2_147_483_647;
    /// The greatest offset (decisions 4).
    pub const MAX_OFFSET: u64 = 9_223_372_036_854_775_807;

    /// The greatest limit of a short page.
    const SHORT: u32 = 1_000;

    /// Whether so many items are asked for that few such lists may be read at a time.
    #[must_use]
    pub const fn is_long(self) -> bool {
        self.limit > Self::SHORT
    }

    /// The total of the list (without limit and offset), if this page shows it: `read` items were
    /// found, which is fewer than the limit, so that no item follows them.
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

/// Batches of rows, then exactly one `Total`, last. A stream that ends without it has failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Part<T> {
    /// The next items, in order.
    Rows(Vec<T>),
    /// How many records meet the condition, whatever the page, in the snapshot of the rows.
    Total(u64),
}

/// The answer to a [`Query`]. Dropping it ends the query and gives up its snapshot. After an error
/// nothing follows.
pub type Listing<T> = Pin<Box<dyn Stream<Item = Result<Part<T>, StoreError>> + Send>>;
