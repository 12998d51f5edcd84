//! Import and export of the whole store.

mod executions;
mod export;
mod faults;
mod import;
mod indexes;
mod ready;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use diesel::{dsl::exists, prelude::*};
use patrol_domain::{
    StoreError,
    data_set::{DataSets, Export, ImportError, Imported, Rehearsal, Source},
    event::Origin,
};
use patrol_stored::schema::{
    check_lists, graphic_plans, locations, points, scheduled_tasks, task_executions, users,
};

use crate::{Store, engine::Abort};

#[async_trait]
impl DataSets for Store {
    async fn is_empty(&self) -> Result<bool, StoreError> {
        self.read(|conn| Ok(!holds_records(conn)?)).await
    }

    async fn import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        self.exclusive(move |conn| import::import(conn, source, &by)).await
    }

    async fn rehearse_import(&self, source: Source, by: Origin) -> Result<Imported, ImportError> {
        let rehearsed = self.exclusive::<(), _>(move |conn| {
            // Returning a failure rolls the transaction back.
            Err(import::import(conn, source, &by).map_or_else(
                |abort| abort.map(Rehearsal::Failed),
                |imported| Abort::Refused(Rehearsal::Done(imported)),
            ))
        });
        rehearsed.await.map_or_else(Rehearsal::into_result, |()| Ok(Imported::default()))
    }

    fn export(&self) -> Export {
        self.stream(export::export)
    }
}

fn holds_records(conn: &mut SqliteConnection) -> QueryResult<bool> {
    Ok(diesel::select(exists(users::table.select(users::row))).get_result(conn)?
        || diesel::select(exists(locations::table.select(locations::row))).get_result(conn)?
        || diesel::select(exists(graphic_plans::table.select(graphic_plans::row)))
            .get_result(conn)?
        || diesel::select(exists(points::table.select(points::row))).get_result(conn)?
        || diesel::select(exists(check_lists::table.select(check_lists::row))).get_result(conn)?
        || diesel::select(exists(scheduled_tasks::table.select(scheduled_tasks::row)))
            .get_result(conn)?
        || diesel::select(exists(task_executions::table.select(task_executions::row)))
            .get_result(conn)?)
}
