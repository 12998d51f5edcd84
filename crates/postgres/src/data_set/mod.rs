//! Import and export of the whole store.

mod batch;
mod import;
mod known;
mod occurrences;

use async_trait::async_trait;
use diesel::{dsl::sql, sql_types::Bool};
use diesel_async::RunQueryDsl;
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
    engine::{Abort, Connection, JobConnection, Sender},
};

#[async_trait]
impl DataSets for Store {
    async fn is_empty(&self) -> Result<bool, StoreError> {
        let any = || diesel::select(sql::<Bool>(&tables::has_records()));
        self.read(async |conn| Ok(!any().get_result::<bool>(&mut conn.as_ref()).await?)).await
    }

    async fn import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        self.exclusive(async move |conn| import::import(&conn, source, &by).await).await
    }

    async fn dry_run_import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        let dry_run = self.exclusive::<(), _, _, _>(async move |conn| {
            // Returning a failure rolls the transaction back.
            Err(Abort::dry_run(import::import(&conn, source, &by).await))
        });
        dry_run.await.map_or_else(DryRunOutcome::into_result, |()| Ok(Imported::default()))
    }

    fn export(&self) -> Export {
        self.stream(async move |conn, to| {
            data_set::export(&JobConnection(&conn), &mut Exported(&conn, &to)).await
        })
    }
}

/// The size that a batch counts for: two of them wait to be written.
const BATCH_BYTES: usize = PART_BYTES / 2;

/// The stream of an export.
struct Exported<'a>(&'a Connection, &'a Sender<Vec<Record>>);

impl Sink for Exported<'_> {
    async fn send(&mut self, records: Vec<Record>) -> Result<(), Abort<StoreError>> {
        let Self(conn, to) = self;
        conn.has_first_row();
        if records.is_empty() { Ok(()) } else { to.send(records, BATCH_BYTES).await }
    }
}
