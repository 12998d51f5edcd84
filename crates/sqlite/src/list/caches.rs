//! The caches of all lists. The store owns them, so they must not hold a clone of the store: it
//! would never be dropped.

use std::sync::Arc;

use super::{Sql, count::Counts, memory::Memory};

/// What lists keep in memory for later lists: counts, sets of rows, and orders.
#[derive(Clone)]
pub(crate) struct Caches {
    pub(super) counts: Counts,
    pub(super) memory: Arc<Memory>,
}

impl Caches {
    pub(crate) fn new() -> Self {
        Self { counts: Counts::new(), memory: Arc::new(Memory::new(Sql::size)) }
    }
}
