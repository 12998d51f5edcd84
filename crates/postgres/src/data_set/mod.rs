//! Import and export of the whole store.

mod batch;
mod export;
mod faults;
mod import;
mod kind;
mod kinds;
mod known;
mod occurrences;

use async_trait::async_trait;
use diesel::{dsl::sql, sql_types::Bool};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    StoreError,
    data_set::{DataSets, Export, ImportError, Imported, Rehearsal, Source},
    event::Origin,
};
use patrol_stored::tables;

use self::kind::Kind;
pub(crate) use self::kind::page;
use crate::{Store, engine::Abort};

#[async_trait]
impl DataSets for Store {
    async fn is_empty(&self) -> Result<bool, StoreError> {
        let any = || diesel::select(sql::<Bool>(&tables::has_records()));
        self.read(async |conn| Ok(!any().get_result::<bool>(&mut conn.as_ref()).await?)).await
    }

    async fn import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        self.exclusive(async move |conn| import::import(&conn, source, &by).await).await
    }

    async fn rehearse_import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        let rehearsed = self.exclusive::<(), _, _, _>(async move |conn| {
            // Returning a failure rolls the transaction back.
            Err(Abort::rehearsed(import::import(&conn, source, &by).await))
        });
        rehearsed.await.map_or_else(Rehearsal::into_result, |()| Ok(Imported::default()))
    }

    fn export(&self) -> Export {
        self.stream(async move |conn, to| export::export(&conn, &to).await)
    }
}
