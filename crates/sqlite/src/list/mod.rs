//! Lists on SQLite.

pub(crate) mod condition;
mod count;
mod memory;
mod produce;
mod statement;
mod trigrams;

use std::sync::Arc;

use count::Counts;
use memory::Memory;
use patrol_domain::{
    List,
    list::{Listing, Query},
};
pub(crate) use produce::produce;

pub(crate) use patrol_stored::list::{Bind, Sql};

pub(crate) use self::statement::Select;
use crate::Store;

/// What lists keep in memory for later lists: counts, sets of rows, and orders.
#[derive(Clone)]
pub(crate) struct Caches {
    counts: Counts,
    memory: Arc<Memory>,
}

impl Caches {
    pub(crate) fn new() -> Self {
        Self { counts: Counts::new(), memory: Arc::new(Memory::new(Sql::size)) }
    }
}

/// A list whose rows SQLite can read.
pub(crate) trait ListTable:
    patrol_stored::list::ListTable<SqlType: Select<Self::Row>>
{
}

impl<L: patrol_stored::list::ListTable<SqlType: Select<L::Row>>> ListTable for L {}

impl<L: ListTable> List<L> for Store {
    fn list(&self, query: Query<L>) -> Listing<L::Item> {
        self.listing(query)
    }
}

#[cfg(test)]
mod tests;
