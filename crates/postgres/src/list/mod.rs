//! Lists on PostgreSQL.

mod condition;
pub(crate) mod memory;
mod produce;
mod statement;

use std::sync::Arc;

use patrol_domain::list::{Listing, Part, Query};

use self::produce::produce;
pub(crate) use self::{
    condition::filter,
    statement::{Bind, Select, Sql},
};
use crate::{
    Store,
    engine::{Connection, Sender},
};

impl Store {
    /// Answers a list.
    pub(crate) fn listing<L: ListTable>(&self, query: Query<L>) -> Listing<L::Item> {
        let is_page = !query.is_long();
        let asked = Arc::new((query, self.clone()));
        let produce = move |connection: Arc<Connection>, sender: Sender<Part<L::Item>>| {
            let asked = Arc::clone(&asked);
            async move {
                let (query, store) = &*asked;
                produce(&connection, query, store, &sender).await
            }
        };
        if is_page { self.page(produce) } else { self.stream(produce) }
    }
}

/// A list whose rows PostgreSQL can read.
pub(crate) trait ListTable:
    patrol_stored::list::ListTable<SqlType: Select<Self::Row>>
{
}

impl<L: patrol_stored::list::ListTable<SqlType: Select<L::Row>>> ListTable for L {}

#[cfg(test)]
mod tests;
