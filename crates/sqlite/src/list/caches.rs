//! The caches of all lists. The store owns them, so they must not hold a clone of the store: it
//! would never be dropped.

use std::sync::Arc;

use patrol_domain::Metric;

use super::{Sql, count::Counts, memory::Memory};

/// What lists keep in memory for later lists: counts, sets of rows, and orders.
#[derive(Clone)]
pub(crate) struct Caches {
    pub(super) counts: Counts,
    pub(super) memory: Arc<Memory>,
}

impl Caches {
    /// `limit` is the memory for sets and orders in bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self { counts: Counts::new(), memory: Arc::new(Memory::new(Sql::size, limit)) }
    }

    /// The metrics of sets and orders.
    pub(crate) fn metrics(&self) -> [Metric; 2] {
        self.memory.metrics()
    }
}
