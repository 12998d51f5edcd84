//! Import and export of the whole store.

mod batch;
mod export;
mod faults;
mod import;
mod known;

use async_trait::async_trait;
use diesel::{dsl::exists, prelude::*};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    StoreError,
    data_set::{DataSets, Export, ImportError, Imported, Rehearsal, Source},
    event::Origin,
};
use patrol_stored::schema::{
    check_lists, graphic_plans, locations, points, scheduled_tasks, task_executions, users,
};

use crate::{
    Store,
    engine::{Abort, Connection},
};

#[async_trait]
impl DataSets for Store {
    async fn is_empty(&self) -> Result<bool, StoreError> {
        self.read(async |conn| Ok(!holds_records(&conn).await?)).await
    }

    async fn import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        self.exclusive(async move |conn| import::import(&conn, source, &by).await).await
    }

    async fn rehearse_import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        let rehearsed = self.exclusive::<(), _, _, _>(async move |conn| {
            // Returning a failure rolls the transaction back.
            Err(import::import(&conn, source, &by).await.map_or_else(
                |abort| abort.map(Rehearsal::Failed),
                |imported| Abort::Refused(Rehearsal::Done(imported)),
            ))
        });
        rehearsed.await.map_or_else(Rehearsal::into_result, |()| Ok(Imported::default()))
    }

    fn export(&self) -> Export {
        self.stream(async move |conn, to| export::export(&conn, &to).await)
    }
}

async fn holds_records(mut conn: &Connection) -> QueryResult<bool> {
    diesel::select(
        exists(users::table.select(users::id))
            .or(exists(locations::table.select(locations::id)))
            .or(exists(graphic_plans::table.select(graphic_plans::id)))
            .or(exists(points::table.select(points::id)))
            .or(exists(check_lists::table.select(check_lists::id)))
            .or(exists(scheduled_tasks::table.select(scheduled_tasks::id)))
            .or(exists(task_executions::table.select(task_executions::id))),
    )
    .get_result(&mut conn)
    .await
}
