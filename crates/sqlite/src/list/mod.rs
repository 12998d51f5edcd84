//! Lists on SQLite.

pub(crate) mod condition;
mod count;
mod produce;
mod statement;
mod trigrams;

pub(crate) use count::Counts;
pub(crate) use produce::produce;

pub(crate) use self::statement::{Bind, Select, Sql};

/// A list whose rows SQLite can read.
pub(crate) trait ListTable:
    patrol_stored::list::ListTable<SqlType: Select<Self::Row>>
{
}

impl<L: patrol_stored::list::ListTable<SqlType: Select<L::Row>>> ListTable for L {}

#[cfg(test)]
mod tests;
