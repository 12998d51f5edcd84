//! Import and export of the whole store.

mod executions;
mod export;
mod faults;
mod import;
mod indexes;
mod kind;
mod kinds;
mod occurrences;
mod ready;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use diesel::{dsl::sql, prelude::*, sql_types::Bool};
use patrol_domain::{
    StoreError,
    data_set::{DataSets, Export, ImportError, Imported, Rehearsal, Source},
    event::Origin,
};
use patrol_stored::tables;

use self::kind::{Failure, Import, Kind};
use crate::{Store, engine::Abort};

#[async_trait]
impl DataSets for Store {
    async fn is_empty(&self) -> Result<bool, StoreError> {
        let any = sql::<Bool>(&tables::has_records());
        self.read(|conn| Ok(!diesel::select(any).get_result::<bool>(conn)?)).await
    }

    async fn import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        self.exclusive(move |conn| import::import(conn, source, &by)).await
    }

    async fn rehearse_import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        let rehearsed = self.exclusive::<(), _>(move |conn| {
            // Returning a failure rolls the transaction back.
            Err(Abort::rehearsed(import::import(conn, source, &by)))
        });
        rehearsed.await.map_or_else(Rehearsal::into_result, |()| Ok(Imported::default()))
    }

    fn export(&self) -> Export {
        self.stream(export::export)
    }
}
