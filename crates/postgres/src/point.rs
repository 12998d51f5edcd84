//! Points, and their history.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError, Timestamp, Versioned,
    ids::PointId,
    list::Listing,
    point::{HistoryQuery, HistoryRecord, NewPoint, Operation, Point, Points},
    task_execution::Edit,
};
use patrol_stored::{
    point::{Read, Recorded, Written},
    schema::{point_history, points},
    sql::id,
};

use crate::{
    Store,
    change::{self, Change, Editable, Entity, Removable, unversioned},
    engine::{Abort, Connection},
    reference,
};

#[async_trait]
impl Points for Store {
    async fn get(&self, id: PointId) -> Result<Option<Point>, StoreError> {
        self.read(async |conn| get(&conn, id).await).await
    }

    async fn create(&self, new: NewPoint, at: Timestamp) -> Result<Point, EditError> {
        self.transaction(async |conn| create(&conn, &new, at).await).await
    }

    async fn update(
        &self,
        id: PointId,
        edit: Edit<Point>,
        at: Timestamp,
    ) -> Result<Point, EditError> {
        Ok(self
            .transaction_on(id.0, async |conn| change::update(&conn, id, None, &edit, at).await)
            .await?
            .record)
    }

    async fn delete(&self, id: PointId, at: Timestamp) -> Result<(), EditError> {
        self.transaction_on(id.0, async |conn| change::delete::<Point>(&conn, id, None, at).await)
            .await
    }

    fn history(&self, query: HistoryQuery) -> Listing<HistoryRecord> {
        self.listing(query)
    }
}

async fn get(mut conn: &Connection, point: PointId) -> Result<Option<Point>, Abort<StoreError>> {
    let query = points::table.find(id(point)).select(Read::as_select());
    Ok(query.first(&mut conn).await.optional()?.map(Read::point).transpose()?)
}

async fn create(
    conn: &Connection,
    new: &NewPoint,
    at: Timestamp,
) -> Result<Point, Abort<EditError>> {
    let point = (new.make)(&reference::existing(conn, &new.names).await?)?;
    insert(conn, &[&point], at).await?;
    Ok(point)
}

impl Entity for Point {
    type Id = PointId;
    type At = Timestamp;

    async fn lock(
        mut conn: &Connection,
        point: PointId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let query = points::table.find(id(point)).select(Read::as_select()).for_update();
        let found = query.first(&mut conn).await.optional()?.map(Read::point).transpose()?;
        Ok(found.map(unversioned))
    }

    async fn record<E: Send>(
        mut conn: &Connection,
        changes: &[Change<'_, Self>],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let recorded = changes.iter().map(|change| match change {
            Change::Create(point) => Recorded::of(point, Operation::Create, at),
            Change::Update(point) => Recorded::of(point, Operation::Update, at),
            Change::Delete(point) => Recorded::of(point, Operation::Delete, at),
        });
        let recorded: Vec<_> = recorded.collect();
        diesel::insert_into(point_history::table).values(recorded).execute(&mut conn).await?;
        Ok(())
    }
}

impl Editable for Point {
    async fn replace(
        mut conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let place = points::table.find(id(old.record.id));
        diesel::update(place).set(Written::of(new)).execute(&mut conn).await?;
        Ok(())
    }
}

impl Removable for Point {
    async fn remove(mut conn: &Connection, point: PointId) -> Result<(), Abort<EditError>> {
        diesel::delete(points::table.find(id(point))).execute(&mut conn).await?;
        Ok(())
    }
}

/// Stores new points and their first history records.
pub(crate) async fn insert<E: Send>(
    mut conn: &Connection,
    points: &[&Point],
    at: Timestamp,
) -> Result<(), Abort<E>> {
    let written: Vec<_> = points.iter().map(|point| Written::of(point)).collect();
    diesel::insert_into(points::table).values(written).execute(&mut conn).await?;
    let changes: Vec<_> = points.iter().map(|point| Change::Create(*point)).collect();
    change::note(conn, &changes, at).await
}
