//! Lists on SQLite.

pub(crate) mod caches;
pub(crate) mod condition;
mod count;
mod memory;
mod produce;
mod statement;
mod trigrams;
mod wait;

use std::sync::Arc;

use patrol_domain::{
    List,
    list::{Listing, Part, Query},
};
pub(crate) use patrol_repository::stored::list::{Bind, Sql};
use patrol_repository::stored::list::{ListTable, TableQuery};

use self::produce::produce;
pub(crate) use self::statement::Select;
use crate::{Store, engine::Sender};

impl<L: ListTable<SqlType: Select<L::Row>>> List<L> for Store {
    fn list(&self, query: Query<L>) -> Listing<L::Item> {
        let is_page = !query.is_long();
        let (caches, background) = (self.caches().clone(), self.background());
        let query = Arc::new(TableQuery::from(query));
        self.produced(is_page, move |connection, sender: &mut Sender<Part<L::Item>>| {
            produce::<L>(connection, &query, &caches, &background, sender)
        })
    }
}

#[cfg(test)]
mod tests;
