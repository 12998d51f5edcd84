//! Lists from memory: compressed sets of the rows that meet a condition, and the rows of a table in
//! a requested order. The rows of a query are the intersection of the sets of its conditions; their
//! number is the total, and the page is where they come in the order. A store then reads only the
//! rows of the page.
//!
//! A change does not discard anything: the log of changes tells which rows have changed, and only
//! these are tested or moved.

mod changes;
mod kept;
mod members;
mod orders;
mod part;
mod running;
mod sets;
mod statements;

use std::{future::Future, hash::Hash, time::Duration};

use diesel::{QueryResult, result::Error};
use event_listener::EventListener;
use moka::sync::Cache;
use patrol_domain::{
    StoreError,
    list::{Condition, Page, Query},
};
use roaring::RoaringBitmap;

pub use self::{
    changes::{Changes, Event, EventTypes, select},
    orders::{Key, Place, Sorted},
    running::Running,
    sets::Snapshot,
    statements::{select_among, select_keys, select_places, select_values},
};
use self::{kept::Kept, orders::Blocks};
use super::ListTable;

/// Keys of rows.
pub type Rows = RoaringBitmap;

/// The memory of the sets in bytes. The set of half a million rows among a million takes 125 KB,
/// that of a few thousand some KB.
const CAPACITY: u64 = 16 * 1024 * 1024;

/// An order that was not used for so long is forgotten. It takes 4 MB for a million rows.
const IDLE: Duration = Duration::from_secs(3600);

/// The number of conditions that are remembered as asked for.
const MOST_ASKED: u64 = 10_000;

/// Up to this many matches are read and sorted by the store.
const FEW: u64 = 256;

/// After more changes than this, everything is read anew.
pub const MOST_CHANGES: i64 = 2_000;

/// What the memory needs from a store, in one snapshot of the data.
pub trait Reader<L: ListTable>: Send {
    /// A state of the data. A later state is greater.
    type State: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static;
    /// A condition as a test of one row.
    type Test: Clone + Eq + Hash + Send + Sync + 'static;
    /// What fails.
    type Error: From<StoreError> + Send;

    /// The most matches that the store sorts for an order that is not in memory.
    const MOST_SORTED: u64;

    /// The rows of the largest table whose pages are found in memory.
    const MOST_ROWS: u64;

    /// The state of this snapshot.
    fn state(&self) -> &Self::State;

    /// The condition, and the term of the quick search, as a test.
    fn test(condition: &Condition<L::Filter>, search: Option<&str>) -> Self::Test;

    /// About the number of rows of the table.
    fn size(&mut self) -> impl Future<Output = Result<u64, Self::Error>> + Send;

    /// The rows that have changed since an earlier state, also removed ones; `None` when they cannot
    /// be known, or are too many.
    fn changed_since(
        &mut self,
        state: &Self::State,
    ) -> impl Future<Output = Result<Option<Rows>, Self::Error>> + Send;

    /// All rows that meet the condition and contain the term.
    fn found(
        &mut self,
        condition: &Condition<L::Filter>,
        search: Option<&str>,
    ) -> impl Future<Output = Result<Rows, Self::Error>> + Send;

    /// Those of `rows`, at least one, that pass the test.
    fn among(
        &mut self,
        rows: &Rows,
        test: &Self::Test,
    ) -> impl Future<Output = Result<Rows, Self::Error>> + Send;

    /// Calls `each` with all rows of the table in order, or with those of `rows` in any order.
    fn places(
        &mut self,
        sorted: Sorted,
        rows: Option<&Rows>,
        each: &mut (dyn FnMut(u32, Place) + Send),
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Waits for the query of another request.
    fn wait(
        &mut self,
        ended: EventListener,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Lets others continue; fails when the list is cancelled. Called in long computations.
    fn pause(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// What is known of the rows of all lists of a store.
pub struct Memory<T, S> {
    /// By table and condition.
    sets: Kept<(&'static str, T), Rows, S>,
    /// By table and order.
    orders: Kept<(&'static str, Sorted), Blocks, S>,
    /// The hashes of conditions that were tested row by row. The next query makes their sets.
    asked: Cache<u64, ()>,
}

/// The rows of a page.
#[derive(Debug)]
pub enum Found {
    /// Rows that include those of the page.
    Rows {
        /// The number of matches.
        total: u64,
        /// Not sorted.
        rows: Vec<u32>,
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
            .weigher(kept::weigher(move |(_, test): &(_, T)| size(test), Rows::serialized_size))
            .max_capacity(CAPACITY);
        let orders = Cache::builder().time_to_idle(IDLE);
        Self {
            sets: Kept::new(sets.build()),
            orders: Kept::new(orders.build()),
            asked: Cache::new(MOST_ASKED),
        }
    }

    /// The rows of a short page, in the state that `reader` sees; `None` when they have to be found in
    /// the table: it is too large, or only later states are known.
    ///
    /// # Errors
    /// Those of the reader.
    pub async fn page<L, R>(&self, reader: R, query: &Query<L>) -> Result<Option<Found>, R::Error>
    where
        L: ListTable,
        R: Reader<L, Test = T, State = S>,
    {
        let mut snapshot = Snapshot::new(self, reader);
        let Some(matches) = snapshot.matches(query).await? else { return Ok(None) };
        let (total, page) = (matches.len(), query.page);
        if page.limit == 0 || page.offset >= total {
            return Ok(Some(Found::Rows { total, rows: Vec::new(), page }));
        }
        let all = || Found::Rows { total, rows: matches.iter().collect(), page };
        let sorted = Sorted::of(query).filter(|_| total > FEW);
        let Some(sorted) = sorted else {
            let is_few = total <= FEW.max(R::MOST_SORTED);
            return Ok(Some(if is_few { all() } else { Found::Many { total } }));
        };
        let Some(blocks) = snapshot.blocks(sorted).await? else { return Ok(None) };
        let rows = blocks.page(snapshot.reader(), sorted, &matches, page).await?;
        Ok(Some(Found::Rows { total, rows, page: Page { offset: 0, ..page } }))
    }
}

/// The set of these keys. A set is made from sorted keys twice as fast.
#[must_use]
pub fn set(mut keys: Vec<u32>) -> Rows {
    keys.sort_unstable();
    Rows::from_iter(keys)
}

/// The key of a row in memory.
///
/// # Errors
/// When it has more than 32 bits: a database that has had four billion rows.
pub fn key(row: i64) -> QueryResult<u32> {
    let many = "the key of a row has more than 32 bits";
    u32::try_from(row).map_err(|_| Error::DeserializationError(many.into()))
}

#[cfg(test)]
mod tests;
