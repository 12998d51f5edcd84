//! What the memory keeps.

use std::{hash::Hash, sync::Arc, time::Duration};

use moka::sync::Cache;
use patrol_domain::Metric;

use super::{
    order::SortOrder, orders::Blocks, rows::Rows, running::RunningQueries,
    versioned_cache::VersionedCache,
};

/// The share of the sets in the memory: 1 / 4. The rest is for orders. The set of half a million rows
/// among a million takes 125 KB, that of a few thousand some KB; an order of a million rows 5 MB.
const SETS: u64 = 4;

/// The maximum number of hashes in [`Memory::requested`] and [`Memory::usual`].
const MAX_REQUESTED: u64 = 10_000;

/// How long [`Memory::usual`] keeps a hash.
const USUAL: Duration = Duration::from_secs(3600);

/// What is known of the rows of all lists of a store.
pub struct Memory<T, S> {
    /// By table and condition.
    pub(super) sets: VersionedCache<(&'static str, T), Rows, S>,
    /// By table and order.
    pub(super) orders: VersionedCache<(&'static str, SortOrder), Blocks, S>,
    /// The hashes of conditions that were tested row by row once. The next query with one of them makes
    /// its set.
    pub(super) requested: Cache<u64, ()>,
    /// The hashes of queries whose pages are found as usual, although an order is not in memory.
    pub(super) usual: Cache<u64, ()>,
    /// The tables whose orders are made after an answer.
    pub(super) making: Arc<RunningQueries<&'static str>>,
    limit: u64,
}

impl<T, S> Memory<T, S>
where
    T: Clone + Eq + Hash + Send + Sync + 'static,
    S: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static,
{
    /// An empty memory of at most `limit` bytes. `size` is the memory of a test in bytes.
    pub fn new(size: fn(&T) -> usize, limit: u64) -> Self {
        let for_sets = limit / SETS;
        let set_size = move |(_, test): &(_, T)| size(test);
        Self {
            sets: VersionedCache::new(for_sets, set_size, Rows::serialized_size),
            orders: VersionedCache::new(limit - for_sets, |_| 0, Blocks::size),
            requested: Cache::new(MAX_REQUESTED),
            usual: Cache::builder().max_capacity(MAX_REQUESTED).time_to_live(USUAL).build(),
            making: Arc::default(),
            limit,
        }
    }

    /// The memory of sets and orders in bytes.
    pub(super) fn size(&self) -> u64 {
        self.sets.size().saturating_add(self.orders.size())
    }

    /// The memory of sets and orders, and its limit.
    pub fn metrics(&self) -> [Metric; 2] {
        [
            Metric::gauge_of(
                "patrol_store_list_memory_bytes",
                "Memory of the sets and orders of rows that lists keep.",
                None,
                self.size(),
            ),
            Metric::gauge_of(
                "patrol_store_list_memory_limit_bytes",
                "Bound of the memory of lists (PATROL_LIST_MEMORY).",
                None,
                self.limit,
            ),
        ]
    }
}
