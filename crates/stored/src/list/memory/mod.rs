//! Lists from memory: compressed sets of the rows that meet a condition, and the rows of a table in
//! a requested order. The rows of a query are the intersection of the sets of its conditions; their
//! number is the total, and the page is where they come in the order. A store then reads only the
//! rows of the page.
//!
//! A change discards neither sets nor orders: the log of changes names the rows that have changed, and
//! only these are tested or moved.

mod changes;
mod members;
mod orders;
mod part;
mod running;
mod sets;
mod statements;
mod time_range;
mod versioned_cache;

use std::{future::Future, hash::Hash, time::Duration};

use diesel::{QueryResult, result::Error};
use event_listener::EventListener;
use moka::sync::Cache;
use patrol_domain::{
    StoreError,
    list::{Condition, Page},
};
use roaring::RoaringBitmap;

pub use self::{
    changes::{Changes, Event, EventTypes, select_events},
    orders::{SortOrder, SortPosition, SortValue},
    running::RunningQueries,
    sets::Snapshot,
    statements::{select_keys, select_sort_positions, select_sort_values, select_tested},
};
use self::{orders::Blocks, versioned_cache::VersionedCache};
use super::{Column, TableQuery};

/// Keys of rows.
pub type Rows = RoaringBitmap;

/// The memory of the sets in bytes. The set of half a million rows among a million takes 125 KB,
/// that of a few thousand some KB.
const CAPACITY: u64 = 16 * 1024 * 1024;

/// An order that was not used for this time is dropped. It takes 4 MB for a million rows.
const IDLE: Duration = Duration::from_secs(3600);

/// The maximum number of conditions in [`Memory::requested`].
const MAX_REQUESTED: u64 = 10_000;

/// Up to this many matches are read and sorted by the store.
const FEW: u64 = 256;

/// After more changes than this, sets and orders are read from the data again.
pub const MAX_CHANGES: i64 = 2_000;

/// What the memory needs from a store, in one snapshot of the data.
pub trait Reader: Send {
    /// A state of the data. A later state is greater.
    type State: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static;
    /// A condition as a test of one row.
    type Test: Clone + Eq + Hash + Send + Sync + 'static;
    /// The error of a read.
    type Error: From<StoreError> + Send;

    /// The maximum number of matches that the store sorts for an order that is not in memory.
    const MAX_SORTED: u64;

    /// The number of rows of the largest table whose pages are found in memory.
    const MAX_ROWS: u64;

    /// The condition, and the term of the quick search, as a test.
    fn test(&self, condition: &Condition<Column>, search: Option<&str>) -> Self::Test;

    /// About the number of rows of the table.
    fn size(&mut self) -> impl Future<Output = Result<u64, Self::Error>> + Send;

    /// The rows that have changed since an earlier state, also removed ones; `None` when they
    /// cannot be known, or are too many.
    fn changed_since(
        &mut self,
        state: &Self::State,
    ) -> impl Future<Output = Result<Option<Rows>, Self::Error>> + Send;

    /// All rows that meet the condition and contain the term.
    fn find(
        &mut self,
        condition: &Condition<Column>,
        search: Option<&str>,
    ) -> impl Future<Output = Result<Rows, Self::Error>> + Send;

    /// Those of `rows`, at least one, that pass the test.
    fn test_rows(
        &mut self,
        rows: &Rows,
        test: &Self::Test,
    ) -> impl Future<Output = Result<Rows, Self::Error>> + Send;

    /// Calls `each` with all rows of the table in order, or with those of `rows` in any order.
    fn sort_positions(
        &mut self,
        order: SortOrder,
        rows: Option<&Rows>,
        each: &mut (dyn FnMut(u32, SortPosition) + Send),
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Lets others continue, and fails when the list is cancelled. Called in long computations. With
    /// `ended`, waits until the query of another request has ended, or until this request has to check
    /// again whether it is cancelled.
    fn pause(
        &mut self,
        ended: Option<EventListener>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// What is known of the rows of all lists of a store.
pub struct Memory<T, S> {
    /// By table and condition.
    sets: VersionedCache<(&'static str, T), Rows, S>,
    /// By table and order.
    orders: VersionedCache<(&'static str, SortOrder), Blocks, S>,
    /// The hashes of conditions that were tested row by row once. The next query with one of them makes
    /// its set.
    requested: Cache<u64, ()>,
}

/// The rows of a page.
#[derive(Debug)]
pub enum FoundPage {
    /// Rows that include those of the page.
    Rows {
        /// The number of matches.
        total: u64,
        /// The rows.
        rows: Vec<u32>,
        /// Whether `rows` are exactly those of the page, in the requested order.
        is_sorted: bool,
        /// The page, among these rows.
        page: Page,
    },
    /// Too many matches to sort, in an order that is not in memory.
    Many {
        /// Their number.
        total: u64,
    },
}

impl<T, S> Memory<T, S>
where
    T: Clone + Eq + Hash + Send + Sync + 'static,
    S: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static,
{
    /// An empty memory. `size` is the memory of a test in bytes.
    pub fn new(size: fn(&T) -> usize) -> Self {
        let sets = Cache::builder()
            .weigher(versioned_cache::weigher(
                move |(_, test): &(_, T)| size(test),
                Rows::serialized_size,
            ))
            .max_capacity(CAPACITY);
        let orders = Cache::builder().time_to_idle(IDLE);
        Self {
            sets: VersionedCache::new(sets.build()),
            orders: VersionedCache::new(orders.build()),
            requested: Cache::new(MAX_REQUESTED),
        }
    }

    /// The rows of a short page, in `state`, which `reader` sees; `None` when they have to be found in
    /// the table: it is too large, or only later states are known.
    ///
    /// # Errors
    /// Those of the reader.
    pub async fn page<R>(
        &self,
        reader: R,
        state: S,
        query: &TableQuery,
    ) -> Result<Option<FoundPage>, R::Error>
    where
        R: Reader<Test = T, State = S>,
    {
        let mut snapshot = Snapshot::new(self, reader, state, query.table);
        let Some(matches) = snapshot.matches(query).await? else { return Ok(None) };
        let (total, page) = (matches.len(), query.page);
        if page.limit == 0 || page.offset >= total {
            return Ok(Some(FoundPage::Rows { total, rows: Vec::new(), is_sorted: true, page }));
        }
        let all = || {
            let rows = matches.iter().collect();
            FoundPage::Rows { total, rows, is_sorted: false, page }
        };
        let order = SortOrder::of(query).filter(|_| total > FEW);
        let Some(order) = order else {
            let is_few = total <= FEW.max(R::MAX_SORTED);
            return Ok(Some(if is_few { all() } else { FoundPage::Many { total } }));
        };
        let Some(blocks) = snapshot.blocks(order).await? else { return Ok(None) };
        let rows = blocks.page(snapshot.reader(), order, &matches, page).await?;
        let page = Page { offset: 0, ..page };
        Ok(Some(FoundPage::Rows { total, rows, is_sorted: true, page }))
    }
}

/// The set of these keys. A set is made from sorted keys twice as fast.
#[must_use]
pub fn row_set(mut keys: Vec<u32>) -> Rows {
    keys.sort_unstable();
    Rows::from_iter(keys)
}

/// The key of a row in memory.
///
/// # Errors
/// When it has more than 32 bits: a database that has had four billion rows.
pub fn row_key(row: i64) -> QueryResult<u32> {
    let many = "the key of a row has more than 32 bits";
    u32::try_from(row).map_err(|_| Error::DeserializationError(many.into()))
}

#[cfg(test)]
mod tests;
