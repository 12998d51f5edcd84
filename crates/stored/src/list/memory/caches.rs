//! What the memory keeps.

use std::{hash::Hash, time::Duration};

use moka::sync::Cache;

use super::{
    order::SortOrder,
    orders::Blocks,
    rows::Rows,
    versioned_cache::{VersionedCache, weigher},
};

/// The memory of the sets in bytes. The set of half a million rows among a million takes 125 KB,
/// that of a few thousand some KB.
const CAPACITY: u64 = 16 * 1024 * 1024;

/// An order that was not used for this time is dropped. It takes 4 MB for a million rows.
const IDLE: Duration = Duration::from_secs(3600);

/// The maximum number of conditions in [`Memory::requested`].
const MAX_REQUESTED: u64 = 10_000;

/// What is known of the rows of all lists of a store.
pub struct Memory<T, S> {
    /// By table and condition.
    pub(super) sets: VersionedCache<(&'static str, T), Rows, S>,
    /// By table and order.
    pub(super) orders: VersionedCache<(&'static str, SortOrder), Blocks, S>,
    /// The hashes of conditions that were tested row by row once. The next query with one of them makes
    /// its set.
    pub(super) requested: Cache<u64, ()>,
}

impl<T, S> Memory<T, S>
where
    T: Clone + Eq + Hash + Send + Sync + 'static,
    S: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static,
{
    /// An empty memory. `size` is the memory of a test in bytes.
    pub fn new(size: fn(&T) -> usize) -> Self {
        let sets = Cache::builder()
            .weigher(weigher(move |(_, test): &(_, T)| size(test), Rows::serialized_size))
            .max_capacity(CAPACITY);
        let orders = Cache::builder().time_to_idle(IDLE);
        Self {
            sets: VersionedCache::new(sets.build()),
            orders: VersionedCache::new(orders.build()),
            requested: Cache::new(MAX_REQUESTED),
        }
    }
}
