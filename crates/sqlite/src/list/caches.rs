//! The caches of all lists. The engine's store owns them, so they do not use the store.

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
