//! Points, and their history.

mod history;
mod row;

use async_trait::async_trait;
use diesel::SqliteConnection;
use patrol_domain::{
    EditError, StoreError, Timestamp,
    ids::PointId,
    list::Listing,
    point::{HistoryQuery, HistoryRecord, NewPoint, Operation, Point, Points},
    task_execution::Edit,
};

pub(crate) use history::record;
pub(crate) use row::{insert, page};

use crate::{
    Store,
    engine::Abort,
    reference,
    revision::{self, Aggregate},
};

#[async_trait]
impl Points for Store {
    async fn get(&self, id: PointId) -> Result<Option<Point>, StoreError> {
        self.read(move |conn| Ok(row::get(conn, id)?.map(|(_, point)| point))).await
    }

    async fn create(&self, point: NewPoint, at: Timestamp) -> Result<Point, EditError> {
        self.write(move |conn| create(conn, &point, at)).await
    }

    async fn update(
        &self,
        id: PointId,
        edit: Edit<Point>,
        at: Timestamp,
    ) -> Result<Point, EditError> {
        self.write(move |conn| update(conn, id, &edit, at)).await
    }

    async fn delete(&self, id: PointId, at: Timestamp) -> Result<(), EditError> {
        self.write(move |conn| delete(conn, id, at)).await
    }

    fn history(&self, query: HistoryQuery) -> Listing<HistoryRecord> {
        self.listing(query)
    }
}

fn create(
    conn: &mut SqliteConnection,
    new: &NewPoint,
    at: Timestamp,
) -> Result<Point, Abort<EditError>> {
    let existing = reference::existing(conn, &new.names)?;
    let point = (new.make)(&existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    insert(conn, &point)?;
    record(conn, &point, Operation::Create, at)?;
    revision::raise(conn, Aggregate::Point)?;
    Ok(point)
}

fn update(
    conn: &mut SqliteConnection,
    id: PointId,
    edit: &Edit<Point>,
    at: Timestamp,
) -> Result<Point, Abort<EditError>> {
    let Some((row, found)) = row::get(conn, id)? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    let existing = reference::existing(conn, &edit.names)?;
    let changed =
        (edit.change)(&found, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let Some(point) = changed else { return Ok(found) };
    row::replace(conn, row, &point)?;
    record(conn, &point, Operation::Update, at)?;
    revision::raise(conn, Aggregate::Point)?;
    Ok(point)
}

fn delete(conn: &mut SqliteConnection, id: PointId, at: Timestamp) -> Result<(), Abort<EditError>> {
    let Some((row, found)) = row::get(conn, id)? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    row::remove(conn, row)?;
    record(conn, &found, Operation::Delete, at)?;
    revision::raise(conn, Aggregate::Point)?;
    Ok(())
}
