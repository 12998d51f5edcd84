//! Points, and their history.

mod history;
mod row;

use async_trait::async_trait;
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
    engine::{Abort, Connection},
    reference,
};

#[async_trait]
impl Points for Store {
    async fn get(&self, id: PointId) -> Result<Option<Point>, StoreError> {
        self.read(async |conn| row::get(&conn, id).await).await
    }

    async fn create(&self, point: NewPoint, at: Timestamp) -> Result<Point, EditError> {
        self.transaction(async |conn| create(&conn, &point, at).await).await
    }

    async fn update(
        &self,
        id: PointId,
        edit: Edit<Point>,
        at: Timestamp,
    ) -> Result<Point, EditError> {
        self.transaction_on(id.0, async |conn| update(&conn, id, &edit, at).await).await
    }

    async fn delete(&self, id: PointId, at: Timestamp) -> Result<(), EditError> {
        self.transaction_on(id.0, async |conn| delete(&conn, id, at).await).await
    }

    fn history(&self, query: HistoryQuery) -> Listing<HistoryRecord> {
        self.listing(query)
    }
}

async fn create(
    conn: &Connection,
    new: &NewPoint,
    at: Timestamp,
) -> Result<Point, Abort<EditError>> {
    let existing = reference::existing(conn, &new.names).await?;
    let point = (new.make)(&existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    insert(conn, &[&point]).await?;
    record(conn, &[&point], Operation::Create, at).await?;
    Ok(point)
}

async fn update(
    conn: &Connection,
    id: PointId,
    edit: &Edit<Point>,
    at: Timestamp,
) -> Result<Point, Abort<EditError>> {
    let Some(found) = row::lock(conn, id).await? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    let existing = reference::existing(conn, &edit.names).await?;
    let changed =
        (edit.change)(&found, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let Some(point) = changed else { return Ok(found) };
    row::replace(conn, &point).await?;
    record(conn, &[&point], Operation::Update, at).await?;
    Ok(point)
}

async fn delete(conn: &Connection, id: PointId, at: Timestamp) -> Result<(), Abort<EditError>> {
    let Some(found) = row::lock(conn, id).await? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    row::remove(conn, id).await?;
    record(conn, &[&found], Operation::Delete, at).await
}
