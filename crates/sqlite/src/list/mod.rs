//! Lists on SQLite.

pub(crate) mod condition;
mod count;
mod matches;
mod orders;
mod page;
mod part;
mod produce;
mod rows;
mod running;
mod sorted;
mod statement;
mod trigrams;

use count::Counts;
use matches::Matches;
use orders::Orders;
pub(crate) use produce::produce;

pub(crate) use self::statement::{Bind, Select, Sql};

/// What lists know of the data from earlier lists.
#[derive(Clone)]
pub(crate) struct Caches {
    counts: Counts,
    matches: Matches,
    orders: Orders,
}

impl Caches {
    pub(crate) fn new() -> Self {
        Self { counts: Counts::new(), matches: Matches::new(), orders: Orders::default() }
    }
}

/// A list whose rows SQLite can read.
pub(crate) trait ListTable:
    patrol_stored::list::ListTable<SqlType: Select<Self::Row>>
{
}

impl<L: patrol_stored::list::ListTable<SqlType: Select<L::Row>>> ListTable for L {}

#[cfg(test)]
mod tests;
