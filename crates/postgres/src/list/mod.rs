//! Lists on PostgreSQL.

mod condition;
pub(crate) mod last_seen;
pub(crate) mod memory;
mod one_round_trip;
mod produce;
mod statement;

use std::sync::Arc;

use futures_util::{FutureExt as _, stream};
use patrol_domain::{
    List,
    list::{Listing, Part, Query},
};
use patrol_repository::stored::list::TableQuery;
pub(crate) use patrol_repository::stored::list::{Bind, Sql};

pub(crate) use self::{condition::plain, statement::Select};
use self::{one_round_trip::expected, produce::produce, statement::ListTable};
use crate::{
    Store,
    engine::{Connection, Sender},
};

impl<L: ListTable> List<L> for Store {
    fn list(&self, query: Query<L>) -> Listing<L::Item> {
        let is_page = !query.is_long();
        let query = Arc::new(TableQuery::from(query));
        let shared = Arc::new((Arc::clone(&query), self.clone()));
        let produce = move |connection: Arc<Connection>, sender: Sender<Part<L::Item>>| {
            let shared = Arc::clone(&shared);
            async move {
                let (query, store) = &*shared;
                produce::<L>(&connection, query, store, &sender).await
            }
        };
        if !is_page {
            return self.stream(produce);
        }
        let Some(expected) = expected(&query, self.memory(), self.last_seen()) else {
            return self.page(produce);
        };
        let store = self.clone();
        let read = async move {
            let last = store.last_seen();
            match store.read(async |connection| expected.read::<L>(&connection, last).await).await {
                Ok(Some((rows, total))) => {
                    let rows = Some(rows).filter(|rows| !rows.is_empty()).map(Part::Rows);
                    let parts = rows.into_iter().chain([Part::Total(total)]).map(Ok);
                    let listing: Listing<L::Item> = Box::pin(stream::iter(parts));
                    listing
                }
                Ok(None) => store.page(produce),
                Err(error) => Box::pin(stream::iter([Err(error)])),
            }
        };
        Box::pin(read.flatten_stream())
    }
}

#[cfg(test)]
mod tests;
