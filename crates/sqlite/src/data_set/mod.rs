//! Import and export of the whole store.

mod executions;
mod failure;
mod import;
mod indexes;
mod occurrences;
mod prepare;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use diesel::{dsl::sql, prelude::*, sql_types::Bool};
use patrol_domain::{
    StoreError,
    data_set::{DataSets, DryRunOutcome, Export, ImportError, Imported, Record, Source},
    event::Origin,
    list::PART_BYTES,
};
use patrol_repository::{
    data_set::{self, Sink},
    stored::tables,
};

use crate::{
    Store,
    engine::{Abort, JobConnection, Sender, poll_once},
};

#[async_trait]
impl DataSets for Store {
    async fn is_empty(&self) -> Result<bool, StoreError> {
        let any = sql::<Bool>(&tables::has_records());
        self.read(|conn| Ok(!diesel::select(any).get_result::<bool>(conn)?)).await
    }

    async fn import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        self.exclusive(move |conn| import::import(conn, source, &by)).await
    }

    async fn dry_run_import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        let dry_run = self.exclusive::<(), _>(move |conn| {
            // Returning a failure rolls the transaction back.
            Err(Abort::dry_run(import::import(conn, source, &by)))
        });
        dry_run.await.map_or_else(DryRunOutcome::into_result, |()| Ok(Imported::default()))
    }

    fn export(&self) -> Export {
        self.stream(|conn, to| {
            poll_once(data_set::export(&JobConnection::of(conn), &mut Exported(to)))
        })
    }
}

/// The stream of an export.
struct Exported<'a>(&'a mut Sender<Vec<Record>>);

impl Sink for Exported<'_> {
    async fn send(&mut self, records: Vec<Record>) -> Result<(), Abort<StoreError>> {
        self.0.note_row();
        if records.is_empty() { Ok(()) } else { self.0.send(records, PART_BYTES) }
    }
}
